"""Reads a component file of Frost Shelter and checks it whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from arena.core.component_file import FieldCheck, digest_of, packaged_text, read_toml
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
_PRICES: Final = tuple(price.name.lower() for price in Price)
_STATUS: Final = tuple(status.value for status in Status)
_LONGEST_NAME: Final = 24


@cache
def own_components() -> FrostShelterComponents:
    """Return the numbers that come with the game."""
    return read_components(own_text(), "components.toml")


def own_text() -> str:
    """Return the text of the component file that comes with the game."""
    return packaged_text("arena.games.frost_shelter", "components.toml")


def read_components(text: str, source: str) -> FrostShelterComponents:
    """Read a component file's text. Raises BadComponents, "SOURCE: FIELD: what is wrong", at the first fault."""
    return _Reader(source).read(read_toml(text, source))


class _Reader:
    """Reads one file, field by field, and knows where it is when something is wrong."""

    __slots__ = ("_check", "_status")

    def __init__(self, source: str) -> None:
        self._check = FieldCheck(source)
        self._status: dict[str, Status] = {}

    def read(self, file: Mapping[str, object]) -> FrostShelterComponents:
        names = ("course", "infirmary", "hands", "winnings", "resources", "relics", "equipment", "events")
        self._check.keys(file, "file", names)
        groups = {name: file[name] for name in names}
        course = self._numbers(groups["course"], "course", _COURSE)
        infirmary = self._group(groups["infirmary"], "infirmary", ("heals", "cost"))
        values = self._group(groups["resources"], "resources", _RESOURCES)
        deck = deck_of(tuple(self._values(values[name], f"resources.{name}") for name in _RESOURCES))
        return FrostShelterComponents(
            status=self._status,
            course=Course(**course),
            infirmary_heals=self._check.whole(infirmary["heals"], "infirmary.heals", 1, 99),
            infirmary_cost=self._cost(infirmary["cost"], "infirmary.cost"),
            hands=self._by_seats(groups["hands"], "hands", lambda seats: deck.bit_count() // seats),
            winnings=self._by_seats(groups["winnings"], "winnings", lambda seats: seats),
            relics=self._relics(groups["relics"], course["events"]),
            equipment=self._equipment(groups["equipment"]),
            events=self._events(groups["events"], course["events"]),
            deck=deck,
            digest=digest_of(_without_words(groups)),
        )

    def _group(self, value: object, field: str, keys: tuple[str, ...]) -> Mapping[str, object]:
        group = self._check.table(value, field, ("status", *keys))
        self._status[field] = Status(self._check.word(group["status"], f"{field}.status", _STATUS))
        return group

    def _numbers(self, value: object, field: str, bounds: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        group = self._group(value, field, tuple(bounds))
        return {key: self._check.whole(group[key], f"{field}.{key}", *limits) for key, limits in bounds.items()}

    def _values(self, value: object, field: str) -> tuple[int, ...]:
        entries = enumerate(self._check.entries(value, field, 0, VALUES))
        values = [self._check.whole(entry, f"{field}[{place}]", 1, VALUES) for place, entry in entries]
        if values != sorted(set(values)):
            self._check.fail(field, "must be ascending, each value once: no two resource cards are alike")
        return tuple(values)

    def _by_seats(self, value: object, field: str, most: Callable[[int], int]) -> tuple[int, ...]:
        numbers = self._numbers(value, field, {seats: (1, most(int(seats))) for seats in _SEATS})
        # Two places stay empty, so that the number of players is the index.
        return (*(0,) * MIN_SEATS, *(numbers[seats] for seats in _SEATS))

    def _relics(self, value: object, rounds: int) -> tuple[int, ...]:
        relics = self._numbers(value, "relics", dict.fromkeys(_RESOURCES, (0, 20)))
        if sum(relics.values()) < rounds:
            self._check.fail("relics", f"{rounds} Relic cards are needed, there are {sum(relics.values())}")
        return tuple(relics[name] for name in _RESOURCES)

    def _equipment(self, value: object) -> tuple[PieceNumbers, ...]:
        group = self._group(value, "equipment", tuple(piece.name.lower() for piece in Piece))
        found = []
        for piece, effect in _EFFECTS.items():
            field = f"equipment.{piece.name.lower()}"
            table = self._check.table(
                group[piece.name.lower()], field, ("pieces", "cost", *([effect] if effect else []))
            )
            pieces = self._check.whole(table["pieces"], f"{field}.pieces", 0, 20)
            cost = self._cost(table["cost"], f"{field}.cost")
            found.append(
                PieceNumbers(
                    pieces, cost, self._check.whole(table[effect], f"{field}.{effect}", 1, 99) if effect else 0
                )
            )
        if found[Piece.TARP].pieces + found[Piece.CHEST].pieces < MAX_SEATS:
            self._check.fail("equipment", f"each of {MAX_SEATS} players is dealt a Tarp or a Chest, there are too few")
        return tuple(found)

    def _events(self, value: object, rounds: int) -> tuple[EventCard, ...]:
        field = "events.card"
        cards = self._check.entries(self._group(value, "events", ("card",))["card"], field, rounds, MAX_EVENTS)
        events = tuple(self._event(card, f"{field}[{place}]") for place, card in enumerate(cards))
        if len({event.name for event in events}) < len(events):
            self._check.fail(field, "each card must have a name of its own")
        return events

    def _event(self, value: object, field: str) -> EventCard:
        card = self._check.table(value, field, ("name", "damage", "necessary", "options"))
        options = enumerate(self._check.entries(card["options"], f"{field}.options", 0, MAX_OPTIONS))
        return EventCard(
            name=self._name(card["name"], f"{field}.name"),
            damage=self._check.whole(card["damage"], f"{field}.damage", 0, 99),
            necessary=self._check.whole(card["necessary"], f"{field}.necessary", 0, CARDS),
            options=tuple(self._option(option, f"{field}.options[{place}]") for place, option in options),
        )

    def _name(self, value: object, field: str) -> str:
        """Return a name for people: one short printable line."""
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            self._check.fail(field, "must be a name")
        if len(value) > _LONGEST_NAME:
            self._check.fail(field, f"must have at most {_LONGEST_NAME} characters")
        return value.strip()

    def _option(self, value: object, field: str) -> DefenceOption:
        option = self._check.table(value, field, ("cost", "prevents"))
        prevents = self._check.whole(option["prevents"], f"{field}.prevents", 1, 99)
        return DefenceOption(self._cost(option["cost"], f"{field}.cost"), prevents)

    def _cost(self, value: object, field: str) -> Cost:
        entries = enumerate(self._check.entries(value, field, 1, MAX_PRICE))
        words = [self._check.word(entry, f"{field}[{place}]", _PRICES) for place, entry in entries]
        cards = tuple(Price[word.upper()] for word in words)
        kinds = {price for price in cards if price in FREE_PRICES}
        firm = len(cards) - sum(price in FREE_PRICES for price in cards)
        if len(kinds) > 1 or (firm and kinds - {Price.ANY}):
            self._check.fail(field, '"same" or "different" stands alone; only "any" may be added to named cards')
        if kinds == {Price.DIFFERENT} and len(cards) > len(Resource):
            self._check.fail(field, f"there are only {len(Resource)} different resources")
        return Cost.of(cards)


def _without_words(numbers: Any) -> Any:
    """Return the file's content without what changes no game: status and names."""
    if isinstance(numbers, dict):
        return {key: _without_words(value) for key, value in numbers.items() if key not in ("status", "name")}
    if isinstance(numbers, list):
        return [_without_words(value) for value in numbers]
    return numbers
