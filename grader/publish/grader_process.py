"""The main program of a grader process, which grades submissions and draws the graphs for the students' reports."""

from __future__ import annotations

from grader.gradebook.grading.server import run_server
from grader.publish.report.pages import Reporter


def main(settings_as_json: str, zygote: str = "") -> None:
    """Serve until standard input ends, see gradebook.grading.server.run_server."""
    run_server(settings_as_json, lambda lessons: Reporter(lessons).new_drawings(every=True), zygote)
