"""Who may do what, and how names are spelled."""

from __future__ import annotations

import re
from typing import Final

from arena.core.component_file import shown
from arena.core.errors import PermissionDenied, UsageError
from arena.store.records import Account
from arena.store.states import Role

NAME: Final = re.compile(r"[a-z][a-z0-9_-]{1,39}")
"""Names of accounts, bots and tournaments: short enough for a table, safe in a path, a URL and a shell."""


def require(caller: Account, role: Role, what: str) -> None:
    """Raise PermissionDenied (ROLE_NEEDED) unless the caller's role covers the one needed."""
    if not caller.role.covers(role):
        raise PermissionDenied(
            f"{caller.name} is {caller.role.lower()}, {what} needs {role.lower()}; ask an admin", reason="ROLE_NEEDED"
        )


def check_name(kind: str, name: str) -> str:
    """Return the name if it is one. Raises UsageError (BAD_NAME)."""
    if NAME.fullmatch(name) is None:
        raise UsageError(
            f"{kind} name {shown(name)} is none; take 2 to 40 lower-case letters, digits, hyphens and underscores, "
            "a letter first",
            reason="BAD_NAME",
        )
    return name
