"""Starts a process of this package that shares nothing with the one that starts it but a socket.

It imports little: what it starts takes longest, and other modules load meanwhile.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Sequence

IMPORT_ROOT = os.path.realpath(os.path.join(__file__, *[os.pardir] * 4))
# Run with -s -P and an environment of its own: the current folder cannot be imported. The package is the one of the
# process that starts it, whatever else is installed, and nothing next to it is on the path; so are torch and numpy.
CLEAN_BOOTSTRAP = """
import sys
from importlib import machinery, util
spec = machinery.PathFinder.find_spec("grader", [sys.argv[1]])
sys.modules["grader"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["grader"])
sys.path += [folder for folder in {folders!r} if folder not in sys.path]
from grader.sandbox.workers.{module} import {function}
{function}(int(sys.argv[2]), *sys.argv[3:])
"""
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "PYTHONBREAKPOINT": "builtins.input",  # both wait for somebody to type, and end with the same error
    "PYTHONHASHSEED": "0",  # the order of a set in a student's message is the same in every run
    # a fork of a process with a thread pool hangs: one thread everywhere
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    # large pages: a fork copies the table of the zygote's pages, and a large one needs one entry where 512 were
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
KEPT = ("LD_LIBRARY_PATH", "PYTHONDONTWRITEBYTECODE")
"""What a cluster's modules set for torch, and whether compiled files of grader/ are kept for the next run."""


def start_clean_process(
    module: str, function: str, *arguments: str, more: Sequence[socket.socket] = ()
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A clean process that runs a function of this package's, and our end of the socket that it listens to.

    It inherits the sockets `more` as well. Raises ModuleNotFoundError without torch or numpy.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    bootstrap = CLEAN_BOOTSTRAP.format(module=module, function=function, folders=package_folders())
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", bootstrap, IMPORT_ROOT, str(theirs.fileno()), *arguments],
            env={**ENVIRONMENT, **kept},
            pass_fds=[theirs.fileno(), *(each.fileno() for each in more)],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
    return process, ours


def package_folders() -> list[str]:
    """The folders from which this process imports torch and numpy, which PYTHONPATH or a user's site-packages may name.

    Raises ModuleNotFoundError where one of them is not installed.
    """
    folders = []
    for name in ("torch", "numpy"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        folders.append(os.path.abspath(os.path.join(spec.origin, os.pardir, os.pardir)))
    return folders
