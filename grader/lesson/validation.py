"""Faults of a lesson that are found in its files without running them, in milliseconds, before every run.

`grade verify` finds these faults and more, because it runs the lesson.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from grader.lesson.lesson import Lesson, LessonError


def lesson_faults(lesson: Lesson) -> Iterator[str]:
    """Yield a sentence for each fault, in the words of `grade verify`."""
    others = [path for name in ("backward.py", "mistakes.py") if (path := lesson.solution / name).is_file()]
    try:
        suite = parse_module(lesson.suite)
        for path in (*others, *([lesson.exercise / "forward.py"] if lesson.gradients else [])):
            parse_module(path)
    except LessonError as error:
        yield str(error)
        return
    functions = [node for node in suite.body if isinstance(node, ast.FunctionDef)]
    checks = [each for each in functions if any(argument.arg == "check" for argument in each.args.args)]
    yield from row_faults(lesson, [each.name[5:] for each in checks if each.name.startswith("test_")])


def row_faults(lesson: Lesson, tests: Collection[str]) -> Iterator[str]:
    """Rows of lesson.toml without a check in the hidden suite, and checks without a row.

    `tests` are the names of the suite's checks without `test_`.
    """
    suite, rows = lesson.suite.name, {item.name for item in lesson.checks}
    for item in lesson.checks:
        if item.name not in tests:
            yield f"{suite}: no test_{item.name}(check) for the row [checks.{item.name}] of lesson.toml."
    for name in sorted(set(tests) - rows):
        yield f"{suite}: test_{name} has no row [checks.{name}] in lesson.toml."


def parse_module(path: Path) -> ast.Module:
    """Raises LessonError when the file is missing or is not Python."""
    if not path.is_file():
        raise LessonError(f"{path} is missing: every lesson needs one.")
    try:
        return ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError, OSError) as error:
        raise LessonError(f"{path} does not run: {type(error).__name__}: {error}") from error
