"""A defence: several questions about one file, of different families, about different rows where possible."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from grader.calling.protocol import CallFailed
from grader.defence.families import by_hand, red_rows, revealing, sum_changes, swapped, which_line
from grader.defence.lines import Line
from grader.defence.material import Material, material_of
from grader.defence.question import DefenceQuestion
from grader.defence.recorded import askable, recorded_material
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.file_worker import StudentFile
from grader.sandbox.workers.student import Student

FIRST_SIZE = re.compile(r"\b(\w+)\.shape\[0\]")
QUESTIONS_PER_DEFENCE = 6
MIN_ROWS_OF_A_DEFENCE, MAX_OF_A_FAMILY = 2, 3
MIN_SHARE = 1 / 3
"""Of a file's right gradients and functions. If questions can cover fewer, the file would choose what they cover."""
Pose = Callable[[Material, Sequence[Line], random.Random], DefenceQuestion | None]
FAMILIES: Mapping[str, Pose] = {
    "by_hand": by_hand.pose,
    "which_line": which_line.pose,
    "red_rows": red_rows.pose,
    "revealing": revealing.pose,
    "sum_changes": sum_changes.pose,
    "swapped": swapped.pose,
}


@dataclass(frozen=True)
class Defence:
    """Questions about one file of a lesson.

    Attributes:
        reason: why there are none; for_student: what a student does instead.
        is_oral: whether a person should ask about the file instead.
    """

    lesson: str
    questions: tuple[DefenceQuestion, ...]
    reason: str = ""
    for_student: str = ""
    is_oral: bool = False


def generate(
    lesson: Lesson,
    files: Mapping[str, bytes],
    right: Collection[str],
    zygote: ZygoteProcess,
    seed: str,
    count: int = QUESTIONS_PER_DEFENCE,
) -> Defence:
    """`count` questions about a file whose rows `right` are right; fewer where it has too little to ask about.

    The same arguments give the same questions. The plain part of the file, and all changed versions of it, share the
    limit of one submission, `total_seconds`. Raises ZygoteDied.
    """
    chance = random.Random(f"{seed}/{lesson.name}")
    if not right:
        return why_nothing_is_right(lesson, files, zygote)
    found, covered = list[DefenceQuestion](), set[str]()
    wrong = {item.function for item in lesson.gradients if item.name not in right}
    units = {item.name for item in lesson.gradients if item.name in right} | (askable(lesson, right) - wrong)
    time = zygote.account(zygote.limits.total_seconds)  # one for all versions of the file
    try:
        for make, rows in ((material_of, lesson.gradients), (recorded_material, lesson.checks)):
            has_enough = len(found) >= count and len(covered) >= MIN_SHARE * len(units)
            if has_enough or not any(item.name in right for item in rows):
                continue
            material = make(lesson, files, right, zygote, chance, time)
            if material is None:
                continue
            covered |= set(material.covered)
            try:
                found += questions_from(material, chance, count - len(found)) if material.lines else []
            finally:
                material.close()
    except CallFailed:  # the judge has called these rows, so the file does something else here
        covered.clear()
    if len(covered) < max(MIN_SHARE * len(units), 1) or len(found) < MIN_ROWS_OF_A_DEFENCE:
        reason = ORAL.format(covered=len(covered), of=len(units), number=lesson.number)
        return Defence(lesson.name, (), reason, is_oral=bool(units))
    return Defence(lesson.name, tuple(found))


def why_nothing_is_right(lesson: Lesson, files: Mapping[str, bytes], zygote: ZygoteProcess) -> Defence:
    """No questions: an error ends the file before its functions can be called, or else no row is right."""
    student = Student(zygote, StudentFile(files, BACKWARD_FILE))
    try:
        failure = student.load_failure
    finally:
        student.close()
    if failure is None:
        reason = NOTHING_RIGHT.format(number=lesson.number)
        return Defence(lesson.name, (), reason, f"`dojo check {lesson.number}` shows what is missing.")
    where = f"line {failure.line}: " if failure.line else ""
    return Defence(lesson.name, (), DOES_NOT_RUN.format(number=lesson.number, error=where + failure.message))


DOES_NOT_RUN = "The file of lesson {number} does not run: {error}"
NOTHING_RIGHT = "Nothing of lesson {number} is right yet, and a defence asks only about right rows."
ORAL = (
    "Oral defence: on paper there is too little to ask about. Of {of} right gradients and functions of lesson "
    "{number}, {covered} are plain functions of tensors whose lines a question can show, change and run. Lambdas, "
    "classes, helpers and what the file does when it is imported are left out. Ask about the file in person."
)


def questions_from(material: Material, chance: random.Random, count: int) -> list[DefenceQuestion]:
    """Questions of different families; a family occurs again only where too few others have a question."""
    order = list(FAMILIES)
    chance.shuffle(order)
    found: list[DefenceQuestion] = []
    for name in order * MAX_OF_A_FAMILY:
        if len(found) == count:
            break
        rows = [each.row for each in found]
        lines = sorted(material.lines, key=lambda line: (rows.count(line.row), not line.target))
        if [each.family for each in found].count(name):
            lines = [line for line in lines if (name, line.row) not in {(q.family, q.row) for q in found}]
        try:
            question = FAMILIES[name](material, lines, chance)
        except CallFailed:  # a line that hangs or ends the process: this file gets no more questions
            break
        except (ArithmeticError, LookupError, TypeError, ValueError, RuntimeError):  # by what a hostile worker sent
            continue
        if question is not None and not any(same(question, other) for other in found):
            found.append(question)
    return found


def same(one: DefenceQuestion, other: DefenceQuestion) -> bool:
    """Whether two questions would be one for somebody who has answered the other."""
    is_twice = one.text == other.text or (one.family, one.row) == (other.family, other.row)
    return is_twice or (is_about_a_ratio(one) and is_about_a_ratio(other))


def is_about_a_ratio(question: DefenceQuestion) -> bool:
    """Whether it shows a line that was multiplied by one size and divided by another: it is right for square inputs."""
    shown = "\n".join((question.text, *question.choices.values()))
    return any(f"{name}.shape[-1]" in shown for name in FIRST_SIZE.findall(shown))
