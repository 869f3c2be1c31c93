"""Claims and records matches on a database, playing left out: `recorder.py URL NAME`; begins with a line on its input.

Says {"ready": true} after its first block, and at the end {"matches", "claim", "record", "asleep"}: how many it
recorded, and in all the milliseconds of CPU of claims and records, and those in which it slept. That is for a lock or
for the disk; whoever waits for a processor does not sleep.
"""

import json
import sys
import time
from pathlib import Path

from arena.bench.growth import recording
from arena.bench.instant import now
from arena.services import dispatch, results
from arena.store import open_store


def say(**facts):
    print(json.dumps(facts), flush=True)


def busy_ms():
    """Return for how long this thread had a processor or waited for one."""
    ran, waited, _ = Path("/proc/self/schedstat").read_text().split()
    return (int(ran) + int(waited)) / 1e6


def main(url, name):
    store = open_store(url)
    spent = {"claim": 0.0, "record": 0.0}

    def timed(what, do, *arguments):
        begun = time.process_time()
        done = do(store, *arguments)
        spent[what] += 1000 * (time.process_time() - begun)
        return done

    def play():
        """Play a block; return its matches."""
        claim = timed("claim", dispatch.claim, name, now())
        for leg in claim.legs if claim else ():
            timed("record", results.record, recording(claim.block_id, claim.attempt, leg), now())
        return len(claim.legs) if claim else 0

    play()  # puts statements together
    say(ready=True)
    sys.stdin.readline()
    spent.update(claim=0.0, record=0.0)
    matches, begun = 0, 1000 * time.monotonic() - busy_ms()
    while (played := play()) > 0:
        matches += played
    say(matches=matches, asleep=1000 * time.monotonic() - busy_ms() - begun, **spent)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
