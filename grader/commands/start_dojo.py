"""The program `dojo`. It ends without taking torch apart, which takes as long as a check."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys

from grader.commands.dojo import main as dojo


def main() -> None:
    try:
        dojo()
    except SystemExit as ended:
        if "torch" not in sys.modules or not isinstance(ended.code, int | None):
            raise
        status = ended.code or 0
    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None if it was closed before the program began
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
