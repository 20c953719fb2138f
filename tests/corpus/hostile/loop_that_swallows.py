"""A loop that catches whatever might stop it, and ignores every signal that can be ignored."""
# group: time
# rows: timeout
# unlocked: safe

import signal

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        continue


def dlogits(logits):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
