"""OUT's files, written from the gradebook: a student's folder, the class page, grades.csv."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.gradebook.database import Gradebook
from grader.gradebook.files import STUDENT_FILES, holds_report, output_errors, write_files, write_pages
from grader.gradebook.grading.graded import ClassFacts, GradedSubmission, Publisher, sources_of
from grader.gradebook.guarded import NO_REPORT, guarded_pages
from grader.intake.submissions.roster import Attendance, Roster
from grader.lesson.lesson import Lesson
from grader.results import RESULTS_FILE, Row, SubmissionResult, number, points_text, read_results
from grader.typed_json import from_json, to_json

NO_SCORE = (
    "Your submission could not be graded, for a reason that is not yours. Your instructor will run the grader "
    "again; until then, no earlier score counts."
)
NO_FIGURES: dict[str, Any] = dict.fromkeys(("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape"))


def reported_in(folder: Path) -> SubmissionResult | None:
    """The results in a student's folder that holds all of STUDENT_FILES; else None."""
    return read_results(folder) if all((folder / name).is_file() for name in STUDENT_FILES) else None


ROSTER_ENTRY, ATTENDANCE_ENTRY, LEFT_OUT_ENTRY = "class", "attendance", "left out"
"""Names under which a run keeps what later commands need to write the same pages."""


def roster_in(gradebook: Gradebook) -> Roster | None:
    """The class's list that a run was given last."""
    found: Roster | None = from_json(Roster | None, json.loads(gradebook.kept(ROSTER_ENTRY) or "null"))
    return found


class Views:
    """Writes what OUT shows of a gradebook. Every method raises OutputError where it cannot.

    Attributes:
        plain: {student: why} of those whose report is plain, or whose row in the class's pages, after `write_class`.
    """

    def __init__(self, out: Path, gradebook: Gradebook, publisher: Publisher) -> None:
        self._out, self._gradebook, self._publisher = out, gradebook, publisher
        self._plain_reports: dict[str, str] = {}
        self.plain: dict[str, str] = {}

    def write_student(self, student: str, results: SubmissionResult | None = None) -> None:
        """Write the student's folder: one report of all `results`, which are the current ones.

        It is out of date from the start if it is plain, or results cannot be read: the next command tries again.
        """
        self._plain_reports.pop(student, None)
        results = results or self._gradebook.current_of(student)
        folder = self._out / student
        if results.status == "error":
            if holds_report(folder):  # its score no longer counts
                graded = GradedSubmission(replace(results, lessons=[], message=NO_SCORE))
                write_files(folder, guarded_pages(NO_SCORE, lambda: self._publisher.student_pages(graded, {}))[0])
        elif results.status != "nothing":
            plain = f"{points_text(results.score)} of {points_text(results.max_score)} points. {NO_REPORT}"
            pages, why = guarded_pages(plain, lambda: self._publisher.student_pages(*self._with_extras(results)))
            write_files(folder, {RESULTS_FILE: results.to_text(), **pages})
            if why:
                self._plain_reports[student] = why
        if student in self._plain_reports or student in self._gradebook.unread:
            self._gradebook.mark_stale([student])
        else:
            self._gradebook.mark_written(student)

    def write_stale(self) -> None:
        """Write the folders that are out of date."""
        for student in self._gradebook.stale():
            self.write_student(student)

    def write_class(
        self, course: Iterable[Lesson], present: Collection[str] | None = None, only_present: bool = False
    ) -> list[SubmissionResult]:
        """Write index.html and grades.csv, with the roster that the latest run had; returns everybody's results.

        `present` are the students of this run; with `only_present` the pages show no others.
        """
        everybody, assignment = reduced_results(self._gradebook.current()), self._gradebook.assignment()
        results = [each for each in everybody if not only_present or each.student in (present or ())]
        graded = {part.name for result in results for part in (*result.lessons, *(result.not_graded or ()))}
        left_out = [name for name in json.loads(self._gradebook.kept(LEFT_OUT_ENTRY) or "[]") if name not in graded]
        worth = sum(lesson.max_score for lesson in course if lesson.name in graded)
        worth = worth if assignment is None else assignment.points
        self.plain = dict(self._plain_reports)
        attendance = from_json(Attendance | None, json.loads(self._gradebook.kept(ATTENDANCE_ENTRY) or "null"))
        facts = ClassFacts(attendance, left_out, present, number(worth))
        pages = self._publisher.class_pages(results, facts, self.plain)
        with output_errors(self._out):
            write_pages(self._out, pages)
        return everybody

    def keep_class(self, attendance: Attendance | None, left_out: Sequence[str]) -> None:
        """Remember what the latest run knows about the class."""
        self._gradebook.keep(ATTENDANCE_ENTRY, json.dumps(to_json(attendance)))
        self._gradebook.keep(LEFT_OUT_ENTRY, json.dumps(list(left_out)))

    def _with_extras(self, results: SubmissionResult) -> tuple[GradedSubmission, dict[str, str]]:
        """(the results with what only a report shows, {lesson: the graded file}), each lesson's from its attempt."""
        graded, sources = GradedSubmission(results), dict[str, str]()
        lessons_of: dict[int, list[str]] = {}
        for lesson in results.lessons:
            if lesson.from_attempt is not None:
                lessons_of.setdefault(lesson.from_attempt, []).append(lesson.name)
        for place, names in lessons_of.items():
            attempt = self._gradebook.attempt(place)
            extras, files = self._gradebook.extras(attempt), sources_of(self._gradebook.submission(attempt))
            sources |= {name: files[name] for name in names if name in files}
            for kind in ("pictures", "printed", "shown"):
                getattr(graded, kind).update({n: each for n, each in extras.get(kind, {}).items() if n in names})
            graded.texts |= extras.get("texts", {})
        return graded, sources


def reduced_results(every: Iterable[SubmissionResult]) -> list[SubmissionResult]:
    """The results of each student, in order of name, without what only a student's own pages show.

    That is figures, shapes, the lessons' times, seed and environment. Equal rows are one shared object: do not change
    them.
    """
    found, shared = list[SubmissionResult](), dict[str, Row]()
    for results in every:
        lessons = []
        for lesson in results.lessons:
            rows = [replace(row, **NO_FIGURES, expected_shape=[]) for row in lesson.rows]
            lessons.append(replace(lesson, seconds=0, rows=[shared.setdefault(repr(row), row) for row in rows]))
        found.append(replace(results, submission_sha256="", seed=0, environment={}, lessons=lessons))
    return sorted(found, key=lambda each: each.student.lower())
