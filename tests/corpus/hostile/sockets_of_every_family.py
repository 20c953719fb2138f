"""Opens a socket of every family and kind."""
# group: network
# rows: passed
# refused: 1
# unlocked: safe

from attempt import attempt, module
from right import dlogits as dlogits

socket = module("soc" + "ket")


def every_family():
    opened = []
    for family in range(46):
        for kind in (1, 2, 3, 5, 10):
            for protocol in (0, 1, 6, 17, 255):
                try:
                    opened.append((family, kind, socket.socket(family, kind, protocol)))
                except OSError:
                    continue
    if not opened:
        raise PermissionError
    return opened


attempt("sockets", every_family)
