"""The referee program: `python -m referee --bots ADDRESS --control unix:PATH [--public HOST:PORT]`.

Prints one JSON line with its addresses when it is ready. Ends, with everything it hosts, when its standard input
closes (whoever started it is gone) or on SIGTERM or SIGINT. A standard input that is not a pipe, a socket or a terminal
is not watched. Exit codes: 0 ended as asked, 1 failure, 2 usage.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import resource
import signal
import sys

from arena.core.errors import ArenaError
from arena.core.pings import REFEREE, Pings
from arena.core.protocol import set_for_grpc
from arena.net.tls import add_tls_options, check_plain_text, read_identity

STDIN = 0


def main() -> int:
    """Run until told to end; return the exit code."""
    parser = argparse.ArgumentParser(prog="referee", description="Hosts matches for one worker.")
    parser.add_argument("--bots", required=True, metavar="ADDRESS", help="unix:PATH or HOST:PORT for bots")
    parser.add_argument("--control", required=True, metavar="unix:PATH", help="socket of the worker")
    parser.add_argument("--public", metavar="HOST:PORT", help="where remote seats are taken; port 0: any free one")
    parser.add_argument(
        "--pings", nargs=2, type=float, metavar=("EVERY", "ANSWER"), default=(REFEREE.every_s, REFEREE.answer_s),
        help="seconds: how soon a silent remote seat is asked whether it is there, and has to answer",
    )  # fmt: skip
    add_tls_options(parser)
    arguments = parser.parse_args()
    _raise_open_file_limit()
    set_for_grpc()
    try:
        asyncio.run(_serve(arguments))
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


async def _serve(asked: argparse.Namespace) -> None:
    from referee.server import Public, serve  # noqa: PLC0415 - imports gRPC, which reads the environment set above

    public = None
    if asked.public:
        identity = read_identity(asked.tls_cert, asked.tls_key)
        check_plain_text(asked.public, identity, allowed=asked.allow_plain_text)
        public = Public(asked.public, identity, Pings(*asked.pings))
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    _watch_stdin(loop, ended)
    async with serve(asked.bots, asked.control, public) as addresses:
        # What is imported by now stays; looking through it again and again would only delay answers.
        gc.freeze()
        ready = {"bots": addresses.bots, "control": addresses.control}
        if addresses.public:
            ready["public"] = addresses.public
        print(json.dumps(ready), flush=True)
        await ended.wait()


def _watch_stdin(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    def on_readable() -> None:
        if not os.read(STDIN, 4096):
            loop.remove_reader(STDIN)
            ended.set()

    try:
        loop.add_reader(STDIN, on_readable)
    except OSError:
        # A file or the null device: nobody's end could be noticed there.
        return


def _raise_open_file_limit() -> None:
    """Bots may open many connections; the usual soft limit would let a few of them shut the others out."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    sys.exit(main())
