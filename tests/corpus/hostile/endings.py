"""Every way to end the process, or to make the grader stop."""
# rows: crashed
# unlocked: safe

import os
import signal
import sys

from attempt import the
from right import dlogits as right

# === deeper_recursion: The same without Python's limit, until the C stack ends.
# rows: crashed, error, timeout

sys.setrecursionlimit(1 << 30)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x"[:0])

    def __repr__(self):
        return repr(self)


def dlogits(logits):
    return repr(Deep())

# === exit_at_import: Ends the process while the file is being run, with the status that means success.
# message: exit status 0

print("All tests passed")
os._exit(0)

# === exit_in_step: Ends the process in the step, with the status that means success, after writing that all is
#     well.
# message: exit status 0

def dlogits(logits):
    print('{"score": 3, "max_score": 3, "status": "graded"}', flush=True)
    the("os", "_exit")(0)

# === interrupt_itself: Sends itself SIGINT, SIGTERM and SIGHUP, at which a grader may stop.
# rows: error, crashed, passed

def dlogits(logits, Yb, n):
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        the("os", "kill")(os.getpid(), number)
    return right(logits, Yb, n)

# === keyboard_interrupt: Raises what Ctrl-C raises, which a grader may take for its own user's wish to stop.
# rows: error
# message: KeyboardInterrupt

def dlogits(logits):
    raise KeyboardInterrupt

# === kill_itself: Kills itself with SIGKILL, where memory and time running out would look the same.
# message: ended by SIG | ended by itself

def dlogits(logits):
    the("os", "kill")(os.getpid(), signal.SIGKILL)
    the("os", "_exit")(137)  # the first process of a pid namespace cannot kill itself

# === kill_named: The same in plain words: the call is named with its line, and not made.
# rows: forbidden
# message: os.kill

def dlogits(logits):
    os.kill(os.getpid(), 9)

# === segfault: Reads from address zero.
# message: SIGSEGV

def dlogits(logits):
    return the("ctypes", "string_at")(0)

# === stop_itself: Stops itself, and is neither running nor ended.
# rows: timeout, passed

def dlogits(logits, Yb, n):
    the("os", "kill")(os.getpid(), signal.SIGSTOP)
    return right(logits, Yb, n)
