"""The screens of `dojo`, `dojo hint` and `dojo start`. Nothing here imports torch, which takes a second to load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from grader.dojo.file import HIDDEN_SUITE_DECIDES, own_file, shown_path
from grader.dojo.progress import Progress
from grader.gradebook.assignment.config import Assignment
from grader.lesson.lesson import Lesson
from grader.publish.inert import without_ci_commands
from grader.publish.report.decisions import date_text
from grader.results import number, points_in_words, points_text
from grader.results.wording import first_names

TITLE_WIDTH, MIN_TITLE = 41, 16
AROUND_TITLE = 32
"""Columns of a lesson's line outside its title."""
LIST_INDENT = 4
MAX_ROWS_LISTED = 8
RIGHT_STATUSES = ("passed", "here")


class Paragraph:
    """Wrapped and indented text, lines after the first by `hang` more; unlike rich's own it has no trailing spaces."""

    def __init__(self, text: str | Text, style: str = "", indent: int = 0, hang: int = 0) -> None:
        self._text = Text(text, style) if isinstance(text, str) else text
        self._indent, self._hang = indent, hang

    @property
    def plain(self) -> str:
        return self._text.plain

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        wrapped = self._text.wrap(console, max(20, options.max_width - self._indent - self._hang))
        for place, line in enumerate(wrapped):
            line.rstrip()
            if without_ci_commands(line.plain) != line.plain:
                line = Text(without_ci_commands(line.plain), line.style)
            yield Text.assemble(" " * (self._indent + (self._hang if place else 0)), line)


def list_screen(progress: Sequence[Progress], current: str | None) -> Iterator[RenderableType]:
    """Every lesson with its points, and an arrow at `current`."""
    points, most = sum(each.points_reached for each in progress), sum(each.max_score for each in progress)
    yield Text(f"Backprop Ninja: {points_text(points)} of {points_text(most)} points", "bold")
    yield ""
    yield LessonTable(progress, current)
    if unchecked := [each.lesson.number for each in progress if each.unchecked]:
        yield ""
        yield Paragraph(
            f"Changed and not checked yet: {first_names(unchecked, MAX_ROWS_LISTED)}. "
            f"`dojo check {' '.join(unchecked)}` counts their points again.",
            "yellow",
        )
    course = sum(each.points_hidden for each in progress)
    if course:
        yield ""
        yield Paragraph(
            f"{HIDDEN_SUITE_DECIDES} {points_text(course)} of these points, with other problems: what counts here "
            "passed its public examples.",
            "cyan",
        )


class LessonTable:
    """One line per lesson. Titles are cut where the terminal is too narrow for them."""

    def __init__(self, progress: Sequence[Progress], current: str | None) -> None:
        self._progress, self._current = progress, current

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        longest = max([TITLE_WIDTH, *(len(each.lesson.title) for each in self._progress)])
        width = max(MIN_TITLE, min(longest, options.max_width - AROUND_TITLE))
        for each in self._progress:
            lesson = each.lesson
            mark = "✓" if each.finished else "→" if lesson.name == self._current else " "
            score = f"{points_text(each.points_reached)} of {points_text(each.max_score)}"
            title = lesson.title if len(lesson.title) <= width else lesson.title[: width - 1].rstrip() + "…"
            line = Text(f"{mark} {lesson.number} {title:<{width}} {score:>9}  ", "green" if each.finished else "")
            line.append(*state(each)).truncate(options.max_width, overflow="ellipsis")
            yield line


def assignment_screen(assignment: Assignment, progress: Sequence[Progress]) -> Iterator[RenderableType]:
    """The assignment's title and due date, and what its rows are worth in each lesson."""
    due = "" if assignment.due is None else f", due on {date_text(assignment.due.isoformat())}"
    yield ""
    yield Paragraph(f"{assignment.title}{due}", "bold")
    for each in progress:
        rows = assignment.rows.get(each.lesson.name, {})
        for points, names in rows_by_points(rows):
            every = len(names) == len(each.lesson.items)
            what = "every row" if every else first_names(names, MAX_ROWS_LISTED)
            worth = points_in_words(points)
            yield Paragraph(
                f"{each.lesson.number} {what}: {worth}{' each' if len(names) > 1 else ''}", indent=LIST_INDENT
            )
    own = (
        points
        for each in progress
        for row, points in assignment.rows.get(each.lesson.name, {}).items()
        if each.statuses.get(row) in RIGHT_STATUSES
    )
    right, most = number(round(sum(own), 2)), number(round(assignment.points, 2))
    score = f"{points_text(right)} of {points_text(most)}"
    yield Paragraph(f"Right so far, by the public problems: {score} points.", indent=LIST_INDENT)


def rows_by_points(rows: Mapping[str, float]) -> list[tuple[float, list[str]]]:
    """(points, the rows that are worth so much), the largest first."""
    found: dict[float, list[str]] = {}
    for row, points in rows.items():
        found.setdefault(points, []).append(row)
    return sorted(found.items(), key=lambda entry: -entry[0])


def state(each: Progress) -> tuple[str, str]:
    if each.unchecked:
        return "not checked", "yellow"
    if each.broken:
        return "does not run", "bold red"
    if each.wrong:
        return f"{len(each.wrong)} wrong", "bold red"
    if each.finished:
        return "done", "green"
    if each.begun and each.next_row is None:
        return f"{len(each.taught_later)} for later", "dim"
    return (f"{len(each.unwritten)} to do", "") if each.begun else ("not begun", "dim")


def next_lines(each: Progress, place: str = "", words: str = "", elsewhere: str = "") -> Iterator[RenderableType]:
    """The next thing to do in a lesson, at `place`; `words` follow `dojo watch` for it.

    `elsewhere` is the file in which a missing row has to be written, if it is another one.
    """
    row, number = each.next_row, each.lesson.number
    if each.unchecked:
        yield Text(f"Next: check lesson {number}, which you have changed", "bold")
        yield Text(f"      dojo check {number} · dojo watch {number}", "dim")
        return
    if elsewhere and row in each.having("missing"):
        yield Paragraph(f"Nothing in it is wrong. What is missing can be written in {elsewhere}.", "bold green")
        return
    if row is None and each.taught_later:
        yield Text(f"Lesson {number} is done for now.", "bold green")
        waiting = [f"{name} after lesson {teacher}" for name, teacher in each.taught_later.items()]
        yield Paragraph(f"What is left needs a later lesson: {', '.join(waiting)}. Or try it now, with hints.", "dim")
        return
    if row is None:
        yield Text(f"Lesson {number} is done here: all that can be checked here is right.", "bold green")
        return
    act = f"fix {row}" if row in each.wrong else f"write {row}"
    if each.broken:
        act = "make the file run"
    outside = "" if each.broken or each.is_assigned(row) else "  (not in the assignment)"
    yield Text.assemble((f"Next: {act}", "bold"), outside, f"  {place}")
    yield Text(f"      dojo watch {words or number}" + ("" if each.broken else f" · dojo hint {number}.{row}"), "dim")


def hint_screen(lesson: Lesson, row: str, taken: int, again: str = "") -> Iterator[RenderableType]:
    """The hints taken, the latest last; `again` is the command or key for the next."""
    hints = lesson.item_for(row).hints
    if not hints:
        yield Text("This row has no hints.")
        return
    for at in range(taken):
        latest = at == taken - 1
        yield Text(f"Hint {at + 1} of {len(hints)} for {row}", "bold" if latest else "dim")
        yield Paragraph(hints[at], "" if latest else "dim", LIST_INDENT)
        yield ""
    more = f"{again or f'`dojo hint {lesson.number}.{row}`'} gives the next one. Hints are free."
    yield Text("That was the last one." if taken == len(hints) else more, "dim")


def welcome(lesson: Lesson) -> Iterator[RenderableType]:
    """What to read and open before the first check of a lesson."""
    readme, file = shown_path(lesson.exercise / "README.md"), shown_path(own_file(lesson))
    yield Text(f"Lesson {lesson.number}: {lesson.title}", "bold")
    yield ""
    yield Paragraph(f"1. Read {readme}. It teaches what you need and works out one gradient in full.")
    yield Paragraph(f"2. Open {file} in your editor. You write one function for each gradient.")
    watch = f"dojo watch {lesson.number}"
    yield Paragraph(f"3. Type: {watch}. It checks the file whenever you save, and says what is wrong.")
