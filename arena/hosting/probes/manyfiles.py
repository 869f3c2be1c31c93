"""Makes empty files without end; tells if far more than the limit could be made."""

import os

from bait import FACTS, done, got

folder = FACTS["folder"]
made = 0
try:
    while made < FACTS["many"]:
        os.close(os.open(f"{folder}/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError:
    done()
else:
    got(f"{made} files in {folder}")
