"""Closes its outputs, replaces them with objects that raise, and lets the worker flush them."""
# group: output
# rows: passed, crashed
# unlocked: safe

import os
import sys

from right import dlogits as dlogits


class Broken:
    def write(self, text):
        raise SystemExit(0)

    def flush(self):
        raise ValueError("GOT THROUGH")


os.close(1)
os.close(2)
sys.stdout = sys.stderr = sys.__stdout__ = Broken()
