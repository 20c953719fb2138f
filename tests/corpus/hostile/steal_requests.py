"""A thread reads the grader's requests away from the worker, hoping for answers in them."""
# group: descriptors
# rows: passed, timeout, crashed
# race: the thread and the worker read from one pipe
# unlocked: safe

import os
import threading

from right import dlogits as dlogits


def steal():
    while True:
        os.read(3, 1 << 20)


threading.Thread(target=steal, daemon=True).start()
