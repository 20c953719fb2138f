"""`grade run --format`: files next to the reports in OUT, and annotations and summaries for GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.guarded import plain_results, rendered
from grader.intake.submissions.classroom50 import RESULT_FILE
from grader.publish.export.classroom50 import RELEASE_BODY, release_body, result_for_runner, result_text
from grader.publish.export.github import Say, append_summary, below_command, classroom_result, error_commands
from grader.publish.export.gradescope import gradescope_json
from grader.publish.export.junit import junit_xml
from grader.results import SubmissionResult, read_results

FORMATS = ("gradescope", "github", "junit", "classroom50")
EXPORT_FILES: Mapping[str, tuple[str, Callable[[SubmissionResult], str]]] = {
    "gradescope": ("gradescope.json", gradescope_json),
    "junit": ("junit.xml", junit_xml),
}


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


def export_of(
    results: SubmissionResult, write: Callable[[SubmissionResult], str]
) -> tuple[str | None, Mapping[int, str]]:
    """(what `write` gives, or of the points only, or None; why it is not all: see gradebook.guarded)."""
    return rendered(lambda found, faults: (write(found[0]) if found else None, faults), [results], plain_results)


def report_to_github(
    out: Path,
    results: Sequence[SubmissionResult],
    paths: Mapping[str, Path],
    environment: Mapping[str, str],
    say: Say,
    bound: float | None = None,
) -> None:
    """Annotations through `say`, the reports as the job's summary, and of a single submission Classroom's result.

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
        with output_errors(Path(summary)):
            append_summary(Path(summary), report_sentences(out, results))
    if (output := environment.get("GITHUB_OUTPUT")) and len(results) == 1:
        with output_errors(Path(output)), open(output, "a", encoding="utf-8") as file:
            text, _ = export_of(results[0], classroom_result)
            file.write(f"result={text or ''}\n")


def report_to_classroom50(
    out: Path, results: Sequence[SubmissionResult], environment: Mapping[str, str], workspace: Path
) -> None:
    """result.json and release-body.md in `workspace`, for Classroom 50's runner. Raises UserError, OutputError.

    Nothing is written for a fault of the grader: the runner then reports an error, and no zero.
    """
    if len(results) != 1:
        raise UserError(f"--format classroom50 is for one submission, and this run has {len(results)}.")
    (result,) = results
    if result.status == "error":
        return
    whole = with_figures(out, result)
    texts = {
        RELEASE_BODY: release_body(out, whole),
        RESULT_FILE: export_of(
            whole, lambda each: result_text(result_for_runner(each, environment, datetime.now(UTC)))
        )[0],
    }
    with output_errors(workspace / RESULT_FILE):
        for name, text in texts.items():
            if text is None:
                continue
            (workspace / f".{name}.part").unlink(missing_ok=True)  # it may be a student's link to somewhere else
            write_whole(workspace / name, text)


def with_figures(out: Path, result: SubmissionResult) -> SubmissionResult:
    """The results in OUT: those of a class lack what only a student's own pages show."""
    return read_results(out / result.student) or result


def report_sentences(out: Path, results: Sequence[SubmissionResult]) -> Iterator[str]:
    for result in results:
        path = out / result.student / "report.md"
        if path.is_file():
            yield path.read_text(encoding="utf-8", errors="replace")
