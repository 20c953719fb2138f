"""Prints as fast as it can until it is stopped."""
# group: output
# rows: timeout
# message: bytes; what came after
# unlocked: safe

import os


def dlogits(logits):
    block = b"All tests passed. " * 4000
    while True:
        os.write(1, block)
