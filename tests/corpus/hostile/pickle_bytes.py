"""Returns pickled bytes, and writes them where an answer is awaited."""
# group: lying answers
# rows: crashed
# message: could not be read
# unlocked: safe

import pickle

from frames import frame, send


class Bomb:
    def __reduce__(self):
        return print, ("GOT THROUGH unpickled",)


def dlogits(logits):
    send(frame(pickle.dumps(Bomb()), pickle.dumps(Bomb())))
    return pickle.dumps(Bomb())
