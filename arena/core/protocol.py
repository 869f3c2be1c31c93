"""What both ends of a bot's stream agree on beside the messages: version, limits, the names of metadata keys."""

from __future__ import annotations

from typing import Final

PROTOCOL_VERSION: Final = 1
"""Grows whenever an older bot could not play on; sent in Hello."""

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""The largest message a bot may send."""

MAX_RECONNECTS: Final = 5
"""How often a seat's stream may be opened again after it broke or was replaced by a newer one."""

REASON_KEY: Final = "reason"
"""Trailing metadata of a refused call: its stable UPPER_SNAKE reason; the status details read "REASON: message"."""
