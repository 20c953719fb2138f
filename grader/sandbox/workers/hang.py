"""The lines at which a function hangs: the worker writes its stack to its output shortly before the deadline.

The kernel's timer and faulthandler do it, so neither a loop in Python nor one in compiled code can prevent it by being
busy. The student's code can: what is read here is for a message and decides nothing.
"""

from __future__ import annotations

import faulthandler
import re
import signal

from grader.sandbox.workers.printed import Output

SHARE = 0.9
"""Of the deadline, after which the lines are written."""
STACK = re.compile(rb"Stack \(most recent call first\):\n(?:  [^\n]*\n)+")
FRAME = re.compile(rb'  File "([^"\n]*)", line (\d{1,9}) in ')
_state = {"is_ready": False}


def report_lines_after(seconds: float) -> None:
    """In a worker: write the stack to standard error once this many seconds from now have passed; 0 for never."""
    if not seconds:
        return
    if not _state["is_ready"]:
        faulthandler.register(signal.SIGALRM, file=2, all_threads=False)
        _state["is_ready"] = True
    signal.setitimer(signal.ITIMER_REAL, SHARE * seconds)


def stop_reporting() -> None:
    """In a worker: nothing of the student's runs any more, so no stack is written."""
    if _state["is_ready"]:
        signal.setitimer(signal.ITIMER_REAL, 0)


def take_hang_lines(output: Output, main: str) -> list[int]:
    """The lines of the file `main` in the last stack that a worker wrote, outermost first. The stacks are removed.

    Only a stack at the very end counts: what a file printed before has its place in `output.spans`.
    """
    lines: list[int] = []
    for stack in reversed(list(STACK.finditer(output.data))):
        if stack.end() != len(output.data):
            continue
        lines = [int(number) for file, number in FRAME.findall(stack[0]) if file == main.encode()][::-1] or lines
        output.total -= len(stack[0])
        del output.data[stack.start() :]
    return lines
