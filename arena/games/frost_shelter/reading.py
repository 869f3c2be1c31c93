"""Reads a component file of Frost Shelter and checks it whole."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, Final, NoReturn, TypeVar

from arena.core.component_file import digest_of, read_toml
from arena.core.errors import BadComponents
from arena.games.frost_shelter.actions import CARDS, MAX_EVENTS, MAX_OPTIONS, VALUES, Piece, Resource
from arena.games.frost_shelter.components import (
    FREE_PRICES,
    MAX_PRICE,
    MAX_ROUNDS,
    MAX_SEATS,
    MIN_SEATS,
    Cost,
    Course,
    DefenceOption,
    EventCard,
    FrostShelterComponents,
    PieceNumbers,
    Price,
    Status,
    deck_of,
)

T = TypeVar("T")
_COURSE: Final = {
    "events": (1, MAX_ROUNDS),
    "frost_bite": (0, 99),
    "hibernation": (0, 99),
    "expedition": (1, 5),
    "purchases": (0, 5),
}
_EFFECTS: Final = {Piece.TARP: "prevents", Piece.CHEST: "holds", Piece.HARPOON: None}
_RESOURCES: Final = tuple(resource.name.lower() for resource in Resource)
_SEATS: Final = tuple(str(seats) for seats in range(MIN_SEATS, MAX_SEATS + 1))
_LONGEST_NAME: Final = 24


@cache
def own_components() -> FrostShelterComponents:
    """Return the numbers that come with the game."""
    return read_components(own_text(), "components.toml")


def own_text() -> str:
    """Return the text of the component file that comes with the game."""
    return (files("arena.games.frost_shelter") / "components.toml").read_text(encoding="utf-8")


def read_components(text: str, source: str) -> FrostShelterComponents:
    """Read a component file's text. Raises BadComponents, "SOURCE: FIELD: what is wrong", at the first fault."""
    numbers = read_toml(text, source)
    return _read(_Field(source, "", numbers), digest_of(_without_words(numbers)))


class _Field:
    """A place in the file with the value found there; every check names the place when it fails."""

    __slots__ = ("path", "source", "value")

    def __init__(self, source: str, path: str, value: Any) -> None:
        self.source, self.path, self.value = source, path, value

    def fail(self, what: str) -> NoReturn:
        """Raise BadComponents for this place."""
        raise BadComponents(f"{self.source}: {self.path or 'file'}: {what}")

    def fields(self, *names: str) -> dict[str, _Field]:
        """Return the fields of a table that has exactly these, in this order."""
        if not isinstance(self.value, dict):
            self.fail("must be a table")
        for name in self.value:
            if name not in names:
                self._below(name).fail(f"unknown; there may be {', '.join(names)}")
        for name in names:
            if name not in self.value:
                self._below(name).fail("is missing")
        return {name: self._below(name) for name in names}

    def group(self, status: dict[str, Status], *names: str) -> dict[str, _Field]:
        """Return the fields of a group, its status apart."""
        found = self.fields("status", *names)
        status[self.path] = Status(found.pop("status").word(*(known.value for known in Status)))
        return found

    def items(self, read: Callable[[_Field], T], least: int, most: int) -> tuple[T, ...]:
        """Return the entries of a list of least .. most entries, each read."""
        if not isinstance(self.value, list):
            self.fail("must be a list")
        if not least <= len(self.value) <= most:
            self.fail(f"must have {least} to {most} entries, not {len(self.value)}")
        return tuple(read(_Field(self.source, f"{self.path}[{n}]", item)) for n, item in enumerate(self.value))

    def whole(self, least: int, most: int) -> int:
        """Return a whole number least .. most."""
        if type(self.value) is not int or not least <= self.value <= most:
            self.fail(f"must be a whole number from {least} to {most}, not {self.value!r}")
        return self.value

    def word(self, *words: str) -> str:
        """Return one of these words."""
        if not isinstance(self.value, str) or self.value not in words:
            self.fail(f"{self.value!r} is none of {', '.join(words)}")
        return self.value

    def name(self) -> str:
        """Return a name for people: one short printable line."""
        if not isinstance(self.value, str) or not self.value.strip() or not self.value.isprintable():
            self.fail("must be a name")
        if len(self.value) > _LONGEST_NAME:
            self.fail(f"must have at most {_LONGEST_NAME} characters")
        return self.value.strip()

    def _below(self, name: str) -> _Field:
        path = f"{self.path}.{name}" if self.path else name
        return _Field(self.source, path, self.value.get(name))


def _read(file: _Field, digest: str) -> FrostShelterComponents:
    groups = file.fields("course", "infirmary", "hands", "winnings", "resources", "relics", "equipment", "events")
    status: dict[str, Status] = {}
    course = groups["course"].group(status, *_COURSE)
    infirmary = groups["infirmary"].group(status, "heals", "cost")
    rows = groups["resources"].group(status, *_RESOURCES)
    deck = deck_of(tuple(_values(rows[name]) for name in _RESOURCES))
    rounds = course["events"].whole(*_COURSE["events"])
    return FrostShelterComponents(
        status=status,
        course=Course(**{name: field.whole(*_COURSE[name]) for name, field in course.items()}),
        infirmary_heals=infirmary["heals"].whole(1, 99),
        infirmary_cost=_cost(infirmary["cost"]),
        hands=_by_seats(groups["hands"], status, lambda seats: deck.bit_count() // seats),
        winnings=_by_seats(groups["winnings"], status, lambda seats: seats),
        relics=_relics(groups["relics"], status, rounds),
        equipment=_equipment(groups["equipment"], status),
        events=_events(groups["events"], status, rounds),
        deck=deck,
        digest=digest,
    )


def _values(field: _Field) -> tuple[int, ...]:
    values = field.items(lambda item: item.whole(1, VALUES), 0, VALUES)
    if list(values) != sorted(set(values)):
        field.fail("must be ascending, each value once: no two resource cards are alike")
    return values


def _by_seats(field: _Field, status: dict[str, Status], most: Callable[[int], int]) -> tuple[int, ...]:
    fields = field.group(status, *_SEATS)
    # Two places stay empty, so that the number of players is the index.
    return (*(0,) * MIN_SEATS, *(fields[seats].whole(1, most(int(seats))) for seats in _SEATS))


def _relics(field: _Field, status: dict[str, Status], rounds: int) -> tuple[int, ...]:
    fields = field.group(status, *_RESOURCES)
    relics = tuple(fields[name].whole(0, 20) for name in _RESOURCES)
    if sum(relics) < rounds:
        field.fail(f"{rounds} Relic cards are needed, there are {sum(relics)}")
    return relics


def _equipment(field: _Field, status: dict[str, Status]) -> tuple[PieceNumbers, ...]:
    fields = field.group(status, *(piece.name.lower() for piece in Piece))
    found = []
    for piece, effect in _EFFECTS.items():
        numbers = fields[piece.name.lower()].fields("pieces", "cost", *([effect] if effect else []))
        strength = numbers[effect].whole(1, 99) if effect else 0
        found.append(PieceNumbers(numbers["pieces"].whole(0, 20), _cost(numbers["cost"]), strength))
    if found[Piece.TARP].pieces + found[Piece.CHEST].pieces < MAX_SEATS:
        field.fail(f"each of {MAX_SEATS} players is dealt a Tarp or a Chest, there are too few")
    return tuple(found)


def _events(field: _Field, status: dict[str, Status], rounds: int) -> tuple[EventCard, ...]:
    cards = field.group(status, "card")["card"]
    events = cards.items(_event, rounds, MAX_EVENTS)
    if len({event.name for event in events}) < len(events):
        cards.fail("each card must have a name of its own")
    return events


def _event(field: _Field) -> EventCard:
    fields = field.fields("name", "damage", "necessary", "options")
    return EventCard(
        name=fields["name"].name(),
        damage=fields["damage"].whole(0, 99),
        necessary=fields["necessary"].whole(0, CARDS),
        options=fields["options"].items(_option, 0, MAX_OPTIONS),
    )


def _option(field: _Field) -> DefenceOption:
    fields = field.fields("cost", "prevents")
    return DefenceOption(_cost(fields["cost"]), fields["prevents"].whole(1, 99))


def _cost(field: _Field) -> Cost:
    cards = field.items(lambda item: Price[item.word(*(price.name.lower() for price in Price)).upper()], 1, MAX_PRICE)
    kinds = {price for price in cards if price in FREE_PRICES}
    firm = len(cards) - sum(price in FREE_PRICES for price in cards)
    if len(kinds) > 1 or (firm and kinds - {Price.ANY}):
        field.fail('"same" or "different" stands alone; only "any" may be added to named cards')
    if kinds == {Price.DIFFERENT} and len(cards) > len(Resource):
        field.fail(f"there are only {len(Resource)} different resources")
    return Cost.of(cards)


def _without_words(numbers: Any) -> Any:
    """Return the file's content without what changes no game: status and names."""
    if isinstance(numbers, dict):
        return {key: _without_words(value) for key, value in numbers.items() if key not in ("status", "name")}
    if isinstance(numbers, list):
        return [_without_words(value) for value in numbers]
    return numbers
