"""Kills itself with SIGKILL, where memory and time running out would look the same."""
# group: endings
# rows: crashed
# message: ended by SIG | ended by itself
# unlocked: safe

import os
import signal

from attempt import the


def dlogits(logits):
    the("os", "kill")(os.getpid(), signal.SIGKILL)
    the("os", "_exit")(137)  # the first process of a pid namespace cannot kill itself
