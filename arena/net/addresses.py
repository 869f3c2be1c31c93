"""Addresses as people write them: HOST:PORT, or unix:PATH; and which of them stay on this machine."""

from __future__ import annotations

import ipaddress
from typing import Final

from arena.core.errors import UsageError

UNIX: Final = "unix:"
PORTS: Final = 1 << 16


def split_address(address: str, *, lowest_port: int = 0) -> tuple[str, int]:
    """Return host and port of HOST:PORT, the host of [HOST]:PORT without its brackets.

    lowest_port: 0 where port 0 stands for any free one, 1 where somebody is to be called. Raises UsageError
    (BAD_ADDRESS).
    """
    host, colon, port = address.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    known = colon and bare and not set(bare) & set("[]/ @") and (":" not in bare or bare != host)
    if not (known and port.isascii() and port.isdecimal() and len(port) < 6 and lowest_port <= int(port) < PORTS):
        raise UsageError(f"{address!r} is no address; give HOST:PORT, like 127.0.0.1:7070", reason="BAD_ADDRESS")
    return bare, int(port)


def is_local(address: str) -> bool:
    """Whether what goes to an address stays on this machine: a loopback address or a Unix socket.

    Raises UsageError (BAD_ADDRESS).
    """
    return address.startswith(UNIX) or is_loopback(split_address(address)[0])


def is_loopback(host: str) -> bool:
    """Whether a host, without brackets, is this machine's own loopback; no name but localhost is looked up."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def callable_here(address: str) -> str:
    """Return where a program on this machine calls a server that listens on an address: not on "every interface"."""
    if address.startswith(UNIX):
        return address
    host, port = split_address(address)
    try:
        everywhere = ipaddress.ip_address(host)
    except ValueError:
        return address
    if not everywhere.is_unspecified:
        return address
    return f"127.0.0.1:{port}" if everywhere.version == 4 else f"[::1]:{port}"
