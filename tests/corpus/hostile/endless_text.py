"""An exception whose text never ends."""
# group: time
# rows: timeout
# unlocked: safe


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def dlogits(logits):
    raise Endless
