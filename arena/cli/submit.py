"""`arena submit`: packs a bot's folder, sends it, and follows its checks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.botref import builtin_folders
from arena.cli.client import CHUNK_BYTES, Session, connect, submit_packed, wait_until_checked
from arena.cli.options import DataOption, JsonOption, ServerOption, TokenFileOption, as_plain
from arena.cli.output import Interrupted, note, print_json, progress, say
from arena.cli.packing import Packed, pack
from arena.core.errors import Refused
from arena.v1 import bot_pb2


def submit(
    bot: Annotated[str, typer.Argument(metavar="DIR", help="The bot's folder with its bot.toml, or a built-in name.")],
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Submit a bot's folder as its next version; prints NAME@VERSION."""
    packed = pack(builtin_folders().get(bot, Path(bot)))
    try:
        with connect(server, token_file, data) as session:
            sent = _send(session, packed)
            version = wait_until_checked(session, sent.version.bot, sent.version.version)
    except KeyboardInterrupt:
        raise Interrupted(f"go on with `arena submit {bot}`: what has arrived is not stored twice") from None
    label = f"{version.bot}@{version.version}"
    if version.state == bot_pb2.BOT_VERSION_STATE_REJECTED:
        raise Refused(f"{label} was rejected: {version.reason}", reason="VERSION_REJECTED")
    if not sent.created:
        note(f"the same files are {label} already")
    if as_json:
        print_json(as_plain([version])[0])
    else:
        say(label)


def _send(session: Session, packed: Packed) -> bot_pb2.SubmitBotResponse:
    with progress("submitting", -(-len(packed.archive) // CHUNK_BYTES)) as bar:
        return submit_packed(session, packed, lambda sent, _size: bar.advance(f"{-(-sent // 1024)} KB"))
