"""Says in one line what a bot's folder or this machine lacks before the bot can be started."""

from __future__ import annotations

import shutil
from pathlib import Path

from arena.core.errors import UsageError
from arena.core.manifest import Manifest


def check_node(manifest: Manifest) -> None:
    """Raise UsageError (NO_NODE) for a bot that Node is to run where there is no Node."""
    if manifest.command[0] == "node" and shutil.which("node") is None:
        raise UsageError(
            f"{manifest.name} is started by node, which is not installed here; install Node 18 or newer with npm "
            "(Debian: apt-get install nodejs npm)",
            reason="NO_NODE",
        )


def check_built(folder: Path, manifest: Manifest) -> None:
    """Raise UsageError (NOT_BUILT) for a TypeScript bot whose bundle is not there."""
    script = next((word for word in manifest.command[1:] if not word.startswith("-")), "")
    if manifest.language == "typescript" and script and not (folder / script).is_file():
        raise UsageError(
            f"{folder / script} is not built yet; run npm install && npm run build in {folder}", reason="NOT_BUILT"
        )
