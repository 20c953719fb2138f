"""GitHub Actions: annotations at the student's file and line, and the job's summary.

Nothing that a student wrote becomes a workflow command: commands are stopped while anything else is printed, and what
is part of the grader's own text is escaped. https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from grader.gradebook.files import output_errors
from grader.gradebook.guarded import plain_results, rendered
from grader.publish.export.formats import not_graded, with_figures
from grader.publish.inert import inert
from grader.publish.view import lesson_view
from grader.results import SubmissionResult, points_in_words, points_text
from grader.results.wording import first_names

MAX_ANNOTATIONS = 10  # of a kind in a step; GitHub drops the rest
MAX_ANNOTATION_CHARACTERS = 4_000
SUMMARY_BYTES = 1 << 20  # of a step; a larger summary is dropped as a whole
CUT = "\n\n*The rest is left out: a job summary holds 1 MiB.*\n"

Say = Callable[[str], object]


class Annotation(NamedTuple):
    """An annotation. `file` is inside the submission, None where there is none to point to."""

    title: str
    text: str
    file: str | None = None
    line: int | None = None


@contextmanager
def without_workflow_commands(say: Say) -> Iterator[None]:
    """While nothing that is printed is a workflow command: only who knows the token can start them again."""
    token = secrets.token_hex(16)
    say(f"::stop-commands::{token}")
    try:
        yield
    finally:
        say(f"::{token}::")


def report_to_github(
    out: Path,
    results: Sequence[SubmissionResult],
    paths: Mapping[str, Path],
    environment: Mapping[str, str],
    say: Say,
    bound: float | None = None,
) -> None:
    """Annotations through `say`, and the reports as the job's summary.

    A submission under `bound` percent, with which the job fails, has an annotation that says so, the first one.

    `paths` are {student: the submission's folder, or the file itself}. What GitHub has named no file
    for in `environment` is left out. Raises OutputError.
    """
    workspace = Path(environment.get("GITHUB_WORKSPACE") or Path.cwd())
    only = results[0] if len(results) == 1 and results[0].status != "error" else None
    if only is not None and bound is not None and 100 * only.score < bound * only.max_score:
        say(below_command(only, bound))
    whole = [with_figures(out, result) for result in results]
    for line in rendered(lambda found, _: list(error_commands(found, paths, workspace)), whole, plain_results):
        say(line)
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        reports = (out / result.student / "report.md" for result in results)
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in reports if path.is_file()]
        with output_errors(Path(summary)):
            append_summary(Path(summary), texts)


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
    text = f"{inert(results.student)} has {points}, and this job needs {bound:g} %."
    return error_command(Annotation(f"Under {bound:g} %", f"{text} The job's summary says what to do next."), None)


def error_command(annotation: Annotation, place: str | None) -> str:
    """`place` is the note's file, relative to the repository."""
    properties = {"file": place, "line": annotation.line, "title": inert(annotation.title)}
    if place is None or place.endswith(".ipynb"):  # a notebook's lines are JSON's; the text names the cell
        del properties["line"]
    named = ((name, f"{value}") for name, value in properties.items() if value is not None)
    written = ",".join(f"{name}={escaped(text, ':,')}" for name, text in named)
    return f"::error {written}::{escaped(annotation.text[:MAX_ANNOTATION_CHARACTERS])}"


def escaped(text: str, also: str = "") -> str:
    """As the text of a workflow command; a property's value is escaped in its separators `also`."""
    for character in f"%\r\n{also}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def path_in_repository(submission: Path | None, file: str | None, workspace: Path) -> str | None:
    """A submission's file relative to the repository; None where it is not in it, or in an archive."""
    if submission is None or file is None:
        return None
    path = (submission / file if submission.is_dir() else submission).resolve()
    if not path.is_file() or path.name != Path(file).name or not path.is_relative_to(workspace.resolve()):
        return None
    return inert(path.relative_to(workspace.resolve()).as_posix())


def append_summary(summary: Path, reports: Iterable[str]) -> None:
    """Appends reports in Markdown, whole lines and never more than GitHub takes. Raises OSError."""
    room = SUMMARY_BYTES - (summary.stat().st_size if summary.exists() else 0)
    text = "\n\n".join(reports).encode("utf-8", "replace")
    if len(text) > room:
        kept = max(0, room - len(CUT.encode()))
        text = text[:kept].rpartition(b"\n")[0] + CUT.encode() if kept else b""
    with summary.open("ab") as file:
        file.write(text)
