"""`arena submit`: packs a bot's folder, sends it, and follows its checks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.botref import builtin_folders
from arena.cli.bots import show_last_output
from arena.cli.checks import follow
from arena.cli.client import CHUNK_BYTES, Session, connect, submit_packed
from arena.cli.options import CaOption, DataOption, JsonOption, ServerOption, TokenFileOption, as_plain
from arena.cli.output import Interrupted, note, print_json, progress, say
from arena.cli.packing import Packed, pack
from arena.core.errors import Refused
from arena.v1 import bot_pb2 as pb
from arena.v1 import match_result_pb2


def submit(
    bot: Annotated[str, typer.Argument(metavar="DIR", help="The bot's folder with its bot.toml, or a built-in name.")],
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Submit a bot's folder as its next version and follow its checks; prints NAME@VERSION once it is accepted."""
    packed = pack(builtin_folders().get(bot, Path(bot)))
    label = ""
    try:
        with connect(server, token_file, data, ca) as session:
            sent = _send(session, packed)
            label = f"{sent.version.bot}@{sent.version.version}"
            if sent.version.state == pb.BOT_VERSION_STATE_CHECKING:
                _announce(label, packed, created=sent.created)
            found = follow(session, sent.version)
            _conclude(session, found)
    except KeyboardInterrupt:
        if not label:
            raise Interrupted(f"nothing was stored; send it again with `arena submit {bot}`") from None
        raise Interrupted(
            f"{label} is stored and its checks go on; follow them again with `arena submit {bot}`,"
            f" or see how they ended with `arena versions {label}`"
        ) from None
    if not sent.created:
        note(f"the same files are {label} already")
    if as_json:
        print_json(as_plain([found.version])[0])
    else:
        say(label)


def _send(session: Session, packed: Packed) -> pb.SubmitBotResponse:
    with progress("submitting", -(-len(packed.archive) // CHUNK_BYTES)) as bar:
        return submit_packed(session, packed, lambda sent, _size: bar.advance(f"{-(-sent // 1024)} KB"))


def _announce(label: str, packed: Packed, *, created: bool) -> None:
    if not created:
        note(f"the same files are {label}, which is still being checked")
        return
    files = f"{packed.files} file{'s' * (packed.files != 1)}"
    note(f"{label}: the archive ({files}, {-(-len(packed.archive) // 1024)} KB) and its bot.toml are in order")
    note(f"{label} now plays a qualification match at each of its games against the arena's random bot")


def _conclude(session: Session, found: pb.WatchSubmissionResponse) -> None:
    """Raise Refused unless the version is accepted; before that, show what the bot printed in the match it failed."""
    version = found.version
    label = f"{version.bot}@{version.version}"
    if version.state == pb.BOT_VERSION_STATE_REJECTED:
        for match in found.matches:
            if match.seat_end not in {match_result_pb2.SEAT_END_UNSPECIFIED, match_result_pb2.SEAT_END_PLAYED}:
                show_last_output(session, match.match_id, match.seat)
        raise Refused(f"{label} was rejected: {version.reason}", reason="VERSION_REJECTED")
    if version.state == pb.BOT_VERSION_STATE_SET_ASIDE:
        raise Refused(
            f"{label} is set aside: {version.reason}; change the bot and submit it,"
            f" or bring it back with `arena restore {label}`",
            reason="VERSION_SET_ASIDE",
        )
    if version.state == pb.BOT_VERSION_STATE_RETIRED:
        raise Refused(f"{label} was retired; bring it back with `arena restore {label}`", reason="VERSION_RETIRED")
