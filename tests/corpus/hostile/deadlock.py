"""Waits for a lock that it holds itself, in a thread and out of it."""
# group: time
# rows: timeout
# unlocked: safe

import threading


def dlogits(logits):
    lock = threading.Lock()
    with lock:
        thread = threading.Thread(target=lock.acquire)
        thread.start()
        thread.join()
