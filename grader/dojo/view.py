"""The screen of `dojo watch`: the row in focus comes first, then what a key has opened, the table and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.segment import Segment, SegmentLines
from rich.style import Style
from rich.styled import Styled
from rich.text import Text

from grader.dojo.overview import Paragraph, next_lines
from grader.dojo.progress import Checked
from grader.dojo.screen import RowTable, broken_file, explanation, printed_part, tally
from grader.lesson.lesson import Lesson

KEYS_HELP = "n next · p previous · h hint · l list · r report · q quit"
MIN_BAR, MAX_BAR = 10, 26


@dataclass
class View:
    """What is to be seen on the screen of `dojo watch`."""

    lesson: Lesson
    file: str  # the displayed path of the watched file
    live: str = ""  # the address of the live page, where there is one
    checked: Checked | None = None  # the last check; None before the first
    focus: str | None = None  # the row that the screen explains
    news: Sequence[Text] = ()  # what became right or wrong with the last save
    notes: Sequence[Paragraph] = ()  # remarks that were not on the screen at the save before
    below: Sequence[RenderableType] = ()  # the answer to the last key, for example a hint
    listed: Sequence[RenderableType] = ()  # the list of lessons, in place of all else until the next key
    running: str = ""  # the progress of a check, while it runs
    trouble: str = ""  # why the file cannot be read

    @property
    def is_provisional(self) -> bool:
        return self.checked is not None and not self.checked.is_final

    def screen(self, console: Console) -> list[RenderableType]:
        """Its parts. In a low window the first is cut from below: what comes first matters most."""
        foot = Text(f"live page: {self.live}\n" if self.live else "", "dim")
        if self.running:
            foot.append(f"{self.running} · save again to stop it · q quit", "bold yellow not dim")
        else:
            foot.append(KEYS_HELP)
        body: RenderableType = Group(*(self.listed or [*self._head(console.width), *self._body()]))
        if self.running and not self.is_provisional:
            body = Styled(body, "dim")  # it is about an older text
        if console.is_terminal:
            lines = console.render_lines(body, pad=False)
            room = console.height - 2 - len(console.render_lines(foot))
            if len(lines) > room:
                cut = Segment("… (the window is too low for the rest)", Style(dim=True))
                lines = [*lines[: max(0, room - 1)], [cut]]
            body = SegmentLines(lines, new_lines=True)
        return [body, "", foot]

    def _head(self, columns: int) -> Iterator[RenderableType]:
        """Lesson and file, on one line where it is wide enough; then the bar, which is full only when all is done."""
        title = f"{self.lesson.number} {self.lesson.title}"
        between = " · " if len(title) + 3 + len(self.file) <= columns else "\n"
        yield Text.assemble((title, "bold"), (between + self.file, "dim"))
        if self.checked is not None and self.checked.judged.runs:
            done, of, words = len(self.checked.progress.reached), len(self.lesson.items), tally(self.checked)
            if columns < MIN_BAR + 2 + len(words):
                words = words.partition(" · ")[0]
            width = max(MIN_BAR, min(MAX_BAR, columns - 2 - len(words)))
            full = max(done * width // of, 1) if done else 0
            yield Text.assemble(("█" * full, "green"), ("░" * (width - full), "dim"), f"  {words}")
        yield ""

    def _body(self) -> Iterator[RenderableType]:
        checked = self.checked
        if checked is None:
            if self.trouble:
                yield from (Paragraph(self.trouble), "", "Waiting for it.")
            yield from self.below
            return
        next_row = checked.progress.next_row
        what_next = list(next_lines(checked.progress, checked.place_of(next_row)))[:1]
        if not checked.judged.runs:
            yield from (*broken_file(checked), *what_next, *self.below)
            return
        focused = [line for line in checked.part.lines if line.row.name == self.focus]
        if focused:
            groups = [group for group in checked.part.wrong_groups if focused[0] in group]
            yield from explanation(next(iter(groups), focused), checked, final=not self.is_provisional)
        yield from self.news
        if self.focus != next_row or not (focused or self.below):
            yield from what_next
        yield from (*self.below, "", RowTable(checked.part.lines, self.focus))
        for part in (self.notes, printed_part(checked)):
            if part:
                yield from ("", *part)
