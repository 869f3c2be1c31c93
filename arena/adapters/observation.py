"""A view as an array of fixed size: one whole number a place, each place with a name that says what stands there.

The layout follows from the view's message and the room its lists get (arena.adapters.listings), field by field in the
order of their numbers:

    number             its value
    bool               0 or 1
    enum               one place a value, 1 at the one that holds; all 0 where unspecified
    optional field     a place ".present" before it
    message            its fields, after a place ".present"
    list in Slots      a place ".count", then the items one after the other, zeros where there are none
    list in Counts     how many of each value

Left out: events, whose number has no bound (everything that still matters stands elsewhere in a view), and texts,
which do not change during a match.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from numpy.typing import NDArray

from arena.adapters.listings import DEFAULT_SLOTS, Counts, Listings, Slots, listings_of
from arena.adapters.setting import Setting
from arena.core.errors import UsageError

Array: TypeAlias = NDArray[np.int32]

EVENTS: Final = "events"

_LOWEST: Final = -(2**31)
_HIGHEST: Final = 2**31 - 1
_NUMBERS: Final = (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_SINT32, FieldDescriptor.TYPE_SFIXED32)

_Write: TypeAlias = Callable[[Any, list[int]], None]


class Cell(NamedTuple):
    """One place of the array: its name, such as "players[1].score", and the lowest and highest number it can hold."""

    name: str
    low: int
    high: int


class _Part(NamedTuple):
    """Some places in a row, and how a value is written there: appended to the list, as many numbers as cells."""

    cells: list[Cell]
    write: _Write


class Layout:
    """Where everything of a view stands in its array.

    cells: what stands at each place. size: how many places there are.
    """

    __slots__ = ("_write", "cells", "size")

    def __init__(self, view: Descriptor, listings: Listings) -> None:
        """Lay out a view's message. Raises UsageError for kinds of fields that no view has."""
        part = _message(view, "", listings, skipped=EVENTS)
        self.cells: tuple[Cell, ...] = tuple(part.cells)
        self.size = len(self.cells)
        self._write = part.write

    def encode(self, view: Message) -> Array:
        """Return the view as an int32 array of shape (size,). Raises UsageError if a list is longer than its room."""
        numbers: list[int] = []
        self._write(view, numbers)
        return np.array(numbers, dtype=np.int32)

    def place(self, name: str) -> int:
        """Return the place with this name. Raises UsageError."""
        for number, cell in enumerate(self.cells):
            if cell.name == name:
                return number
        raise UsageError(f"no place {name!r} in this layout; its cells list all names", reason="UNKNOWN_PLACE")


def layout_of(setting: Setting, listings: Listings | None = None) -> Layout:
    """Return the layout of a setting's views; listings given here go before the game's own."""
    known = listings_of(setting.game.spec.id, setting.seats)
    return Layout(setting.game.view(setting.new(), None).DESCRIPTOR, {**known, **(listings or {})})


def _message(descriptor: Descriptor, name: str, listings: Listings, *, skipped: str = "") -> _Part:
    parts = [
        _field(field, f"{name}.{field.name}" if name else field.name, listings)
        for field in sorted(descriptor.fields, key=lambda field: field.number)
        if field.name != skipped and field.type != FieldDescriptor.TYPE_STRING
    ]
    writes = [part.write for part in parts]

    def write(message: Any, numbers: list[int]) -> None:
        for one in writes:
            one(message, numbers)

    return _Part([cell for part in parts for cell in part.cells], write)


def _field(field: FieldDescriptor, name: str, listings: Listings) -> _Part:
    """Return the part of one field; what its write is given is the message that has it."""
    label = field.name
    if field.is_repeated:
        listing = listings.get(_key(field), Slots(DEFAULT_SLOTS))
        if isinstance(listing, Counts):
            part = _counts(field, name, listing)
        else:
            part = _slots(field, name, listing.most, listings)
    else:
        part = _value(field, name, listings)
        if field.has_presence:
            return _optional(part, label, name)
    inner = part.write

    def write(message: Any, numbers: list[int]) -> None:
        inner(getattr(message, label), numbers)

    return _Part(part.cells, write)


def _key(field: FieldDescriptor) -> str:
    """Return the name of a list as listings have it."""
    owner = field.containing_type
    return f"{owner.name}.{field.name}" if owner else field.name


def _optional(part: _Part, label: str, name: str) -> _Part:
    inner, absent = part.write, [0] * (len(part.cells) + 1)

    def write(message: Any, numbers: list[int]) -> None:
        if message.HasField(label):
            numbers.append(1)
            inner(getattr(message, label), numbers)
        else:
            numbers.extend(absent)

    return _Part([Cell(f"{name}.present", 0, 1), *part.cells], write)


def _value(field: FieldDescriptor, name: str, listings: Listings) -> _Part:
    """Return the part of a single value of the field's type."""
    if field.message_type is not None:
        return _message(field.message_type, name, listings)
    if field.enum_type is not None:
        return _enum(field.enum_type, name)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return _Part([Cell(name, 0, 1)], lambda value, numbers: numbers.append(int(value)))
    if field.type in _NUMBERS:
        return _Part([Cell(name, _LOWEST, _HIGHEST)], lambda value, numbers: numbers.append(value))
    raise UsageError(f"{field.full_name} is of a kind that has no place in an array; views hold int32, bool and enums")


def _enum(enum: EnumDescriptor, name: str) -> _Part:
    words = _words(enum)
    blank = [0] * len(words)
    rows = {number: [int(number == other) for other in words] for number in words}

    def write(value: int, numbers: list[int]) -> None:
        numbers.extend(rows.get(value, blank))

    return _Part([Cell(f"{name}={word}", 0, 1) for word in words.values()], write)


def _slots(field: FieldDescriptor, name: str, most: int, listings: Listings) -> _Part:
    items = [_value(field, f"{name}[{number}]", listings) for number in range(most)]
    writes = [item.write for item in items]
    width = len(items[0].cells) if items else 0
    owner = _key(field)

    def write(values: Any, numbers: list[int]) -> None:
        count = len(values)
        if count > most:
            raise UsageError(
                f"{owner} lists {count} items, the observation has room for {most};"
                f' pass listings={{"{owner}": Slots({count})}} or more',
                reason="OBSERVATION_TOO_SMALL",
            )
        numbers.append(count)
        for one, value in zip(writes, values, strict=False):
            one(value, numbers)
        numbers.extend([0] * (width * (most - count)))

    cells = [Cell(f"{name}.count", 0, most), *(cell for item in items for cell in item.cells)]
    return _Part(cells, write)


def _counts(field: FieldDescriptor, name: str, listing: Counts) -> _Part:
    key, words = _keys(field, listing)
    places = {value: place for place, value in enumerate(words)}
    owner = _key(field)

    def write(values: Any, numbers: list[int]) -> None:
        counts = [0] * len(places)
        for value in values:
            try:
                counts[places[key(value)]] += 1
            except KeyError:
                raise UsageError(
                    f'{owner} holds {key(value)}, which its Counts do not cover; pass listings={{"{owner}": ...}}',
                    reason="OBSERVATION_TOO_SMALL",
                ) from None
        numbers.extend(counts)

    return _Part([Cell(f"{name}[{word}]", 0, _HIGHEST) for word in words.values()], write)


def _keys(field: FieldDescriptor, listing: Counts) -> tuple[Callable[[Any], Any], dict[Any, str]]:
    """Return how a value of the list is told apart, and the name of each value there can be."""
    if field.enum_type is not None:
        return int, dict(_words(field.enum_type))
    spans = [range(low, high + 1) for low, high in listing.ranges]
    if field.message_type is None:
        return int, {number: str(number) for number in spans[0]}
    inner = [_words(one.enum_type) if one.enum_type else {} for one in field.message_type.fields]
    labels = [one.name for one in field.message_type.fields]
    values = {
        value: " ".join(words.get(number, str(number)) for words, number in zip(inner, value, strict=True))
        for value in product(*spans)
    }
    return lambda message: tuple(getattr(message, label) for label in labels), values


def _words(enum: EnumDescriptor) -> dict[int, str]:
    """Return the short lower-case name of each value but "unspecified", as in {1: "net"}."""
    unspecified = next((value.name for value in enum.values if value.number == 0), "")
    prefix = unspecified.removesuffix("UNSPECIFIED")
    return {value.number: value.name.removeprefix(prefix).lower() for value in enum.values if value.number != 0}
