"""Every way to take longer than allowed."""
# rows: timeout
# unlocked: safe

import signal
import time

# === blocked_signals: Blocks every signal and waits for one.

def dlogits(logits):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    signal.sigwait({signal.SIGUSR1})

# === drip: Every step takes most of its time, every time: none misses its deadline, and together they take half an
#     hour.
# lesson: 02
# message: seconds of this submission

import right


def slowly(function):
    def step(*arguments, **keywords):
        time.sleep(0.8)
        return function(*arguments, **keywords)

    step.__wrapped__ = function
    return step


for name, function in list(vars(right).items()):
    if name.startswith("d"):
        globals()[name] = slowly(function)

# === endless_text: An exception whose text never ends.

class Endless(Exception):
    def __str__(self):
        while True:
            pass


def dlogits(logits):
    raise Endless

# === loop_at_import: A loop outside of the functions.
# message: is there a loop outside the functions

while True:
    pass

# === loop_in_c: A power with a billion digits: no line of Python runs for hours.

def dlogits(logits):
    return (10 ** (10**7)) ** 1000

# === loop_that_swallows: A loop that catches whatever might stop it, and ignores every signal that can be ignored.

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

# === sleep_for_ever: Sleeps, and uses no processor time.

def dlogits(logits):
    time.sleep(100_000)
