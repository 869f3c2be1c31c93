"""One live match: who is connected, whose clock runs, how seats fail. Synchronous; time and streams are given to it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError

from arena.core import Seat
from arena.core.errors import IllegalAction
from arena.core.protocol import MAX_MESSAGE_BYTES, MAX_RECONNECTS
from arena.match.clock import Bank
from arena.match.match import Match
from arena.match.result import SeatEnd
from arena.match.setup import Setup
from arena.v1 import play_pb2
from referee import wire
from referee.place import Place
from referee.ports import Brake, Link, Progress, Watcher
from referee.refusal import Refusal
from referee.timekeeper import NS_PER_MS, Deadline, Timekeeper

EXIT_GRACE_MS: Final = 1000
"""How long what an ended process had sent is waited for; its stream's end comes sooner."""

MAX_IGNORED: Final = 256
"""Answers without effect that a seat may send between two of its turns; more is a flood."""


P = ParamSpec("P")


def _guarded(method: Callable[Concatenate[HostedMatch, P], None]) -> Callable[Concatenate[HostedMatch, P], None]:
    """Let a fault in a game's rules, or here, cost this match and no other."""

    @wraps(method)
    def guarded(match: HostedMatch, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(match, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is reported and the match is ABORTED
            match.fault(error)

    return guarded


class HostedMatch:
    """A match with its clocks, between the streams of its bots and the worker that asked for it.

    Until every seat has connected or failed it gathers: failures are kept and count as one moment. Then it asks, one
    decision at a time.
    """

    def __init__(self, setup: Setup, time: Timekeeper, cap_ms: int, watcher: Watcher) -> None:
        self.match = Match(setup)
        self.places = [Place(Seat(seat), _bank(setup)) for seat in range(len(setup.seats))]
        self.over = False
        self._time = time
        self._watcher = watcher
        self._gathering = True
        self._margin_ms = setup.clock.margin_ms if setup.clock else 0
        self._asked_ply = -1
        self._asked_at = time.now()
        self._body = AnyMessage()
        self._moving: Seat | None = None
        self._deadline = Deadline(time)
        self.match.start()
        self._cap = time.call_at(
            time.now() + cap_ms * NS_PER_MS, lambda: self.abort("the match took longer than its cap")
        )
        if setup.clock:
            self._deadline.move(time.now() + setup.clock.start_ms * NS_PER_MS, self._on_start_deadline)

    # What streams tell

    @_guarded
    def attach(self, seat: Seat, link: Link) -> None:
        """A stream opened with this seat's ticket; it replaces the one before."""
        place = self.places[seat]
        if place.end is not None and not self.over:
            link.refuse(_out(place))
            return
        if place.link is not None:
            place.link.refuse(Refusal.of("NEWER_STREAM", "this seat's ticket was used by a newer stream"))
            place.link = None
        if not self.over and place.opened > MAX_RECONNECTS:
            self._fail({seat: SeatEnd.DISCONNECTED}, f"opened more than {1 + MAX_RECONNECTS} streams")
            link.refuse(_out(place))
            return
        place.opened += 1
        place.link = link
        link.send(wire.start_bytes(self.match, seat, self.match.history(seat) if place.opened > 1 else ()))
        if self.over:
            self._say_goodbye(place)
        elif self._gathering:
            self._begin_if_gathered()
        elif self.match.decision is not None and self.match.decision.seat == seat:
            self._send_turn(place)

    @_guarded
    def detach(self, seat: Seat, link: Link) -> None:
        """A stream ended, for whatever reason; no effect if it is not this seat's current one."""
        place = self.places[seat]
        if place.link is not link:
            return
        place.link = None
        if place.exited:
            self._fail({seat: SeatEnd.CRASHED}, place.exited)
        elif place.opened > MAX_RECONNECTS:
            self._fail({seat: SeatEnd.DISCONNECTED}, f"{place.opened} streams broke")

    @_guarded
    def receive(self, seat: Seat, link: Link, message: bytes) -> None:
        """A message came on a stream; ignored if it is not this seat's current one."""
        place = self.places[seat]
        if self.over or place.link is not link or place.end is not None:
            return
        if len(message) > MAX_MESSAGE_BYTES:
            self._fail({seat: SeatEnd.MALFORMED}, f"sent a message of {len(message)} bytes, over {MAX_MESSAGE_BYTES}")
            return
        try:
            request = play_pb2.PlayRequest.FromString(message)
        except DecodeError:
            self._fail({seat: SeatEnd.MALFORMED}, "sent bytes that are no PlayRequest")
            return
        kind = request.WhichOneof("kind")
        if kind == "answer":
            self._answer(place, request.answer.ply, request.answer.action)
        elif kind == "resign":
            self._fail({seat: SeatEnd.RESIGNED}, "resigned")
        else:
            self._fail({seat: SeatEnd.MALFORMED}, f"sent {'a second Hello' if kind else 'an empty PlayRequest'}")

    # What the worker tells

    @_guarded
    def report_exit(self, seat: Seat, status: int) -> None:
        """The seat's process ended; what it had sent still counts."""
        place = self.places[seat]
        if self.over or place.end is not None or place.exited:
            return
        place.exited = f"its process ended with status {status}"
        if place.link is None:
            self._fail({seat: SeatEnd.CRASHED}, place.exited)
        else:
            until = self._time.now() + EXIT_GRACE_MS * NS_PER_MS
            place.exit_alarm = self._time.call_at(until, lambda: self._on_exit_grace_over(place))

    @_guarded
    def replace(self, seat: Seat) -> None:
        """Take a withdrawn bot's seat out."""
        self._fail({seat: SeatEnd.REPLACED}, "withdrawn by the organiser")

    @_guarded
    def misbehaved(self, seat: Seat, note: str) -> None:
        """The seat's program did at its door what no honest one does."""
        self._fail({seat: SeatEnd.MALFORMED}, note)

    @_guarded
    def lend(self, seat: Seat, brake: Brake) -> None:
        """From now on stop the seat's program while it is not to move, and let it go on for good when all is over."""
        place = self.places[seat]
        if self.over:
            brake.close()
            return
        if place.brake is not None:
            place.brake.close()
        place.brake = brake
        if self._moving is not None and self._moving != seat:
            brake.stop()

    def abort(self, reason: str) -> None:
        """End the match as ABORTED; its bots are told."""
        if not self.over:
            self.match.abort(reason)
            self._finish()

    def stop(self) -> None:
        """Drop the match without a result, because nobody wants it any more. No effect once it is over."""
        if not self.over:
            self._drop(Refusal.of("MATCH_STOPPED", "the match was stopped by the arena"))

    def progress(self) -> Progress:
        """Return where the match stands now."""
        decision = None if self._gathering or self.over else self.match.decision
        due = self._deadline.due
        left = 0 if due is None else _ms_up(due - self._time.now())
        banks = tuple(max(0, place.bank.remaining_ms) for place in self.places if place.bank is not None)
        return Progress(self.match.plies, None if decision is None else decision.seat, max(0, left), banks)

    def fault(self, error: Exception) -> None:
        """End the match as ABORTED because the arena itself failed."""
        traceback.print_exception(error, file=sys.stderr)
        if not self.over:
            self.match.abort(f"fault of the arena: {type(error).__name__}")
            self._drop(Refusal.of("REFEREE_FAULT", "the arena failed, not the bot; the match does not count"))

    # The course of the match

    @_guarded
    def _on_exit_grace_over(self, place: Place) -> None:
        self._fail({place.seat: SeatEnd.CRASHED}, place.exited)

    @_guarded
    def _on_start_deadline(self) -> None:
        late = [place for place in self.places if not place.present]
        self._fail({place.seat: SeatEnd.NO_SHOW for place in late}, "did not connect within the start time")

    def _begin_if_gathered(self) -> None:
        if all(place.present for place in self.places):
            self._gathering = False
            self._deadline.clear()
            failed = {place.seat: place.end for place in self.places if place.end is not None}
            if failed:
                self.match.forfeit(failed)
            self._go_on()

    def _go_on(self) -> None:
        """Ask what is to be asked now, or finish."""
        decision = self.match.decision
        if decision is None:
            self._finish()
            return
        if decision.ply != self._asked_ply:
            place = self.places[decision.seat]
            place.ignored = 0
            self._asked_ply = decision.ply
            self._let_move(decision.seat)
            self._body = wire.pack(self.match.turn_message(decision.seat))
            self._asked_at = self._time.now()
            if place.bank is not None:
                self._deadline.move(self._asked_at + place.bank.deadline_ms * NS_PER_MS, self._on_deadline)
            self._send_turn(place)
            self._watcher.moved()

    def _let_move(self, seat: Seat) -> None:
        """Stop the program that has moved before the next one is asked, which goes on before its clock runs."""
        if seat == self._moving:
            return
        for place in self.places:
            if place.brake is not None and place.seat != seat and self._moving in {None, place.seat}:
                place.brake.stop()
        brake = self.places[seat].brake
        if brake is not None and self._moving is not None:
            brake.go()
        self._moving = seat

    def _send_turn(self, place: Place) -> None:
        if place.link is not None:
            waited_ms = (self._time.now() - self._asked_at) // NS_PER_MS
            place.link.send(wire.turn_bytes(self._asked_ply, place.bank_ms(waited_ms, self._margin_ms), self._body))

    def _answer(self, place: Place, ply: int, index: int) -> None:
        decision = self.match.decision
        if self._gathering or decision is None or decision.seat != place.seat or decision.ply != ply:
            place.ignored += 1
            if place.ignored > MAX_IGNORED:
                self._fail({place.seat: SeatEnd.MALFORMED}, f"sent more than {MAX_IGNORED} answers nobody asked for")
            return
        think_ms, charged_ms = self._charge(place)
        if place.bank is not None and place.bank.flagged:
            self._fail({place.seat: SeatEnd.TIMEOUT}, f"thought {think_ms} ms at ply {ply}", think_ms, charged_ms)
            return
        try:
            self.match.answer(ply, index, think_ms, charged_ms)
        except IllegalAction as error:
            self._fail({place.seat: SeatEnd.ILLEGAL_ACTION}, error.message, think_ms, charged_ms)
            return
        place.answered = True
        self._go_on()

    def _charge(self, place: Place, least_ms: int = 0) -> tuple[int, int]:
        """Count the time of the turn that is being asked; return what the seat used and what it paid, in ms.

        least_ms: what is known to have passed without the referee's delay, whatever the fractions say.
        """
        lag_ms = _ms_up(self._time.lag_since(self._asked_at))
        elapsed_ms = max((self._time.now() - self._asked_at) // NS_PER_MS, least_ms + lag_ms if least_ms else 0)
        charged_ms = place.bank.charge(elapsed_ms, lag_ms) if place.bank is not None else 0
        think_ms = max(0, elapsed_ms - lag_ms)
        place.think_ms.append(think_ms)
        place.charged_ms.append(charged_ms)
        return think_ms, charged_ms

    @_guarded
    def _on_deadline(self) -> None:
        decision = self.match.decision
        place = self.places[decision.seat] if decision is not None else None
        if decision is None or place is None or place.bank is None:
            return
        wait_ns = place.bank.deadline_ms * NS_PER_MS
        due = self._asked_at + wait_ns + self._time.lag_since(self._asked_at)
        if self._time.now() < due:
            # The loop ran late: an answer may be waiting to be read.
            self._deadline.move(due, self._on_deadline)
            return
        think_ms, charged_ms = self._charge(place, least_ms=place.bank.deadline_ms)
        if place.link is None:
            self._fail({place.seat: SeatEnd.DISCONNECTED}, "did not come back within its time", think_ms, charged_ms)
        else:
            self._fail({place.seat: SeatEnd.TIMEOUT}, f"no answer to ply {decision.ply}", think_ms, charged_ms)

    def _fail(self, ends: Mapping[Seat, SeatEnd], note: str, think_ms: int = 0, charged_ms: int = 0) -> None:
        """Take seats out at one moment; those that are out already stay as they are."""
        if self.over:
            return
        new = {seat: end for seat, end in ends.items() if self.places[seat].end is None}
        for seat, end in new.items():
            self.places[seat].end = end
            self.places[seat].note = note
        if not new:
            return
        if self._gathering:
            self._begin_if_gathered()
        else:
            self.match.forfeit(new, think_ms, charged_ms)
            self._go_on()
        for seat in new:
            self._dismiss(self.places[seat])

    def _dismiss(self, place: Place) -> None:
        """End the stream of a seat that failed while the match goes on without it."""
        if place.exit_alarm is not None:
            place.exit_alarm.cancel()
        if place.link is not None and not self.over:
            place.link.refuse(_out(place))
            place.link = None

    def _finish(self) -> None:
        self._release()
        for place in self.places:
            self._say_goodbye(place)
        self._watcher.over()

    def _say_goodbye(self, place: Place) -> None:
        if place.link is not None and self.match.result is not None:
            place.link.send(wire.game_over_bytes(self.match.result, self.match.view(place.seat)))
            place.link.finish()

    def _drop(self, refusal: Refusal) -> None:
        self._release()
        for place in self.places:
            if place.link is not None:
                place.link.refuse(refusal)
        self._watcher.over()

    def _release(self) -> None:
        self.over = True
        self._gathering = False
        self._cap.cancel()
        self._deadline.clear()
        self._moving = None
        for place in self.places:
            if place.exit_alarm is not None:
                place.exit_alarm.cancel()
            if place.brake is not None:
                place.brake.go()
                place.brake.close()
                place.brake = None


def _ms_up(ns: int) -> int:
    return -(-ns // NS_PER_MS)


def _bank(setup: Setup) -> Bank | None:
    return None if setup.clock is None else Bank(setup.clock)


def _out(place: Place) -> Refusal:
    return Refusal.of("SEAT_OUT", f"this seat is out of the match: {place.end}, it {place.note}")
