"""The same without Python's limit, until the C stack ends."""
# group: endings
# rows: crashed, error, timeout
# unlocked: safe

import sys

sys.setrecursionlimit(1 << 30)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x"[:0])

    def __repr__(self):
        return repr(self)


def dlogits(logits):
    return repr(Deep())
