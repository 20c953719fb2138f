"""GitHub Actions: the workflow that grades, annotations at the student's file and line, and the job's summary.

Nothing that a student wrote becomes a workflow command: commands are stopped while anything else is printed, and what
is part of the grader's own text is escaped. https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from grader.gradebook.files import output_errors
from grader.gradebook.guarded import plain_results, rendered
from grader.publish.export.formats import not_graded, with_figures
from grader.publish.inert import inert
from grader.publish.templates import text_templates
from grader.publish.view import lesson_view
from grader.results import SubmissionResult, points_in_words, points_text
from grader.results.wording import first_names

WORKFLOW_PATH = Path(".github") / "workflows" / "grade.yml"
CPU_WHEELS = "--extra-index-url=https://download.pytorch.org/whl/cpu"
"""PyTorch without GPU libraries, which are ten times as large and of no use to a grader."""
MAX_ANNOTATIONS = 10  # of a kind in a step; GitHub drops the rest
MAX_ANNOTATION_CHARACTERS = 4_000
SUMMARY_BYTES = 1 << 20  # of a step; a larger summary is dropped as a whole
TOO_LONG = "\n\n*The reports are left out: a job summary holds 1 MiB.*\n"

Say = Callable[[str], object]


def workflow_text(template: str, arguments: Sequence[str], assignment: str = "") -> str:
    """The workflow that grades with the hidden suites (`grade`), or that checks on public problems only (`public`).

    `arguments` are those of its command. `assignment` is the path of an assignment file in the course's repository; ""
    without one.
    """
    marks = {"variable_start_string": "<<", "variable_end_string": ">>"}  # ${{ }} is GitHub's
    texts = {"pip": shlex.join(["--quiet", CPU_WHEELS]), "arguments": shlex.join(arguments)}
    texts["assignment"] = shlex.quote(assignment) if assignment else ""
    return text_templates("export", **marks).get_template(f"{template}.yml.jinja").render(texts)


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

    A submission under `bound` percent, with which the job fails, has an annotation that says so, the first one:
    functions that are not written yet have none of their own.

    `paths` are {student: the submission's folder, or the file itself}. What GitHub has named no file
    for in `environment` is left out. Raises OutputError.
    """
    workspace = Path(environment.get("GITHUB_WORKSPACE") or Path.cwd())
    only = results[0] if len(results) == 1 and results[0].status != "error" else None
    if only is not None and bound is not None and 100 * only.score < bound * only.max_score:
        points = f"{points_text(only.score)} of {points_in_words(only.max_score)}"
        text = f"{inert(only.student)} has {points}, and this job needs {bound:g} %."
        say(error_command(f"Under {bound:g} %", f"{text} The job's summary says what to do next."))
    whole = [with_figures(out, result) for result in results]
    for line in rendered(lambda found: list(error_commands(found, paths, workspace)), whole, plain_results):
        say(line)
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        reports = (out / result.student / "report.md" for result in results)
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in reports if path.is_file()]
        with output_errors(Path(summary)):
            append_summary(Path(summary), texts)


def error_commands(results: Iterable[SubmissionResult], paths: Mapping[str, Path], workspace: Path) -> Iterator[str]:
    """What is wrong, with one annotation for rows that have the same message about the same line: the first ten."""
    found = list[str]()
    for result in results:
        found += [error_command(f"{what}: not graded", why) for what, why in not_graded(result)]
        groups = [group for lesson in result.lessons for group in lesson_view(lesson).groups if group[0].is_wrong]
        for group in groups:
            line = group[0]
            title = f"{first_names([each.row.name for each in group], 4)}: {line.word}"
            file = path_in_repository(paths.get(result.student), line.row.file, workspace)
            found.append(error_command(title, inert(line.message) or inert(title), file, line.row.line))
    yield from found[:MAX_ANNOTATIONS]
    if len(found) > MAX_ANNOTATIONS:
        yield f"::notice title=Not shown here::{len(found) - MAX_ANNOTATIONS} more, see the job's summary."


def error_command(title: str, text: str, file: str | None = None, line: int | None = None) -> str:
    """An annotation, at a line of a file of the repository if it has one."""
    properties = {"file": file, "line": line, "title": inert(title)}
    if file is None or file.endswith(".ipynb"):  # a notebook's lines are JSON's; the text names the cell
        del properties["line"]
    named = ",".join(f"{name}={escaped(f'{value}', ':,')}" for name, value in properties.items() if value is not None)
    return f"::error {named}::{escaped(text[:MAX_ANNOTATION_CHARACTERS])}"


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
    """Append reports in Markdown, or TOO_LONG where GitHub would drop the whole summary. Raises OSError."""
    room = SUMMARY_BYTES - (summary.stat().st_size if summary.exists() else 0)
    text = "\n\n".join(reports).encode("utf-8", "replace")
    with summary.open("ab") as file:
        file.write(text if len(text) <= room else TOO_LONG.encode()[: max(0, room)])
