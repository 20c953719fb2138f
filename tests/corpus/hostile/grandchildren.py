"""Starts a child that starts a child that outlives it in a session of its own, in every way there is."""
# group: processes
# rows: passed
# refused: 7

import os
import sys

from attempt import attempt, module
from right import dlogits as dlogits

SLEEPER = [sys.executable, "-c", "import os, time; os.fork() or os.setsid() or time.sleep(600)"]
subprocess = module("subprocess")


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            module("time").sleep(600)
    return "a daemon"


attempt("twice forked", daemon)
attempt("subprocess", lambda: subprocess.Popen(SLEEPER, start_new_session=True))
attempt("posix_spawn", lambda: os.posix_spawn(SLEEPER[0], SLEEPER, {}, setsid=True))
attempt("spawnv", lambda: os.spawnv(os.P_NOWAIT, "/bin/sleep", ["sleep", "600"]))
attempt("setsid", lambda: os.setsid() or "a session")
attempt("setpgid", lambda: os.setpgid(0, 0) or "a group")
attempt("execve", lambda: os.execv(SLEEPER[0], SLEEPER))
