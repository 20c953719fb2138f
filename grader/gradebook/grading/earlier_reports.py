"""The reports that earlier runs left in a student's folder: kept for lessons that this run does not grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grader.gradebook.current import graded_lessons
from grader.gradebook.files import FILES, drop_report, replace_report, write_files
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.publisher import Publisher
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.results import RESULTS, SubmissionResult, read_results

NO_SCORE = (
    "Your submission could not be graded, for a reason that is not yours. Your instructor will run the grader "
    "again; until then, no earlier score counts."
)


def reported_in(folder: Path) -> SubmissionResult | None:
    """The results in a student's folder that holds all of FILES; else None."""
    return read_results(folder) if all((folder / name).is_file() for name in FILES) else None


def is_superseded(results: SubmissionResult, later: Sequence[SubmissionResult]) -> bool:
    """Whether a `later` attempt graded any lesson of `results`."""
    names = graded_lessons(results)
    return any(names & graded_lessons(attempt) for attempt in later)


def are_reported(results: SubmissionResult, folder: Path, is_latest: bool) -> bool:
    """Whether the student's folder reports the results."""
    if reported_in(folder) == results:
        return True
    present = [lesson for lesson in results.lessons if lesson.status != "missing"]
    return not is_latest and all(reported_in(folder / lesson.name) == results.only(lesson) for lesson in present)


def move_earlier_report(folder: Path, submission: Submission, lessons: Sequence[Lesson], publisher: Publisher) -> None:
    """Keep what the present report says about lessons that are not graded now, each in a folder of its own.

    The report of several lessons is written anew for each, without pictures and quoted lines. Raises OutputError.
    """
    graded = {lesson.name for lesson in lessons if is_judged_on(submission, lesson.name)}
    results = reported_in(folder)
    for lesson in results.lessons if results else ():
        if lesson.name in graded or lesson.status == "missing":
            continue
        assert results is not None
        if len(results.lessons) == 1:
            texts = {name: (folder / name).read_text(encoding="utf-8", errors="replace") for name in FILES}
        else:
            alone = results.only(lesson)
            texts = {RESULTS: alone.to_text(), **publisher.student_pages(GradedSubmission(alone), {})}
        write_files(folder / lesson.name, texts)
    for name in graded:
        drop_report(folder, name)


def is_judged_on(submission: Submission, lesson: str) -> bool:
    """Whether the submission is judged on the lesson, and not found to be without it."""
    submitted = submission.lessons.get(lesson)
    return submission.message is not None or submitted is None or not submitted.nothing


def withdraw_report(folder: Path, results: SubmissionResult, publisher: Publisher) -> None:
    """Replace an earlier report, whose score no longer counts, by a page that says so. Raises OutputError."""
    if folder.is_dir():
        replace_report(folder, publisher.student_pages(GradedSubmission(replace(results, message=NO_SCORE)), {}))
