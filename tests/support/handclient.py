"""A bot written from docs/protocol.md alone: gRPC's generic channel, protobuf by hand, nothing of the arena's.

Takes the last legal action of every turn. Its folder is this file, as bot.py.
"""

import os
import queue
import sys
import time

import grpc

VARINT, LENGTH = 0, 2


def varint(number):
    """Return a number of 0 and more as protobuf writes it."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number, value):
    """Return a field: a number, or bytes (a message, a text)."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    return varint(number << 3 | LENGTH) + varint(len(value)) + value


def read_varint(data, at):
    shift = number = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def fields(data):
    """Yield (number, value) of every field of a message; it has numbers, texts and messages only."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == VARINT:
            value, at = read_varint(data, at)
        elif key & 7 == LENGTH:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def one(data, number, default=0):
    return next((value for found, value in fields(data) if found == number), default)


class Seat:
    """What the bot keeps over broken streams."""

    def __init__(self):
        self.answered = None

    def answer(self, turn):
        ply, body = one(turn, 1), one(turn, 3, b"")
        if self.answered is None or self.answered[0] != ply:
            kind, question = one(body, 1, b"").decode(), one(body, 2, b"")
            assert kind.startswith("type.googleapis.com/"), kind
            assert kind.endswith(".Turn"), kind
            legal = [value for number, value in fields(question) if number == 2]
            assert len(legal) >= 2, legal
            self.answered = ply, len(legal) - 1
        ply, action = self.answered
        return field(2, field(1, ply) + field(2, action))


def play(seat):
    """Play a stream; True when the match is over, False when the stream broke."""
    outgoing = queue.SimpleQueue()
    ticket = os.environ["WHITEOUT_TICKET"].encode()
    outgoing.put(field(1, field(1, ticket) + field(2, 1) + field(3, b"by-hand/1.0.0")))
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(os.environ["WHITEOUT_ADDRESS"], options) as channel:
        call = channel.stream_stream("/arena.v1.PlayService/Play")
        try:
            for message in (responses := call(iter(outgoing.get, None))):
                ((kind, content),) = fields(message)
                if kind == 1:
                    clock = one(content, 7, b"")
                    print("start:", one(content, 1).decode(), "seat", one(content, 4), "bank", one(clock, 1))
                elif kind == 2:
                    outgoing.put(seat.answer(content))
                elif kind == 3:
                    ranks = [one(value, 2) for number, value in fields(content) if number == 2]
                    print("over:", one(content, 1), ranks)
                    return True
        except grpc.RpcError as broken:
            reason = dict(responses.trailing_metadata() or ()).get("reason")
            if reason is not None:
                sys.exit(f"refused: {broken.details()}")
        finally:
            outgoing.put(None)
    return False


def main():
    seat = Seat()
    for attempt in range(6):
        if play(seat):
            return
        time.sleep(0.05 * 2**attempt)
    sys.exit("the referee is gone")


if __name__ == "__main__":
    main()
