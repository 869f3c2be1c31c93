"""What the drawings of Snowblind have in common: a view put into words."""

from __future__ import annotations

from typing import Final

from arena.games.snowblind.actions import Man as ManClass
from arena.games.snowblind.actions import Use, die_name, man_name, use_name
from arena.games.snowblind.components import Die
from arena.games.snowblind.v1 import snowblind_pb2 as pb
from arena.games.snowblind.wire import read_action
from arena.games.snowblind.words import describe

_ASKED: Final = {
    pb.PHASE_COMPASS: "who holds the compass first",
    pb.PHASE_TURN: "takes a die or passes",
    pb.PHASE_MOVE: "moves",
    pb.PHASE_BRING: "chooses company",
    pb.PHASE_LOAD: "loads crates",
    pb.PHASE_TRADE: "may trade a crate",
    pb.PHASE_HUNT: "hunts",
    pb.PHASE_CAMP: "places a camp",
    pb.PHASE_REVIVE: "may revive",
    pb.PHASE_ROLL: "the dice fall",
    pb.PHASE_LOSS: "takes a loss",
    pb.PHASE_FLAG: "may plant the flag",
    pb.PHASE_WEATHER: "the weather",
    pb.PHASE_OVER: "the game is over",
}
_REASONS: Final = {
    pb.REASON_PRESTIGE: "by prestige",
    pb.REASON_ELIMINATED: "nobody is left",
    pb.REASON_OBJECTIVE: "the objectives are met",
    pb.REASON_TOO_LATE: "too late",
    pb.REASON_PERISHED: "the captain has perished",
}


def headline(view: pb.View) -> str:
    """Return variant, round, and what is asked of whom."""
    who = f"seat {view.to_act} " if view.HasField("to_act") else ""
    return f"Snowblind ({view.variant}), round {view.round}: {who}{_ASKED[view.phase]}"


def viewpoint(view: pb.View) -> str:
    """Return whose view it is."""
    return f"view of seat {view.seat}" if view.HasField("seat") else "public view"


def weather_line(view: pb.View) -> str:
    """Return the cards turned up and how many are left."""
    cards = " ".join(str(number) if number else "ICE" for number in view.weather) or "none yet"
    last = ", this is the last round" if view.weather and not view.weather[-1] else ""
    return f"weather: {cards}, {view.weather_left} left{last}"


def dice_words(dice: list[int]) -> str:
    """Return counts of dice by kind as words."""
    names = (f"{die_name(Die(die))}{f' x{many}' if many > 1 else ''}" for die, many in enumerate(dice) if many)
    return ", ".join(names) or "none"


def pool_dice(view: pb.View, seat: int) -> list[tuple[Die, int | None]]:
    """Return each die of a seat's pool with the face it showed last; None where it was not rolled yet, or never is.

    A die joins the pool before its roll. Until then the faces belong to the others; of its kind it is the last.
    """
    own = view.expeditions[seat]
    dice = [Die(die) for die, many in enumerate(own.pool) for _ in range(many)]
    rolled = sum(die is not Die.GREEN for die in dice)
    new = -1
    if len(own.faces) == rolled - 1 and view.HasField("course") and view.course.seat == seat and view.course.use:
        die = Use(view.course.use - 1).die
        new = len(dice) - 1 - dice[::-1].index(die)
    elif len(own.faces) != rolled:
        return [(die, None) for die in dice]
    faces = iter(own.faces)
    return [(die, None if die is Die.GREEN or place == new else next(faces)) for place, die in enumerate(dice)]


def pool_line(view: pb.View, seat: int) -> str:
    """Return a pool as words, each die with its last face."""
    dice = pool_dice(view, seat)
    return ", ".join(die_name(die) if face is None else f"{die_name(die)} {face}" for die, face in dice) or "no dice"


def expedition_facts(view: pb.View, seat: int) -> list[str]:
    """Return what a seat has besides its track."""
    own = view.expeditions[seat]
    facts = [f"{own.prestige} prestige"] if own.standing != pb.STANDING_ELIMINATED else ["eliminated"]
    if view.HasField("result"):
        facts.insert(0, f"rank {view.result.ranks[seat]}")
    facts.append(f"flag in zone {own.flag_zone}")
    facts += ["medal"] * own.medal
    facts += [f"{own.research} research"] if own.research else []
    facts += [f"{own.camps_in_hand} camp{'s' * (own.camps_in_hand > 1)} in hand"] if own.camps_in_hand else []
    facts += ["back from the Pole"] if own.back_from_pole else ["been to the Pole"] if own.been_to_pole else []
    facts += ["compass"] if view.compass == seat and len(view.expeditions) > 1 else []
    facts += ["finished"] if own.standing == pb.STANDING_FINISHED else ["passed"] if own.passed else []
    return facts


def course_line(view: pb.View) -> str:
    """Return what is under way, why it is over, "" if nothing has begun. An end may come in the middle of an action."""
    if view.HasField("result"):
        return _REASONS[view.result.reason]
    if not view.HasField("course"):
        return ""
    course = view.course
    what = use_name(Use(course.use - 1)) if course.use else "weather"
    parts = [f"under way: seat {course.seat}, {what}"]
    if course.origin:
        parts.append(f"{man_name(ManClass(course.man - 1))} from zone {course.origin} to zone {course.zone}")
    elif course.zone:
        parts.append(f"zone {course.zone}")
    if course.step:
        parts.append(f"step {course.step}")
    if course.rolled:
        parts.append(f"rolled {' '.join(map(str, course.rolled))}")
    if course.hits:
        parts.append(f"{course.hits} to lose")
    return ", ".join(parts)


def event_lines(view: pb.View) -> list[str]:
    """Return what happened, one line a turn."""
    lines: list[str] = []
    last: int | None = None
    for event in view.events:
        if event.HasField("faces"):
            words, actor = f"rolls {' '.join(map(str, event.faces.faces))}", last
        else:
            words = describe(read_action(event.action))
            actor = event.seat if event.HasField("seat") else None
        begins = event.action.WhichOneof("kind") in {"take", "pass", "weather", "pack_ice", "compass"}
        if lines and actor == last and not begins:
            lines[-1] += f"; {words}"
        else:
            lines.append(words if actor is None else f"seat {actor} {words}")
        last = actor
    return lines
