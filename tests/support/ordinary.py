"""Runs a command as an ordinary user, also where the tests run as root."""

from __future__ import annotations

import os
from pathlib import Path

from arena.hosting.programs import find_bwrap

NOBODY = 65534


def as_ordinary_user(command: list[str], needed: list[Path]) -> list[str]:
    """Return the command so that a user other than root runs it, with what lies in closed folders made reachable."""
    if os.geteuid() != 0:
        return command
    words = [str(find_bwrap()), "--dev-bind", "/", "/"]
    closed = {folder for path in needed for folder in path.parents if not folder.stat().st_mode & 0o001}
    outermost = [folder for folder in closed if not any(parent in closed for parent in folder.parents)]
    for folder in sorted(outermost):
        words += ["--perms", "0755", "--tmpfs", str(folder)]
    for path in needed:
        if any(path.is_relative_to(folder) for folder in outermost):
            for parent in reversed(path.parents):
                words += ["--dir", str(parent)] if any(parent.is_relative_to(at) for at in outermost) else []
            words += ["--bind", str(path), str(path)]
    ids = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--inh-caps=-all"]
    return [*words, "--", "setpriv", *ids, "--", *command]
