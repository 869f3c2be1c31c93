"""Writes the example match of docs/protocol.md: what one seat and the referee say to each other, message by message.

    python scripts/example_match.py          writes it into the page
    python scripts/example_match.py --print  prints it

The match is played on the rules by two bots that take their first legal action; the messages are the referee's own.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import descriptor_pool, text_format
from google.protobuf.message import Message

from arena.core import Seat
from arena.match.clock import Bank, Clock
from arena.match.match import Match
from arena.match.setup import SeatLabel, Setup
from arena.v1 import play_pb2
from referee import wire

PAGE = Path(__file__).resolve().parent.parent / "docs" / "protocol.md"
BEGIN, END = "<!-- example match: scripts/example_match.py -->\n", "<!-- end of the example match -->\n"
GAME, VARIANT, SEED = "snowblind", "epic", 7
SEAT = Seat(0)
CLOCK = Clock(bank_ms=10_000, increment_ms=100, start_ms=10_000, margin_ms=50)
TICKET = "the-ticket"
WIDTH = 140


def setup() -> Setup:
    """Return the facts of the match."""
    labels = (SeatLabel("first", "1"), SeatLabel("first", "1"))
    return Setup(game=GAME, variant=VARIANT, seats=labels, seed=SEED.to_bytes(16, "big"), clock=CLOCK)


def messages() -> Iterator[Message]:
    """Yield everything that is said on the stream of the seat, by both sides, in order."""
    match = Match(setup())
    match.start()
    bank = Bank(CLOCK)
    hello = play_pb2.Hello(ticket=TICKET, protocol_version=1, sdk="example/1.0.0")
    yield play_pb2.PlayRequest(hello=hello)
    yield play_pb2.PlayResponse.FromString(wire.start_bytes(match, SEAT, ()))
    while match.decision is not None:
        ply = match.decision.ply
        if match.decision.seat == SEAT:
            body = wire.pack(match.turn_message(SEAT))
            yield play_pb2.PlayResponse.FromString(wire.turn_bytes(ply, bank.remaining_ms, body))
            yield play_pb2.PlayRequest(answer=play_pb2.Answer(ply=ply, action=0))
            bank.charge(0)
        match.answer(ply, 0)
    if match.result is None:
        raise RuntimeError("the match has no result")
    yield play_pb2.PlayResponse.FromString(wire.game_over_bytes(match.result, match.view(SEAT)))


def text() -> str:
    """Return the match as a block of the page, in protobuf's text format."""
    lines = ["```text"]
    for message in messages():
        who = "bot" if isinstance(message, play_pb2.PlayRequest) else "referee"
        words = text_format.MessageToString(
            message, as_one_line=True, use_short_repeated_primitives=True, descriptor_pool=descriptor_pool.Default()
        )
        lines += textwrap.wrap(f"{who}: {words}", WIDTH, subsequent_indent="    ", break_long_words=False)
    return "\n".join([*lines, "```", ""])


def main() -> int:
    """Write or print; return the exit code."""
    if sys.argv[1:] == ["--print"]:
        print(text(), end="")
        return 0
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{text()}{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
