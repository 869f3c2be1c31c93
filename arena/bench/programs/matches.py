"""Plays a tournament's blocks as a worker does and tells what that costs: `matches.py DATABASE BLOCKS`.

Two bots that answer at once play First Snow in sandboxes, two matches a block; the database is a new one. Prints JSON:
milliseconds of CPU a match of each part in this process, of the referee, and how many matches there were.
"""

import io
import json
import sys
import time
import zipfile
from datetime import UTC, datetime
from hashlib import sha256

from arena.hosting import matches as hosting
from arena.hosting import pool
from arena.services import accounts, dispatch, results, submissions, tournaments
from arena.store import migrate, open_store
from worker.slot import Slot

BOT = """
from bots.sdk import Bot, run


class Instant(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]


run(Instant)
"""
PARTS = {
    "claim": [(dispatch, "claim"), (dispatch, "count_queued"), (submissions, "unpack")],
    "heartbeats": [(dispatch, "heartbeat")],
    "record": [(results, "record")],
    "start": [(hosting, "launch"), (pool, "launch")],
}


def watched(spent, part, function):
    """Return the function, with the CPU of its thread counted; a coroutine's until it waits for the first time."""

    def timed(*words, **named):
        start = time.thread_time()
        try:
            return function(*words, **named)
        finally:
            spent[part] += time.thread_time() - start

    async def timed_coroutine(*words, **named):
        start = time.thread_time()
        try:
            return await function(*words, **named)
        finally:
            spent[part] += time.thread_time() - start

    return timed_coroutine if part == "start" else timed


def archive(name):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr("bot.toml", f'name = "{name}"\ngames = ["first-snow"]\n')
        files.writestr("bot.py", BOT)
    return packed.getvalue()


def now():
    return datetime.now(UTC)


def tournament(store, blocks):
    admin = accounts.authenticate(store, accounts.bootstrap(store, now()).secret, now())
    for name in ("ada", "bert"):
        packed = archive(name)
        submissions.submit(store, admin, packed, sha256(packed).hexdigest(), now())
    entered = (("ada", 0), ("bert", 0))
    tournaments.create(store, admin, now(), name="bench", game="first-snow", entrants=entered, deals=blocks)
    tournaments.start(store, admin, "bench", now())


def cpu_of(pid):
    return time.clock_gettime((~pid << 3) | 2)


def main(database, blocks):
    migrate(database)
    store = open_store(database)
    warm_up = 1 if blocks > 1 else 0
    tournament(store, warm_up + blocks)
    slot = Slot(store, "bench", now)
    slot.check()
    for _ in range(warm_up):
        slot.play_next()
    spent = dict.fromkeys(PARTS, 0.0)
    for part, functions in PARTS.items():
        for owner, name in functions:
            setattr(owner, name, watched(spent, part, getattr(owner, name)))
    own, referee, begun = time.process_time(), cpu_of(slot._referee.pid), time.monotonic()
    for _ in range(blocks):
        if not slot.play_next():
            raise SystemExit("nothing was queued")
    per_match = 1000 / (2 * blocks)
    whole = time.process_time() - own
    facts = {part: seconds * per_match for part, seconds in spent.items()}
    facts["rest"] = (whole - sum(spent.values())) * per_match
    facts["referee"] = (cpu_of(slot._referee.pid) - referee) * per_match
    facts["wall"] = (time.monotonic() - begun) * per_match
    slot.close()
    store.close()
    print(json.dumps({"ms": facts, "matches": 2 * blocks}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
