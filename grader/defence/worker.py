"""The worker of a defence: the file that it runs, what it replies, and when two replies are equal.

The plain part of the student's file is a module inside that file, and cannot reach what measures it. A reply can be
anything that a hostile worker sends.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student

MAX_NUMBER = 1e300
EQUAL_RTOL, DIFFERENT_RTOL = 1e-9, 1e-3
"""Relative differences: below the first two values are equal, above the second they differ. Between: not decided."""
MEASURING = """
import types

import torch


def _defence_copy(value):
    return value.clone() if hasattr(value, "clone") else value


def _defence_run(jobs):
    found = []
    for name, arguments in jobs:
        try:
            function = _defence_known[name] if name in _defence_known else getattr(_defence_file, name)
            found.append([True, function(**{key: _defence_copy(v) for key, v in arguments.items()})])
        except Exception as error:
            found.append([False, type(error).__name__])
    return found


_defence_seen, _defence_ran = {}, set()


def _defence_form(value):
    if type(value) is int or not (isinstance(value, float) or hasattr(value, "dtype")):
        return ["size", value] if type(value) is int else ["other"]
    tensor = torch.as_tensor(value)
    kind = "tensor" if tensor is value else "number" if isinstance(value, float) else "array"
    return [kind if tensor.is_floating_point() else "other", *tensor.shape]


def _defence_note(number, values):
    forms, negative = _defence_seen.setdefault(number, ([], set()))
    form = {name: _defence_form(value) for name, value in values.items()}
    if len(forms) < 3 and form not in forms:
        forms.append(form)
    real = [name for name, of in form.items() if of[0] not in ("size", "other")]
    negative.update(name for name in real if not (torch.as_tensor(values[name]) > 0).all())


def _defence_calls():
    ran = sorted(_defence_ran)
    _defence_ran.clear()
    return ran


def _defence_noted():
    return {str(number): [forms, sorted(negative)] for number, (forms, negative) in _defence_seen.items()}


_defence_file = types.ModuleType("defended")
_defence_file._defence_called, _defence_file._defence_note = _defence_ran.add, _defence_note
exec(compile(_defence_text, "backward.py", "exec"), vars(_defence_file))
_defence_known = eval(_defence_lines, vars(_defence_file))
"""


def worker_file(text: str, functions: Collection[str], lambdas: Mapping[str, str] = {}) -> bytes:
    """The whole file. `text` is the plain part, with notes or with a changed line.

    Examples can call the `functions` by their own names. `lambdas` are the lines that it can run by theirs. The worker
    compiles all of it while it loads the file: what a step makes from text later is refused.
    """
    lines = "".join(f"{name!r}: {code},\n" for name, code in lambdas.items())
    lines = f"{{{lines}}}"
    own = "".join(f"\n{name} = _defence_file.{name}" for name in functions)
    return f"_defence_text = {text!r}\n_defence_lines = {lines!r}\n{MEASURING}{own}\n".encode()


class Raised:
    """In place of a line's value: it raised an error."""


class NotNumbers(Raised):
    """A line has a value, but no real numbers: booleans, or another object."""


LineResult = Tensor | Raised


def call_in_worker(student: Student, name: str, *arguments: Any) -> Any:
    return RemoteTarget(student).call(name, *arguments)


def results_of(student: Student, jobs: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    """What each (name of a line or function, what it reads) returns, or Raised. Raises CallFailed.

    Also for a reply of another form than `_defence_run` has.
    """
    found = call_in_worker(student, "_defence_run", [[name, dict(values)] for name, values in jobs]) if jobs else []
    is_whole = isinstance(found, list) and len(found) == len(jobs)
    if not is_whole or not all(isinstance(each, list) and len(each) == 2 for each in found):
        raise CallFailed(Answer("raised", message="The worker's answer has another form than it should have."), "run")
    return [each[1] if each[0] is True else Raised() for each in found]


def value_of(found: Any) -> LineResult:
    """What a line returned, as a tensor of real numbers."""
    if isinstance(found, Raised):
        return found
    if isinstance(found, (int, float)) and not isinstance(found, bool) and abs(found) < MAX_NUMBER:
        return torch.tensor(float(found), dtype=torch.float64)
    tensor = torch.as_tensor(found) if isinstance(found, numpy.ndarray) else found
    if not isinstance(tensor, Tensor) or tensor.is_complex() or tensor.dtype == torch.bool:
        return NotNumbers()
    return tensor.detach()


def are_equal(one: LineResult, other: LineResult) -> bool | None:
    """Whether two values are equal, in shape and numbers; None where rounding could decide, or one has no numbers."""
    if isinstance(one, NotNumbers) or isinstance(other, NotNumbers):
        return None
    if isinstance(one, Raised) or isinstance(other, Raised) or one.shape != other.shape:
        return False
    one, other = one.to(torch.float64), other.to(torch.float64)
    if not bool(torch.isfinite(one).all() and torch.isfinite(other).all()):
        return None
    size = max(float(torch.linalg.vector_norm(other)), 1e-3)
    difference = float(torch.linalg.vector_norm(one - other))
    return True if difference <= EQUAL_RTOL * size else False if difference >= DIFFERENT_RTOL * size else None
