"""Synthetic submissions that differ from each other as those of a class do: each function in one of several spellings.

The spellings are those of the lesson's solution and of solutions/NN_name/variants/. A right submission draws one for
each function; a wrong one has one to three of the lesson's known mistakes instead. Every file has its own comments, so
no two files, and no two line numbers, need be the same.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from grader.lesson.lesson import Lesson, LessonError
from grader.lesson.paths import BACKWARD_FILE

RIGHT, WRONG = "right", "wrong"
IMPORTS = "import torch\nimport torch.nn.functional as F\n"


def spellings(lesson: Lesson) -> dict[str, list[str]]:
    """{function: its texts} that need nothing else of their files than torch and F."""
    found: dict[str, list[str]] = {}
    for path in [lesson.solution / BACKWARD_FILE, *sorted((lesson.solution / "variants").glob("*.py"))]:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        own = {function.name for function in functions} | {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        for function in functions:
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            set_here = {node.id for node in names if isinstance(node.ctx, ast.Store)}
            set_here |= {argument.arg for argument in function.args.args}
            needed = {node.id for node in names} & own - set_here - {"torch", "F"}
            spelling = ast.get_source_segment(text, function)
            if function.name in lesson.functions and not needed and spelling is not None:
                texts = found.setdefault(function.name, [])
                texts += [spelling] if spelling not in texts else []
    return found


def submission(lesson: Lesson, number: int, kind: str, known: dict[str, list[str]]) -> str:
    """The file of student `number`. Raises ValueError where the lesson's mistakes fit nothing."""
    draw = random.Random(f"{kind} {number}")
    parts = [f"# student {number}{chr(10) * draw.randint(0, 9)}", IMPORTS]
    for function in lesson.functions:
        parts.append(f"# {draw.random()}\n{draw.choice(known[function])}\n\n")
    text = "\n".join(parts)
    if kind == WRONG:
        mistakes = [each for each in lesson.mistakes if each.function is not None]
        count, before = draw.randint(1, 3), text
        for mistake in draw.sample(mistakes, len(mistakes)):
            try:
                text = mistake.applied_to(text)
            except (LessonError, ValueError):
                continue
            count -= 1
            if not count:
                break
        if text == before:
            raise ValueError("no known mistake fits")
    return text


def varied(lesson: Lesson, kind: str) -> Iterator[bytes]:
    """Endlessly: one file after another."""
    known, number = spellings(lesson), 0
    while True:
        yield submission(lesson, number, kind, known).encode()
        number += 1
