"""What a report tells the student to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.publish.report.reading import LessonPart, ReportRow
from grader.results import Row


@dataclass(frozen=True)
class NextStep:
    """What to do next: a row to fix or to write, a lesson to submit, or questions; nothing when all is right."""

    part: LessonPart | None = None
    line: ReportRow | None = None
    together: int = 1  # rows that fail with this one sentence
    questions: int = 0  # that have not earned all their points


def next_step(parts: Sequence[LessonPart]) -> NextStep:
    parts = [part for part in parts if part.results.excused is None]
    graded = [part for part in parts if part.results.status == "graded" and part.first]
    for part in sorted(graded, key=urgency):
        together = next((len(group) for group in part.groups if part.first in group), 1)
        return NextStep(part, part.first, together)
    if missing := next((part for part in parts if part.results.status != "graded"), None):
        return NextStep(missing)
    wrong = ((part, sum(earns_more(row) for row in part.answers)) for part in parts)
    return next((NextStep(part, questions=count) for part, count in wrong if count), NextStep())


def urgency(part: LessonPart) -> int:
    """Wrong rows come first, and rows that a notebook of the lecture's kind cannot have come last."""
    assert part.first is not None
    return 0 if part.first.wrong else 2 if part.first.row.outside_notebook else 1


def earns_more(answer: Row) -> bool:
    """Whether an answer has not all its points, and no person has set them."""
    return answer.points < answer.max_points and answer.adjustment is None
