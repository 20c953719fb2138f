"""`dojo report`: the page that an instructor's run writes for a student, from a student's own check."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from grader.dojo.desk import Checked
from grader.dojo.file import HERE, HIDDEN, shown_path
from grader.errors import write_errors
from grader.gradebook.files import write_whole
from grader.gradebook.grading.graded import GradedSubmission, environment
from grader.publish.report.pages import Reporter
from grader.results import LessonResult, SubmissionResult, number, points_text
from grader.sandbox.isolation.probe import Isolation

REPORT_FILE = "my-report.html"


def graded_checks(checks: Sequence[Checked], isolation: Isolation) -> GradedSubmission:
    """What the checks found, and in `local` a sentence that says what it is not."""
    lessons, hidden = [], 0.0
    for each in checks:
        hidden += sum(row.max_points for row in each.judged.rows if row.status in (HERE, HIDDEN))
        lessons.append(
            LessonResult(
                each.lesson.name,
                number(each.progress.points),
                number(each.progress.max_score),
                message=each.judged.message,
                seconds=each.seconds,
                rows=[row.with_clean_values() for row in each.judged.rows],
            )
        )
    local = "Your own check, on public problems: no grade. The hidden test suite has other problems"
    results = SubmissionResult(
        student="Your own check",
        score=number(sum(each.progress.points for each in checks)),
        max_score=number(sum(each.progress.max_score for each in checks)),
        isolation=isolation.level,
        seconds=sum(each.seconds for each in checks),
        environment=environment(),
        lessons=lessons,
        local=local + (f", and alone decides about {points_text(hidden)} of these points." if hidden else "."),
    )
    return GradedSubmission(
        results,
        pictures={each.lesson.name: each.judged.pictures for each in checks},
        printed={each.lesson.name: each.judged.printed for each in checks if each.judged.printed},
        shown={each.lesson.name: each.judged.shown for each in checks if each.judged.shown},
        texts={
            file: text for each in checks if each.submitted.origin for file, text in each.submitted.origin.texts.items()
        },
    )


def write_report(checks: Sequence[Checked], isolation: Isolation, path: Path) -> None:
    """Raises UserError when the page cannot be written."""
    page = Reporter([each.lesson for each in checks]).student_page(
        graded_checks(checks, isolation), {each.lesson.name: each.source for each in checks}
    )
    with write_errors(shown_path(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page)


def open_page(path: Path) -> bool:
    """Opens it in a browser with a window; whether there is one."""
    return open_in_browser(path.resolve().as_uri())


def open_in_browser(address: str) -> bool:
    """Opens it in a browser with a window; whether there is one. One in the terminal would take the screen away."""
    windows = sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return windows and webbrowser.open(address)
