"""What happens when student code asks PyTorch to do the work: it is reported, with their own line, and refused.

What is reported is a hint for naming, not evidence, since student code shares the process. That no gradient comes out
is the doing of grader/sandbox/workers/autograd_off.py, which also puts the tripwires made here in their places.
library_off.py does the same for parts of PyTorch that a lesson asks the student to write, and acts.py for what steps do
not get.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar, NoReturn

SWITCHED_ON = (
    "After this file's code had run, PyTorch could differentiate again in its process: something switched automatic "
    "differentiation back on. Nothing in this lesson is counted."
)
"""The message of an answer by which a worker reports that; the whole lesson is then forbidden."""


class AutogradUsed(BaseException):
    """Student code asked PyTorch to differentiate.

    A `BaseException`, so that ``except Exception`` in the student's code does not swallow it. A bare ``except`` does,
    which is why it is among the `reported` ones before it is raised.

    Attributes:
        reported: those of this process, from whatever thread; the worker empties the list before each call.
        student_files: the names under which student code is compiled in this process, or what they begin with.
        what: what was called, as a reader would write it, e.g. ``torch.autograd.grad`` or ``Tensor.backward``.
        line: the innermost line of the student's on the stack, or None.
    """

    reported: ClassVar[list[AutogradUsed]] = []
    student_files: ClassVar[tuple[str, ...]] = ()
    rule = "This exercise asks for the gradient by hand"
    advice = "Write it by the chain rule, from the values that it is given."

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(f"{what} was called")
        self.what, self.line = what, line

    def message(self, in_step: bool) -> str:
        """The message of a step that made this call, or of a file that made it while it was being run."""
        where = f"{f'Line {self.line}' if self.line else 'This step'} calls `{self.what}`"
        check = 'self-check under `if __name__ == "__main__":`'
        if in_step:
            return f"{where}. {self.rule}, so the step is not counted. {self.advice} A {check} is fine."
        return f"{where} while the file is being run. {self.rule}. Put your {check}."


class LibraryUsed(AutogradUsed):
    """Student code called a part of PyTorch that the lesson asks the student to write."""

    rule, advice = "This lesson asks you to write what it does", "Use arithmetic on tensors."


def tripwire(what: str, use: type[AutogradUsed] = AutogradUsed) -> Callable[..., NoReturn]:
    """A stand-in for the function ``what``: calling it reports and raises a `use`."""

    def forbidden(*_args: Any, **_keywords: Any) -> NoReturn:
        report_use(what, use)

    return forbidden


def report_use(what: str, use: type[AutogradUsed]) -> NoReturn:
    """Report and raise a `use` of ``what``, with the innermost line of the student's on the stack."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_student_file(frame.f_code.co_filename):
        frame = frame.f_back
    used = use(what, frame.f_lineno if frame else None)
    AutogradUsed.reported.append(used)
    raise used


def is_student_file(filename: str) -> bool:
    """Whether code of this file is the student's."""
    return filename.startswith(AutogradUsed.student_files)
