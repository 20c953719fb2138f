"""Leaves busy threads behind that go on after the last answer, daemons and others."""
# group: processes
# rows: passed, timeout
# rows of in_one_go: passed, timeout
# unlocked: safe

import threading

from right import dlogits as right


def for_ever():
    while True:
        try:
            sum(range(10_000))
        except BaseException:
            continue


def dlogits(logits, Yb, n):
    answer = right(logits, Yb, n)
    if threading.active_count() < 3:
        threading.Thread(target=for_ever, daemon=True).start()
        threading.Thread(target=for_ever, daemon=False).start()
    return answer
