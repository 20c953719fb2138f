"""An exception whose type has no name, whose text is never the same and raises itself when it is read."""
# group: lying answers
# rows: error, crashed
# unlocked: safe


class Odd(type):
    @property
    def __name__(cls):
        return 3


class Liar(BaseException, metaclass=Odd):
    def __str__(self):
        raise self


def dlogits(logits):
    raise Liar
