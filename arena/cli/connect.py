"""`arena connect`: a bot plays on a server from its author's own machine."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.botref import builtin_folders
from arena.cli.client import Session
from arena.cli.client import connect as open_session
from arena.cli.options import CaOption, DataOption, ServerOption, TokenFileOption
from arena.cli.output import Interrupted, counted, note, say
from arena.cli.packing import MANIFEST, fingerprint
from arena.cli.readiness import check_node
from arena.cli.remote.game import Bot
from arena.cli.remote.host import Host
from arena.core.errors import Terminated, UsageError
from arena.core.manifest import parse_manifest
from arena.services.lobby import MAX_PLACES
from arena.v1 import lobby_pb2 as pb


def connect(
    bot: Annotated[str, typer.Argument(metavar="DIR", help="The bot's folder with its bot.toml, or a built-in name.")],
    *,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=MAX_PLACES, help="Matches at once, each with its own process.")
    ] = 1,
    games: Annotated[int, typer.Option("--games", min=0, help="Leave after so many matches; 0: stay.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="What the bot prints; else BOT.log, here.")
    ] = None,
    server: ServerOption = None,
    ca: CaOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
) -> None:
    """Play a bot from this machine: its files stay here, and its seats come to it.

    It needs no port of its own. The first Ctrl-C finishes the matches being played, the second one stops at once.
    """
    folder = builtin_folders().get(bot, Path(bot))
    digest = fingerprint(folder)
    manifest = _manifest(folder)
    read = parse_manifest(manifest, str(folder / MANIFEST))
    check_node(read)
    with open_session(server, token_file, data, ca) as session:
        request = pb.RegisterRemoteBotRequest(manifest=manifest, sha256=digest)
        made = session.call(session.lobby.RegisterRemoteBot, request)
        found = Bot(folder.resolve(), read.program, made.version.bot, made.version.version)
        note(f"{found.label}: {'these files are a new version' if made.created else 'the same files as before'}")
        file = output or Path(f"{found.name}.log")
        stopped = _play(session, found, file, concurrency, games)
    if stopped == signal.SIGINT:
        given = {
            "--concurrency": concurrency if concurrency != 1 else None,
            "--games": games or None,
            "--output": output,
            "--server": server,
            "--ca": ca,
            "--token-file": token_file,
            "--data": data,
        }
        words = [word for name, value in given.items() if value is not None for word in (name, str(value))]
        raise Interrupted(f"stopped; connect again with `{shlex.join(['arena', 'connect', bot, *words])}`")
    if stopped:
        raise Terminated(128 + stopped)


def _play(session: Session, bot: Bot, file: Path, places: int, games: int) -> int:
    """Play until drained (0), or until a signal stopped it at once (its number)."""
    try:
        out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise UsageError(f"output file {file}: {error.strerror}; name another with --output") from None
    note(f"what it prints goes to {file}")
    try:
        return asyncio.run(_run(session, bot, out, places, games))
    finally:
        os.close(out)


async def _run(session: Session, bot: Bot, out: int, places: int, games: int) -> int:
    host = Host(
        session, bot, places=places, games=games, write=lambda chunk: _write(out, chunk), say=_say_now, note=note
    )
    running = asyncio.ensure_future(host.run())
    stopped = 0
    asked = False

    def stop(number: int) -> None:
        nonlocal stopped, asked
        if number == signal.SIGINT and not asked:
            asked = True
            if host.playing:
                note(f"finishing {counted(host.playing, 'match')}; Ctrl-C again stops at once")
            host.drain()
            return
        stopped = number
        running.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    try:
        await running
    except asyncio.CancelledError:
        if not stopped:
            raise
    return stopped


def _say_now(line: str) -> None:
    say(line)
    typer.get_text_stream("stdout").flush()


def _write(out: int, chunk: bytes) -> None:
    # To a full disk nothing can be written; the match matters more.
    try:
        os.write(out, chunk)
    except OSError as error:
        note(f"the bot's output is lost: {error.strerror}")


def _manifest(folder: Path) -> str:
    try:
        return (folder / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{folder / MANIFEST} cannot be read: {error}", reason="BAD_MANIFEST") from None
