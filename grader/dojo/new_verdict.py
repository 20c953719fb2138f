"""The view of a new verdict in `dojo watch`: which row is in focus, what turned right or wrong, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from grader.dojo.desk import Checked, Desk
from grader.dojo.file import HERE, changed_rows
from grader.dojo.guide import Guide
from grader.dojo.lesson_end import finish_lines
from grader.dojo.view import View, default_focus
from grader.lesson.paths import BACKWARD_FILE
from grader.results.wording import first_names


def view_after(
    view: View, checked: Checked, before: Checked | None, desk: Desk, guide: Guide | None, explain_rounding: bool
) -> View:
    """`view` with the new verdict: the row that was just changed is in focus. `before` is the last file that ran.

    What a key has shown stays.
    """
    runs, progress = checked.judged.runs, checked.progress
    changed: Sequence[str] = ()
    if before is not None and runs:
        changed = changed_rows(
            checked.lesson, before.submitted.files[BACKWARD_FILE], checked.submitted.files[BACKWARD_FILE]
        )
    focus = view.focus
    if changed or focus not in checked.lesson_rows:
        focus = default_focus(progress, changed)
    news: Sequence[Text] = list(news_of(before, checked))
    finished = runs and progress.next_row is None and (before is None or before.progress.next_row is not None)
    below = view.below
    if before is not None and before.submitted == checked.submitted:  # what is on the screen is about this text
        news = news or view.news
    elif finished and before is not None:
        below = list(finish_lines(desk, checked, changed))
    lines, rounding = guide.lines(checked) if guide else (), runs and explain_rounding
    return View(view.lesson, view.file, checked, focus, news, below, view.listed, lines, rounding, live=view.live)


def news_of(before: Checked | None, checked: Checked) -> Iterator[Text]:
    """What turned right or wrong with a save."""
    if before is None or not checked.judged.runs:
        return
    then, now = before.progress.statuses, checked.progress.statuses
    for words, status in (("turned right", "passed"), ("passed here now", HERE)):
        turned = [row for row in now if now[row] == status and then.get(row, status) != status]
        if turned:
            yield Text(f"✓ {first_names(turned)} {words}.", "bold green")
    broken = [row for row in checked.progress.wrong if then.get(row) in ("passed", HERE)]
    if broken:
        yield Text(f"✗ {first_names(broken)} {'was' if len(broken) == 1 else 'were'} right before.", "bold red")
