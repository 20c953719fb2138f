"""A made-up class: folders of submissions for one lesson, right, wrong, hanging and hostile ones, no two the same.

    python -m bench.made_up_class FOLDER --count 1000
    python -m bench.made_up_class FOLDER --count 20 --only right wrong

Of every hundred one hangs in a step and one is hostile; of the others two in five have one to three of the lesson's
known mistakes in them. Student 17 hands in the same whatever the size of the class.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from grader.lesson.lesson import Course, Lesson

ROOT = Path(__file__).resolve().parent.parent
RIGHT, WRONG, HANGING, HOSTILE = KINDS = ("right", "wrong", "hanging", "hostile")
HANGING_AT, HOSTILE_AT = 37, 73  # of every hundred
WRONG_SHARE, MAX_MISTAKES = 0.4, 3
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


def source_of(lesson: Lesson, number: int, kind: str | None = None) -> str:
    """The file that student `number` hands in; of another kind than their own, if one is given."""
    kind, draw = kind or kind_of(number), random.Random(f"source {number}")
    text = (lesson.solution / "backward.py").read_text(encoding="utf-8")
    if kind == WRONG:
        own = [each for each in lesson.mistakes if each.function is not None]
        for mistake in draw.sample(own, draw.randint(1, MAX_MISTAKES)):
            text = mistake.applied_to(text)
    elif kind == HANGING:
        text += LOOP.format(name=draw.choice(lesson.functions))
    elif kind == HOSTILE:
        text += "\n\n" + draw.choice(ATTACKS)
    return f"# student {number}\n{text}"


def write_class(folder: Path, lesson: Lesson, count: int, kinds: Sequence[str] = KINDS) -> None:
    """`count` students' folders. Where only some `kinds` are wanted, they take turns."""
    for number in range(count):
        kind = None if tuple(kinds) == KINDS else kinds[number % len(kinds)]
        place = folder / f"student_{number:06}" / lesson.name
        place.mkdir(parents=True)
        (place / "backward.py").write_text(source_of(lesson, number, kind), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_args()
    write_class(options.folder, Course(ROOT).find(options.lesson), options.count, options.only)


if __name__ == "__main__":
    main()
