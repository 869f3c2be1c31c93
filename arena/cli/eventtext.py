"""Writes any game's event message as one line of words."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message


def event_text(event: Message) -> str:
    """Return the message's fields in words, such as "ply: seat 0, action: take card: card 3".

    Fields without a value of their own (unset parts, empty lists) are left out; a number 0 is said.
    """
    parts = []
    for field in event.DESCRIPTOR.fields:
        value = getattr(event, field.name)
        if field.is_repeated:
            if len(value):
                parts.append(f"{_words(field.name)} {' '.join(_value(field, item) for item in value)}")
        elif not field.has_presence or event.HasField(field.name):
            name = _words(field.name)
            if field.message_type is None:
                parts.append(f"{name} {_value(field, value)}")
            else:
                inner = event_text(value)
                parts.append(f"{name}: {inner}" if inner else name)
    return ", ".join(parts)


def _value(field: Any, value: Any) -> str:
    """Write one value; field is its descriptor, of which protobuf has two classes without a common type."""
    if field.message_type is not None:
        return f"({event_text(value)})"
    if field.enum_type is not None:
        names = field.enum_type.values_by_number
        prefix = names[0].name.removesuffix("UNSPECIFIED")  # by the style of protobuf, such as "RESOURCE_"
        return _words(names[value].name.removeprefix(prefix).lower())
    return str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")
