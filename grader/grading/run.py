"""`grade run`: from submissions to verdicts on disk; what was graded before and has not changed is left as it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from grader.grading.batch import grade_all
from grader.grading.class_results import ClassResults
from grader.grading.files import FILES, RESULTS, only_run, unwritable, write_whole
from grader.grading.files import OutputError as OutputError
from grader.grading.gradebook import Gradebook
from grader.grading.graded import VERSION, environment
from grader.grading.keys import conditions, key
from grader.grading.settings import Settings
from grader.grading.stop import Stop, stopping_at_signals
from grader.lesson import Lesson
from grader.report.classroom import csv_rows, without_results
from grader.report.pages import Reporter
from grader.report.scores import number
from grader.sandbox.forked import Nursery
from grader.sandbox.probe import at_least
from grader.submissions.roster import Attendance
from grader.submissions.submission import Submission


class Live(Protocol):
    """Who is told how a run goes on. `started` may be called from any thread."""

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: dict[str, Any]) -> None: ...


@dataclass
class Outcome:
    """`results` are those of the class, in order of name: `kept` of them from earlier runs."""

    results: ClassResults = field(default_factory=ClassResults)
    faults: int = 0
    kept: int = 0
    stopped: bool = False

    def below(self, percent: float) -> list[str]:
        return [r["student"] for r in self.results if 100 * r["score"] < percent * r["max_score"]]


def fault_results(
    submission: Submission, lessons: Sequence[Lesson], seed: int, fault: str, left_out: Sequence[str] = ()
) -> dict[str, Any]:
    """results.json of a submission that could not be graded for a reason of ours."""
    return {
        "version": VERSION,
        "student": submission.student,
        "submission_sha256": submission.sha256,
        "score": 0,
        "max_score": number(sum(lesson.max_score for lesson in lessons)),
        "status": "error",
        "message": f"It could not be graded, for a reason that is not the student's: {fault}",
        "isolation": "none",
        "seed": seed,
        "seconds": 0,
        "environment": environment(),
        "lessons": [],
        "left_out": list(left_out),
    }


def grade_run(
    submissions: Sequence[Submission],
    lessons: Sequence[Lesson],
    settings: Settings,
    jobs: int,
    live: Live,
    fresh: bool = False,
    cluster: str | None = None,
    attendance: Attendance | None = None,
    nursery: Nursery | None = None,
) -> Outcome:
    """Grades what is new or changed (with `fresh` all) and writes OUT as results arrive.

    By `jobs` processes here, or by the workers of the Dask scheduler at `cluster`. A signal to stop leaves everything
    finished on disk. `submissions` are read as they are needed, twice where there was an earlier run. A `nursery` may
    have been started already. Raises OutputError, and with a cluster cluster.ClusterError.
    """
    out = Path(settings.out)
    with only_run(out), stopping_at_signals() as stop:
        gradebook = Gradebook(out / "gradebook.sqlite")
        outcome = Outcome()
        try:
            run = Run(gradebook, lessons, settings, outcome)
            due = list(range(len(submissions))) if fresh else run.keep_what_stands(submissions)
            outcome.kept = len(outcome.results)
            live.planned(len(due), outcome.kept)
            if due:
                run.grade(submissions, due, min(jobs, len(due)), live, stop, cluster, nursery)
        finally:
            gradebook.close()
            if outcome.results:
                write_class(out, outcome.results, lessons, attendance, settings.left_out)
    return outcome


class Run:
    """One run over a gradebook: what stands from before, and what is graded now."""

    def __init__(self, gradebook: Gradebook, lessons: Sequence[Lesson], settings: Settings, outcome: Outcome) -> None:
        self._gradebook, self._lessons, self._settings, self._outcome = gradebook, lessons, settings, outcome
        self._conditions = conditions(lessons, settings)

    def keep_what_stands(self, submissions: Sequence[Submission]) -> list[int]:
        """Adds the results that stand from an earlier run; gives the places of the submissions that are due."""
        known = {student: key for student, key, _ in self._gradebook.latest()}
        if not known:
            return list(range(len(submissions)))
        unchanged: dict[str, int] = {}
        due = set(range(len(submissions)))
        for place, submission in enumerate(submissions):
            if known.get(submission.student) == key(self._conditions, submission):
                unchanged[submission.student] = place
        for student, _, results in self._gradebook.latest():
            if student in unchanged and self._stands(results):
                due.remove(unchanged[student])
                self._outcome.results.add(results)
        return sorted(due)

    def _stands(self, results: dict[str, Any]) -> bool:
        """Whether the student's folder is there and tells this result, reached with enough isolation."""
        folder = Path(self._settings.out) / results["student"]
        try:
            written = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        complete = all((folder / name).is_file() for name in FILES)
        return complete and bool(written == results) and at_least(results["isolation"], self._settings.require)

    def grade(
        self,
        submissions: Sequence[Submission],
        due: Sequence[int],
        jobs: int,
        live: Live,
        stop: Stop,
        cluster: str | None = None,
        nursery: Nursery | None = None,
    ) -> None:
        """Adds results to the gradebook and the outcome as they arrive."""
        wanted = (submissions[place] for place in due)
        if cluster is None:
            replies = grade_all(wanted, self._settings, jobs, live.started, nursery)
        else:
            from grader.grading.cluster import grade_on_cluster  # with Dask, which is an extra

            replies = grade_on_cluster(wanted, self._settings, cluster, live.started)
        try:
            for submission, reply in stop.over(replies):
                results = reply.get("results")
                if results is None:
                    self._outcome.faults += 1
                    settings = self._settings
                    results = fault_results(submission, self._lessons, settings.seed, reply["fault"], settings.left_out)
                # a file changed between two readings: the result is of what nobody has a key for
                sound = "results" in reply and results["submission_sha256"] == submission.sha256
                self._gradebook.add(key(self._conditions, submission) if sound else "", results)
                self._outcome.results.add(results)
                live.result(results)
        except KeyboardInterrupt:
            self._outcome.stopped = True


def write_class(
    out: Path,
    graded: Sequence[Mapping[str, Any]],
    lessons: Sequence[Lesson],
    attendance: Attendance | None = None,
    left_out: Sequence[str] = (),
) -> None:
    """grades.csv and index.html over all students, those of the roster who handed in nothing as well.

    Raises OutputError.
    """
    highest = number(sum(lesson.max_score for lesson in lessons))
    further = without_results(attendance, highest) if attendance else []
    results = sorted([*graded, *further], key=lambda result: result["student"].lower()) if further else graded
    remarks = attendance.remarks if attendance else ()
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(csv_rows(results, attendance))
    try:
        write_whole(out / "grades.csv", text.getvalue())
        write_whole(out / "index.html", Reporter(lessons).class_page(results, remarks, left_out))
    except OSError as error:
        raise unwritable(out, error) from error
