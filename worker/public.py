"""What makes a worker a public one: where seats that are played from elsewhere are taken, and how they are invited."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from arena.hosting.matches import Invitation, RemoteSeat
from arena.hosting.referee import PublicDoor
from arena.net.addresses import split_address
from arena.net.tls import CERT_HELP, KEY_HELP, PLAIN_HELP, check_plain_text, read_identity
from arena.services import lobby
from arena.store import Store
from arena.store.records import Claim, Leg
from worker.leash import OPTION

ADDRESS: Final = "ARENA_PUBLIC_ADDRESS"
LISTEN: Final = "ARENA_PUBLIC_LISTEN"
CERTIFICATE: Final = "ARENA_PUBLIC_TLS_CERT"
KEY: Final = "ARENA_PUBLIC_TLS_KEY"
PLAIN_TEXT: Final = "ARENA_PUBLIC_PLAIN_TEXT"
ONLY: Final = "ARENA_PUBLIC_ONLY"


@dataclass(frozen=True, slots=True)
class Public:
    """A public worker. door: of its referee. only: it plays nothing but matches with remote seats."""

    door: PublicDoor
    only: bool

    @classmethod
    def read(cls, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Public | None:
        """Return what the options say, else the environment; None for a worker that is not public.

        Raises UsageError (BAD_ADDRESS, BAD_CERTIFICATE, PLAIN_TEXT_REFUSED).
        """
        given = os.environ if environment is None else environment
        asked = _parser(given).parse_args(arguments)
        if not asked.public_address:
            return None
        split_address(asked.public_address)
        listen = asked.public_listen or asked.public_address
        identity = read_identity(asked.tls_cert, asked.tls_key)
        check_plain_text(listen, identity, allowed=asked.allow_plain_text)
        door = PublicDoor(
            listen, _called(asked.public_address), asked.tls_cert, asked.tls_key, plain_text=asked.allow_plain_text
        )
        return cls(door, asked.public_only)

    def seat(self, store: Store, claim: Claim, leg: Leg, seat: int) -> RemoteSeat:
        """Return a seat that the lobby is told of as soon as it can be taken."""
        tell = partial(lobby.open_seat, store, claim.block_id, claim.attempt, leg.match_id, seat)

        async def invite(told: Invitation) -> None:
            address = self.door.address or told.address
            await asyncio.to_thread(tell, address=address, ticket=told.ticket, certificate=told.certificate)

        return RemoteSeat(invite)


def _called(address: str) -> str:
    """Return what those elsewhere call; "" where only the referee will know the port."""
    return address if split_address(address)[1] else ""


def _parser(given: Mapping[str, str]) -> argparse.ArgumentParser:
    def file(name: str) -> Path | None:
        return Path(given[name]) if given.get(name) else None

    parser = argparse.ArgumentParser(
        prog="python -m worker", description="Plays blocks of matches; what it works on is told by the environment."
    )
    parser.add_argument(
        "--public-address", metavar="HOST:PORT", default=given.get(ADDRESS, ""),
        help=f"play matches with remote seats, too, which are taken there; port 0: any free one; else ${ADDRESS}",
    )  # fmt: skip
    parser.add_argument(
        "--public-listen", metavar="HOST:PORT", default=given.get(LISTEN, ""),
        help=f"where to listen if that is not the public address; else ${LISTEN}",
    )  # fmt: skip
    parser.add_argument(
        "--public-only", action="store_true", default=given.get(ONLY, "") == "1",
        help=f"play nothing but matches with remote seats; else ${ONLY}=1",
    )  # fmt: skip
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", default=file(CERTIFICATE), help=CERT_HELP)
    parser.add_argument("--tls-key", type=Path, metavar="FILE", default=file(KEY), help=KEY_HELP)
    parser.add_argument(
        "--allow-plain-text", action="store_true", default=given.get(PLAIN_TEXT, "") == "1", help=PLAIN_HELP
    )
    parser.add_argument(OPTION, action="store_true", help="stop when standard input closes")
    return parser
