"""The certificate that a server shows, read from two files; and the rule that plain text stays on this machine."""

from __future__ import annotations

import argparse
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from arena.core.errors import UsageError
from arena.net.addresses import is_local

CERT_HELP: Final = "Certificate chain of this server, PEM; with it, TLS is spoken."
KEY_HELP: Final = "Private key of the certificate, PEM, without a password."
PLAIN_HELP: Final = "Listen beyond loopback without TLS: inside a network you trust."

_EXPIRED: Final = 10
_NOT_YET: Final = 9
"""Codes of OpenSSL for a certificate after and before its time."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a server shows to prove who it is; certificate and key are the bytes of the two PEM files.

    names: what the certificate is made out to, host names and IP addresses. expires_at: in UTC.
    """

    certificate: bytes
    key: bytes = field(repr=False)
    names: tuple[str, ...]
    expires_at: datetime

    def name_for(self, host: str) -> str:
        """Return what somebody who calls a host may check the certificate for: the host, else another of its names."""
        return host if host in self.names else self.names[0].replace("*", "any", 1)


def add_tls_options(parser: argparse.ArgumentParser) -> None:
    """Give a server program --tls-cert, --tls-key and --allow-plain-text."""
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", help=CERT_HELP)
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help=KEY_HELP)
    parser.add_argument("--allow-plain-text", action="store_true", help=PLAIN_HELP)


def read_identity(certificate: Path | None, key: Path | None) -> Identity | None:
    """Return what the two files hold, None where neither is named.

    Raises UsageError (BAD_CERTIFICATE) for one without the other, files that cannot be read, a key that does not fit,
    and a certificate that is not valid now or names no host.
    """
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing, given = ("--tls-cert", "--tls-key") if certificate is None else ("--tls-key", "--tls-cert")
        raise _bad(f"{given} needs {missing}; give both, or neither")
    texts = _read(certificate, "--tls-cert"), _read(key, "--tls-key")
    shown = _rehearse(certificate, key)
    names = tuple(str(value) for kind, value in shown.get("subjectAltName", ()) if kind in {"DNS", "IP Address"})
    if not names:
        raise _bad(f"the certificate in {certificate} is made out to no host name; clients look for a subjectAltName")
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(shown["notAfter"]), UTC)
    return Identity(texts[0], texts[1], names, ends)


def check_plain_text(address: str, identity: Identity | None, *, allowed: bool) -> None:
    """Raise UsageError (PLAIN_TEXT_REFUSED) where a server would speak plain text to others than this machine's own.

    address: HOST:PORT or unix:PATH to listen on. identity: None without TLS. allowed: --allow-plain-text was given.
    Also raises UsageError (BAD_ADDRESS) for what is no address.
    """
    local = is_local(address)
    if identity is None and not local and not allowed:
        raise UsageError(
            f"{address} can be reached by others, who could read the tokens: without a certificate this server speaks"
            " plain text; give --tls-cert and --tls-key, listen on 127.0.0.1, or add --allow-plain-text inside a"
            " network you trust",
            reason="PLAIN_TEXT_REFUSED",
        )


def _read(file: Path, option: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise _bad(f"{option} {file}: {error.strerror}; name a PEM file that this user can read") from None


def _rehearse(certificate: Path, key: Path) -> dict[str, Any]:
    """Return the certificate's facts after a handshake with ourselves, which finds what every client would.

    Trust is no question here: a certificate of one's own is as good as any.
    """
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        # Without this answer, OpenSSL would ask for a key's password on the terminal.
        server.load_cert_chain(certificate, key, password=lambda: b"")
        client.load_verify_locations(cafile=certificate)
        return _shake_hands(server, client)
    except ssl.SSLCertVerificationError as error:
        if error.verify_code == _EXPIRED:
            raise _bad(f"the certificate in {certificate} has expired; renew it") from None
        if error.verify_code == _NOT_YET:
            raise _bad(f"the certificate in {certificate} is not valid yet; look at this machine's clock") from None
        raise _bad(f"the certificate in {certificate} cannot be used: {error.verify_message}") from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise _bad(f"the key in {key} is not that of the certificate in {certificate}; give the pair") from None
        raise _bad(f"{certificate} and {key} are no PEM certificate chain and private key without a password") from None


def _shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> dict[str, Any]:
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    here = client.wrap_bio(to_client, to_server)
    there = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(4):  # messages go to and fro at most twice
        for side in (here, there):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    return dict(here.getpeercert() or {})


def _bad(message: str) -> UsageError:
    return UsageError(message, reason="BAD_CERTIFICATE")
