"""What both ends of a bot's stream agree on beside the messages: version, limits, the names of metadata keys."""

from __future__ import annotations

import os
from typing import Final

PROTOCOL_VERSION: Final = 1
"""Grows whenever an older bot could not play on; sent in Hello."""

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""The largest message a bot may send."""

MAX_RECONNECTS: Final = 5
"""How often a seat's stream may be opened again after it broke or was replaced by a newer one."""

REASON_KEY: Final = "reason"
"""Trailing metadata of a refused call: its stable UPPER_SNAKE reason; the status details read "REASON: message"."""

GRPC_ENVIRONMENT: Final = {
    "GRPC_VERBOSITY": "NONE",
    "GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener",
}
"""What a process that hosts matches or plays in one puts into its environment before it imports gRPC.

What gRPC's core reports of broken connections is daily life to a referee, and noise among what a bot's author prints.
Without its event engine a message passes through fewer threads, which saves a third of what gRPC costs; a gRPC that
does not know these names any more goes on without them.
"""


def set_for_grpc() -> None:
    """Set what gRPC reads when it is imported; what is set already stays."""
    for name, text in GRPC_ENVIRONMENT.items():
        os.environ.setdefault(name, text)
