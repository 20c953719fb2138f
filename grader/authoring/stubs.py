"""The stub that students fill in, generated from the solution: the answers between its markers are removed."""

from __future__ import annotations

import ast
import re

from grader.lesson.bare_stub import READ_IN, bare_stub, is_bare
from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Lesson, LessonError
from grader.results.wording import format_shape

OPEN, CLOSE = "# <answer>", "# </answer>"
ANSWER = re.compile(rf"^(?P<indent>[ ]*){re.escape(OPEN)}\n.*?^[ ]*{re.escape(CLOSE)}\n", re.DOTALL | re.MULTILINE)


def stub_of(lesson: Lesson) -> str:
    """The text of exercises/NN_name/backward.py. Raises LessonError for unpaired markers or a missing function."""
    path = lesson.solution / "backward.py"
    source = path.read_text(encoding="utf-8")
    if source.count(OPEN) != source.count(CLOSE) or not source.count(OPEN):
        raise LessonError(f"{path}: every answer is between `{OPEN}` and `{CLOSE}`; they do not pair.")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    missing = sorted({item.function for item in lesson.gradients} - functions.keys())
    if missing:
        raise LessonError(f"{path} has no function {', '.join(missing)}, which lesson.toml asks for.")
    lines = source.splitlines(keepends=True)
    steps = () if lesson.joint else lesson.gradients
    for item in sorted(steps, key=lambda item: -functions[item.name].body[0].lineno):
        function = functions[item.name]
        assert item.target is not None
        if ast.get_docstring(function) is None:
            header_end = header_lines(lines, function)
            lines[header_end:header_end] = [docstring(lesson, item.target)]
    stub = ANSWER.sub(lambda match: todo(match["indent"]), "".join(lines))
    leaks = [line for line in stub.splitlines() if "answer>" in line]
    if leaks:
        raise LessonError(
            f"{path}: a marker would leak into the stub: {leaks[0].strip()!r}. Put each marker on a line of its own."
        )
    return stub


def published_stub(lesson: Lesson, bare: bool | None = None) -> str:
    """The stub that students get: bare, or not; with None as the one in the lesson's folder is. Raises LessonError."""
    stub = stub_of(lesson)
    return bare_stub(lesson, stub) if (is_bare(lesson) if bare is None else bare) else stub


def header_lines(lines: list[str], function: ast.FunctionDef) -> int:
    """The number of the first line after `def ...:`, counted from 0."""
    number = function.lineno - 1
    while not lines[number].rstrip().endswith(":"):
        number += 1
    return number + 1


def docstring(lesson: Lesson, target: str) -> str:
    shape = format_shape(lesson.public.values[target].shape)
    forward = forward_lines(lesson, target)
    body = "\n".join(f"        {line}" for line in forward)
    return f'    """The gradient with respect to `{target}`, of shape {shape}.\n\n    {READ_IN}\n\n{body}\n    """\n'


def todo(indent: str) -> str:
    return f"{indent}# TODO: replace the next line by your own\n{indent}raise NotImplementedError\n"
