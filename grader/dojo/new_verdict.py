"""The view of a new verdict in `dojo watch`: which row is in focus, what turned right or wrong, what comes next."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.desk import Checked, Desk
from grader.dojo.file import changed_rows
from grader.dojo.guide import Guide
from grader.dojo.lesson_end import finish_lines
from grader.dojo.news import news_of
from grader.dojo.view import View, default_focus
from grader.lesson.paths import BACKWARD_FILE


def view_after(
    view: View, checked: Checked, before: Checked | None, desk: Desk, guide: Guide | None, explain_rounding: bool
) -> View:
    """`view` with the new verdict: the row that was just changed is in focus. `before` is the last file that ran."""
    runs, progress = checked.judged.runs, checked.progress
    changed: Sequence[str] = ()
    if before is not None and runs:
        changed = changed_rows(
            checked.lesson, before.submitted.files[BACKWARD_FILE], checked.submitted.files[BACKWARD_FILE]
        )
    focus = view.focus
    if changed or focus not in checked.lesson_rows:
        focus = default_focus(progress, changed)
    news: Sequence[Text] = news_of(before, checked)
    finished = runs and progress.next_row is None and (before is None or before.progress.next_row is not None)
    below: Sequence[RenderableType] = ()
    if before is not None and before.submitted == checked.submitted:  # what is on the screen is about this text
        news, below = news or view.news, view.below
    elif finished and before is not None:
        below = list(finish_lines(desk, checked, changed))
    lines, rounding = guide.lines(checked) if guide else (), runs and explain_rounding
    return View(view.lesson, view.file, checked, focus, news, below, lines, rounding, live=view.live)
