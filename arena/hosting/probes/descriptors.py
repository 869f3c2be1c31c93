"""Opens files until it is refused; tells if it was never refused."""

import os

from bait import FACTS, done, got

opened = 0
try:
    while opened <= FACTS["open_files"]:
        os.open("/dev/null", os.O_RDONLY)
        opened += 1
except OSError:
    done()
else:
    got(f"{opened} open files")
