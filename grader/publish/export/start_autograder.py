"""Starts the autograder on Gradescope. torch is loaded once: the grader and the zygote are forks of one nursery."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from grader.sandbox.workers.nursery import Nursery, NurseryEnded

PRELOAD = ("grader.publish.export.autograder",)
START_AUTOGRADER_CODE = """
import socket, sys
from grader.publish.export.autograder import main
raise SystemExit(main(sys.argv[1:-1], socket.socket(fileno=int(sys.argv[-1]))))
"""


def main(arguments: Sequence[str]) -> int:
    """The exit status of autograder.main, whose output is printed here."""
    nursery = Nursery(PRELOAD)
    try:
        zygote = nursery.zygote()
        if zygote is None:
            raise NurseryEnded("it gave no zygote")
        with zygote:
            program = nursery.program(START_AUTOGRADER_CODE, *arguments, given=[zygote])
        for line in program.stdout:
            sys.stdout.write(line.decode(errors="replace"))
        status = program.wait()
    except NurseryEnded as error:
        status, reason = -1, str(error)
    else:
        reason = f"status {status}"
    finally:
        nursery.close(at_once=True)
    if status < 0:
        print(f"autograder: the grader's process ended ({reason}). Did the container run out of memory?")
    return abs(status)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
