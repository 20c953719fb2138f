"""What turned right or wrong with a save."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from grader.dojo.desk import Checked
from grader.dojo.file import HERE
from grader.results.wording import first_names


def news_of(before: Checked | None, checked: Checked) -> list[Text]:
    return list(sentences(before, checked)) if checked.judged.runs else []


def sentences(before: Checked | None, checked: Checked) -> Iterator[Text]:
    if before is None:
        return
    then, now = before.progress.statuses, checked.progress.statuses
    for words, status in (("turned right", "passed"), ("passed here now", HERE)):
        turned = [row for row in now if now[row] == status and then.get(row, status) != status]
        if turned:
            yield Text(f"✓ {first_names(turned)} {words}.", "bold green")
    broken = [row for row in checked.progress.wrong if then.get(row) in ("passed", HERE)]
    if broken:
        yield Text(f"✗ {first_names(broken)} {'was' if len(broken) == 1 else 'were'} right before.", "bold red")
