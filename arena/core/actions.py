"""The fixed enumeration of a game's actions: ids for programs, one-line notation for logs and people."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any, Generic, TypeVar

from arena.core.errors import MalformedAction

A = TypeVar("A", bound=Hashable)


class ActionTable(Generic[A]):
    """All actions a game can ever have, chance's included, in a fixed order.

    An action's id is its place in the table; a rules version never reorders its table. The notation is a short
    ASCII text, unique in the table, such as "place 3 left"; it stands in match logs.
    """

    __slots__ = ("_by_text", "_ids", "all", "texts")

    def __init__(self, actions: Iterable[A], notation: Callable[[A], str]) -> None:
        self.all: tuple[A, ...] = tuple(actions)
        self.texts: tuple[str, ...] = tuple(notation(action) for action in self.all)
        self._ids = {action: number for number, action in enumerate(self.all)}
        self._by_text = dict(zip(self.texts, self.all, strict=True))
        if len(self._ids) != len(self.all) or len(self._by_text) != len(self.all):
            raise ValueError("an action table holds each action and each notation once")
        kinds: set[type] = {type(action) for action in self.all}
        for kind in kinds:
            if is_dataclass(kind):
                # As a call of its class: that is how a frozen class compiled by mypyc can be pickled and copied too.
                copyreg.pickle(kind, _as_call)

    def __len__(self) -> int:
        return len(self.all)

    def id_of(self, action: A) -> int:
        """Return the action's id, 0 .. len-1. Raises MalformedAction for what the table does not hold."""
        try:
            return self._ids[action]
        except KeyError:
            raise MalformedAction(f"{action!r} is no action of this game") from None

    def by_id(self, number: int) -> A:
        """Return the action with this id. Raises MalformedAction outside 0 .. len-1."""
        if not 0 <= number < len(self.all):
            raise MalformedAction(f"action id {number} is not in 0 .. {len(self.all) - 1}")
        return self.all[number]

    def text_of(self, action: A) -> str:
        """Return the action's notation. Raises MalformedAction for what the table does not hold."""
        return self.texts[self.id_of(action)]

    def parse(self, text: str) -> A:
        """Return the action with this notation. Raises MalformedAction for an unknown one."""
        try:
            return self._by_text[text]
        except KeyError:
            raise MalformedAction(f"{text!r} is no action of this game") from None


def _as_call(action: Any) -> tuple[Any, ...]:
    return type(action), tuple(getattr(action, field.name) for field in fields(action))
