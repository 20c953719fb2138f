"""A defence: several questions about one file, of different families, about different rows where possible."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from grader.calling.protocol import CallFailed
from grader.defence.by_hand import by_hand
from grader.defence.line_questions import revealing, sum_changes, swapped, which_line
from grader.defence.lines import Line
from grader.defence.material import Material, askable, material_of
from grader.defence.question import DefenceQuestion
from grader.defence.red_rows import red_rows
from grader.lesson.lesson import Lesson
from grader.sandbox.workers.client import ZygoteProcess

QUESTIONS_PER_DEFENCE = 6
MIN_ROWS_OF_A_DEFENCE, MAX_OF_A_FAMILY = 2, 3
MIN_SHARE = 1 / 3
"""Of a file's right gradients and functions. If questions can cover fewer, the file would choose what they cover."""
Family = Callable[[Material, Sequence[Line], random.Random], DefenceQuestion | None]
FAMILIES: Mapping[str, Family] = {
    each.__name__: each for each in (by_hand, which_line, red_rows, revealing, sum_changes, swapped)
}
NOTHING_RIGHT = "Nothing of lesson {number} is right yet, and a defence asks only about right rows."
ORAL = (
    "Oral defence: on paper there is too little to ask about. Of {of} right gradients and functions of lesson "
    "{number}, {covered} are plain functions of tensors whose lines a question can show, change and run. Lambdas, "
    "classes, helpers and what the file does when it is imported are left out. Ask about the file in person."
)


@dataclass(frozen=True)
class Defence:
    """Questions about one file of a lesson; without any, `reason` says why.

    Then `is_oral` if a person should ask about the file instead.
    """

    questions: tuple[DefenceQuestion, ...]
    reason: str = ""
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
    limit of one submission, `total_seconds`. Raises ZygoteDied, LessonError.
    """
    if not right:
        return Defence((), NOTHING_RIGHT.format(number=lesson.number))
    chance, time = random.Random(f"{seed}/{lesson.name}"), zygote.account(zygote.limits.total_seconds)
    found, covered = list[DefenceQuestion](), set[str]()
    try:
        with material_of(lesson, files, right, zygote, chance, time) as material:
            if material is not None:
                found, covered = questions_from(material, chance, count), material.covered
    except CallFailed:  # the judge has called these rows, so the file does something else here
        covered = set()
    units = {item.name for item in lesson.gradients if item.name in right} | askable(lesson, right)
    if len(covered) < max(MIN_SHARE * len(units), 1) or len(found) < MIN_ROWS_OF_A_DEFENCE:
        reason = ORAL.format(covered=len(covered), of=len(units), number=lesson.number)
        return Defence((), reason, is_oral=bool(units))
    return Defence(tuple(found))


def questions_from(material: Material, chance: random.Random, count: int) -> list[DefenceQuestion]:
    """Questions of different families; a family occurs again only where too few others have a question."""
    found: list[DefenceQuestion] = []
    for name in chance.sample(list(FAMILIES), len(FAMILIES)) * MAX_OF_A_FAMILY:
        if len(found) == count:
            break
        rows, own = Counter(each.row for each in found), {each.row for each in found if each.family == name}
        lines = [line for line in material.lines if line.row not in own]
        lines.sort(key=lambda line: (rows[line.row], not line.target))
        try:
            question = FAMILIES[name](material, lines, chance)
        except CallFailed:  # a line that hangs or ends the process: this file gets no more questions
            break
        except (ArithmeticError, LookupError, TypeError, ValueError, RuntimeError):  # by what a hostile worker sent
            continue
        # two about a line that is right for square inputs only would be one for somebody who has answered the other
        is_like_another = question and question.claim.get("is_ratio") and any(q.claim.get("is_ratio") for q in found)
        if question is not None and not is_like_another:
            found.append(question)
    return found
