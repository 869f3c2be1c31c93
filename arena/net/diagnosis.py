"""Says in a line why a TLS connection did not come about: for whoever called, from what gRPC tells of it."""

from __future__ import annotations

import contextlib
import socket
import ssl
from typing import Final

from arena.net.addresses import UNIX, split_address

PROBE_S: Final = 2.0

_CAUSES: Final = (
    ("certificate has expired", "its certificate has expired; whoever runs it has to renew it"),
    ("certificate is not yet valid", "its certificate is not valid yet; look at this machine's clock"),
    (
        "Hostname Verification Check failed",
        "its certificate is made out to another name; call it by a name in its certificate",
    ),
    ("CERTIFICATE_VERIFY_FAILED", "nobody trusted here has signed its certificate; name its authority with --ca FILE"),
    ("WRONG_VERSION_NUMBER", "it does not speak TLS; write plain://HOST:PORT if you trust the network"),
)
"""What the text of gRPC contains, and what it means; the first that fits."""


def tls_failure(details: str) -> str:
    """Return why a server was not trusted, "" where gRPC's words tell nothing about TLS."""
    return next((cause for words, cause in _CAUSES if words in details), "")


def speaks_tls(address: str) -> bool:
    """Whether a server answers TLS, whatever its certificate; False also where nobody answers."""
    if address.startswith(UNIX):
        return False
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    host, port = split_address(address)
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=PROBE_S) as line:
        anybody.wrap_socket(line, server_hostname=host).close()
        return True
    return False
