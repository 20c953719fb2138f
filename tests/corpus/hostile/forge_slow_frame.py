"""Sends its answer byte by byte, so slowly that it never ends: no single read waits long."""
# group: forged frames
# rows: timeout
# message: did not return within
# unlocked: safe

import os
import time

from frames import answer


def dlogits(logits):
    for byte in answer(bytes(1000), tensor={"dtype": "float64", "shape": [125]}):
        os.write(4, bytes([byte]))
        time.sleep(0.02)
