"""The screen of `dojo watch`, as a function of what is to be seen on it and of the window's size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from grader.dojo.checked import Checked
from grader.dojo.file import location, outline_of_text
from grader.dojo.overview import LIST_INDENT, Paragraph, next_lines
from grader.dojo.screen import (
    CHAIN,
    broken_file,
    colour_of,
    forward_part,
    group_heading,
    group_message,
    printed_part,
    row_table,
    tally,
)
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.inert import inert
from grader.publish.view import RowView
from grader.results import UNWRITTEN
from grader.results.wording import count_text

KEYS_HELP = "n next · p previous · h hint · l list · r report · q quit"
MIN_ROWS, MIN_BODY, MIN_COLUMNS = 5, 6, 20
MAX_BAR = 26
FULL_BLOCK, EMPTY_BLOCK = "█", "░"


@dataclass(frozen=True)
class View:
    """The contents of the screen of `dojo watch`.

    Attributes:
        file: the displayed path of the watched file.
        checked: the last check; None before the first.
        is_provisional: whether a search for slips may still explain what is wrong better.
        focus: the row that the screen explains.
        news: what became right or wrong with the last save.
        notes: remarks that were not on the screen at the save before.
        below: the answer to the last key, for example a hint.
        listed: the list of lessons, which takes the place of all else until the next key.
        running: the progress of a check, while it runs.
        took: how long the last check took, in words.
        trouble: why the file cannot be read.
        live: the address of the live page, where there is one.
    """

    lesson: Lesson
    file: str
    checked: Checked | None = None
    is_provisional: bool = False
    focus: str | None = None
    news: Sequence[Text] = ()
    notes: Sequence[Paragraph] = ()
    below: Sequence[RenderableType] = ()
    listed: Sequence[RenderableType] = ()
    running: str = ""
    took: str = ""
    trouble: str = ""
    live: str = ""

    @property
    def is_outdated(self) -> bool:
        """Whether `checked` is about an older text than the one that is being checked."""
        return bool(self.running) and not self.is_provisional


class Grey:
    """Something out of date: the same text, dim and without its colours."""

    def __init__(self, content: RenderableType) -> None:
        self._content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        yield from Segment.apply_style(
            Segment.strip_styles(console.render(self._content, options)), Style(dim=True, italic=True)
        )


class FirstLines:
    """The first lines of something, as many as there is room for, and a mark where more would follow."""

    def __init__(self, content: RenderableType, room: int) -> None:
        self._content, self._room = content, room

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        lines = console.render_lines(self._content, options, pad=False)
        is_cut = len(lines) > self._room
        for line in lines[: self._room - is_cut]:
            yield from line
            yield Segment.line()
        if is_cut:
            yield Segment("… (the window is too low for the rest)", Style(dim=True))
            yield Segment.line()


def watch_screen(view: View, console: Console) -> list[RenderableType]:
    """The parts of the screen, from top to bottom: the row in focus comes first; the table shrinks with the window."""
    foot = footer(view, console.width)
    if view.listed:
        return [*view.listed, "", foot]
    head, checked = list(screen_head(view, console.width)), view.checked
    if checked is None:
        trouble: list[RenderableType] = [Paragraph(view.trouble), "", "Waiting for it."] if view.trouble else []
        return [*head, "", *trouble, *view.below, "", foot]
    more = list(view.below)
    runs, table = checked.judged.runs, list[RenderableType]()
    first = list(explanation(view, checked) if runs else broken_file(checked))
    first += list(next_lines(checked.progress, checked.next_place))[: 0 if runs else 1]
    notes = list(rest(view, checked, console)) if runs else []
    if runs:
        around = lines_in(console, [*head, "", "", *notes, *more, "", foot])
        if console.is_terminal:
            least = around + min(MIN_ROWS, len(checked.judged.rows))
            first = [FirstLines(Group(*first), max(MIN_BODY, console.height - least))]
        table = list(table_of(view, checked, console, around + lines_in(console, first)))
    verdict: RenderableType = Group(*head, "", *first, *(["", *table] if table else []), *notes)
    return [Grey(verdict) if view.is_outdated else verdict, *more, "", foot]


def lines_in(console: Console, parts: Sequence[RenderableType]) -> int:
    return len(console.render_lines(Group(*parts), pad=False))


def bar(done: int, of: int, width: int) -> Text:
    """A progress bar. It is full only when all is done, and not empty once something is."""
    full = done * width // of if of else 0
    full = max(full, 1) if done else 0
    return Text.assemble((FULL_BLOCK * full, "green"), (EMPTY_BLOCK * (width - full), "dim"))


def screen_head(view: View, columns: int) -> Iterator[RenderableType]:
    """Lesson and file, on one line where it is wide enough; then the bar."""
    title = f"{view.lesson.number} {view.lesson.title}"
    if len(title) + 3 + len(view.file) <= columns:
        yield Text.assemble((title, "bold"), (f" · {view.file}", "dim"))
    else:
        yield Text.assemble((title, "bold"), "\n", (view.file, "dim"))
    if view.checked is None or not view.checked.judged.runs:
        return
    progress = view.checked.progress
    words = tally(progress)
    room = columns - 2 - len(words)
    if room < MIN_COLUMNS // 2:
        words = words.partition(" · ")[0]
        room = columns - 2 - len(words)
    done, of = len(progress.reached), len(progress.lesson.items)
    yield bar(done, of, max(MIN_COLUMNS // 2, min(MAX_BAR, room))).append(f"  {words}")


def table_of(view: View, checked: Checked, console: Console, others: int) -> Iterator[Text]:
    """The rows: all of them, or in a low window those around the one that is explained."""
    lines = list(row_table(checked.part.lines, console.width, view.focus))
    room = max(MIN_ROWS, console.height - others - 1) if console.is_terminal else len(lines)
    if len(lines) <= room:
        yield from lines
        return
    keep = room - 1
    at = next((place for place, line in enumerate(lines) if " ▸ " in line.plain), 0)
    first = max(0, min(at - keep // 2, len(lines) - keep))
    yield from lines[first : first + keep]
    yield Text(f"{count_text(len(lines) - keep, 'more line')} above and below", "dim")


def explanation(view: View, checked: Checked) -> Iterator[RenderableType]:
    """The row in focus, its message once that is final, and what the save has changed."""
    part, progress = checked.part, checked.progress
    group = next((group for group in part.wrong_groups if view.focus in [line.row.name for line in group]), None)
    line = next((line for line in part.lines if line.row.name == view.focus), None)
    if group is not None:
        yield from group_heading(group)
        if not view.is_provisional:
            yield from group_message(group, checked.text_of(group[0].row))
    elif line is not None:
        yield from row_in_words(line, checked)
    yield from view.news
    if view.focus != progress.next_row or (progress.next_row is None and not view.below):
        yield from list(next_lines(progress, checked.next_place))[:1]


def row_in_words(line: RowView, checked: Checked) -> Iterator[RenderableType]:
    """A row that is not wrong: where it is, the forward lines that it comes from, and why its chain failed."""
    row, item = line.row, checked.lesson.item_for(line.row.name)
    place = row.line if checked.submitted.origin else outline_of_text(checked.submitted.files[BACKWARD_FILE]).line(item)
    sign = "·" if row.status in UNWRITTEN else "✓"
    yield Text.assemble(
        (f"{sign} {row.name}", "bold"),
        (f" {line.word}  ", colour_of(row.status)),
        (location(row.file or checked.submitted.shown, place), "dim"),
    )
    yield from forward_part(line)
    if row.status == "passed" and row.chain != "passed" and not line.is_check:
        sign, colour = CHAIN[row.chain]
        yield Paragraph(f"{sign} In your chain: {inert(line.chain)}.", colour, LIST_INDENT)
    elif line.message:
        yield Paragraph(inert(line.message), indent=LIST_INDENT)


def rest(view: View, checked: Checked, console: Console) -> Iterator[RenderableType]:
    """The notes, and what the file printed."""
    if view.notes or checked.judged.shown:
        yield ""
    yield from view.notes
    if checked.judged.shown:
        yield from printed_part(checked, max(6, console.height // 3) if console.is_terminal else None)


def footer(view: View, columns: int) -> Text:
    """The live page's address; what is going on, or how long it took, and the keys."""
    live = Text(f"live page: {view.live}\n" if view.live else "", "dim")
    if view.running:
        return live.append(f"{view.running} · save again to stop it · q quit", "bold yellow not dim")
    return live.append((view.took if len(view.took) + len(KEYS_HELP) <= columns else "") + KEYS_HELP)
