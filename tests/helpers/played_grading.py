"""Runs over one gradebook in which grading is played: every reply comes at once, without grader processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from made_gradebook import results_for
from made_results import lesson as lesson_of
from made_results import results as results_by_hand
from made_results import row

from grader.gradebook.grading import run as run_module
from grader.gradebook.grading.grader_processes import Replies, Reply
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.grading.run import GradingRun
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.stop import Stop
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult

NORM, STEPS, CROSS = "05_batch_norm", "03_makemore_steps", "04_cross_entropy"


class PlayedGraders:
    """Takes the place of `grade_all`. `make` gives the results of a submission, except for students in `faults`."""

    def __init__(self, make: Callable[[Submission], SubmissionResult] | int) -> None:
        """A number says how many of two rows are right."""
        self.make = make if callable(make) else lambda submission: results_for(submission, make)
        self.graded: list[str] = []
        self.faults: set[str] = set()
        self.stop_after = 10**6

    def __call__(self, due: Iterable[Submission], *_: Any, stop: Stop | None = None) -> Replies:
        for submission in due:
            if len(self.graded) >= self.stop_after:
                return
            if submission.student in self.faults:
                yield submission, Reply(fault="GraderFault: no row for dprobs")
                continue
            reply = Reply(self.make(submission), extras={})
            if stop is not None and stop.is_requested:
                return
            self.graded.append(submission.student)
            yield submission, reply


class Watching:
    """A grader.gradebook.grading.graded.RunListener that remembers."""

    def __init__(self) -> None:
        self.plan: tuple[int, int] | None = None
        self.graded: list[str] = []

    def planned(self, due: int, kept: int) -> None:
        self.plan = (due, kept)

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None:
        self.graded.append(results.student)


def submitted(student: str, *lessons: str, source: str = "pass") -> Submission:
    """A submission with these lessons; of the others it has nothing."""
    contents = {name: LessonFiles(name, {"backward.py": source.encode()}) for name in lessons or (CROSS,)}
    nothing = {name: LessonFiles(name, nothing=True) for name in (NORM, STEPS, CROSS) if name not in contents}
    return Submission(student, Path(student), contents | nothing)


def three_rows(submission: Submission, lessons: Iterable[str] = (CROSS,), points: int = 3) -> SubmissionResult:
    """Each lesson that is submitted has three rows, of which so many are right."""
    parts = [
        lesson_of(name, *(row(f"d{number}", "passed" if number < points else "failed") for number in range(3)))
        if submission.lessons[name].present
        else lesson_of(name, row("d0", "missing", max_points=3), status="missing")
        for name in lessons
    ]
    return results_by_hand(submission.student, *parts, submission_sha256=submission.sha256)


class FoundHere(FoundSubmissions):
    """Submissions that are not on disk, and the names under which they were graded before."""

    def __init__(self, submissions: Sequence[Submission], other_names: Mapping[str, tuple[str, ...]] = {}) -> None:
        super().__init__([])
        self._submissions = {each.student: each for each in submissions}
        self.arrivals = [Arrival(each.student, each.path) for each in submissions]
        self.other_names = dict(other_names)

    def read_arrival(self, arrival: Arrival) -> Submission:
        return self._submissions[arrival.student]


class Run(NamedTuple):
    """What came of a run: `graded` are students in the order of their results, `plan` (due, kept)."""

    outcome: RunOutcome
    graded: list[str]
    plan: tuple[int, int] | None


class PlayedRuns:
    """runs(submissions, lessons, ...): a Run over the same OUT, by default for the lessons that they contain."""

    def __init__(self, out: Path, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        self.out, self.course, self._monkeypatch = out, course, monkeypatch

    def __call__(
        self,
        submissions: Sequence[Submission],
        lessons: Collection[str] = (),
        points: int = 3,
        make: Callable[[Submission], SubmissionResult] | None = None,
        faults: Collection[str] = (),
        backwards: bool = False,
        only_these: bool = False,
        fresh: bool = False,
        course: Course | None = None,
        other_names: dict[str, tuple[str, ...]] | None = None,
        **settings: Any,
    ) -> Run:
        lessons = lessons or sorted({name for each in submissions for name, own in each.lessons.items() if own.present})
        graders = PlayedGraders(make or (lambda submission: three_rows(submission, lessons, points)))
        graders.faults = {*faults}

        def grade_all(due: Iterable[Submission], *others: Any) -> Replies:
            return graders([*due][::-1] if backwards else due, stop=others[-1])

        self._monkeypatch.setattr(run_module, "grade_all", grade_all)
        watching = Watching()
        chosen = Settings(**{"course": "", "lessons": [], "seed": 1, "out": str(self.out)} | settings)
        outcome = GradingRun(
            found=FoundHere(submissions, other_names or {}),
            lessons=[self.course.lessons[name] for name in lessons],
            course=course or self.course,
            settings=chosen,
            live=watching,
            publisher=Reporter([*self.course.lessons.values()]),
            fresh=fresh,
            only_these=only_these,
        ).run()
        return Run(outcome, watching.graded, watching.plan)
