"""Where the broker keeps what is told of running matches: names that worker and web page agree on."""

from __future__ import annotations

from typing import Final

UPDATE: Final = b"update"
"""The one field of an entry: the bytes of an arena.v1.LiveUpdate."""

KEPT: Final = 64
"""Updates of a match that are kept for those who come late, or come back."""

KEPT_S: Final = 3600
"""How long a match's updates are kept after the last of them, in seconds: as long as a person may think."""

ENDED_KEPT_S: Final = 60
"""The same once the match has ended: until every page that shows it has heard so from the database."""


def stream_name(match_id: int) -> str:
    """Return the name of a match's stream."""
    return f"whiteout:live:{match_id}"
