"""A lesson's graph as one line of a screen, of any width; it can be read without colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from grader.dojo.file import HERE, HIDDEN
from grader.dojo.progress import Progress
from grader.results import UNWRITTEN

Mark = tuple[str, str, str]
"""(name, its sign, its style)."""

GRAPH_MARKS = {
    "passed": ("✓", "green"),
    HERE: ("✓", "cyan"),
    HIDDEN: ("?", "cyan"),
    **dict.fromkeys(UNWRITTEN, ("·", "dim")),
}
WRONG_MARK = ("✗", "bold red")


def graph_marks(progress: Progress, sinks: Sequence[str]) -> list[Mark]:
    """The graph's last values, whose gradient is given, then each row: a gradient by its value, a check by its name."""
    given: list[Mark] = [(name, "✓", "dim") for name in sinks]
    rows = [
        (item.target or item.name, *GRAPH_MARKS.get(progress.statuses.get(item.name, "missing"), WRONG_MARK))
        for item in progress.items
    ]
    return [mark for mark in given if mark[0] not in {name for name, _, _ in rows}] + rows


def graph_line(marks: Sequence[Mark], at: int, width: int) -> Text:
    """`loss ✓ logprobs ✓ probs ✗ counts · …`: as many marks around number `at` as `width` columns hold."""
    if not marks:
        return Text()
    first = last = min(max(at, 0), len(marks) - 1)
    while True:
        longer, earlier = (first, last + 1), (first - 1, last)
        for wider in (longer, earlier) if last - at <= at - first else (earlier, longer):
            if wider[0] >= 0 and wider[1] < len(marks) and len(marks_text(marks, *wider).plain) <= width:
                first, last = wider
                break
        else:
            return marks_text(marks, first, last)


def marks_text(marks: Sequence[Mark], first: int, last: int) -> Text:
    parts: list[Text] = [Text("…", "dim")] if first else []
    parts += [Text.assemble(f"{name} ", (sign, style)) for name, sign, style in marks[first : last + 1]]
    parts += [Text("…", "dim")] if last + 1 < len(marks) else []
    return Text(" ").join(parts)
