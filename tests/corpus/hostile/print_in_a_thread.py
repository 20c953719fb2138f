"""A thread that never stops printing, while right answers are given."""
# group: output
# rows: passed, timeout
# unlocked: safe

import os
import threading

from right import dlogits as dlogits


def print_on():
    while True:
        os.write(2, b"no newline, no end " * 1000)


threading.Thread(target=print_on, daemon=True).start()
