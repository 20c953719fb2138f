"""The same in plain words: the call is named with its line, and not made."""
# group: endings
# rows: forbidden
# message: os.kill
# unlocked: safe

import os


def dlogits(logits):
    os.kill(os.getpid(), 9)
