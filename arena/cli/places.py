"""Where a command finds the arena: the data folder, the server's address, the token, and whom it trusts there."""

from __future__ import annotations

import json
import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.core.errors import Unauthenticated, Unavailable, UsageError
from arena.net.addresses import UNIX, is_local, split_address

SERVER_FILE: Final = "server.json"
"""Written into the data folder by a running `arena up`: {"grpc": "127.0.0.1:PORT"}; where it speaks TLS also "tls" with
the "certificate" that it shows, in PEM, and a "name" that is made out to."""

ADMIN_TOKEN_FILE: Final = "admin.token"  # noqa: S105 - a file's name
"""The first admin token, in the data folder, readable by its owner only."""


TLS: Final = "https://"
PLAIN: Final = "plain://"
TLS_PORT: Final = 443


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose certificates a client takes. ca: PEM, None for the authorities that gRPC brings.

    name: what the server's certificate has to be made out to, "" for the host that is called.
    """

    ca: bytes | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Door:
    """A server's gRPC target and the token to show there.

    trust: None to speak plain text, which stays on this machine unless plain is set. Raises UsageError
    (PLAIN_TEXT_REFUSED).
    """

    address: str
    token: str = field(repr=False)
    trust: Trust | None = None
    plain: bool = False

    def __post_init__(self) -> None:
        if self.trust is None and not self.plain and not is_local(self.address):
            raise UsageError(
                f"the token would go to {self.address} in plain text; use TLS, or write {PLAIN}{self.address} if you"
                " trust the network",
                reason="PLAIN_TEXT_REFUSED",
            )


def data_folder(given: Path | None = None) -> Path:
    """Return the data folder: the one given, else $ARENA_DATA, else whiteout/ in the user's data directory."""
    if given is not None:
        return given
    if named := os.environ.get("ARENA_DATA"):
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "whiteout"


def find_door(
    server: str | None = None, token_file: Path | None = None, data: Path | None = None, ca: Path | None = None
) -> Door:
    """Return where to call and with what: options before environment (ARENA_SERVER, ARENA_TOKEN, ARENA_CA) before data
    folder.

    HOST:PORT is called with TLS unless the host is this machine's loopback, https://HOST:PORT always, plain://HOST:PORT
    never; an authority that is named (ca) means TLS, too.

    The data folder's admin token goes to the data folder's own server only, and there it comes first if the folder was
    given: ARENA_TOKEN is then some other server's. Raises Unavailable without a server,
    Unauthenticated without a token, UsageError for an address or a file that cannot be read.
    """
    folder = data_folder(data)
    address = server or (os.environ.get("ARENA_SERVER") if data is None else None)
    target, trust = _parse_server(address, ca) if address else _local_server(folder)
    plain = bool(address and address.startswith(PLAIN))
    return Door(
        target, _find_token(target, folder, token_file, own=address is None, given=data is not None), trust, plain
    )


def check_address(address: str, lowest_port: int = 1) -> str:
    """Return a server's address as it is. Raises UsageError unless it is HOST:PORT or a Unix socket."""
    if not address.startswith(UNIX):
        split_address(address, lowest_port=lowest_port)
    return address


def _find_token(target: str, folder: Path, token_file: Path | None, *, own: bool, given: bool) -> str:
    """Return the token for a server. own: it is the data folder's; given: an option named the folder."""
    if token_file is not None:
        return _read_token(token_file)
    token = os.environ.get("ARENA_TOKEN", "").strip()
    if own and (folder / ADMIN_TOKEN_FILE).is_file() and (given or not token):
        return _read_token(folder / ADMIN_TOKEN_FILE)
    if token:
        return check_token(token, "ARENA_TOKEN")
    raise Unauthenticated(
        f"no token for the server at {target}; give --token-file FILE or set ARENA_TOKEN", reason="NO_TOKEN"
    )


def _parse_server(text: str, ca: Path | None) -> tuple[str, Trust | None]:
    """Return the address and whom to trust there, None for plain text."""
    named = os.environ.get("ARENA_CA") if ca is None else ca
    if text.startswith(PLAIN):
        if ca is not None:
            raise UsageError(f"{text} is called without TLS; leave --ca out, or write {TLS}", reason="BAD_ADDRESS")
        return check_address(text.removeprefix(PLAIN)), None
    if text.startswith(TLS):
        target = text.removeprefix(TLS).removesuffix("/")
        if not target.rpartition("]")[2].count(":"):
            target = f"{target}:{TLS_PORT}"
        return check_address(target), _read_trust(named)
    if ca is None and is_local(check_address(text)):
        return text, None
    return check_address(text), _read_trust(named)


def _read_trust(ca: str | Path | None) -> Trust:
    return Trust() if ca is None or ca == "" else Trust(_read_ca(Path(ca)))


def _read_ca(file: Path) -> bytes:
    """Return a file of trusted certificates. Raises UsageError (BAD_CA_FILE): gRPC would only fail to connect."""
    try:
        text = file.read_bytes()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text.decode("ascii"))
    except OSError as error:
        if not isinstance(error, ssl.SSLError):
            raise UsageError(f"authority file {file}: {error.strerror}", reason="BAD_CA_FILE") from None
    except ValueError:
        pass
    else:
        return text
    raise UsageError(f"authority file {file} holds no certificate in PEM", reason="BAD_CA_FILE")


def _local_server(folder: Path) -> tuple[str, Trust | None]:
    file = folder / SERVER_FILE
    try:
        announced = json.loads(file.read_text(encoding="utf-8"))
        address, tls = check_address(str(announced["grpc"])), announced.get("tls")
        return address, None if tls is None else Trust(str(tls["certificate"]).encode("ascii"), str(tls["name"]))
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
    return check_token(token, f"token file {file}")


def check_token(token: str, where: str) -> str:
    """Return a token if it can be sent as one. Raises UsageError (BAD_TOKEN_FILE) that does not repeat it."""
    if not token.isprintable() or not token.isascii() or not token or " " in token:
        raise UsageError(f"{where} does not hold one token and nothing else", reason="BAD_TOKEN_FILE")
    return token
