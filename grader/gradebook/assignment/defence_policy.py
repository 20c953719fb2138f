"""What an assignment demands of a defence: how many questions must be right for a lesson's points to count."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple, get_args

from grader.errors import LessonError
from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import Table, is_number, toml_value_text

Policy = Literal["warn", "cap"]
DEFENCE_KEYS = ("lessons", "right", "policy", "keep_at_most")
FULL_SHEET = 6
"""Questions of a full sheet. Of a shorter one the same share must be right."""


class DefencePolicy(NamedTuple):
    """The defence that a lesson needs.

    Attributes:
        right: how many of the questions of a full sheet must be right.
        policy: "warn" reports a lesson without it; "cap" also limits its points.
        keep_at_most: percent of the lesson's points that count without it.
    """

    right: int
    policy: Policy
    keep_at_most: float


def defence_policies(table: Table, lessons: Collection[Lesson], rows: Mapping[str, object]) -> dict[str, DefencePolicy]:
    """{lesson: what the table [defence] demands}, for lessons of the assignment, whose `rows` count. LessonError."""
    right = table.value(
        "right", None, lambda value: type(value) is int and 1 <= value <= FULL_SHEET, "a whole number from 1 to 6"
    )
    if right is None:
        raise LessonError(
            f"{table.path}: [defence] needs right, the number of right answers of six, such as right = 4."
        )
    policy: Policy = table.choice("policy", get_args(Policy), "warn")
    if policy == "warn" and "keep_at_most" in table:
        raise LessonError(f'{table.path}: [defence] keep_at_most has no effect without policy = "cap"; add it.')
    most = table.value(
        "keep_at_most", 0, lambda value: is_number(value) and 0 <= value <= 100, "a number from 0 to 100"
    )
    known = {
        name: lesson.name for lesson in lessons for name in (lesson.name, lesson.number, lesson.number.lstrip("0"))
    }
    chosen = table.texts("lessons") or list(rows)
    for name in chosen:
        if known.get(name) not in rows:
            raise LessonError(
                f"{table.path}: [defence] lessons has {toml_value_text(name)}, which this assignment does not contain; "
                f"there are: {', '.join(rows)}."
            )
    return {known[name]: DefencePolicy(right, policy, most) for name in chosen}
