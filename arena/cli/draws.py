"""`arena verify --draws`: writes what chance drew, for `tools/verify_log.py`."""

from __future__ import annotations

import json
from pathlib import Path

from arena.cli.logfile import check_writable, open_log, write_file
from arena.match.draws import PlyDraws, chance_draws


def write_draws(log: Path, file: Path, seed: bytes | None) -> None:
    """Write the draws of a verified log as JSON Lines, one line a ply of chance. Raises UsageError, LogError."""
    check_writable(file)
    with open_log(log) as lines:
        written = [json.dumps(_plain(ply), ensure_ascii=False) + "\n" for ply in chance_draws(lines, seed)]
    write_file(file, "".join(written).encode())


def _plain(ply: PlyDraws) -> dict[str, object]:
    draws = [{"label": draw.label, "n": draw.n, "number": draw.number} for draw in ply.draws]
    return {"ply": ply.ply, "draws": draws} | ({} if ply.odds is None else {"odds": ply.odds})
