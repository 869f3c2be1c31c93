"""Reads a google.protobuf.Any as the message it holds."""

from __future__ import annotations

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message


def unpack(packed: AnyMessage) -> Message:
    """Return the message inside. Raises KeyError for a type whose module (the game's) is not imported."""
    descriptor = descriptor_pool.Default().FindMessageTypeByName(packed.TypeName())
    message: Message = message_factory.GetMessageClass(descriptor)()
    message.ParseFromString(packed.value)
    return message
