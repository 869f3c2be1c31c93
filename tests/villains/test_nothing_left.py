"""After any number of bad matches everything is as before: tasks, threads, open files, children, folders."""

import asyncio
import gc
import threading
from pathlib import Path

import grpc
from refereeing import Worker, honest_bot, program, raw_bot, referee_process, write_bot

from referee.server import serve

SHORT = "0.1s+0s,start=0.2s,margin=10ms"
FILES = Path("/proc/self/fd")
PASSABLE = "0.1s+0s,start=0.6s,margin=10ms"
LONG = "600s+0s,start=600s,margin=50ms"


async def nobody_comes(worker):
    await (await worker.host(clock=SHORT)).finished()


async def nobody_answers(worker):
    match = await worker.host(clock=SHORT)
    async with raw_bot(match.address, match.tickets[0]), raw_bot(match.address, match.tickets[1]):
        await match.finished()


async def garbage(worker):
    match = await worker.host(clock=LONG)
    async with honest_bot(match, 0), raw_bot(match.address, match.tickets[1]) as villain:
        await villain.turn()
        await villain.send(b"\xff\xff")
        await match.finished()


async def goes_away(worker):
    match = await worker.host(clock=PASSABLE)
    async with honest_bot(match, 0):
        async with raw_bot(match.address, match.tickets[1]) as villain:
            await villain.turn()
        await match.finished()


async def reads_nothing(worker):
    match = await worker.host(clock=PASSABLE)
    tiny = [("grpc.http2.lookahead_bytes", 1), ("grpc.http2.bdp_probe", 0)]
    async with honest_bot(match, 0), raw_bot(match.address, match.tickets[1], tiny):
        await match.finished()


async def storm(worker):
    match = await worker.host(clock=LONG)
    async with honest_bot(match, 0):
        for _ in range(6):
            async with raw_bot(match.address, match.tickets[1]) as villain:
                await villain.turn()
        await match.finished()


async def strangers(worker):
    match = await worker.host(clock=LONG)
    async with raw_bot(match.address, "no ticket") as one, raw_bot(match.address):
        await one.refused()
        await match.cancel()


async def worker_leaves(worker):
    match = await worker.host(clock=LONG)
    async with raw_bot(match.address, match.tickets[0]) as bot:
        await bot.read()
        await match.cancel()
        await bot.refused()


BAD_MATCHES = (nobody_comes, nobody_answers, garbage, goes_away, reads_nothing, storm, strangers, worker_leaves)


def no_more(now, before):
    return all(a <= b for a, b in zip(now, before, strict=True))


async def settled(count, enough):
    """Return the counts as soon as they are enough, or after five seconds whatever they are."""
    seen = []
    for _ in range(100):
        gc.collect()
        seen.append(count())
        if enough(seen):
            break
        await asyncio.sleep(0.05)
    return seen[-1]


def at_rest(seen):
    return len(seen) > 5 and len(set(seen[-5:])) == 1


async def test_bad_matches_leave_no_task_thread_or_file_in_the_referee(tmp_path):
    def counts():
        return len(asyncio.all_tasks()), threading.active_count(), sum(1 for _ in FILES.iterdir())

    async with (
        serve(f"unix:{tmp_path}/bots.sock", f"unix:{tmp_path}/control.sock") as addresses,
        grpc.aio.insecure_channel(addresses.control) as channel,
    ):
        worker = Worker(channel)
        for bad in BAD_MATCHES:
            await bad(worker)
        before = await settled(counts, at_rest)
        for _ in range(2):
            for bad in BAD_MATCHES:
                await bad(worker)
        after = await settled(counts, lambda seen: no_more(seen[-1], before))
        assert no_more(after, before), (before, after)
    assert not list(tmp_path.iterdir())


async def test_bad_programs_leave_no_thread_file_or_child_in_the_referee(tmp_path):
    path = write_bot(tmp_path, "killed", "def choose(self, turn):\n    os.kill(os.getpid(), 9)")
    async with referee_process(tmp_path) as referee:

        async def bad_match():
            match = await referee.host(clock=LONG)
            async with honest_bot(match, 0), program(referee, match, 1, path):
                await match.finished()

        await bad_match()
        before = await settled(lambda: referee.counts, at_rest)
        for _ in range(4):
            await bad_match()
        after = await settled(lambda: referee.counts, lambda seen: no_more(seen[-1], before))
        assert no_more(after, before), (before, after)
