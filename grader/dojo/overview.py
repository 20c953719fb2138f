"""The screens of `dojo`, `dojo hint` and `dojo start`, and the card at a lesson's end.

Nothing here imports torch, which takes a second to load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from grader.dojo.desk import Desk
from grader.dojo.file import HIDDEN_SUITE_DECIDES, own_file, shown_path
from grader.dojo.progress import ELSEWHERE, Checked, Progress, next_lesson
from grader.lesson.lesson import Lesson
from grader.publish.inert import without_ci_commands
from grader.results import points_text
from grader.results.wording import count_text, first_names

TITLE_WIDTH, MIN_TITLE = 41, 16
AROUND_TITLE = 32
"""Columns of a lesson's line outside its title."""
LIST_INDENT = 4
MAX_LISTED, MAX_MISTAKES = 8, 3


class Paragraph:
    """Wrapped and indented text, lines after the first by `hang` more; unlike rich's own it has no trailing spaces."""

    def __init__(self, text: str, style: str = "", indent: int = 0, hang: int = 0) -> None:
        self.plain, self._style, self._indent, self._hang = text, style, indent, hang

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        room = max(20, options.max_width - self._indent - self._hang)
        for place, line in enumerate(Text(self.plain).wrap(console, room)):
            indent = " " * (self._indent + (self._hang if place else 0))
            yield Text.assemble(indent, (without_ci_commands(line.plain.rstrip()), self._style))


class LessonTable:
    """One line per lesson, with an arrow at `current`. Titles are cut where the terminal is too narrow for them."""

    def __init__(self, progress: Sequence[Progress], current: str | None) -> None:
        self._progress, self._current = progress, current

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        longest = max([TITLE_WIDTH, *(len(each.lesson.title) for each in self._progress)])
        width = max(MIN_TITLE, min(longest, options.max_width - AROUND_TITLE))
        for each in self._progress:
            lesson, title = each.lesson, each.lesson.title
            mark = "✓" if each.finished else "→" if lesson.name == self._current else " "
            score = f"{points_text(each.points_reached)} of {points_text(lesson.max_score)}"
            title = title if len(title) <= width else title[: width - 1].rstrip() + "…"
            line = Text(f"{mark} {lesson.number} {title:<{width}} {score:>9}  ", "green" if each.finished else "")
            line.append(*state(each)).truncate(options.max_width, overflow="ellipsis")
            yield line


def list_screen(progress: Sequence[Progress], current: str | None) -> Iterator[RenderableType]:
    """Every lesson with its points, and an arrow at `current`."""
    points, most = sum(each.points_reached for each in progress), sum(each.lesson.max_score for each in progress)
    yield Text(f"Backprop Ninja: {points_text(points)} of {points_text(most)} points", "bold")
    yield ""
    yield LessonTable(progress, current)
    if unchecked := [each.lesson.number for each in progress if each.unchecked]:
        yield ""
        yield Paragraph(
            f"Changed and not checked yet: {first_names(unchecked, MAX_LISTED)}. `dojo check {' '.join(unchecked)}` "
            "counts their points again.",
            "yellow",
        )
    if hidden := sum(each.points_of(each.hidden) for each in progress):
        yield ""
        yield Paragraph(
            f"{HIDDEN_SUITE_DECIDES} {points_text(hidden)} of these points, with other problems: what counts here "
            "passed its public examples.",
            "cyan",
        )


def state(each: Progress) -> tuple[str, str]:
    """(the state of a lesson in a few words, their style)"""
    if each.unchecked:
        return "not checked", "yellow"
    if each.broken:
        return "does not run", "bold red"
    if each.wrong:
        return f"{len(each.wrong)} wrong", "bold red"
    if each.finished:
        return "done", "green"
    if each.begun and not each.has_work:
        return f"{len(each.unwritten)} for later", "dim"
    return (f"{len(each.unwritten)} to do", "") if each.begun else ("not begun", "dim")


def next_lines(each: Progress, place: str = "", words: str = "") -> Iterator[RenderableType]:
    """The next thing to do in a lesson, at `place`; `words` follow `dojo watch` for it."""
    row, number = each.next_row, each.lesson.number
    if each.unchecked:
        yield Text(f"Next: check lesson {number}, which you have changed", "bold")
        yield Text(f"      dojo check {number} · dojo watch {number}", "dim")
    elif row is None and each.having(ELSEWHERE):
        own = shown_path(own_file(each.lesson))
        yield Paragraph(f"Nothing in it is wrong. What is missing can be written in {own}.", "bold green")
    elif row is None:
        yield Text(f"Lesson {number} is done here: all that can be checked here is right.", "bold green")
    else:
        act = "make the file run" if each.broken else f"fix {row}" if row in each.wrong else f"write {row}"
        later = f"  (lesson {each.taught_later[row]} teaches it)" if row in each.taught_later else ""
        yield Text.assemble((f"Next: {act}", "bold"), later, f"  {place}")
        yield Text(
            f"      dojo watch {words or number}" + ("" if each.broken else f" · dojo hint {number}.{row}"), "dim"
        )


def hint_screen(lesson: Lesson, row: str, taken: int, again: str = "") -> Iterator[RenderableType]:
    """The hints taken, the latest last; `again` is the command or key for the next."""
    hints = lesson.item_for(row).hints
    for number, hint in enumerate(hints[:taken], 1):
        style = "dim" if number < taken else ""
        yield Text(f"Hint {number} of {len(hints)} for {row}", style or "bold")
        yield Paragraph(hint, style, LIST_INDENT)
        yield ""
    more = f"{again or f'`dojo hint {lesson.number}.{row}`'} gives the next one. Hints are free."
    last = "That was the last one." if hints else "This row has no hints."
    yield Text(last if taken >= len(hints) else more, "dim")


def welcome(lesson: Lesson) -> Iterator[RenderableType]:
    """What to read and open before the first check of a lesson."""
    readme, file = shown_path(lesson.exercise / "README.md"), shown_path(own_file(lesson))
    yield Text(f"Lesson {lesson.number}: {lesson.title}", "bold")
    yield ""
    yield Paragraph(f"1. Read {readme}. It teaches what you need and works out one gradient in full.")
    yield Paragraph(f"2. Open {file} in your editor. You write one function for each gradient.")
    watch = f"dojo watch {lesson.number}"
    yield Paragraph(f"3. Type: {watch}. It checks the file whenever you save, and says what is wrong.")


def finish_lines(desk: Desk, checked: Checked, by_key: bool = True) -> Iterator[RenderableType]:
    """The card of a lesson of which nothing is wrong, and nothing is left to write that was taught.

    `by_key`: keys lead to the next lesson.
    """
    lesson, progress, stored = checked.lesson, checked.progress, desk.state_file.read()
    yield Text(f"That was the last row of lesson {lesson.number}.", "bold green")
    if later := progress.taught_later:
        waiting = ", ".join(f"{row} after lesson {teacher}" for row, teacher in later.items())
        yield Paragraph(f"For later: {waiting}. Or try it now, with hints.", "dim")
    points = f"{points_text(progress.points_reached)} of {points_text(lesson.max_score)} points"
    by_count = sorted(stored.mistakes.get(lesson.name, {}).items(), key=lambda each: -each[1])[:MAX_MISTAKES]
    kinds = ", ".join(f"{mistake.replace('_', ' ')} {count}" for mistake, count in by_count)
    tries = count_text(stored.tries.get(lesson.name, 0), "try", "tries")
    yield Paragraph(f"{points}; {tries}{f'; mistakes: {kinds}' if kinds else ''}.", "bold")
    following = next_lesson(desk.all_progress(), lesson.name)
    if following is None:
        yield Text("Nothing else is left to do: every lesson is done here.", "bold green")
        return
    how = "n goes there" if by_key else f"dojo watch {following.lesson.number}"
    title = f"Next: lesson {following.lesson.number} {following.lesson.title}"
    yield Text.assemble((title, "bold"), (f"  {how}", "dim"))
