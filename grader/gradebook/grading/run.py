"""`grade run`: from submissions to verdicts on disk; what was graded before and has not changed is left as it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from grader.gradebook.belonging import Belonging
from grader.gradebook.class_results import ClassResults
from grader.gradebook.current import NOT_GRADED, lessons_of
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import (
    FILES,
    RESULTS,
    drop_report,
    only_run,
    replace_report,
    results_text,
    unwritable,
    write_files,
    write_whole,
)
from grader.gradebook.files import OutputError as OutputError
from grader.gradebook.grading.batch import grade_all
from grader.gradebook.grading.graded import VERSION, Graded, environment
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.stop import Stop, stopping_at_signals
from grader.gradebook.keys import conditions, key
from grader.intake.submissions.roster import Attendance
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.publish.report.classroom import csv_rows, incomplete, without_results
from grader.publish.report.pages import Reporter
from grader.publish.report.scores import number
from grader.sandbox.isolation.probe import at_least
from grader.sandbox.workers.forked import Nursery


class Live(Protocol):
    """Who is told how a run goes on. `started` may be called from any thread."""

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: dict[str, Any]) -> None: ...


@dataclass
class Outcome:
    """`results` are those of this run, in order of name: `kept` of them from earlier runs.

    `reasons` are {student: why nothing could be graded, a reason of ours}; `class_size` counts everybody in the book.
    """

    results: ClassResults = field(default_factory=ClassResults)
    reasons: dict[str, str] = field(default_factory=dict)
    class_size: int = 0
    kept: int = 0
    stopped: bool = False

    @property
    def faults(self) -> int:
        return len(self.reasons)

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
        NOT_GRADED: [{"name": lesson.name, "max_score": number(lesson.max_score)} for lesson in lessons],
        "left_out": list(left_out),
    }


def without_score(results: Mapping[str, Any]) -> Graded:
    """What a student may read in place of an earlier report, after a run that could not grade them."""
    message = (
        "Your submission could not be graded, for a reason that is not yours. Your instructor will run the grader "
        "again; until then, no earlier score counts."
    )
    return Graded({**results, "message": message})


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
    belonging: Belonging | None = None,
    only_these: bool = False,
    other_names: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Outcome:
    """Grades what is new or changed (with `fresh` all) and writes OUT as results arrive.

    By `jobs` processes here, or by the workers of the Dask scheduler at `cluster`. A signal to stop leaves everything
    finished on disk. `submissions` are read as they are needed, twice where there was an earlier run. A `nursery` may
    have been started already. Raises OutputError, and with a cluster cluster.ClusterError.
    """
    out = Path(settings.out)
    with only_run(out), stopping_at_signals() as stop:
        gradebook = Gradebook(out / GRADEBOOK)
        outcome = Outcome()
        course = lessons if belonging is None else [*belonging.course.lessons.values()]
        try:
            if belonging is not None:
                belonging.check(out, gradebook, submissions, lessons, fresh)
                gradebook.describe(belonging.entries(lessons))
            run = Run(gradebook, lessons, settings, outcome, course)
            due = list(range(len(submissions))) if fresh else run.keep_what_stands(submissions)
            outcome.kept = len(outcome.results)
            live.planned(len(due), outcome.kept)
            if due:
                run.grade(submissions, due, min(jobs, len(due)), live, stop, cluster, nursery)
        finally:
            try:
                if outcome.results:
                    own = {result["student"] for result in outcome.results}
                    for student in own & other_names.keys():
                        gradebook.rename(student, set(other_names[student]) - own)
                    write_views(out, gradebook, outcome, lessons, settings, attendance, only_these, course)
            finally:
                gradebook.close()
    return outcome


class Run:
    """One run over a gradebook: what stands from before, and what is graded now."""

    def __init__(
        self,
        gradebook: Gradebook,
        lessons: Sequence[Lesson],
        settings: Settings,
        outcome: Outcome,
        course: Sequence[Lesson],
    ) -> None:
        self._course = course
        self._gradebook, self._lessons, self._settings, self._outcome = gradebook, lessons, settings, outcome
        self._conditions = conditions(lessons, settings)

    def keep_what_stands(self, submissions: Sequence[Submission]) -> list[int]:
        """Adds the results that stand from an earlier run; gives the places of the submissions that are due."""
        known = {(student, key): attempt for student, key, attempt in self._gradebook.attempts() if key}
        if not known:
            return list(range(len(submissions)))
        latest = {student: attempt for student, _, attempt in self._gradebook.attempts()}
        due = []
        for place, submission in enumerate(submissions):
            attempt = known.get((submission.student, key(self._conditions, submission)))
            results = None if attempt is None else self._gradebook.results(attempt)
            if attempt is None or results is None or not self._stands(results, attempt, latest[submission.student]):
                due.append(place)
            else:
                self._outcome.results.add(results)
        return due

    def _stands(self, results: dict[str, Any], attempt: int, latest: int) -> bool:
        """Whether no later attempt graded any of its lessons, the student's folder tells this result, and it was
        reached with enough isolation."""
        folder = Path(self._settings.out) / results["student"]
        names = lessons_of(results)
        if attempt != latest:
            later = self._gradebook.attempts_of(results["student"], after=attempt)
            if any(each["status"] == "error" and NOT_GRADED not in each for each in later):
                return False  # of an earlier version, which did not say which lessons failed
            if any(not names.isdisjoint(lessons_of(each)) for each in later):
                return False
        found = told_by(folder) == results
        if attempt != latest and not found:
            parts = [lesson for lesson in results["lessons"] if lesson["status"] != "missing"]
            found = all(told_by(folder / part["name"]) == only(results, part) for part in parts)
        return found and at_least(results["isolation"], self._settings.require)

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
        wanted = self._making_room(submissions, due)
        if cluster is None:
            replies = grade_all(wanted, self._settings, jobs, live.started, nursery)
        else:
            from grader.gradebook.grading.cluster import grade_on_cluster  # with Dask, which is an extra

            replies = grade_on_cluster(wanted, self._settings, cluster, live.started)
        try:
            for submission, reply in stop.over(replies):
                results = reply.get("results")
                if results is None:
                    self._outcome.reasons[submission.student] = reply["fault"]
                    settings = self._settings
                    results = fault_results(submission, self._lessons, settings.seed, reply["fault"], settings.left_out)
                    self._take_back(results)
                # a file changed between two readings: the result is of what nobody has a key for
                sound = "results" in reply and results["submission_sha256"] == submission.sha256
                self._gradebook.add(key(self._conditions, submission) if sound else "", results)
                self._outcome.results.add(results)
                live.result(results)
        except KeyboardInterrupt:
            self._outcome.stopped = True

    def _making_room(self, submissions: Sequence[Submission], due: Sequence[int]) -> Iterator[Submission]:
        """The submissions that are due; before each, reports of lessons that keep their result move aside.

        Graders take from the iterator in their own threads, where the gradebook cannot be read.
        """
        known = {student for student, _, _ in self._gradebook.attempts()}
        return (self._with_room(submissions[place], known) for place in due)

    def _with_room(self, submission: Submission, known: Collection[str]) -> Submission:
        if submission.student in known:
            folder = Path(self._settings.out) / submission.student
            graded = {lesson.name for lesson in self._lessons if contains(submission, lesson.name)}
            self._move_aside(folder, graded)
            for name in graded:
                drop_report(folder, name)
        return submission

    def _move_aside(self, folder: Path, graded: Collection[str]) -> None:
        """Keeps what the present report says about other lessons than `graded`, each in a folder of its own.

        The report of several lessons is written anew for each, without pictures and quoted lines.
        """
        results = told_by(folder) or {"lessons": []}
        for lesson in results["lessons"]:
            if lesson["name"] in graded or lesson["status"] == "missing":
                continue
            if len(results["lessons"]) == 1:
                texts = {name: (folder / name).read_text(encoding="utf-8", errors="replace") for name in FILES}
            else:
                alone, reporter = Graded(only(results, lesson)), Reporter(self._course)
                pages = (reporter.student_page(alone), reporter.student_markdown(alone))
                texts = dict(zip(FILES, (results_text(alone.results), *pages), strict=True))
            write_files(folder / lesson["name"], texts)

    def _take_back(self, results: Mapping[str, Any]) -> None:
        """An earlier report, which says what no longer counts, gives way to a page that says so."""
        folder = Path(self._settings.out) / results["student"]
        if folder.is_dir():
            page, reporter = without_score(results), Reporter(self._lessons)
            pages = (reporter.student_page(page), reporter.student_markdown(page))
            replace_report(folder, dict(zip(FILES[1:], pages, strict=True)))


def told_by(folder: Path) -> dict[str, Any] | None:
    """The results.json in a folder that holds all of FILES; else None."""
    try:
        written = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return written if isinstance(written, dict) and all((folder / name).is_file() for name in FILES) else None


def only(results: Mapping[str, Any], lesson: Mapping[str, Any]) -> dict[str, Any]:
    """The results of one lesson of several."""
    return {**results, "score": lesson["score"], "max_score": lesson["max_score"], "lessons": [lesson]}


def contains(submission: Submission, lesson: str) -> bool:
    """Whether the submission is judged on the lesson, and not found to be without it."""
    handed = submission.lessons.get(lesson)
    return submission.message is not None or handed is None or not handed.nothing


def write_views(
    out: Path,
    gradebook: Gradebook,
    outcome: Outcome,
    lessons: Sequence[Lesson],
    settings: Settings,
    attendance: Attendance | None,
    only_these: bool,
    course: Sequence[Lesson],
) -> None:
    """grades.csv and index.html, from the gradebook's current results. Raises OutputError."""
    own = {result["student"] for result in outcome.results}
    everybody, counted, names = ClassResults(), {lesson.name for lesson in lessons}, set()
    for result in gradebook.current():
        outcome.class_size += 1
        if not only_these:
            everybody.add(result)
            names |= {lesson["name"] for lesson in result["lessons"]}
    shown = [lesson for lesson in course if lesson.name in names | counted]
    left_out = [name for name in settings.left_out if name not in names]
    write_class(out, outcome.results if only_these else everybody, shown, attendance, left_out, own)


def write_class(
    out: Path,
    graded: Sequence[Mapping[str, Any]],
    lessons: Sequence[Lesson],
    attendance: Attendance | None = None,
    left_out: Sequence[str] = (),
    own: Collection[str] | None = None,
) -> None:
    """grades.csv and index.html over all students, those of the roster who handed in nothing as well.

    `own` are the students of this run, where `graded` has others, too. Raises OutputError.
    """
    highest = number(sum(lesson.max_score for lesson in lessons))
    known = {result["student"] for result in graded} if attendance else set()
    further = without_results(attendance, highest) if attendance else []
    further = [result for result in further if result["student"] not in known]
    results = sorted([*graded, *further], key=lambda result: result["student"].lower()) if further else graded
    remarks, missing = attendance.remarks if attendance else (), incomplete(graded)
    if own is not None and (others := len(graded) - sum(result["student"] in own for result in graded)):
        missing.append(f"{others} of {len(graded)} students were not in the last run: their results are from before.")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(csv_rows(results, attendance))
    try:
        write_whole(out / "grades.csv", text.getvalue())
        write_whole(out / "index.html", Reporter(lessons).class_page(results, remarks, left_out, missing))
    except OSError as error:
        raise unwritable(out, error) from error
