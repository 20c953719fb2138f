"""Starts threads until it is refused, none of which ends."""
# group: processes
# rows: passed, error, crashed
# stopped from: good

import threading
import time

from right import dlogits as dlogits

threading.stack_size(64 << 10)
started = 0
try:
    while started < 400:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        started += 1
except (RuntimeError, MemoryError):
    pass
if started > 100:
    print(f"GOT THROUGH {started} threads")
