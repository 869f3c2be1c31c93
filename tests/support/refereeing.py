"""A referee in a process of its own, matches on it, and bots that speak the protocol by hand or as programs."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import grpc
import psutil

from arena.core.protocol import PROTOCOL_VERSION
from arena.match.verify import Status, verify_log
from arena.v1 import match_result_pb2, play_pb2, referee_pb2, referee_pb2_grpc

PATIENCE_S = 20
QUICK = "1s+0s,start=2s,margin=50ms"


class Match:
    """A running HostMatch call."""

    def __init__(self, call, match_id):
        self._call = call
        self.match_id = match_id
        self.address = ""
        self.tickets = ()
        self.doors = ()
        self.progress = []
        self._finished = None

    async def opened(self):
        message = await self._call.read()
        assert message.WhichOneof("kind") == "opened", message
        self.address = message.opened.address
        self.tickets = tuple(message.opened.tickets)
        self.doors = tuple(message.opened.doors)
        return self

    async def moved(self, condition=lambda progress: True):
        """Return the next progress that fulfils the condition; None when the match finishes without one."""
        while self._finished is None:
            message = await asyncio.wait_for(self._call.read(), PATIENCE_S)
            if message.WhichOneof("kind") == "finished":
                assert await self._call.read() is grpc.aio.EOF
                self._finished = Finished(message.finished)
                return None
            self.progress.append(message.progress)
            if condition(message.progress):
                return message.progress
        return None

    async def finished(self):
        """Return the end of the match."""
        while self._finished is None:
            await self.moved()
        return self._finished

    async def cancel(self):
        self._call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._call.read()


class Finished:
    """A match's end in words."""

    def __init__(self, message):
        self.message = message
        self.end = match_result_pb2.MatchEnd.Name(message.end).removeprefix("MATCH_END_")
        self.ends = [match_result_pb2.SeatEnd.Name(seat.end).removeprefix("SEAT_END_") for seat in message.seats]
        self.ranks = [seat.rank for seat in message.seats]
        self.notes = list(message.seat_notes)
        self.log = [json.loads(line) for line in message.log.decode().splitlines()]
        report = verify_log(message.log.splitlines(keepends=True))
        assert report.status is Status.OK, report


class Worker:
    """What a worker does with a referee: hosts matches, reports exits."""

    def __init__(self, channel):
        self.stub = referee_pb2_grpc.RefereeServiceStub(channel)
        self._count = 0

    async def host(self, *, seats=2, game="icefall", variant="", clock=QUICK, seed=bytes(16), match_id="", **more):
        self._count += 1
        match_id = match_id or f"match {self._count}"
        request = referee_pb2.HostMatchRequest(
            match_id=match_id,
            game=game,
            variant=variant,
            clock=clock,
            seed=seed,
            seats=[referee_pb2.HostedSeat(bot=f"bot {seat}", version="1") for seat in range(seats)],
            **more,
        )
        return await Match(self.stub.HostMatch(request), match_id).opened()

    async def report_exit(self, match, seat, status=1):
        await self.stub.ReportExit(referee_pb2.ReportExitRequest(match_id=match.match_id, seat=seat, status=status))

    async def replace(self, match, seat):
        await self.stub.ReplaceSeat(referee_pb2.ReplaceSeatRequest(match_id=match.match_id, seat=seat))


class RefereeProcess(Worker):
    """`python -m referee` on two sockets in a folder."""

    def __init__(self, process, ready, channel):
        super().__init__(channel)
        self.process = process
        self.ready = ready
        self.channel = channel

    @property
    def bots(self):
        return self.ready["bots"]

    @property
    def counts(self):
        """Threads, open files and children of the process."""
        process = psutil.Process(self.process.pid)
        return process.num_threads(), process.num_fds(), len(process.children(recursive=True))


@contextlib.asynccontextmanager
async def referee_process(folder, bots=None):
    control = f"unix:{folder}/control.sock"
    command = ["-m", "referee", "--bots", bots or f"unix:{folder}/bots.sock", "--control", control]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        ready = json.loads(await asyncio.wait_for(process.stdout.readline(), PATIENCE_S))
        async with grpc.aio.insecure_channel(control, options=[("grpc.max_receive_message_length", -1)]) as channel:
            yield RefereeProcess(process, ready, channel)
    finally:
        process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), PATIENCE_S)
        if process.returncode is None:
            process.kill()
            await process.wait()


class RawBot:
    """A bot that speaks the protocol message by message, rightly or wrongly."""

    def __init__(self, address, options=()):
        self._channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1), *options])
        self.call = self._channel.stream_stream("/arena.v1.PlayService/Play")()

    async def send(self, data):
        await self.call.write(data)

    async def tell(self, **kind):
        await self.send(play_pb2.PlayRequest(**kind).SerializeToString())

    async def hello(self, ticket, version=PROTOCOL_VERSION, sdk="test/1.0.0"):
        await self.tell(hello=play_pb2.Hello(ticket=ticket, protocol_version=version, sdk=sdk))

    async def answer(self, ply, action=0):
        await self.tell(answer=play_pb2.Answer(ply=ply, action=action))

    async def resign(self):
        await self.tell(resign=play_pb2.Resign())

    async def read(self):
        """Return the next message; None when the stream has ended in order."""
        data = await asyncio.wait_for(self.call.read(), PATIENCE_S)
        return None if data is grpc.aio.EOF else play_pb2.PlayResponse.FromString(data)

    async def turn(self):
        """Return the next turn."""
        while True:
            message = await self.read()
            assert message is not None
            if message.WhichOneof("kind") == "turn":
                return message.turn

    async def game_over(self):
        while True:
            message = await self.read()
            assert message is not None
            if message.WhichOneof("kind") == "game_over":
                assert await self.read() is None
                return message.game_over

    async def play(self):
        """Answer every turn with the first action; return GameOver.

        A match may end while an answer to it is on its way. gRPC then fails the call, and what came before that is only
        had by who was reading already.
        """
        coming = asyncio.ensure_future(self.read())
        late = False
        try:
            while True:
                message = await coming
                assert message is not None
                if message.WhichOneof("kind") == "game_over":
                    assert late or await self.read() is None
                    return message.game_over
                coming = asyncio.ensure_future(self.read())
                if message.WhichOneof("kind") == "turn":
                    try:
                        await self.answer(message.turn.ply)
                    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                        late = True
        finally:
            coming.cancel()

    async def refused(self):
        """Read until the stream is refused; return (reason, gRPC code's name)."""
        with contextlib.suppress(grpc.aio.AioRpcError):
            while await self.read() is not None:
                pass
        reason = dict(await self.call.trailing_metadata()).get("reason")
        assert (await self.call.details()).startswith(f"{reason}: ")
        return reason, (await self.call.code()).name

    async def close(self):
        self.call.cancel()
        await self._channel.close()


@contextlib.asynccontextmanager
async def raw_bot(address, ticket=None, options=()):
    bot = RawBot(address, options)
    try:
        if ticket is not None:
            await bot.hello(ticket)
        yield bot
    finally:
        await bot.close()


@contextlib.asynccontextmanager
async def honest_bot(match, seat):
    """A bot in this process that plays to the end; the task gives GameOver."""
    async with raw_bot(match.address, match.tickets[seat]) as bot:
        task = asyncio.create_task(bot.play())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def program(worker, match, seat, path, **environment):
    """A bot program, reported when it ends as a worker does; killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(path),
        env={**os.environ, "WHITEOUT_ADDRESS": match.address, "WHITEOUT_TICKET": match.tickets[seat], **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    ran = Program(process)

    async def report():
        ran.out, ran.err = (text.decode() for text in await process.communicate())
        await worker.report_exit(match, seat, process.returncode)

    reporting = asyncio.create_task(report())
    ran.ended = reporting
    try:
        yield ran
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        await asyncio.wait_for(asyncio.gather(reporting, return_exceptions=True), PATIENCE_S)


class Program:
    """A started bot program and, once ended, what it printed."""

    def __init__(self, process):
        self.process = process
        self.out = self.err = ""
        self.ended = None

    async def exit_code(self):
        await asyncio.wait_for(asyncio.shield(self.ended), PATIENCE_S)
        return self.process.returncode


def write_bot(folder: Path, name: str, body: str) -> Path:
    """Write a bot program whose class body is given; return its path."""
    path = folder / f"{name}.py"
    lines = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    head = "import os, sys, time\nfrom bots.sdk import Bot, run\n"
    path.write_text(f"{head}\nclass {name.title()}(Bot):\n{lines}\n\nrun({name.title()})\n", encoding="utf-8")
    return path
