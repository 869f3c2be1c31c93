"""The API's gRPC server: what it serves, where it listens, how it stops."""

from __future__ import annotations

import socket
from typing import Any, Final, cast

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.api.accounts import AccountServicer
from arena.api.bots import BotServicer
from arena.api.gate import Gate
from arena.api.health import Health
from arena.api.lobby import Hall, LobbyServicer
from arena.api.matches import MatchServicer
from arena.api.ratings import RatingServicer
from arena.api.site import Site
from arena.api.tournaments import TournamentServicer
from arena.api.uploads import CHUNK_BYTES
from arena.api.work import Workplace
from arena.core import pings
from arena.core.errors import Unavailable
from arena.core.pings import Pings
from arena.net.addresses import UNIX, split_address
from arena.net.tls import Identity, check_plain_text
from arena.services.accounts import sign_in
from arena.v1 import account_pb2, bot_pb2, lobby_pb2, match_pb2, rating_pb2, tournament_pb2
from arena.v1.account_pb2_grpc import add_AccountServiceServicer_to_server
from arena.v1.bot_pb2_grpc import add_BotServiceServicer_to_server
from arena.v1.lobby_pb2_grpc import add_LobbyServiceServicer_to_server
from arena.v1.match_pb2_grpc import add_MatchServiceServicer_to_server
from arena.v1.rating_pb2_grpc import add_RatingServiceServicer_to_server
from arena.v1.tournament_pb2_grpc import add_TournamentServiceServicer_to_server

STOP_GRACE_S: Final = 3.0
MAX_CALLS: Final = 500

SERVICES: Final[tuple[ServiceDescriptor, ...]] = (
    account_pb2.DESCRIPTOR.services_by_name["AccountService"],
    bot_pb2.DESCRIPTOR.services_by_name["BotService"],
    lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"],
    match_pb2.DESCRIPTOR.services_by_name["MatchService"],
    rating_pb2.DESCRIPTOR.services_by_name["RatingService"],
    tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"],
)

_OPTIONS: Final = (
    ("grpc.so_reuseport", 0),  # a port in use has to be an error, not a port shared with a stranger
    ("grpc.max_receive_message_length", 4 * CHUNK_BYTES),
    ("grpc.max_concurrent_streams", 100),
    # Pings are no nuisance that a busy machine hands over several at once; a flood still is.
    *pings.allowing(pings.API_ALLOWS_S, strikes=20),
)


class Server:
    """A gRPC server for one site. asks: how it notices clients that are gone."""

    def __init__(self, site: Site, asks: Pings = pings.API) -> None:
        self._site = site
        health_servicer = cast(Any, health).aio.HealthServicer()  # its stubs know the synchronous one only
        self._health = Health(health_servicer, [service.full_name for service in SERVICES], site.store, site.health_s)
        self._work = Workplace(site.limits.threads)
        gate = Gate(lambda secret: sign_in(site.store, secret, site.now()), self._work, site.limits, site.figures)
        options = (*_OPTIONS, *asks.options())
        self._server = grpc.aio.server(interceptors=(gate,), options=options, maximum_concurrent_rpcs=MAX_CALLS)
        add_AccountServiceServicer_to_server(AccountServicer(site), self._server)
        add_BotServiceServicer_to_server(BotServicer(site), self._server)
        add_MatchServiceServicer_to_server(MatchServicer(site), self._server)
        add_RatingServiceServicer_to_server(RatingServicer(site), self._server)
        add_TournamentServiceServicer_to_server(TournamentServicer(site), self._server)
        self._hall = Hall(site)
        add_LobbyServiceServicer_to_server(LobbyServicer(site, self._hall), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(health_servicer, cast(Any, self._server))
        names = (*(service.full_name for service in SERVICES), health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    async def start(self, address: str, *, identity: Identity | None = None, allow_plain_text: bool = False) -> str:
        """Listen, and return the address with its real port.

        address: HOST:PORT (port 0: any free one) or unix:PATH. identity: what to show, None for plain text. Raises
        UsageError for an address that cannot be read or, unless plain text is allowed there, would speak it to others
        than this machine's own; Unavailable when the port is in use.
        """
        check_plain_text(address, identity, allowed=allow_plain_text)
        _try_address(address)
        try:
            if identity is None:
                port = self._server.add_insecure_port(address)
            else:
                shown = grpc.ssl_server_credentials([(identity.key, identity.certificate)])
                port = self._server.add_secure_port(address, shown)
        except RuntimeError as error:
            raise _cannot_listen(address, str(error)) from None
        await self._server.start()
        await self._health.start()
        return address if address.startswith(UNIX) else f"{address.rpartition(':')[0]}:{port}"

    async def stop(self) -> None:
        """Stop: new calls are refused, watches end, the rest has STOP_GRACE_S seconds to finish."""
        await self._health.stop()
        self._site.stopping.set()
        await self._hall.close()
        await self._server.stop(STOP_GRACE_S)
        self._work.close()


def _try_address(address: str) -> None:
    """Bind the address for a moment: the operating system says why it cannot be, gRPC only that."""
    if address.startswith(UNIX):
        return
    host, port = split_address(address)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.socket(found[0][0], socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(found[0][4])
    except OSError as error:
        raise _cannot_listen(address, error.strerror or str(error)) from None


def _cannot_listen(address: str, why: str) -> Unavailable:
    return Unavailable(
        f"cannot listen on {address} ({why}); choose another address or stop what uses it", reason="ADDRESS_IN_USE"
    )
