"""What a forward pass cannot be recorded for, in one sentence with the file and line of forward.py."""

from __future__ import annotations

import linecache
import os
import re
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

from torch import Tensor

from grader.errors import LessonError

LIST = (list, tuple, dict)
TAPE_PACKAGE = os.path.dirname(__file__) + os.sep
UPDATE = re.compile(r"\s*\w+\.(\w+)[^=]*?(?:\+|-|\*|/|%|@|&|\||\^|<<|>>)=[^=]")
"""A line such as `t.z += 1` or `t.z[0] *= 2`."""
CHANGED = re.compile(r"\s*\w+\.(\w+)\b(?!\s*=[^=])")
"""A line that begins with a value and does not name it, such as `t.z.add_(1)` or `t.z[0] = 1`."""


class TapeError(LessonError):
    """A forward pass that cannot be recorded: a name set twice, or read before it is set. The text has its place."""


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: " if self.line else ""

    @property
    def text(self) -> str:
        linecache.checkcache(self.file)
        return linecache.getline(self.file, self.line)


NOWHERE = Place("", 0)


def place_outside() -> Place:
    """The line that called into the tape: the first one outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(TAPE_PACKAGE):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno) if frame is not None else NOWHERE


def first_place_of(function: Callable[..., Any]) -> Place:
    """The first line of a function."""
    code = getattr(function, "__code__", None)
    return Place(code.co_filename, code.co_firstlineno) if code is not None else NOWHERE


def refuse_value(name: str, value: Any, where: Callable[[], Place]) -> None:
    """Raise TapeError for a value that the tape cannot follow: a list of tensors, or a complex one."""
    if isinstance(value, LIST) and any(isinstance(each, Tensor) for each in _members(value)):
        raise TapeError(
            f"{where()}`{name}` is a {type(value).__name__} of tensors, and no gradient flows to what is in it: give "
            f"each tensor a name of its own, such as `{name}1` and `{name}2` (GROUPS makes a list of them for a step), "
            "or stack them."
        )
    if isinstance(value, Tensor) and value.is_complex():
        raise TapeError(
            f"{where()}`{name}` is complex ({str(value.dtype).removeprefix('torch.')}), and only real values can have "
            f"a name: name its real and its imaginary part, such as `{name}_re` and `{name}_im`."
        )


def _members(value: Any) -> Iterator[Any]:
    for each in value.values() if isinstance(value, dict) else value:
        yield each
        if isinstance(each, LIST):
            yield from _members(each)


def update_error(name: str, place: Place) -> TapeError:
    """The error of an author who changes a named value: `t.z += 1`."""
    return TapeError(
        f"{place}`{place.text.strip()}` changes `t.{name}`, but a name stands for one value: give the new value a name "
        f"of its own, such as `t.{name}2 = t.{name} + ...`."
    )
