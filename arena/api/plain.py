"""Messages of arena.v1 as values for JSON, the same from every program that prints or sends them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from arena.v1 import solo_pb2


def as_plain(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages as values for JSON: field names of the proto, every field present."""
    return [
        MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
        for message in messages
    ]


def with_paired(standings: list[Any], pairs: Sequence[solo_pb2.PairedDifference]) -> list[Any]:
    """Add to each line of a table, as plain values, the comparisons in which its bot is the first."""
    for line in standings:
        own = [each for each in pairs if (each.bot, each.version) == (line["bot"], line["version"])]
        if own:
            line["paired"] = as_plain(own)
    return standings
