"""Certificates made for a test: an authority of its own, and what it or nobody has signed."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Pair:
    """Two PEM files: a certificate and its private key."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class _Signed:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


@cache
def _authority(title: str) -> _Signed:
    return _sign(title, (), None, valid=(-1, 1))


def write_authority(file: Path, title: str = "authority") -> Path:
    """Write the certificate of an authority, the same in the whole run for one title."""
    file.write_bytes(_authority(title).certificate.public_bytes(serialization.Encoding.PEM))
    return file


def write_pair(
    folder: Path,
    *names: str,
    authority: str | None = "authority",
    valid: tuple[float, float] = (-1, 1),
    password: bytes | None = None,
    nameless: bool = False,
) -> Pair:
    """Write a server's certificate for host names and IP addresses, and its key, into a folder.

    authority: who signs, None for the certificate itself. valid: from and until, in days from now. password: of the
    key. nameless: made out to no host.
    """
    issuer = None if authority is None else _authority(authority)
    made = _sign("server", () if nameless else names or ("localhost", "127.0.0.1"), issuer, valid=valid)
    folder.mkdir(parents=True, exist_ok=True)
    pair = Pair(folder / "cert.pem", folder / "key.pem")
    pair.certificate.write_bytes(made.certificate.public_bytes(serialization.Encoding.PEM))
    locked = serialization.NoEncryption() if password is None else serialization.BestAvailableEncryption(password)
    pair.key.write_bytes(made.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked))
    return pair


def _sign(title: str, names: tuple[str, ...], issuer: _Signed | None, *, valid: tuple[float, float]) -> _Signed:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=valid[0]))
        .not_valid_after(now + timedelta(days=valid[1]))
        .add_extension(x509.BasicConstraints(ca=issuer is None and not names, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if issuer is not None:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key())
        builder = builder.add_extension(identifier, critical=False)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([_name(one) for one in names]), critical=False)
    return _Signed(builder.sign(key if issuer is None else issuer.key, hashes.SHA256()), key)


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)
