"""`grade run --format`: results in other programs' formats, as files next to a student's reports.

Gradescope's results.json has a test for each row (https://gradescope-autograders.readthedocs.io/en/latest/specs/).
JUnit XML is what Ant wrote, and Jenkins, GitLab and others read: a suite for each lesson, a case for each row. A wrong
value is a failure, a line that raised (or hung, crashed, was not allowed) an error, one not written is skipped.
Elements and attributes are those of https://github.com/windyroad/JUnit-Schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.guarded import plain_results, rendered
from grader.publish.inert import inert
from grader.publish.report.decisions import sentences_about
from grader.publish.templates import page_templates
from grader.publish.view import RowView, lesson_view
from grader.results import (
    BROKEN_STATUSES,
    UNWRITTEN,
    SubmissionResult,
    number,
    points_in_words,
    points_text,
    read_results,
)

FORMATS: Final = ("gradescope", "github", "junit", "classroom50")


def counted_rows(results: SubmissionResult) -> Iterator[tuple[str, str, RowView]]:
    """(name, number, row) of each row that counts: `04_small: dh` is `04.3`."""
    for lesson in results.lessons:
        for place, line in enumerate(lesson_view(lesson).every, 1):
            if line.row.counted:
                yield f"{lesson.name}: {line.row.name}", f"{lesson.name.partition('_')[0]}.{place}", line


def not_graded(results: SubmissionResult) -> Iterator[tuple[str, str]]:
    """(what, why) for a submission or a lesson of it that was not graded."""
    if results.status not in ("graded", "unclear"):
        yield "The submission", inert(results.message or results.status)
        return
    for lesson in results.lessons:
        if lesson.status != "graded":
            yield lesson.name, inert(lesson.message or lesson.status)


def gradescope_json(results: SubmissionResult, maximum: float | None = None) -> str:
    """The text of Gradescope's results.json for one submission, with points scaled to `maximum`.

    What run_autograder prints is hidden. The results hold no seed and no path of the grader.
    """
    factor = 1.0 if maximum is None or not results.max_score else maximum / results.max_score
    data: dict[str, Any] = {
        "score": number(results.score * factor),
        "execution_time": round(results.seconds),
        "output": "\n\n".join(gradescope_overview(results, factor)),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": name,
                "number": place,
                "score": number(line.row.points * factor),
                "max_score": number(line.row.max_points * factor),
                "status": "passed" if line.row.status == "passed" else "failed",
                "output": inert(line.explanation),
                "output_format": "text",
            }
            for name, place, line in counted_rows(results)
        ],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def gradescope_overview(results: SubmissionResult, factor: float) -> Iterator[str]:
    if results.status != "unclear":
        yield f"{points_text(results.score * factor)} of {points_in_words(results.max_score * factor)}."
    yield from map(inert, sentences_about(results))
    if results.is_partly_counted:
        yield inert(f"Counted: {results.counted_parts()}.")
    yield from (f"{what} was not graded: {why}" for what, why in not_graded(results))
    for lesson in results.lessons:
        if lesson.status == "graded" and lesson.message:
            yield f"{lesson.name}: {inert(lesson.message)}"


def junit_xml(results: SubmissionResult, when: datetime | None = None) -> str:
    """The results of one submission. `when` they were written is given to the second, in UTC."""
    time = (when or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    tags = dict.fromkeys(UNWRITTEN, "skipped") | dict.fromkeys(BROKEN_STATUSES, "error")
    tags |= {"failed": "failure", "shape": "failure"}
    parts = map(lesson_view, results.lessons)
    suites = [(part.results, [(tags.get(line.row.status, ""), line) for line in part.every]) for part in parts]
    template, student = page_templates(inert).get_template("export/junit.xml.jinja"), " ".join(results.student.split())
    return template.render(student=student, suites=suites, time=time) + "\n"


EXPORT_FILES: Mapping[str, tuple[str, Callable[[SubmissionResult], str]]] = {
    "gradescope": ("gradescope.json", gradescope_json),
    "junit": ("junit.xml", junit_xml),
}
"""{format: (the file in a student's folder, what writes its text)}"""


def write_formats(out: Path, students: Iterable[str], formats: Sequence[str]) -> dict[str, str]:
    """Each format's file in each student's folder, from the results.json there. Raises OutputError.

    Gives {student: why} of those whose file has the points only, or is missing, because making it failed.
    """
    failed = dict[str, str]()
    chosen = [EXPORT_FILES[name] for name in dict.fromkeys(formats) if name in EXPORT_FILES]
    for student in students if chosen else ():
        results = read_results(out / student)  # none after a fault of the grader, which must not become a zero
        for name, write in chosen if results else ():
            assert results is not None
            path = out / student / name
            text, faults = export_of(results, write)
            with output_errors(path):
                path.unlink(missing_ok=True) if text is None else write_whole(path, text)
            failed |= {student: faults[0]} if faults else {}
    return failed


def export_of(results: SubmissionResult, write: Callable[[SubmissionResult], str]) -> tuple[str | None, list[str]]:
    """(what `write` gives, or of the points only, or None; why it is not all: see gradebook.guarded)."""
    faults = list[str]()
    text = rendered(
        lambda found: write(found[0]) if found else None, [results], plain_results, lambda _, why: faults.append(why)
    )
    return text, faults


def with_figures(out: Path, result: SubmissionResult) -> SubmissionResult:
    """The results in OUT: those of a class lack what only a student's own pages show."""
    return read_results(out / result.student) or result
