"""A defence: several questions about one file, of different families, about different rows where possible."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from grader.calling.protocol import CallFailed
from grader.defence.families import (
    by_call,
    by_hand,
    chain,
    changed_class,
    cmp_report,
    equality,
    red_rows,
    revealing,
    sum_changes,
    swapped,
    which_line,
    zero,
)
from grader.defence.lines import Line
from grader.defence.material import Material, material_of
from grader.defence.question import DefenceQuestion
from grader.defence.recorded import RecordedMaterial, recorded_material
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.student import Student
from grader.sandbox.workers.student_file import StudentFile
from grader.sandbox.workers.time_account import TimeAccount

FIRST_SIZE = re.compile(r"\b(\w+)\.shape\[0\]")
QUESTIONS_PER_DEFENCE = 6
MIN_ROWS_OF_A_DEFENCE = 2
Pose = Callable[[Material, Sequence[Line], random.Random], DefenceQuestion | None]
FAMILIES: Mapping[str, Pose] = {
    "by_hand": by_hand.pose,
    "which_line": which_line.pose,
    "cmp_report": cmp_report.pose,
    "revealing": revealing.pose,
    "sum_changes": sum_changes.pose,
    "chain": chain.pose,
    "swapped": swapped.pose,
    "equality": equality.pose,
    "zero": zero.pose,
}
OF_CHECKS: Mapping[str, Pose] = {
    "by_call": by_call.pose,
    "red_rows": red_rows.pose,
    "which_line": which_line.pose,
    "revealing": revealing.pose,
    "sum_changes": sum_changes.pose,
    "swapped": swapped.pose,
    "equality": equality.pose,
}
"""For a lesson whose rows are checks of whole functions: its lines have no forward value."""
OF_CLASSES: Mapping[str, Pose] = {"changed_class": changed_class.pose, "which_change": changed_class.pose_which}
"""Further ones, where the lesson checks a class: its methods are not called with values that a line could read."""


@dataclass(frozen=True)
class Defence:
    """Questions about one file of a lesson.

    Attributes:
        reason: why there are none.
        for_student: what a student does instead; for_examiner: what an examiner does.
    """

    lesson: str
    questions: tuple[DefenceQuestion, ...]
    reason: str = ""
    for_student: str = ""
    for_examiner: str = ""


def generate(
    lesson: Lesson,
    files: Mapping[str, bytes],
    right: Collection[str],
    zygote: ZygoteProcess,
    seed: str,
    count: int = QUESTIONS_PER_DEFENCE,
) -> Defence:
    """`count` questions about a file whose rows `right` are right; fewer where it has too little to ask about.

    The same arguments give the same questions. The file and all changed versions of it share the limit of one
    submission, `total_seconds`. Raises ZygoteDied.
    """
    chance = random.Random(f"{seed}/{lesson.name}")
    if not right:
        return why_nothing_is_right(lesson, files, zygote)
    found: list[DefenceQuestion] = []
    time = TimeAccount(zygote.limits.total_seconds, zygote.clock)  # one for all versions of the file
    try:
        for make, rows in ((material_of, lesson.gradients), (recorded_material, lesson.checks)):
            if not any(item.name in right for item in rows) or len(found) >= count:
                continue
            material = make(lesson, files, right, zygote, chance, time)
            if material is None:
                continue
            try:
                has_material = material.lines or (isinstance(material, RecordedMaterial) and material.changes)
                found += questions_from(material, chance, count - len(found)) if has_material else []
            finally:
                material.close()
    except CallFailed as error:
        return Defence(lesson.name, (), DOES_NOT_RUN.format(number=lesson.number, error=error))
    if len(found) >= MIN_ROWS_OF_A_DEFENCE:
        return Defence(lesson.name, tuple(found))
    too_little = (NO_LINES if lesson.gradients else NO_FUNCTIONS).format(number=lesson.number)
    return Defence(lesson.name, (), too_little, for_examiner="Ask about the file in person, or the lesson's questions.")


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
NO_LINES = (
    "A defence found too little to ask about in the right gradients of lesson {number}: it can change and run only "
    "expressions, and can draw other numbers only for tensors of real numbers, not for classes or indices."
)
NO_FUNCTIONS = (
    "Lesson {number} has only checks of whole functions and classes, and a defence found too little in the right ones "
    "that it can change and run by itself."
)


def questions_from(material: Material, chance: random.Random, count: int) -> list[DefenceQuestion]:
    """Questions of different families; a family occurs twice only where too few others have a question."""
    families = FAMILIES
    if isinstance(material, RecordedMaterial):
        families = {**OF_CHECKS, **OF_CLASSES} if material.changes else OF_CHECKS
    order = list(families)
    chance.shuffle(order)
    found: list[DefenceQuestion] = []
    for name in [*order, *order]:
        if len(found) == count:
            break
        rows = [each.row for each in found]
        lines = sorted(material.lines, key=lambda line: (rows.count(line.row), not line.target))
        if [each.family for each in found].count(name):
            lines = [line for line in lines if (name, line.row) not in {(q.family, q.row) for q in found}]
        try:
            question = families[name](material, lines, chance)
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
