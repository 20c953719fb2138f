"""`dojo report`: the page that an instructor's run writes for a student, from a student's own check."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from grader.dojo.file import HIDDEN_SUITE_DECIDES, shown_path
from grader.dojo.progress import Checked, Progress
from grader.errors import write_errors
from grader.gradebook.files import write_whole
from grader.gradebook.grading.graded import GradedSubmission, environment
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult, number, points_text
from grader.results.wording import first_names
from grader.sandbox.isolation.probe import Isolation

REPORT_FILE = "my-report.html"
MAX_NAMED = 20
"""Lessons that a page names as not begun."""


def report_page(
    checks: Sequence[Checked], isolation: Isolation, not_begun: Sequence[Progress] = (), live: int = 0
) -> str:
    """The report of what the checks found, with sentences that say what it is not.

    The points of lessons that are `not_begun` are part of the maximum. `live` is the number of the check of which this
    is the live page.
    """
    progress = [*(each.progress for each in checks), *not_begun]
    local = "Your own check, on public problems: no grade."
    if hidden := sum(each.points_of(each.hidden) for each in progress):
        local += f" {HIDDEN_SUITE_DECIDES} {points_text(hidden)} of these points, with other problems."
    if not_begun:
        local += f" Not begun, and not shown: {first_names([each.lesson.number for each in not_begun], MAX_NAMED)}."
    results = SubmissionResult(
        student="Your own check",
        score=number(sum(each.points_reached for each in progress)),
        max_score=number(sum(each.lesson.max_score for each in progress)),
        isolation=isolation.level,
        seconds=sum(each.seconds for each in checks),
        environment=environment(),
        lessons=[each.part.results for each in checks],
        local=local,
    )
    graded = GradedSubmission(
        results,
        pictures={each.lesson.name: each.judged.pictures for each in checks},
        printed={each.lesson.name: each.judged.printed for each in checks if each.judged.printed},
        shown={each.lesson.name: each.judged.shown for each in checks if each.judged.shown},
        texts={
            file: text for each in checks if (origin := each.submitted.origin) for file, text in origin.texts.items()
        },
    )
    sources = {each.lesson.name: each.source for each in checks}
    return Reporter([each.lesson for each in checks]).student_page(graded, sources, live)


def write_report(
    checks: Sequence[Checked], isolation: Isolation, path: Path, not_begun: Sequence[Progress] = ()
) -> None:
    """Write `report_page`. Raises UserError when it cannot be written."""
    page = report_page(checks, isolation, not_begun)
    with write_errors(shown_path(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page)


def open_in_browser(page: Path | str) -> bool:
    """Open a file or an address in a graphical browser. Returns False without one."""
    windows = sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return windows and webbrowser.open(page.resolve().as_uri() if isinstance(page, Path) else page)
