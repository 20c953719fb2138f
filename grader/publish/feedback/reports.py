"""The reports in OUT that may go back to a student: complete, current, and certainly this student's."""

from __future__ import annotations

from pathlib import Path

from grader.results import SubmissionResult, read_results

HTML, MARKDOWN = "report.html", "report.md"


class NoFeedback(Exception):
    """Why a student gets nothing back now; the text completes the sentence `NAME: ...`."""


def report_files(out: Path, results: SubmissionResult) -> dict[str, bytes]:
    """{file name: content} of a student's reports. `results` are the current ones. Raises NoFeedback.

    The report of a lesson that an earlier attempt decides has the lesson's name in its own.
    """
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
            for lesson in results.earlier or ():
                if (path := folder / lesson / name).is_file():
                    files[f"{path.stem}-{lesson}{path.suffix}"] = path.read_bytes()
    except OSError as error:
        raise NoFeedback(f"{error.filename} cannot be read ({error.strerror})") from error
    return files


def require_score(results: SubmissionResult) -> None:
    """Raise NoFeedback for a student without a score, where a platform has no report without one."""
    if results.excused is not None:
        raise NoFeedback("the student is excused, so there is no score")


def markdown_of(files: dict[str, bytes]) -> str:
    """All of a student's Markdown reports, one below the other."""
    texts = [content.decode("utf-8", "replace") for name, content in files.items() if name.endswith(".md")]
    return "\n\n".join(texts)
