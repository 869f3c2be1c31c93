"""Asks the referee, through the bots' socket, for what is not its own: services, other seats, other matches."""

import os

os.environ["GRPC_VERBOSITY"] = "NONE"

import grpc
from bait import FACTS, done, got

from arena.core.protocol import PROTOCOL_VERSION
from arena.v1 import play_pb2

with grpc.insecure_channel(os.environ["WHITEOUT_ADDRESS"], options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
    for method in FACTS["methods"]:
        try:
            got(f"{method}: {channel.unary_unary(method)(b'', timeout=5)!r}")
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                got(f"{method}: {error.code().name}")
    for ticket in FACTS["tickets"]:
        hello = play_pb2.Hello(ticket=ticket, protocol_version=PROTOCOL_VERSION, sdk="probe/1.0.0")
        request = play_pb2.PlayRequest(hello=hello).SerializeToString()
        try:
            stream = channel.stream_stream("/arena.v1.PlayService/Play")(iter([request]), timeout=5)
            got(f"somebody else's seat: {next(stream)!r}")
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAUTHENTICATED:
                got(f"another answer than the refusal of a ticket: {error.code().name} {error.details()}")
done()
