"""Lets another program read: cat, a shell, Python itself."""
# group: reading hidden files
# rows: passed
# refused: 7

import os
import sys

from attempt import attempt, module
from right import dlogits as dlogits
from world import HIDDEN_SUITE

subprocess = module("subprocess")


def spawned(command):
    pid = os.posix_spawn(command[0], command, {})
    return os.waitpid(pid, 0)


def shell():
    if status := os.system(f"cat {HIDDEN_SUITE}"):
        raise OSError(status)


attempt("run", lambda: subprocess.run(["/bin/cat", HIDDEN_SUITE], capture_output=True).stdout)
attempt("check_output", lambda: subprocess.check_output(f"cat {HIDDEN_SUITE}", shell=True))
attempt("posix_spawn", lambda: spawned(["/bin/cat", HIDDEN_SUITE]))
attempt("system", shell)
attempt("popen", lambda: os.popen(f"cat {HIDDEN_SUITE}").read())
attempt("execv", lambda: os.execv("/bin/cat", ["cat", HIDDEN_SUITE]))
attempt("python", lambda: subprocess.check_output([sys.executable, "-c", f"print(open({HIDDEN_SUITE!r}).read())"]))
