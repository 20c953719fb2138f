"""Every way to send or receive."""
# rows: passed
# unlocked: safe

from attempt import attempt, call, module
from right import dlogits as dlogits

# === io_uring: Input and output past every filter: io_uring and the older asynchronous calls.
# refused: 4

attempt("io_uring_setup", lambda: call("io_uring_setup", 8, b"\0" * 120))
attempt("io_uring_register", lambda: call("io_uring_register", (1 << 32) - 1, 0, 0, 0))
attempt("io_setup", lambda: call("io_setup", 8, b"\0" * 8))
attempt("splice", lambda: call("splice", 3, 0, 4, 0, 1, 0))

# === network: Sends and receives: TCP, UDP, names, pages, local sockets, netlink, virtual machines, packets.
# refused: 14

import os

from world import ARENA, MARK

socket = module("soc" + "ket")


def made(family, kind, act):
    with socket.socket(family, kind) as one:
        one.settimeout(0.5)
        return act(one) or "done"


INET, STREAM, DATAGRAM = socket.AF_INET, socket.SOCK_STREAM, socket.SOCK_DGRAM
attempt("connect", lambda: made(INET, STREAM, lambda s: s.connect(("127.0.0.1", 22))))
attempt("listen", lambda: made(INET, STREAM, lambda s: s.bind(("127.0.0.1", 0)) or s.listen()))
attempt("udp", lambda: made(INET, DATAGRAM, lambda s: s.sendto(b"x", ("127.0.0.1", 53))))
attempt("udp 6", lambda: made(socket.AF_INET6, DATAGRAM, lambda s: s.sendto(b"x", ("::1", 53))))
attempt("raw", lambda: made(INET, socket.SOCK_RAW, lambda s: s.getsockname()))
attempt("path", lambda: made(socket.AF_UNIX, STREAM, lambda s: s.bind(f"{ARENA}/{MARK}")))
attempt("abstract", lambda: made(socket.AF_UNIX, STREAM, lambda s: s.bind("\0" + MARK)))
attempt("system bus", lambda: made(socket.AF_UNIX, STREAM, lambda s: s.connect("/run/dbus/system_bus_socket")))
attempt("pair", socket.socketpair)
attempt("netlink", lambda: made(socket.AF_NETLINK, socket.SOCK_RAW, lambda s: s.bind((0, 0))))
attempt("packet", lambda: made(socket.AF_PACKET, socket.SOCK_RAW, lambda s: s.getsockname()))
attempt("vsock", lambda: made(socket.AF_VSOCK, STREAM, lambda s: s.connect((2, 1024))))
attempt("page", lambda: module("urllib.request").urlopen("http://127.0.0.1:1/", timeout=1))
attempt("descriptor", lambda: call("getsockname", 4, b"\0" * 16, b"\x10\0\0\0") or os.getpid())
