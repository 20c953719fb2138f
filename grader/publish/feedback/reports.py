"""The reports in OUT that may go back to a student, and what a mail or a comment says about them in one line.

A report is complete, current, and certainly this student's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.guarded import fault_text
from grader.intake.submissions.roster import Roster
from grader.publish.export.marks import Marks, as_csv
from grader.publish.inert import inert
from grader.publish.view import RowView
from grader.results import LessonResult, Row, SubmissionResult, number, points_in_words, points_text, read_results
from grader.results.wording import listed

HTML, MARKDOWN = "report.html", "report.md"


class NoFeedback(Exception):
    """Why a student gets nothing back now; the text completes the sentence `NAME: ...`."""


@contextmanager
def for_one_student() -> Iterator[None]:
    """Turn a fault in what is made for one student into NoFeedback: all others get theirs."""
    try:
        yield
    except (UserError, NoFeedback, OSError):
        raise
    except Exception as error:
        raise NoFeedback(f"it could not be made, which is a fault of the grader ({fault_text(error)})") from error


@for_one_student()
def report_files(out: Path, results: SubmissionResult) -> dict[str, bytes]:
    """{file name: content} of a student's report. `results` are the current ones. Raises NoFeedback."""
    if results.status == "error":
        raise NoFeedback("the submission could not be graded, so there is no report")
    folder = out / results.student
    reported = read_results(folder)
    if reported is None or reported.student != results.student:
        raise NoFeedback(f"{folder} has no report")
    current = {lesson.name: lesson.score for lesson in results.lessons}
    if any(current.get(lesson.name, lesson.score) != lesson.score for lesson in reported.lessons):
        raise NoFeedback(f"the report in {folder} is older than the score, so publish it again with `grade run`")
    files: dict[str, bytes] = {}
    try:
        for name in (HTML, MARKDOWN):
            files[name] = (folder / name).read_bytes()
    except OSError as error:
        raise NoFeedback(f"{error.filename} cannot be read ({error.strerror})") from error
    return files


def require_score(results: SubmissionResult) -> None:
    """Raise NoFeedback for a student without a score, where a platform has no report without one."""
    if results.excused is not None:
        raise NoFeedback("the student is excused, so there is no score")
    if results.status == "unclear":
        raise NoFeedback("nothing says when it was submitted, so there is no score yet")


def markdown_of(files: dict[str, bytes]) -> str:
    """All of a student's Markdown reports, one below the other."""
    texts = [content.decode("utf-8", "replace") for name, content in files.items() if name.endswith(".md")]
    return "\n\n".join(texts)


MAX_STUDENTS_NAMED = 8


@for_one_student()
def one_line_summary(results: SubmissionResult) -> str:
    """The points, what is not right yet, and what people wrote about the submission. Raises NoFeedback."""
    sentences = [
        f"{points_text(results.score)} of {points_in_words(results.max_score)} ({points_text(results.percent)} %)."
    ]
    if results.status == "unclear":
        sentences = [results.message or "Not decided."]
    elif results.status == "nothing":
        sentences = ["Nothing was submitted."]
    elif results.status != "graded":
        sentences.append(results.message or f"The submission was {results.status}.")
    else:
        absent = [lesson.name for lesson in results.lessons if lesson.status != "graded"]
        wrong = [
            f"{row.name} ({RowView(row).word})"
            for lesson in results.lessons
            if lesson.status == "graded"
            for row in lesson.rows
            if row.counted and row.status != "passed"
        ]
        if absent:
            sentences.append(f"Not submitted, or not readable: {listed(absent, MAX_STUDENTS_NAMED)}.")
        if wrong:
            sentences.append(f"Not right yet: {listed(wrong, MAX_STUDENTS_NAMED)}.")
    return " ".join(inert(" ".join([*sentences, *decision_sentences(results)])).split())


def decision_sentences(results: SubmissionResult) -> Iterator[str]:
    """What people decided and wrote, and what lateness cost."""
    parts: list[tuple[str, SubmissionResult | LessonResult | Row]] = [("This submission", results)]
    for lesson in results.lessons:
        parts += [(lesson.name, lesson), *((f"{lesson.name}.{row.name}", row) for row in lesson.rows)]
    for name, part in parts:
        if not isinstance(part, Row) and part.late is not None and part.late.is_known and part.late.cost:
            yield f"{name} was late: {points_in_words(part.late.cost)} less."
        if isinstance(part, LessonResult) and part.demanded_defence is not None and part.demanded_defence.cost:
            yield f"{name} has no sufficient defence: {points_in_words(part.demanded_defence.cost)} less."
        if part.excused is not None:
            yield f"{name} is excused: {part.excused.reason}"
        if part.adjustment is not None:
            yield f"{name} was set to {points_in_words(part.adjustment.points)}: {part.adjustment.reason}"
        yield from (f"{comment.author}: {comment.text}" for comment in part.comments or ())


MAIL_MERGE_COLUMNS = ("email", "name", "id", "score", "maximum", "percent", "summary", "report")


def mailmerge_csv(out: Path, roster: Roster, marks: Marks, reports: Path | None = None) -> tuple[str, list[str]]:
    """(the text of the file, a sentence for each member of the roster with results who is not in it).

    Points and maximum are the student's own, as in the report. `reports` is the folder with a copy of OUT's reports to
    which the file refers.
    """
    rows, remarks = [list(MAIL_MERGE_COLUMNS)], []
    for member in roster.members:
        results = marks.results.get(member.student)
        if results is None:
            continue  # `marks.remarks` names them
        try:
            if not member.email:
                raise NoFeedback("the roster has no e-mail address")
            report_files(out, results)
            summary = one_line_summary(results)
        except NoFeedback as reason:
            remarks.append(f"{member.name} is not in the file: {reason}.")
            continue
        figures = [f"{number(value)}" for value in (results.score, results.max_score, results.percent)]
        if results.status == "unclear":
            figures[0] = figures[2] = ""
        report = ((reports or out) / results.student / HTML).resolve()
        rows.append([member.email, member.name, member.id, *figures, summary, str(report)])
    return as_csv(rows), remarks
