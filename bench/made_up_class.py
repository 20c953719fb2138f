"""A made-up class: files for one lesson, right, wrong, hanging and hostile ones, no two the same.

They differ as those of a class do: each function has one of the spellings of the answer key and of
solutions/NN_name/variants/. Of every hundred students one hands in a file that hangs and one a hostile one; of the
others two in five have one to three of the lesson's known mistakes. Student 17 hands in the same whatever the size of
the class.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path

from grader.lesson.lesson import Lesson, LessonError
from grader.lesson.paths import BACKWARD_FILE

RIGHT, WRONG, HANGING, HOSTILE = KINDS = ("right", "wrong", "hanging", "hostile")
HANGING_AT, HOSTILE_AT = 37, 73  # of every hundred
WRONG_SHARE, MAX_MISTAKES = 0.4, 3
IMPORTS = "import torch\nimport torch.nn.functional as F\n"
LOOP = "\n\ndef {name}():\n    while True:\n        pass\n"
ATTACKS = (
    "import os\n\nos._exit(0)\n",
    "from grader.sandbox.isolation.kernel import ctypes\n\nctypes.string_at(0)\n",
    "import os\n\nfor _ in range(1000):\n    os.fork()\n",
    "taken = bytearray(64 << 30)\n",
    "import os\n\nos.kill(os.getppid(), 9)\n",
    "import os\n\nfor _ in range(1000):\n    os.write(1, b'x' * 100_000)\n",
    "import socket\n\nsocket.create_connection(('192.0.2.1', 80))\n",
)


def kind_of(number: int) -> str:
    if number % 100 == HANGING_AT:
        return HANGING
    if number % 100 == HOSTILE_AT:
        return HOSTILE
    return WRONG if random.Random(number).random() < WRONG_SHARE else RIGHT


@cache
def spellings(lesson: Lesson) -> dict[str, list[str]]:
    """{function: its texts} that need nothing else of their files than torch and F."""
    found: dict[str, list[str]] = {}
    for path in [lesson.solution / BACKWARD_FILE, *lesson.variants]:
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


def source_of(lesson: Lesson, number: int, kind: str | None = None) -> str:
    """The file that student `number` hands in; of another kind than their own, if one is given.

    Raises ValueError where none of the lesson's known mistakes can be made.
    """
    kind, draw = kind or kind_of(number), random.Random(f"source {number}")
    known = spellings(lesson)
    parts = [f"# student {number}{chr(10) * draw.randint(0, 9)}", IMPORTS]
    parts += [f"# {draw.random()}\n{draw.choice(known[function])}\n\n" for function in lesson.functions]
    text = "\n".join(parts)
    if kind == HANGING:
        return text + LOOP.format(name=draw.choice(lesson.functions))
    if kind == HOSTILE:
        return f"{text}\n\n{draw.choice(ATTACKS)}"
    return with_mistakes(lesson, text, draw) if kind == WRONG else text


def with_mistakes(lesson: Lesson, text: str, draw: random.Random) -> str:
    """The file with one to MAX_MISTAKES known mistakes."""
    mistakes = [each for each in lesson.mistakes if not each.old]
    wanted, before = draw.randint(1, MAX_MISTAKES), text
    for mistake in draw.sample(mistakes, len(mistakes)):
        try:
            text = mistake.applied_to(text)
        except (LessonError, ValueError):
            continue
        wanted -= 1
        if not wanted:
            break
    if text == before:
        raise ValueError("no known mistake fits")
    return text


def sources(lesson: Lesson, kind: str) -> Iterator[bytes]:
    """Endlessly: one file of this kind after another."""
    return (source_of(lesson, number, kind).encode() for number in count())


def write_class(folder: Path, lesson: Lesson, size: int, kinds: Sequence[str] = KINDS) -> None:
    """The folders of `size` students. Where only some `kinds` are wanted, they take turns."""
    for number in range(size):
        kind = None if tuple(kinds) == KINDS else kinds[number % len(kinds)]
        place = folder / f"student_{number:06}" / lesson.name
        place.mkdir(parents=True)
        (place / BACKWARD_FILE).write_text(source_of(lesson, number, kind), encoding="utf-8")
