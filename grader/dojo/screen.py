"""A result in a terminal, for `dojo check` and `dojo watch`: the lecture's rows, what is wrong and why, notes.

Text from a student's code passes `inert` first. The table fits the width of the terminal.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from grader.dojo.file import HERE, HIDDEN, HIDDEN_SUITE_DECIDES, location
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.dojo.progress import Checked
from grader.lesson.definitions import definitions_of
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.inert import inert, without_ci_commands
from grader.publish.view import STATE_WORDS, RowView
from grader.results import UNWRITTEN, points_in_words, points_text
from grader.results.wording import count_text, first_names

STYLES = {"passed": "green", "todo": "dim", "missing": "dim", HERE: "cyan", HIDDEN: "cyan"}
WRONG_STYLE = "bold red"
CHAIN = {"passed": ("✓", "green"), "failed": ("✗", "red"), "skipped": ("–", "dim")}
ROW_NAME_WIDTH, FIGURES_WIDTH, AROUND_FIGURES = 15, 52, 13
"""Columns of a row, as in the lecture: for its name, for the figures, and for its marks and its verdict."""
MAX_UNWRITTEN_WITH_A_LINE = FORWARD_LINES_SHOWN = 3
SCOPE_NOTE = (
    "Checked on public problems and examples. Your grade comes from the hidden test suite, with other problems."
)
PRINTED = "It printed, on the lecture's own problem and in the public examples:"
ROUNDING_REMARK = (
    "exact: False in a row that is right is a rounding difference in float32. The verdict compares values in float64."
)


class RowTable:
    """One line per row; more than three consecutive unwritten rows share one. The `selected` row has a mark."""

    def __init__(self, lines: Sequence[RowView], selected: str | None = None) -> None:
        self._lines, self._selected = lines, selected

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text in self._texts(options.max_width):
            text.truncate(options.max_width, overflow="ellipsis")
            yield from text.render(console, end="\n")  # no line is wrapped, which takes half of the time

    def _texts(self, columns: int) -> Iterator[Text]:
        for status, group in groupby(self._lines, key=lambda line: line.row.status):
            alike = list(group)
            if status in UNWRITTEN and len(alike) > MAX_UNWRITTEN_WITH_A_LINE:
                names = first_names([line.row.name for line in alike])
                yield Text(f"{len(alike)} {STATE_WORDS[status]}: {names}", "dim")
            else:
                yield from (row_line(each, columns, each.row.name == self._selected) for each in alike)


def row_line(line: RowView, columns: int = 80, selected: bool = False) -> Text:
    """`name | exact: ... | approximate: ... | maxdiff: ...` as in the lecture, then the verdict and the chain.

    Where that is wider than `columns`, the verdict comes first, with one figure.
    """
    row, colour = line.row, STYLES.get(line.row.status, WRONG_STYLE)
    text = Text(style="bold" if selected else "")
    text.append(f"{row.name:<{ROW_NAME_WIDTH}}", "" if row.status not in UNWRITTEN else "dim")
    text.append(" ▸ " if selected else " | ", "" if selected else "dim")
    maxdiff = "nan" if row.maxdiff is None else f"{row.maxdiff:.2g}"
    if line.cmp_remark:
        figures = short = line.cmp_remark
    elif row.exact is not None:
        figures = f"exact: {row.exact!s:5} | approximate: {row.approximate!s:5} | maxdiff: {maxdiff:7}"
        short = "exact" if row.exact else f"maxdiff {maxdiff}"
    elif line.shape_difference:
        figures, short = line.shape_difference, line.shape_difference.removeprefix("shape: ")
    else:
        return text.append(line.word, colour)
    if columns < max(ROW_NAME_WIDTH, len(row.name)) + FIGURES_WIDTH + AROUND_FIGURES:
        return text.append(f"{line.short_word:5} ", colour).append(*CHAIN[row.chain]).append(f" {short}")
    text.append(f"{figures:<{FIGURES_WIDTH}}").append(" | ", "dim")
    return text.append(f"{line.short_word:5}", colour).append(" ").append(*CHAIN[row.chain])


def lesson_screen(checked: Checked, only: Sequence[str] = ()) -> Iterator[RenderableType]:
    """One lesson's screen, or `only` some of its rows."""
    yield Text(f"{checked.lesson.number} {checked.lesson.title}", "bold")
    yield Text(checked.submitted.shown, "dim")
    yield ""
    yield from verdict_lines(checked, only)
    if checked.judged.runs:
        yield Paragraph(SCOPE_NOTE, "dim")


def verdict_lines(checked: Checked, only: Sequence[str] = ()) -> Iterator[RenderableType]:
    """The table, what is wrong, the notes, what was printed, and the tally."""
    if not checked.judged.runs:
        yield from broken_file(checked)
        return
    names = only or [line.row.name for line in checked.part.lines]
    yield RowTable([line for line in checked.part.lines if line.row.name in names])
    for group in checked.part.wrong_groups:
        if any(line.row.name in names for line in group):
            yield from ("", *explanation(group, checked))
    for part in (notes_about(checked, names), printed_part(checked)):
        if part:
            yield from ("", *part)
    yield ""
    yield Text(tally(checked))
    yield from elsewhere_note(checked)


def broken_file(checked: Checked) -> Iterator[RenderableType]:
    """Why a file does not run, and the line at which it stops."""
    first = checked.part.lines[0]
    yield Text("✗ The file does not run, so nothing in it could be checked.", WRONG_STYLE)
    yield Paragraph(inert(checked.judged.message or ""), indent=LIST_INDENT)
    yield from quoted_line(first.source, first.row.line)


def explanation(group: Sequence[RowView], checked: Checked, final: bool = True) -> Iterator[RenderableType]:
    """What is to be said of rows with one cause: verdict, place, forward lines, and once it is `final` the message."""
    line, row = group[0], group[0].row
    place = location(row.file or "", row.line) if line.is_wrong else checked.place_of(row.name)
    sign = "✗" if line.is_wrong else "·" if row.status in UNWRITTEN else "✓"
    style = STYLES.get(row.status, WRONG_STYLE)
    names = first_names([each.row.name for each in group])
    yield Text.assemble(
        (f"{sign} {names}", style if line.is_wrong else "bold"), (f" {line.word}  ", style), (place, "dim")
    )
    forward = line.forward if len(group) == 1 else []  # those of one step say nothing about the cause of several
    for text in forward[:FORWARD_LINES_SHOWN]:
        yield Paragraph(f"forward: {text}", "cyan", LIST_INDENT)
    if more := len(forward[FORWARD_LINES_SHOWN:]):
        yield Paragraph(f"and {count_text(more, 'more line')} of forward.py", "dim", LIST_INDENT)
    if row.status == "passed" and row.chain != "passed" and not line.is_check:
        mark, colour = CHAIN[row.chain]
        yield Paragraph(f"{mark} In your chain: {inert(line.chain)}.", colour, LIST_INDENT)
    elif final and (line.is_wrong or line.message):
        yield Paragraph(inert(line.sentence if line.is_wrong else line.message), indent=LIST_INDENT)
        if line.is_broken:
            yield from quoted_line(line.source, row.line)


def quoted_line(source: str, number: int | None) -> Iterator[Text]:
    texts = source.splitlines()
    if number is not None and 0 < number <= len(texts):
        yield printed_line(f"{number} │ {texts[number - 1].strip()}", "bold")


def printed_part(checked: Checked) -> list[Text]:
    """What the file printed, each line with the name of its function."""
    shown = checked.judged.shown
    return [Text(PRINTED, "dim"), *map(printed_line, shown)] if shown else []


def printed_line(line: str, style: str = "") -> Text:
    """A line of a student's, in one line of the terminal, which it cannot steer."""
    return Text(f"    {without_ci_commands(inert(line))}", style, no_wrap=True, overflow="ellipsis")


def notes_about(checked: Checked, names: Sequence[str]) -> list[Paragraph]:
    """What a student reads once about these rows: remarks on right ones, red chains, rounding; and about the file."""
    notes, chains = list[Paragraph](), dict[tuple[str, str], list[str]]()
    lines = [line for line in checked.part.lines if line.row.name in names]
    for group in checked.part.groups:
        shown = [line for line in group if line in lines and group not in checked.part.wrong_groups]
        if shown:
            others = first_names([line.row.name for line in shown[1:]])
            more = f" The same is true of {others}." if others else ""
            name = f"{shown[0].row.name}: " if shown[0].row.status == "passed" else ""
            notes.append(Paragraph(f"• {name}{inert(shown[0].message)}{more}"))
    for line in lines:
        if line.row.status == "passed" and line.chain not in ("right", "not run", "–"):
            chains.setdefault((line.row.chain, line.chain), []).append(line.row.name)
    for (chain, words), rows in chains.items():
        mark, colour = CHAIN[chain]
        notes.append(Paragraph(f"{mark} {first_names(rows)}, in your chain: {inert(words)}.", colour))
    if any(line.row.status == "passed" and line.row.exact is False for line in lines):
        notes.append(Paragraph(ROUNDING_REMARK, "dim"))
    if checked.judged.message:
        notes.append(Paragraph(inert(checked.judged.message), "yellow"))
    return notes


def tally(checked: Checked) -> str:
    """`2 of 26 right, 1 wrong, 23 to do · 2 of 26 points`: all of it counts the lesson's rows."""
    reached, most = points_text(checked.progress.points_reached), points_text(checked.lesson.max_score)
    return f"{checked.part.tally} · {reached} of {most} points"


def elsewhere_note(checked: Checked) -> Iterator[Paragraph]:
    """The rows that are written and that the hidden suite decides."""
    if hidden := checked.progress.hidden:
        worth = points_in_words(checked.progress.points_of(hidden))
        sentence = f"{HIDDEN_SUITE_DECIDES} {count_text(len(hidden), 'row')} ({worth}): {first_names(hidden)}."
        yield Paragraph(sentence, "cyan")


def remarks(checked: Checked) -> list[tuple[int, str, str]]:
    """(line, message, the mistake's id or the row's status) of each mistake, under the line that is wrong."""
    judged, source = checked.judged, checked.submitted.files[BACKWARD_FILE]
    if not judged.runs:
        return [(judged.rows[0].line or 1, inert(judged.message or "The file does not run."), judged.rows[0].status)]
    found = []
    for group in checked.part.wrong_groups:
        row, names = group[0].row, ", ".join(line.row.name for line in group)
        at = row.line
        for node in definitions_of(checked.lesson.item_for(row.name), source)[-1:]:
            if at in (None, node.lineno):
                at = max((each.lineno for each in ast.walk(node) if isinstance(each, ast.Return)), default=node.lineno)
        message = inert(f"{names}: {group[0].message or group[0].word}")
        found.append((at or 1, message, row.mistake.id if row.mistake is not None else row.status))
    return found


def problem_lines(checked: Checked) -> list[str]:
    """Each mistake as `file:line: message` on one line, which editors and `make` read."""
    shown = checked.submitted.shown
    return [f"{shown}:{line}: {' '.join(message.split())}" for line, message, _ in remarks(checked)]
