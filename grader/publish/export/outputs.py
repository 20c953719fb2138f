"""`grade run --format`: files next to the reports in OUT, and annotations and summaries for GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from grader.gradebook.files import output_errors, write_whole
from grader.publish.export.classroom import classroom_result
from grader.publish.export.github import Say, append_summary, error_commands
from grader.publish.export.gradescope import gradescope_json
from grader.publish.export.junit import junit_xml
from grader.results import SubmissionResult, read_results

FORMATS = ("gradescope", "github", "junit")
FILES: Mapping[str, tuple[str, Callable[[SubmissionResult], str]]] = {
    "gradescope": ("gradescope.json", gradescope_json),
    "junit": ("junit.xml", junit_xml),
}


def write_formats(out: Path, students: Iterable[str], formats: Sequence[str]) -> None:
    """Each format's file in each student's folder, from the results.json there. Raises OutputError."""
    chosen = [FILES[name] for name in dict.fromkeys(formats) if name in FILES]
    for student in students if chosen else ():
        results = read_results(out / student)  # none after a fault of the grader, which must not become a zero
        for name, write in chosen if results else ():
            assert results is not None
            path = out / student / name
            with output_errors(path):
                write_whole(path, write(results))


def report_to_github(
    out: Path, results: Sequence[SubmissionResult], paths: Mapping[str, Path], environment: Mapping[str, str], say: Say
) -> None:
    """Annotations through `say`, the reports as the job's summary, and of a single submission Classroom's result.

    `paths` are {student: the folder that the rows' files are in, or the file itself}. What GitHub has named no file
    for in `environment` is left out. Raises OutputError.
    """
    workspace = Path(environment.get("GITHUB_WORKSPACE") or Path.cwd())
    for line in error_commands(results, paths, workspace):
        say(line)
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        with output_errors(Path(summary)):
            append_summary(Path(summary), reports(out, results))
    if (output := environment.get("GITHUB_OUTPUT")) and len(results) == 1:
        with output_errors(Path(output)), open(output, "a", encoding="utf-8") as file:
            file.write(f"result={classroom_result(results[0])}\n")


def reports(out: Path, results: Sequence[SubmissionResult]) -> Iterator[str]:
    for result in results:
        path = out / result.student / "report.md"
        if path.is_file():
            yield path.read_text(encoding="utf-8", errors="replace")
