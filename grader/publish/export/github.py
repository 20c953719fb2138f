"""GitHub Actions: annotations at the student's file and line, the job's summary, and GitHub Classroom's result.

Nothing that a student wrote becomes a workflow command: commands are stopped while anything else is printed, and what
is part of the grader's own text is escaped. https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.publish.export.rows import counted_rows, not_graded
from grader.publish.inert import inert, without_ci_commands
from grader.publish.view import lesson_view
from grader.results import SubmissionResult, points_in_words, points_text
from grader.results.wording import first_names

MAX_ANNOTATIONS = 10  # of a kind in a step; GitHub drops the rest
MAX_ANNOTATION_CHARACTERS = 4_000
SUMMARY_BYTES = 1 << 20  # of a step; a larger summary is dropped as a whole
CUT = "\n\n*The rest is left out: a job summary holds 1 MiB.*\n"

Say = Callable[[str], object]


@dataclass(frozen=True)
class Annotation:
    """An annotation. `file` is inside the submission, None where there is none to point to."""

    title: str
    text: str
    file: str | None = None
    line: int | None = None


def escape(text: str) -> str:
    """As the text of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """As a property of a command."""
    return escape(text).replace(":", "%3A").replace(",", "%2C")


@contextmanager
def without_workflow_commands(say: Say) -> Iterator[None]:
    """While nothing that is printed is a workflow command: only who knows the token can start them again."""
    token = secrets.token_hex(16)
    say(f"::stop-commands::{token}")
    try:
        yield
    finally:
        say(f"::{token}::")


def annotations_of(results: SubmissionResult) -> list[Annotation]:
    """What is wrong, with one annotation for rows that have the same message about the same line."""
    annotated = [Annotation(f"{what}: not graded", why) for what, why in not_graded(results)]
    for lesson in results.lessons:
        for group in lesson_view(lesson).groups:
            line = group[0]
            if line.is_wrong:
                title = f"{first_names([each.row.name for each in group], 4)}: {line.word}"
                annotated.append(Annotation(title, inert(line.message) or title, line.row.file, line.row.line))
    return annotated


def error_command(annotation: Annotation, place: str | None) -> str:
    """`place` is the note's file, relative to the repository."""
    properties = {"title": inert(annotation.title)}
    if place is not None:
        properties = {"file": place} | properties
        if annotation.line is not None and not place.endswith(
            ".ipynb"
        ):  # its lines are JSON's; the text names the cell
            properties = {"file": place, "line": str(annotation.line), **properties}
    written = ",".join(f"{name}={escape_property(text)}" for name, text in properties.items())
    return f"::error {written}::{escape(annotation.text[:MAX_ANNOTATION_CHARACTERS])}"


def error_commands(results: Iterable[SubmissionResult], paths: Mapping[str, Path], workspace: Path) -> Iterator[str]:
    """MAX_ANNOTATIONS at most. `paths` are {student: the submission's folder, or the file itself}."""
    every = [(result.student, annotation) for result in results for annotation in annotations_of(result)]
    for student, annotation in every[:MAX_ANNOTATIONS]:
        yield error_command(annotation, path_in_repository(paths.get(student), annotation.file, workspace))
    if len(every) > MAX_ANNOTATIONS:
        yield f"::notice title=Not shown here::{len(every) - MAX_ANNOTATIONS} more, see the job's summary."


def below_command(results: SubmissionResult, bound: float) -> str:
    """What a failed job says: functions that are not written yet have no annotation of their own."""
    points = f"{points_text(results.score)} of {points_in_words(results.max_score)}"
    return error_command(
        Annotation(
            f"Under {bound:g} %",
            f"{inert(results.student)} has {points}, and this job needs {bound:g} %. The job's summary says what to do "
            "next.",
        ),
        None,
    )


def path_in_repository(submission: Path | None, file: str | None, workspace: Path) -> str | None:
    """A submission's file relative to the repository; None where it is not in it, or in an archive."""
    if submission is None or file is None:
        return None
    path = (submission / file if submission.is_dir() else submission).resolve()
    if not path.is_file() or path.name != Path(file).name:
        return None
    try:
        return inert(path.relative_to(workspace.resolve()).as_posix())
    except ValueError:
        return None


def append_summary(summary: Path, reports: Iterable[str]) -> None:
    """Appends reports in Markdown, whole lines and never more than GitHub takes. Raises OSError."""
    room = SUMMARY_BYTES - (summary.stat().st_size if summary.exists() else 0)
    text = "\n\n".join(reports).encode("utf-8", "replace")
    if len(text) > room:
        kept = max(0, room - len(CUT.encode()))
        text = text[:kept].rpartition(b"\n")[0] + CUT.encode() if kept else b""
    with summary.open("ab") as file:
        file.write(text)


MAX_OF_A_RESULT = 100_000
"""It travels to the reporter in an environment variable, of which Linux takes 128 KiB."""
MESSAGE_LENGTHS = (600, 120, 0)


def classroom(results: SubmissionResult, message_length: int) -> dict[str, Any]:
    tests = [
        {
            "name": f"{lesson}: {line.row.name}",
            "status": "pass" if line.row.status == "passed" else "fail",
            "score": line.row.points,
            "max_score": line.row.max_points,
            # the reporter prints messages as they are: none may begin a line of its own, or look like a command
            "message": without_ci_commands(" ".join(inert(line.message).split()))[:message_length],
            "line_no": line.row.line or 0,
        }
        for lesson, line in counted_rows(results)
    ]
    status = "error" if results.status != "graded" else "fail"
    if tests and all(test["status"] == "pass" for test in tests):
        status = "pass"
    return {"version": 3, "status": status, "max_score": results.max_score, "tests": tests}


def classroom_result(results: SubmissionResult) -> str:
    """The step output `result`; messages are shortened until it fits."""
    encoded = ""
    for length in MESSAGE_LENGTHS:
        encoded = base64.b64encode(json.dumps(classroom(results, length)).encode()).decode()
        if len(encoded) <= MAX_OF_A_RESULT:
            break
    return encoded
