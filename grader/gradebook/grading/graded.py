"""What grading one submission gives, who watches a run, and who writes its pages: grading depends on none of these.

Without torch, which takes seconds to load: the coordinator does without it.
"""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Protocol

from grader.intake.submissions.roster import Attendance
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import NotGraded, SubmissionResult, number


@dataclass
class GradedSubmission:
    """`results`, and what only the report shows.

    `pictures` are {lesson: {row: heat map}}, `printed` {lesson: text}, `shown` {lesson: lines of it, each labelled with
    the function that printed it}, and `texts` {a row's file: its text} for files that are graded in another form than
    they were submitted in.
    """

    results: SubmissionResult
    pictures: dict[str, dict[str, Any]] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)
    shown: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def extras(self) -> dict[str, Any]:
        """Everything except the results. The gradebook stores it in order to write the report again."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "results"}


def sources_of(submission: Submission) -> dict[str, str]:
    """{lesson: the text of the file that is graded}"""
    return {
        name: submitted.files[BACKWARD_FILE].decode("utf-8-sig", errors="replace")
        for name, submitted in submission.lessons.items()
        if submitted.present and submission.message is None
    }


@cache
def environment() -> dict[str, str]:
    """What figures come from, as results.json says it."""
    import torch

    return {
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "platform": platform.platform(),
    }


def fault_results(
    submission: Submission, lessons: Sequence[Lesson], seed: int, fault: str, left_out: Sequence[str] = ()
) -> SubmissionResult:
    """The results of a submission that could not be graded through a fault of the grader."""
    return SubmissionResult(
        student=submission.student,
        submission_sha256=submission.sha256,
        max_score=number(sum(lesson.max_score for lesson in lessons)),
        status="error",
        message=f"It could not be graded, for a reason that is not the student's: {fault}",
        seed=seed,
        environment=environment(),
        not_graded=[NotGraded(lesson.name, number(lesson.max_score)) for lesson in lessons],
        left_out=list(left_out),
    )


class RunListener(Protocol):
    """Is called as a run progresses. `started` may be called from any thread."""

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None: ...


@dataclass(frozen=True)
class ClassFacts:
    """What the class's pages show besides results.

    Attributes:
        attendance: of the roster's members; None without a roster.
        left_out: the names of lessons that no submission contains.
        present: the students of the last run; None where there was none.
        max_score: of somebody who submitted nothing.
    """

    attendance: Attendance | None = None
    left_out: Sequence[str] = ()
    present: Collection[str] | None = None
    max_score: float = 0


class Publisher(Protocol):
    """Makes the pages about students and about the class, {file name: text}: grader.publish.report.pages.Reporter."""

    def student_pages(self, graded: GradedSubmission, sources: Mapping[str, str]) -> dict[str, str]: ...

    def class_pages(
        self, results: Sequence[SubmissionResult], facts: ClassFacts, plain: MutableMapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        """`plain` gains {student: why} of those whose row is plain."""
        ...
