"""The student's own file of a lesson, in exercises/: read, looked at without running it, put back to the stub."""

from __future__ import annotations

import ast
import os
import re
import warnings
from pathlib import Path

from grader.errors import UserError
from grader.intake.submissions.lesson_files import MAIN, MAX_FILE_BYTES, LessonFiles
from grader.lesson.lesson import Item, Lesson

HIDDEN = "hidden"
"""The status of a row that is written and that only the hidden suite can judge."""
HERE = "here"
"""The status of a row that agrees with its public examples, and of which the hidden suite checks more."""


def shown_path(path: Path) -> str:
    """A path as it is shortest from here, for a terminal that opens what is clicked on."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def location(file: str, line: int | None) -> str:
    """Where something stands: as a terminal opens it, or as a reader of a notebook finds it."""
    if line is None:
        return file
    return f"{file}:{line}" if file.endswith(".py") else f"{file}, line {line}"


def own_file(lesson: Lesson) -> Path:
    return lesson.exercise / MAIN


def read_own(lesson: Lesson) -> LessonFiles:
    """The lesson's file as it is now, and the Python files beside it. Raises UserError where it cannot be read."""
    path, files = own_file(lesson), {}
    try:
        for each in sorted(lesson.exercise.glob("*.py")):
            if each == path or each.stat().st_size <= MAX_FILE_BYTES:
                files[each.name] = each.read_bytes()
    except OSError as error:
        raise UserError(f"{shown_path(path)} cannot be read: {error.strerror}.") from error
    if MAIN not in files:
        raise UserError(f"{shown_path(path)} is not there. `dojo reset {lesson.number}` puts the stub there.")
    if len(files[MAIN]) > MAX_FILE_BYTES:
        raise UserError(f"{shown_path(path)} has {len(files[MAIN]):,} bytes; at most {MAX_FILE_BYTES:,} are read.")
    return LessonFiles(lesson.name, files, shown=shown_path(path))


class Outline:
    """What stands in a file, by its text alone. A text that is no Python has no functions."""

    def __init__(self, source: bytes) -> None:
        self.complete = True
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            body, self.complete = [], False
        self._nodes = {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}

    def line(self, item: Item) -> int | None:
        """Where the function or class of a row begins; of a class, the method that is called like the row."""
        node = self._node(item)
        return node.lineno if node else None

    def to_do(self, item: Item) -> bool:
        """Whether what the row is about still raises NotImplementedError somewhere, as a stub does."""
        node = self._node(item)
        return node is not None and any(map(raises_not_implemented, ast.walk(node)))

    def _node(self, item: Item) -> ast.FunctionDef | ast.ClassDef | None:
        node = self._nodes.get(item.function)
        methods = node.body if isinstance(node, ast.ClassDef) else []
        return next((m for m in methods if isinstance(m, ast.FunctionDef) and m.name == item.name), node)


def raises_not_implemented(node: ast.AST) -> bool:
    raised = node.exc if isinstance(node, ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def is_untouched(lesson: Lesson, source: bytes) -> bool:
    """Whether it is still the stub: then all is to do, and nothing has to be run to know it."""
    try:
        return lesson.pristine.read_bytes() == source
    except OSError:
        return False


def reset_to_stub(lesson: Lesson) -> Path | None:
    """Puts the stub in place; where the old file is now, or None where there was none. Raises UserError."""
    path = own_file(lesson)
    try:
        stub = lesson.pristine.read_bytes()
    except OSError as error:
        raise UserError(
            f"{shown_path(lesson.pristine)}, from which the stub is taken, cannot be read: {error.strerror}. Get it "
            "from where you have the exercises from."
        ) from error
    kept = None
    try:
        if path.exists() or path.is_symlink():
            kept = path.with_name(f"{MAIN}.before-reset-{next_number(path)}")
            path.rename(kept)
        path.write_bytes(stub)
    except OSError as error:
        raise UserError(f"{shown_path(path)} cannot be written: {error.strerror}.") from error
    return kept


def next_number(path: Path) -> int:
    found = (re.fullmatch(rf"{re.escape(MAIN)}\.before-reset-(\d+)", p.name) for p in path.parent.iterdir())
    return max((int(match[1]) for match in found if match), default=0) + 1
