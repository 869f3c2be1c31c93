"""A bot that starts in a tenth of the time: HTTP/2 and protobuf by hand, nothing but Python's own; docs/protocol.md.

Takes the first legal action of every turn, and keeps no stream alive that breaks.
"""

import os
import socket
import struct
import sys

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, AWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
END_STREAM = ACKNOWLEDGED = 1
END_HEADERS = 4
WIDEST = 2**31 - 1


def frame(kind, flags, stream, body):
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


def text(words):
    return bytes([len(words)]) + words


def headers():
    """Return those of a call, as HPACK writes them without remembering any."""
    path, kind = text(b"/arena.v1.PlayService/Play"), text(b"application/grpc")
    place, trailers = text(b"localhost"), text(b"te") + text(b"trailers")
    return b"\x83\x86\x04" + path + b"\x01" + place + b"\x0f\x10" + kind + b"\x00" + trailers


def message(body):
    return frame(DATA, 0, 1, b"\x00" + struct.pack(">I", len(body)) + body)


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def read_varint(data, at):
    shift = number = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def frames(stream):
    while len(head := stream.read(9)) == 9:
        size = int.from_bytes(head[:3], "big")
        yield head[3], head[4], stream.read(size)


def messages(link):
    """Yield what the referee says; answer what HTTP/2 wants answered."""
    got = b""
    with link.makefile("rb") as stream:
        for kind, flags, body in frames(stream):
            if kind == SETTINGS and not flags & ACKNOWLEDGED:
                link.sendall(frame(SETTINGS, ACKNOWLEDGED, 0, b""))
            elif kind == PING and not flags & ACKNOWLEDGED:
                link.sendall(frame(PING, ACKNOWLEDGED, 0, body))
            elif kind in (RESET, AWAY):
                return
            elif kind == DATA:
                got += body
                while len(got) >= 5 and len(got) >= (end := 5 + int.from_bytes(got[1:5], "big")):
                    yield got[5:end]
                    got = got[end:]
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                return


def main():
    ticket = os.environ["WHITEOUT_TICKET"].encode()
    hello = b"\x0a" + varint(len(ticket)) + ticket + b"\x10\x01"  # its protocol's version is 1
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(os.environ["WHITEOUT_ADDRESS"].removeprefix("unix:"))
        wide = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, WIDEST)) + frame(
            WINDOW, 0, 0, struct.pack(">I", WIDEST - 65535)
        )
        opening = frame(HEADERS, END_HEADERS, 1, headers())
        link.sendall(PREFACE + wide + opening + message(b"\x0a" + varint(len(hello)) + hello))
        for said in messages(link):
            if said[0] == 0x1A:  # it is over
                return
            if said[0] == 0x12:  # a turn
                _, at = read_varint(said, 1)
                ply = varint(read_varint(said, at + 1)[0]) if said[at] == 0x08 else b""
                answer = b"\x08" + ply if ply else b""  # the first action is 0, which is not written
                link.sendall(message(b"\x12" + varint(len(answer)) + answer))
    sys.exit("the referee is gone")


if __name__ == "__main__":
    main()
