"""Where a command finds the arena: the data folder, the server's address, the token."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.core.errors import Unauthenticated, Unavailable, UsageError

SERVER_FILE: Final = "server.json"
"""Written into the data folder by a running `arena up`: {"grpc": "127.0.0.1:PORT"}."""

ADMIN_TOKEN_FILE: Final = "admin.token"  # noqa: S105 - a file's name
"""The first admin token, in the data folder, readable by its owner only."""


@dataclass(frozen=True, slots=True)
class Door:
    """A server's gRPC target and the token to show there."""

    address: str
    token: str


def data_folder(given: Path | None = None) -> Path:
    """Return the data folder: the one given, else $ARENA_DATA, else whiteout/ in the user's data directory."""
    if given is not None:
        return given
    if named := os.environ.get("ARENA_DATA"):
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "whiteout"


def find_door(server: str | None = None, token_file: Path | None = None, data: Path | None = None) -> Door:
    """Return where to call and with what: options before environment (ARENA_SERVER, ARENA_TOKEN) before data folder.

    The data folder's admin token goes to the data folder's own server only, and there it comes first if the folder was
    given: ARENA_TOKEN is then some other server's. Raises Unavailable without a server,
    Unauthenticated without a token, UsageError for an address or a file that cannot be read.
    """
    folder = data_folder(data)
    address = server or (os.environ.get("ARENA_SERVER") if data is None else None)
    own = address is None
    address = check_address(address) if address else _local_server(folder)
    if token_file is not None:
        return Door(address, _read_token(token_file))
    token = os.environ.get("ARENA_TOKEN", "").strip()
    if own and (folder / ADMIN_TOKEN_FILE).is_file() and (data is not None or not token):
        return Door(address, _read_token(folder / ADMIN_TOKEN_FILE))
    if token:
        return Door(address, token)
    raise Unauthenticated(
        f"no token for the server at {address}; give --token-file FILE or set ARENA_TOKEN", reason="NO_TOKEN"
    )


def check_address(address: str, lowest_port: int = 1) -> str:
    """Return a server's address as it is. Raises UsageError unless it is HOST:PORT or a Unix socket."""
    host, colon, port = address.rpartition(":")
    if address.startswith("unix:") or (colon and host and port.isdecimal() and lowest_port <= int(port) < 1 << 16):
        return address
    raise UsageError(f"{address!r} is no server address; give HOST:PORT, like 127.0.0.1:7070", reason="BAD_ADDRESS")


def _local_server(folder: Path) -> str:
    file = folder / SERVER_FILE
    try:
        return check_address(str(json.loads(file.read_text(encoding="utf-8"))["grpc"]))
    except FileNotFoundError:
        raise Unavailable(
            f"no server runs on {folder}; start one with `arena up`, or name one with --server HOST:PORT",
            reason="NO_SERVER",
        ) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(
            f"{file} cannot be read; stop `arena up` and start it again", reason="BAD_SERVER_FILE"
        ) from None


def _read_token(file: Path) -> str:
    try:
        token = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise UsageError(f"token file {file}: {error.strerror}", reason="BAD_TOKEN_FILE") from None
    except ValueError:
        token = ""
    if not token.isprintable() or not token or " " in token:
        raise UsageError(f"token file {file} does not hold one token and nothing else", reason="BAD_TOKEN_FILE")
    return token
