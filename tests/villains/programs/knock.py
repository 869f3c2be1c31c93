"""Attacks a unix socket of the referee: `python knock.py KIND PATH TICKET SECONDS`; prints what it achieved as JSON."""

import contextlib
import json
import os
import socket
import struct
import sys
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags=0, stream=0, body=b""):
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


def headers(stream):
    """Open a stream to PlayService.Play, all header fields as literals."""
    fields = {
        ":method": "POST", ":scheme": "http", ":path": "/arena.v1.PlayService/Play", ":authority": "x",
        "content-type": "application/grpc", "te": "trailers",
    }  # fmt: skip
    block = b"".join(
        b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
        for name, value in fields.items()
    )
    return frame(1, 4, stream, block)


def opened(path):
    plain = socket.socket(socket.AF_UNIX)
    plain.settimeout(2)
    plain.connect(path)
    plain.sendall(PREFACE + frame(4))
    return plain


def connections(path, ticket):
    """Hold as many connections as can be had."""
    held = []
    with contextlib.suppress(OSError):
        while len(held) < 2000:
            held.append(opened(path))
    yield len(held)
    while True:
        time.sleep(0.05)
        yield 0


def reconnects(path, ticket):
    """Connect and hang up, again and again."""
    while True:
        with contextlib.suppress(OSError), opened(path):
            yield 1
            continue
        yield 0


def each_connection(act):
    """Do something on a connection until it breaks, then on the next one."""

    def attack(path, ticket):
        while True:
            try:
                with opened(path) as plain:
                    for _ in act(plain):
                        yield 1
            except OSError:
                yield 0

    return attack


def pings(plain):
    while True:
        plain.sendall(frame(6, body=bytes(8)) * 50)
        with contextlib.suppress(BlockingIOError):
            plain.recv(65536, socket.MSG_DONTWAIT)
        yield


def deaf(plain):
    plain.setblocking(False)
    while True:
        with contextlib.suppress(BlockingIOError):
            plain.send(frame(6, body=bytes(8)) * 50)
        yield


def settings(plain):
    while True:
        plain.sendall(frame(4, body=struct.pack(">HI", 4, 65535)) * 50)
        yield


def resets(plain):
    for stream in range(1, 2**31, 2):
        plain.sendall(headers(stream) + frame(3, 0, stream, struct.pack(">I", 8)))
        yield


def streams(plain):
    for stream in range(1, 2**31, 2):
        plain.sendall(headers(stream))
        yield


def continuations(plain):
    """Send header fields of one stream that never end."""
    plain.sendall(frame(1, 0, 1, b"\x00\x01a\x01b"))
    while True:
        plain.sendall(frame(9, 0, 1, b"\x00\x04aaaa\x7f\x00" + b"x" * 127) * 100)
        yield


def garbage(plain):
    while True:
        plain.sendall(os.urandom(4096))
        yield


def by_grpc(act):
    """Do something on streams of gRPC, each on a channel of its own."""

    def attack(path, ticket):
        os.environ["GRPC_VERBOSITY"] = "NONE"
        import grpc

        while True:
            options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]
            with grpc.insecure_channel(f"unix:{path}", options=options) as channel:
                try:
                    for _ in channel.stream_stream("/arena.v1.PlayService/Play")(act(ticket), timeout=2):
                        yield 1
                except grpc.RpcError:
                    yield 1

    return attack


def hello(ticket):
    from arena.core.protocol import PROTOCOL_VERSION
    from arena.v1 import play_pb2

    facts = play_pb2.Hello(ticket=ticket, protocol_version=PROTOCOL_VERSION, sdk="villain/1.0.0")
    return play_pb2.PlayRequest(hello=facts).SerializeToString()


def big(ticket):
    yield hello(ticket)
    while True:
        yield bytes(4 << 20)


def guesses(ticket):
    yield hello("guessed")


def storm(ticket):
    yield hello(ticket)


ATTACKS = {
    "connections": connections,
    "reconnects": reconnects,
    "pings": each_connection(pings),
    "deaf": each_connection(deaf),
    "settings": each_connection(settings),
    "resets": each_connection(resets),
    "streams": each_connection(streams),
    "continuations": each_connection(continuations),
    "garbage": each_connection(garbage),
    "big": by_grpc(big),
    "guesses": by_grpc(guesses),
    "storm": by_grpc(storm),
}

if __name__ == "__main__":
    kind, path, ticket, seconds = sys.argv[1:]
    until = time.monotonic() + float(seconds)
    done = tries = 0
    for achieved in ATTACKS[kind](path, ticket):
        tries += 1
        done += achieved
        if time.monotonic() > until:
            break
    print(json.dumps({"done": done, "tries": tries}), flush=True)
    os._exit(0)
