"""Says in one line what a bot's folder or this machine lacks before the bot can be started."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from arena.core.errors import UsageError
from arena.core.manifest import Manifest
from arena.hosting.programs import find_node

INSTALL_NODE: Final = "install Node 18 or newer with npm below /usr (Debian: apt-get install nodejs npm)"


def check_node(manifest: Manifest) -> None:
    """Raise UsageError (NO_NODE) for a bot that Node is to run where no bot finds Node."""
    if manifest.command[0] != "node" or find_node() is not None:
        return
    elsewhere = shutil.which("node")
    where = "is not installed here" if elsewhere is None else f"lies at {elsewhere}, where no bot finds it"
    raise UsageError(f"{manifest.name} is started by node, which {where}; {INSTALL_NODE}", reason="NO_NODE")


def check_built(folder: Path, manifest: Manifest) -> None:
    """Raise UsageError (NOT_BUILT) for a TypeScript bot whose bundle is not there."""
    script = next((word for word in manifest.command[1:] if not word.startswith("-")), "")
    if manifest.language == "typescript" and script and not (folder / script).is_file():
        raise UsageError(
            f"{folder / script} is not built yet; run npm install && npm run build in {folder}", reason="NOT_BUILT"
        )
