"""The student's file of a lesson in exercises/: read, outlined without running it, reset to the stub."""

from __future__ import annotations

import ast
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from grader.errors import UserError, write_errors
from grader.intake.submissions.file_kinds import MAX_FILE_BYTES
from grader.intake.submissions.lesson_files import LessonFiles, imported_files
from grader.lesson.lesson import Item, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.parsing import parse_submitted
from grader.source.syntax import FunctionDefinition, names_in, only_raises

HIDDEN: Final = "hidden"
"""The status of a row that is written and that only the hidden suite checks."""
HERE: Final = "here"
"""The status of a row that passes its public example; the hidden suite checks more."""
HIDDEN_SUITE_DECIDES: Final = "The hidden suite decides"
"""How every screen and page begins to say which points are not sure yet."""
FIGURES: Final = "figures.py"
"""Draws a lesson's pictures in a clone; it is in no kit, and no student's file."""


def shown_path(path: Path) -> str:
    """The path relative to the current folder where that is shorter; a terminal can open it with a click."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def location(file: str, line: int | None) -> str:
    """A file and line: as a terminal opens it, or in words for a notebook."""
    if line is None:
        return file
    return f"{file}:{line}" if file.endswith(".py") else f"{file}, line {line}"


def own_file(lesson: Lesson) -> Path:
    """The path of the student's own backward.py of a lesson."""
    return lesson.exercise / BACKWARD_FILE


def read_own(lesson: Lesson) -> LessonFiles:
    """The lesson's file as it is now, with the Python files next to it. Raises UserError where it cannot be read."""
    path, files = own_file(lesson), {}
    try:
        for each in sorted(lesson.exercise.glob("*.py")):
            if not each.is_file() or (each.name == FIGURES and each != path):  # a pipe would be waited for
                continue
            size = each.stat().st_size
            if size <= MAX_FILE_BYTES:
                files[each.name] = each.read_bytes()
            elif each == path:
                raise UserError(f"{shown_path(path)} has {size:,} bytes; at most {MAX_FILE_BYTES:,} are read.")
        if BACKWARD_FILE in files:
            imported, _ = imported_files(path.parent.resolve() / path.name, files[BACKWARD_FILE])
            return LessonFiles(lesson.name, {**imported, **files}, shown=shown_path(path))
    except OSError as error:
        raise UserError(f"{shown_path(path)} cannot be read: {error.strerror}.") from error
    if path.exists():
        raise UserError(f"{shown_path(path)} cannot be read: it is not an ordinary file.")
    raise UserError(f"{shown_path(path)} is not there. `dojo reset {lesson.number}` puts the stub there.")


class Outline:
    """The functions and classes of a file, by parsing it. `complete` is False for text that is not Python."""

    def __init__(self, source: bytes) -> None:
        tree = parse_submitted(source)
        self.complete = tree is not None
        body = [] if tree is None else tree.body
        self._nodes = {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self._lines = source.splitlines()

    def names_changed_from(self, before: Outline) -> set[str]:
        """The functions and classes whose code is not that of `before`, and those that use one of them."""
        names = self._nodes.keys() | before._nodes.keys()
        changed = {name for name in names if not self._has_code_of(before, name)}
        if changed:
            uses = {name: names_it_uses(node) for name, node in self._nodes.items()}
            while using := {name for name, free in uses.items() if name not in changed and changed & free}:
                changed |= using
        return changed

    def _has_code_of(self, before: Outline, name: str) -> bool:
        node, other = self._nodes.get(name), before._nodes.get(name)
        if node is None or other is None:
            return node is other
        return self._text(node) == before._text(other) or ast.dump(node) == ast.dump(other)  # dumping takes longer

    def _text(self, node: ast.FunctionDef | ast.ClassDef) -> list[bytes]:
        first = min(each.lineno for each in (node, *node.decorator_list))
        return self._lines[first - 1 : node.end_lineno]

    def line(self, item: Item) -> int | None:
        """The first line of a row's function or class; in a class, of the method with the row's name."""
        node = self._node(item)
        return node.lineno if node else None

    def last_return(self, item: Item) -> int | None:
        """The line of the last `return` in a row's function, else its first line."""
        node = self._node(item)
        lines = [each.lineno for each in ast.walk(node) if isinstance(each, ast.Return)] if node else []
        return max(lines, default=self.line(item))

    def is_unwritten(self, item: Item) -> bool:
        """Whether the row's function, or a method of its class, only raises NotImplementedError, as a stub does."""
        node = self._node(item)
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        return any(isinstance(each, FunctionDefinition) and only_raises(each) for each in methods)

    def _node(self, item: Item) -> ast.FunctionDef | ast.ClassDef | None:
        node = self._nodes.get(item.function)
        methods = node.body if isinstance(node, ast.ClassDef) else []
        return next((m for m in methods if isinstance(m, ast.FunctionDef) and m.name == item.name), node)


@lru_cache(maxsize=4)
def outline_of_text(source: bytes) -> Outline:
    """The outline of a text, which is read several times during a check."""
    return Outline(source)


def names_it_uses(node: ast.AST) -> set[str]:
    """The names in a function or class without those of its parameters: `dprobs` may be an argument and a function."""
    return names_in(node) - {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}


def changed_rows(lesson: Lesson, before: bytes, after: bytes) -> list[str]:
    """The rows whose function differs between two texts of a file, or uses a function that does."""
    changed = outline_of_text(after).names_changed_from(outline_of_text(before)) if after != before else set()
    return [item.name for item in lesson.items if item.function in changed]


def is_untouched(lesson: Lesson, source: bytes) -> bool:
    """Whether the file is still the stub, so that no row is written."""
    try:
        return lesson.pristine.read_bytes() == source
    except OSError:
        return False


def reset_to_stub(lesson: Lesson) -> Path | None:
    """Writes the stub and returns the old file's new path, None where there was no file. Raises UserError."""
    path = own_file(lesson)
    try:
        stub = lesson.pristine.read_bytes()
    except OSError as error:
        raise UserError(
            f"{shown_path(lesson.pristine)}, which contains the stub, cannot be read: {error.strerror}. Copy it again "
            "from where you got the exercises."
        ) from error
    kept = None
    with write_errors(shown_path(path)):
        if path.exists() or path.is_symlink():
            kept = path.with_name(f"{BACKWARD_FILE}.before-reset-{next_number(path)}")
            path.rename(kept)
        path.write_bytes(stub)
    return kept


def next_number(path: Path) -> int:
    """The number for the next file that `reset_to_stub` keeps."""
    kept = (re.fullmatch(rf"{re.escape(BACKWARD_FILE)}\.before-reset-(\d+)", p.name) for p in path.parent.iterdir())
    return max((int(match[1]) for match in kept if match), default=0) + 1
