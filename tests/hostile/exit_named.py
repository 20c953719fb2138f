"""The same in plain words: the static check names the line, and the step is not run."""
# group: endings
# rows: forbidden
# message: os._exit
# unlocked: safe

import os


def dlogits(logits):
    os._exit(0)
