"""The four kinds of lines in a match log, and how each reads as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from arena.core.chance import SEED_BYTES
from arena.core.seat import CHANCE, Actor, Seat
from arena.match.course import Auto
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.match.setup import SeatLabel

LOG_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: what was played by whom.

    components: digest of the component numbers. components_text: the file, "" if it is the game's own. seed: None in a
    log whose deal is still closed. meta: the match's id, date and the like.
    """

    game: str
    variant: str
    rules: int
    components: str
    components_text: str
    clock: str
    seed: bytes | None
    seats: tuple[SeatLabel, ...]
    unsafe: bool
    meta: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Times:
    """What one asked turn took, in ms; charged_ms is what the bank lost."""

    think_ms: int
    charged_ms: int


@dataclass(frozen=True, slots=True)
class Ply:
    """One applied action in the game's notation. auto: applied without asking. times: None unless a bot was asked."""

    ply: int
    actor: Actor
    action: str
    auto: Auto | None = None
    times: Times | None = None


@dataclass(frozen=True, slots=True)
class Forfeit:
    """Seats taken out at one moment, before the ply of this number. times: of the turn that was being waited for."""

    ply: int
    ends: Mapping[Seat, SeatEnd]
    times: Times | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The last line: the result, and the sha256 of the whole file (see arena.match.log)."""

    result: MatchResult
    digest: str = ""


Entry: TypeAlias = Header | Ply | Forfeit | End
Json: TypeAlias = dict[str, Any]


def to_json(entry: Entry) -> tuple[Json, Json]:
    """Return a line's facts and its meta, keys in the order they are written; the result's digest is not included."""
    match entry:
        case Header():
            return _header_json(entry), dict(entry.meta)
        case Ply():
            actor = "chance" if entry.actor is CHANCE else entry.actor
            facts: Json = {"kind": "ply", "ply": entry.ply, "actor": actor, "action": entry.action}
            if entry.auto is not None:
                facts["auto"] = entry.auto.value
            return facts, _times_json(entry.times)
        case Forfeit():
            seats = [{"seat": seat, "end": end.value} for seat, end in entry.ends.items()]
            return {"kind": "forfeit", "ply": entry.ply, "seats": seats}, _times_json(entry.times)
        case End(result):
            return {
                "kind": "result",
                "plies": result.plies,
                "end": result.end.value,
                "seat_ends": [end.value for end in result.seat_ends],
                "ranks": list(result.ranks),
                "scores": list(result.scores),
                "reason": result.reason,
            }, {}


def from_json(facts: Json, meta: Json) -> Entry:
    """Read a line's facts and meta; both are used up. Raises ValueError, KeyError or TypeError for a wrong line.

    Values are checked for their kind here; that nothing else stands in the line is checked by writing it again.
    """
    kind = facts.pop("kind")
    if kind == "header":
        return _header(facts, meta)
    if kind == "ply":
        actor = facts["actor"]
        auto = facts.get("auto")
        return Ply(
            ply=_whole(facts["ply"]),
            actor=CHANCE if actor == "chance" else Seat(_whole(actor)),
            action=_text(facts["action"]),
            auto=None if auto is None else Auto(auto),
            times=_times(meta),
        )
    if kind == "forfeit":
        ends = {Seat(_whole(item["seat"])): SeatEnd(item["end"]) for item in facts["seats"]}
        return Forfeit(ply=_whole(facts["ply"]), ends=ends, times=_times(meta))
    if kind == "result":
        result = MatchResult(
            end=MatchEnd(facts["end"]),
            seat_ends=tuple(SeatEnd(end) for end in facts["seat_ends"]),
            ranks=tuple(_whole(rank) for rank in facts["ranks"]),
            scores=tuple(None if score is None else _integer(score) for score in facts["scores"]),
            reason=_text(facts["reason"]),
            plies=_whole(facts["plies"]),
        )
        return End(result, _text(meta["digest"]))
    raise ValueError(f"{kind!r} is no kind of line")


def _header_json(header: Header) -> Json:
    return {
        "kind": "header",
        "log": LOG_VERSION,
        "game": header.game,
        "variant": header.variant,
        "rules": header.rules,
        "components": header.components,
        "components_text": header.components_text,
        "clock": header.clock,
        "seed": None if header.seed is None else header.seed.hex(),
        "seats": [{"bot": label.bot, "version": label.version} for label in header.seats],
        "unsafe": header.unsafe,
    }


def _header(facts: Json, meta: Json) -> Header:
    seed = None if facts["seed"] is None else bytes.fromhex(facts["seed"])
    if seed is not None and len(seed) != SEED_BYTES:
        raise ValueError(f"a seed has {SEED_BYTES} bytes")
    if not isinstance(facts["unsafe"], bool):
        raise TypeError("unsafe is true or false")
    return Header(
        game=_text(facts["game"]),
        variant=_text(facts["variant"]),
        rules=_whole(facts["rules"]),
        components=_text(facts["components"]),
        components_text=_text(facts["components_text"]),
        clock=_text(facts["clock"]),
        seed=seed,
        seats=tuple(SeatLabel(_text(seat["bot"]), _text(seat["version"])) for seat in facts["seats"]),
        unsafe=facts["unsafe"],
        meta={name: _text(value) for name, value in meta.items()},
    )


def _times_json(times: Times | None) -> Json:
    return {} if times is None else {"think_ms": times.think_ms, "charged_ms": times.charged_ms}


def _times(meta: Json) -> Times | None:
    return Times(_whole(meta["think_ms"]), _whole(meta["charged_ms"])) if meta else None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no integer")
    return value


def _whole(value: object) -> int:
    number = _integer(value)
    if number < 0:
        raise ValueError(f"{number} is below 0")
    return number
