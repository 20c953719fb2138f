"""Returns an object that runs a command when somebody unpickles it."""
# group: lying answers
# rows: shape
# message: expected a torch.Tensor
# unlocked: safe

import os


class Bomb:
    def __reduce__(self):
        return print, ("GOT THROUGH unpickled in", os.getpid())


def dlogits(logits):
    return Bomb()
