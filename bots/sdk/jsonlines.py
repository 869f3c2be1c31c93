"""The messages of a match as JSON values, for programs that read lines: numbers as numbers, enums by their names.

A field that can be absent (optional, a message, a member of a oneof) is left out where it is; every other field stands
in its message, also when it is 0, false, "" or empty.
"""

from __future__ import annotations

import base64
import json
from typing import Any, Final, TypeAlias

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from bots.sdk.any_message import unpack

Json: TypeAlias = dict[str, Any]

_dump: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


def to_line(value: Json) -> bytes:
    """Return one line of JSON in ASCII, line break included."""
    return f"{_dump(value)}\n".encode("ascii")


def to_json(message: Message) -> Json:
    """Return a message with its fields by the names they have in the .proto file; an Any as the message it holds."""
    if isinstance(message, AnyMessage):
        return to_json(unpack(message))
    value: Json = {}
    field: Any  # the stubs know two kinds of descriptors
    for field in message.DESCRIPTOR.fields:
        if field.has_presence and not message.HasField(field.name):
            continue
        content = getattr(message, field.name)
        if not field.is_repeated:
            value[field.name] = _plain(field, content)
        elif _is_map(field):
            entry = field.message_type.fields_by_name["value"]
            value[field.name] = {str(key): _plain(entry, each) for key, each in sorted(content.items())}
        else:
            value[field.name] = [_plain(field, each) for each in content]
    return value


def _plain(field: Any, content: Any) -> Any:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return to_json(content)
    if field.type == FieldDescriptor.TYPE_ENUM:
        known = field.enum_type.values_by_number.get(content)
        return content if known is None else known.name
    if field.type == FieldDescriptor.TYPE_BYTES:
        return base64.b64encode(content).decode()
    return content


def _is_map(field: Any) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)
