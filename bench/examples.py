"""How much of what the hidden suites catch a student is told at home: known mistakes put to the public examples.

    python -m bench.examples [LESSON]...

Only mistakes in functions that have no gradient of their own: the others are found on the public problems.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grader.authoring.lesson_review import failure_of_example
from grader.lesson.lesson import Course, Lesson
from grader.verdict.judging.examples import PUBLIC_SEED, examples_of
from grader.verdict.judging.hidden_problems import ProblemBook

ROOT = Path(__file__).parent.parent


def caught(lesson: Lesson) -> tuple[int, list[str]]:
    """How many known mistakes fail some example, and the names of those that fail none."""
    steps = {item.name for item in lesson.gradients} | ({lesson.joint.name} if lesson.joint else set())
    rows = [item for item in lesson.checks if item.name in examples_of(lesson) and item.function not in steps]
    functions, found, missed = {item.function for item in rows}, 0, []
    book = ProblemBook(PUBLIC_SEED)
    for mistake in lesson.mistakes:
        if mistake.gradient not in functions:
            continue
        wrong = lesson.wrong(mistake)
        if any(failure_of_example(lesson, item, wrong, book) is not None for item in rows):
            found += 1
        else:
            missed.append(f"{mistake.gradient}__{mistake.id}")
    return found, missed


def main(words: list[str]) -> None:
    course = Course(ROOT)
    for lesson in [course.find(word) for word in words] or course.lessons.values():
        found, missed = caught(lesson)
        if found or missed:
            count = f"{found} of {found + len(missed)} known mistakes"
            print(f"{lesson.name}: {len(examples_of(lesson))} examples, {count}")
            for name in missed:
                print(f"    not caught: {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
