"""One match without I/O: asks for decisions, takes answers and forfeits, keeps the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.message import Message

from arena.core.chance import KeyedStream
from arena.core.errors import IllegalAction
from arena.core.registry import check_seats, find_variant, load_game
from arena.core.seat import CHANCE, Actor, Seat
from arena.match.clock import clock_text
from arena.match.course import Auto, Course
from arena.match.entries import End, Forfeit, Header, Ply, Times
from arena.match.log import LogWriter
from arena.match.result import MatchResult, SeatEnd
from arena.match.setup import SeatLabel, Setup
from arena.match.shown import Shown

MOST_TOLD: Final = 100
"""Public events that are kept until they are taken; the newest."""

__all__ = ["Decision", "Match", "SeatLabel", "Setup"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A seat is asked for the action of this ply; legal has at least two, an answer is an index into it."""

    ply: int
    seat: Seat
    legal: tuple[Any, ...]


class Match:
    """A running match.

    Create it, start() it, then answer() or forfeit() while `decision` stands; `result` comes when it is over. Plies of
    chance, plies with one legal action and plies of forfeited seats are applied without asking. Raises UnknownName,
    UsageError or BadComponents for a setup that cannot be played.
    """

    def __init__(self, setup: Setup) -> None:
        game = load_game(setup.game)
        variant = find_variant(game, setup.variant)
        check_seats(game, variant, len(setup.seats))
        self.setup = setup
        self.game = game
        self.components = game.components(setup.components or None, "components")
        self.decision: Decision | None = None
        self._variant = variant.id
        self._course = Course(game, variant.id, len(setup.seats), self.components)
        self._shown = Shown(game, self._course)
        self._stream = KeyedStream(setup.seed)
        self._log = LogWriter()
        self._turn: Message | None = None
        self._opened = False
        self._told: list[Any] | None = None

    @property
    def result(self) -> MatchResult | None:
        """The result; None while the match runs."""
        return self._course.result

    @property
    def plies(self) -> int:
        """How many plies have been applied."""
        return self._course.plies

    @property
    def seat_ends(self) -> tuple[SeatEnd, ...]:
        """How each seat stands: PLAYED unless it has forfeited."""
        return self._course.seat_ends

    def start(self) -> None:
        """Write the header and make all plies up to the first decision or the end."""
        self._open()
        if self.result is None:
            self._advance()

    def answer(self, ply: int, index: int, think_ms: int = 0, charged_ms: int = 0) -> bool:
        """Apply the deciding seat's choice and go on to the next decision or the end.

        Returns False, without effect, if this ply is not what is being asked (an answer that is stale or comes twice).
        Raises IllegalAction, without effect, if the index is not in the decision's list.
        """
        decision = self.decision
        if decision is None or ply != decision.ply:
            return False
        if not 0 <= index < len(decision.legal):
            raise IllegalAction(f"action {index} is not in 0 .. {len(decision.legal) - 1} at ply {ply}")
        self._apply(decision.seat, decision.legal[index], None, Times(think_ms, charged_ms))
        self._advance()
        return True

    def forfeit(self, ends: Mapping[Seat, SeatEnd], think_ms: int = 0, charged_ms: int = 0) -> None:
        """Take seats out of the match; those given together fail at the same moment and tie.

        think_ms, charged_ms: of the turn being waited for, if one of these seats is the deciding one; a TIMEOUT is
        verified by them. Seats that are out already and a match that is over are left as they are. If no seat has
        answered yet and none is left, the match is VOID: give all seats that fail to start in one call.
        """
        asked = self.decision is not None and self.decision.seat in ends
        new = self._course.forfeit(ends)
        if not new:
            return
        self._open()
        times = Times(think_ms, charged_ms) if asked else None
        self._log.add(Forfeit(self._course.plies, new, times))
        if self.result is not None or asked:
            self._advance()

    def abort(self, reason: str) -> None:
        """End the match as ABORTED, unranked: the arena's fault or the absolute cap."""
        if self.result is None:
            self._open()
            self._course.abort(reason)
            self._advance()

    def turn_message(self, seat: Seat) -> Message:
        """Return the game's Turn message for the deciding seat; the same one until it has answered."""
        decision = self.decision
        if decision is None or decision.seat != seat:
            raise ValueError(f"seat {seat} is not asked for anything now")
        if self._turn is None:
            self._turn = self.game.turn(self._shown.view(seat), decision.legal)
        return self._turn

    def turn(self, seat: Seat) -> bytes:
        """Return the bytes of turn_message(seat)."""
        return self.turn_message(seat).SerializeToString(deterministic=True)

    def view(self, seat: Seat | None) -> Message:
        """Return the game's View message for this seat now, None for the public."""
        return self._shown.view(seat)

    def history(self, seat: Seat) -> list[Message]:
        """Return the events this seat was shown before its current turn, oldest first; a returning bot gets them."""
        return self._shown.history(seat)

    def tell_public(self) -> None:
        """Keep what the public learns from now on for take_public_view; it costs a view a ply."""
        self._told = []

    def take_public_view(self) -> Message:
        """Return the public's view now; after tell_public with the events of every ply since the last call."""
        shown = self._shown.view(None)
        if self._told is None:
            return shown
        view: Any = type(shown)()
        view.CopyFrom(shown)
        del view.events[:]
        view.events.extend(self._told)
        self._told = []
        return view  # type: ignore[no-any-return] # each game has its own message class

    def log_text(self) -> str:
        """Return the log so far, whole lines only."""
        return self._log.text()

    def _open(self) -> None:
        """Write the header unless it stands already; seats may fail before the first ply."""
        if self._opened:
            return
        self._opened = True
        setup = self.setup
        meta = {"match": setup.match_id} if setup.match_id else {}
        header = Header(
            game=setup.game,
            variant=self._variant,
            rules=self.game.spec.rules_version,
            components=self.components.digest,
            components_text=setup.components,
            clock=clock_text(setup.clock),
            seed=setup.seed,
            seats=setup.seats,
            unsafe=setup.unsafe,
            meta={**meta, **setup.meta},
        )
        self._log.add(header)

    def _advance(self) -> None:
        """Make every ply that needs no asking; leave a decision, or close the log."""
        self.decision, self._turn = None, None
        course = self._course
        while (actor := course.to_act) is not None:
            if actor is CHANCE:
                self._apply(actor, course.draw(self._stream), None, None)
                continue
            legal = tuple(course.state.legal_actions())
            auto = course.automatic(actor, legal)
            if auto is None:
                self.decision = Decision(course.plies, actor, legal)
                return
            self._apply(actor, course.automatic_action(auto, legal), auto, None)
        assert course.result is not None, "a game without actor has an outcome"  # noqa: S101 - a fault of the game
        self._log.add(End(course.result))

    def _apply(self, actor: Actor, action: Any, auto: Auto | None, times: Times | None) -> None:
        ply = Ply(self._course.plies, actor, self.game.actions.text_of(action), auto, times)
        self._shown.before_ply(actor, auto)
        self._course.apply(action, asked=times is not None)
        self._log.add(ply)
        if self._told is not None:
            told: Any = self._shown.view(None)
            self._told = [*self._told, *told.events][-MOST_TOLD:]
