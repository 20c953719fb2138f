"""`dojo check --pdb`: functions of the student's own file, called in this process, where a debugger can stop them."""

from __future__ import annotations

import pdb
import sys
import traceback
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch

from grader.calling.failures import is_stub_error, remember_source
from grader.calling.parameters import UnknownParameter, arguments_for, interface_of
from grader.errors import UserError
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Item, Lesson
from grader.lesson.paths import BACKWARD_FILE


def debug_rows(lesson: Lesson, submitted: LessonFiles, rows: Sequence[str], say: Callable[[str], None] = print) -> None:
    """Call the function of each row once, on the lecture's own problem with the true upstream gradients.

    `breakpoint()` opens the debugger. An exception opens it where it was raised. `say` prints a line about each row.
    Raises UserError where no row is a gradient.
    """
    items = [item for item in lesson.gradients if item.name in rows]
    if not items:
        raise UserError(f"Lesson {lesson.number}: --pdb calls functions that return gradients. Name one of its rows.")
    module = module_to_debug(submitted)
    if module is None:
        return
    if lesson.joint is not None:
        items = items[:1]
    for item in items:
        debug_row(lesson, item, getattr(module, item.function, None), say)


def module_to_debug(submitted: LessonFiles) -> ModuleType | None:
    """The file as a module; None where it raised, once the debugger has been left."""
    source = submitted.files[BACKWARD_FILE].decode("utf-8-sig", "replace")
    remember_source(submitted.shown, source)
    module = ModuleType("backward")
    folder = sys.path[0]
    try:
        exec(compile(source, submitted.shown, "exec"), module.__dict__)
    except Exception as error:
        inspect_error(error)
        return None
    finally:
        sys.path[0] = folder
    return module


def debug_row(lesson: Lesson, item: Item, function: Any, say: Callable[[str], None]) -> None:
    problem = lesson.public
    if not callable(function):
        say(f"There is no function `{item.function}`.")
        return
    values: dict[str, Any] = {
        name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in problem.given.items()
    }
    upstream = {} if lesson.joint else {name: value.clone() for name, value in problem.upstream.items()}
    try:
        positional, keyword = arguments_for(interface_of(function).parameters, item.name, values, upstream)
    except (UnknownParameter, TypeError, ValueError) as error:
        say(f"`{item.function}` cannot be called: {error}")
        return
    try:
        found = function(*positional, **keyword)
    except Exception as error:
        if is_stub_error(error):
            say(f"`{item.function}` is not written yet.")
        else:
            inspect_error(error)
        return
    say(f"`{item.function}` returned {in_words(found)}")


def inspect_error(error: BaseException) -> None:
    """Open the debugger where the error was raised."""
    traceback.print_exception(error, limit=-1)
    pdb.post_mortem(error.__traceback__)


def in_words(found: object) -> str:
    if isinstance(found, torch.Tensor):
        return f"a tensor of shape {tuple(found.shape)}."
    if isinstance(found, (tuple, list)):
        return f"a {type(found).__name__} of {len(found)}."
    return f"a {type(found).__name__}."
