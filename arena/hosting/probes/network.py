"""Opens sockets of every family, connects to what listens on the machine and talks to other programs' sockets."""

import socket

from bait import FACTS, done, got, refused

for family in range(64):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        if family == socket.AF_UNIX:
            continue
        with refused(f"a socket of family {family}, kind {kind}"):
            socket.socket(family, kind, 0).close()
        with refused(f"a pair of sockets of family {family}", ValueError):
            for end in socket.socketpair(family, kind, 0):
                end.close()
with refused("TCP to this machine"):
    socket.create_connection(("127.0.0.1", FACTS["port"]), 2).close()
with refused("UDP to this machine"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
    plain.sendto(b"probe", ("127.0.0.1", FACTS["port"]))
with refused("a name's address"):
    socket.getaddrinfo("example.com", 80)
try:
    with open("/proc/net/unix") as file:
        if "@whiteout/" in file.read():
            got("a list of the machine's sockets")
except OSError:
    pass
names = [f"\0{FACTS['abstract']}", *FACTS["sockets"]]
for name in names:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with refused(f"the socket {name!r}"), socket.socket(socket.AF_UNIX, kind) as plain:
            plain.connect(name)
done()
