"""What went wrong in a student's code, as they should read it: type, text, and the innermost of their own lines."""

from __future__ import annotations

import dis
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from types import CodeType, TracebackType
from typing import Any

from grader.calling.answer import Answer
from grader.calling.autograd_used import AutogradUsed
from grader.calling.operators import TooManyOperators
from grader.results.wording import shortened
from grader.source.parsing import cause_of_error

MAX_TEXT_CHARACTERS = 500
SHADOWED_LIBRARIES = sys.stdlib_module_names | {"torch", "numpy"}
NOBODY_CAN_TYPE = (
    "`input()`, `breakpoint()` or `pdb` waits for somebody to type, and nobody can answer here. Use `print`: "
    "`dojo check` shows what is printed."
)
LOCKED = ". Where code is graded, it may not start processes, use the network, or open files but Python's own"


def first_line(function: Callable[..., Any]) -> int | None:
    """The line where a function is defined, or a class's `__init__`; None where that is not in Python."""
    code = getattr(vars(function).get("__init__") if isinstance(function, type) else function, "__code__", None)
    return code.co_firstlineno if isinstance(code, CodeType) and code.co_firstlineno > 0 else None


def failure(error: BaseException, step: str, files: Sequence[str]) -> Answer:
    """An exception as a student should read it: type, text, and the innermost of their own lines.

    `step` is empty while the file itself is being run; `files` are the student's, the graded one first.
    """
    line, innermost = own_line(error.__traceback__, files)
    name = safe_text(lambda e: type(e).__name__, error)
    if isinstance(error, AutogradUsed):
        return Answer("forbidden", message=error.message(bool(step)), line=error.line)
    if isinstance(error, SyntaxError) and not step:
        cause = cause_of_error("".join(linecache.getlines(error.filename or "")), error)
        if files and error.filename in files[1:]:
            where = f" (in {error.filename}, line {cause.line})"
            return Answer("raised", message=f"{cause.what}{where}", line=line)
        return Answer("raised", message=cause.what, line=cause.line)
    if isinstance(error, TooManyOperators):
        message = (
            f"It dispatched more than {error.cap:,} tensor operations and was stopped: is there a loop that never ends?"
        )
        return Answer("timeout", message=message, line=line)
    if step and is_stub_error(error) and (innermost in files or not files):
        return Answer("todo", line=line)
    if is_unanswered_prompt(error):
        return Answer("raised", message=NOBODY_CAN_TYPE, line=line)
    if isinstance(error, SystemExit):
        instead = "instead of returning" if step else "before any of its functions could be called"
        code = safe_text(repr, error.code)
        return Answer("raised", message=f"It ended the program (SystemExit, code {code}) {instead}.", line=line)
    text = safe_text(str, error)
    if isinstance(error, PermissionError):
        text += LOCKED
    for own in files[1:]:
        root = own.split("/")[0].removesuffix(".py")
        if f"'{root}'" in text and root in SHADOWED_LIBRARIES:  # module 'random' has no attribute 'twice'
            text += f". `{root}` is Python's, not your `{own}`: give your file another name"
    elsewhere = f" (in {innermost})" if files and innermost in files[1:] else ""
    return Answer("raised", message=(f"{name}: {text}" if text else name) + elsewhere, line=line)


def note_of_left_out(error: BaseException, files: Sequence[str]) -> str:
    """A sentence about a statement of the file that failed and was left out. `files` are as in `failure`."""
    answer = failure(error, "", files)
    names_its_line = answer.line is None or isinstance(error, AutogradUsed)
    return answer.message if names_its_line else f"Line {answer.line} fails: {answer.message}"


def is_stub_error(error: BaseException) -> bool:
    """Whether it is the `raise NotImplementedError` of a function that is not written yet, with a text or without.

    Such a function never returns, on no path. Where one path returns, the student raises the error for a case that
    they left out. torch raises the same type for an operator that it does not have for a dtype.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if type(error) is not NotImplementedError or not frames:
        return False
    # where all paths end with an error, Python leaves out the code that no path reaches
    instructions = dis.get_instructions(frames[-1].f_code)
    return not any(each.opname.startswith(("RETURN", "YIELD")) for each in instructions)


def is_unanswered_prompt(error: BaseException) -> bool:
    """Whether code waited for somebody to type: `input()`, or a debugger (`breakpoint()` is `input()` in a worker)."""
    kind = type(error)  # a student's class may answer for itself: only identity counts
    is_of_input = kind is EOFError and error.args == ("EOF when reading a line",)
    return is_of_input or kind is getattr(sys.modules.get("bdb"), "BdbQuit", None)


def safe_text(render: Callable[[object], str], value: object) -> str:
    """`str` or `repr` of anything: one line of at most 500 characters, without addresses, which no two runs share."""
    try:
        return re.sub(r"0x[0-9a-fA-F]{6,}", "0x...", shortened(render(value), MAX_TEXT_CHARACTERS))
    except BaseException:  # a student's __str__ or __repr__
        return "(its text cannot be read)"


def own_line(trace: TracebackType | None, files: Sequence[str]) -> tuple[int | None, str]:
    """(the innermost line in the graded file, the file name of the innermost frame of all)."""
    line, innermost = None, ""
    for frame, number in traceback.walk_tb(trace):
        innermost = frame.f_code.co_filename
        if files and innermost == files[0]:
            line = number
    return line, innermost


def remember_source(filename: str, source: str) -> None:
    """Lets tracebacks quote a file that exists in memory only."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
