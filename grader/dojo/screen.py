"""The screen of `dojo check`: the lecture's rows with a verdict, what is wrong and why, what to do next.

Everything is lines for rich, for 80 columns or more. Text from a student's code passes `inert` first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.checked import Checked
from grader.dojo.file import HERE, HIDDEN, HIDDEN_SUITE_DECIDES, location
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.dojo.progress import Progress
from grader.lesson.lesson import Lesson
from grader.publish.inert import inert, without_ci_commands
from grader.publish.view import STATE_WORDS, LessonView, RowView, tally_text
from grader.results import UNWRITTEN, points_in_words, points_text
from grader.results.wording import count_text, first_names
from grader.sandbox.workers.printed import first_and_last
from grader.verdict.judge.examples import examples_of

STYLES = {"passed": "green", "todo": "dim", "missing": "dim", HERE: "cyan", HIDDEN: "cyan"}
WRONG_STYLE = "bold red"
CHAIN = {"passed": ("✓", "green"), "failed": ("✗", "red"), "skipped": ("–", "dim")}
ROW_NAME_WIDTH = 15  # the lecture's
FIGURES_WIDTH, AROUND_FIGURES = 52, 13
"""Columns of a row for the lecture's figures, and for its marks and its verdict."""
MAX_UNWRITTEN_WITH_A_LINE = 3  # unwritten rows that get a line each
ROUNDING_REMARK = (
    "exact: False in a row that is right is a rounding difference in float32. The verdict compares values in float64."
)
MAX_FORWARD_LINES_ON_SCREEN = 3  # lines of the forward pass


def heading(lesson: Lesson, file: str) -> Text:
    return Text.assemble((f"{lesson.number} {lesson.title}", "bold"), "\n", (file, "dim"))


def colour_of(status: str) -> str:
    return STYLES.get(status, WRONG_STYLE)


def row_line(line: RowView, width: int = ROW_NAME_WIDTH, columns: int = 80, selected: bool = False) -> Text:
    """`name | exact: ... | approximate: ... | maxdiff: ...` as in the lecture, then the verdict and the chain.

    Where that is wider than `columns`, the verdict comes first, with one figure. A `selected` row has a mark.
    """
    row, colour = line.row, colour_of(line.row.status)
    text = Text(no_wrap=True, overflow="ellipsis", style="bold" if selected else "")
    text.append(f"{row.name:<{width}}", "" if row.status not in UNWRITTEN else "dim")
    text.append(" ▸ " if selected else " | ", "" if selected else "dim")
    maxdiff = "nan" if row.maxdiff is None else f"{row.maxdiff:.2g}"
    if line.looks_right:
        figures = short = line.cmp_in_words
    elif row.exact is not None:
        figures = f"exact: {row.exact!s:5} | approximate: {row.approximate!s:5} | maxdiff: {maxdiff:7}"
        short = "exact" if row.exact else f"maxdiff {maxdiff}"
    elif line.shape_difference:
        figures, short = line.shape_difference, line.shape_difference.removeprefix("shape: ")
    else:
        return text.append(line.word, colour)
    if columns < width + FIGURES_WIDTH + AROUND_FIGURES:
        return text.append(f"{line.short_word:5} ", colour).append(*CHAIN[row.chain]).append(f" {short}")
    text.append(f"{figures:<{FIGURES_WIDTH}}").append(" | ", "dim")
    return text.append(f"{line.short_word:5}", colour).append(" ").append(*CHAIN[row.chain])


def row_table(lines: Sequence[RowView], columns: int = 80, selected: str | None = None) -> Iterator[Text]:
    """One line per row; consecutive unwritten rows share a line. Checks have their own column."""
    width = max([ROW_NAME_WIDTH, *(len(line.row.name) for line in lines if line.row.exact is not None)])
    checks = [line for line in lines if line.is_check and line.state not in UNWRITTEN]
    wide = max([width, *(len(line.row.name) for line in checks)])
    for status, group in groupby(lines, key=lambda line: line.row.status):
        alike = list(group)
        if status in UNWRITTEN and len(alike) > MAX_UNWRITTEN_WITH_A_LINE:
            names = first_names([line.row.name for line in alike])
            line = f"{len(alike)} {STATE_WORDS[status]}: {names}"
            yield Text(line, colour_of(status), no_wrap=True, overflow="ellipsis")
            continue
        for each in alike:
            yield row_line(each, wide if each in checks else width, columns, each.row.name == selected)


def group_explanation(group: Sequence[RowView], source: str) -> Iterator[RenderableType]:
    """What is wrong with a group of rows: the location, the forward line, the message, and where the code stopped."""
    yield from group_heading(group)
    yield from group_message(group, source)


def group_heading(group: Sequence[RowView]) -> Iterator[RenderableType]:
    line = group[0]
    names, place = first_names([each.row.name for each in group]), location(line.row.file or "", line.row.line)
    yield Text.assemble((f"✗ {names}", WRONG_STYLE), f" {line.word}  ", (place, "dim"))
    yield from forward_part(line)


def group_message(group: Sequence[RowView], source: str) -> Iterator[RenderableType]:
    line = group[0]
    yield Paragraph(inert(line.sentence), indent=LIST_INDENT)
    if line.is_broken:
        yield from quoted_line(source, line.row.line)


def forward_part(line: RowView) -> Iterator[RenderableType]:
    """The lines of the forward pass that read the value whose gradient a row is."""
    lines = line.forward
    for text in lines[:MAX_FORWARD_LINES_ON_SCREEN]:
        yield Paragraph(f"forward: {text}", "cyan", LIST_INDENT)
    if more := len(lines[MAX_FORWARD_LINES_ON_SCREEN:]):
        yield Paragraph(f"and {count_text(more, 'more line')} of forward.py", "dim", LIST_INDENT)


def quoted_line(source: str, line: int | None) -> Iterator[Text]:
    texts = source.splitlines()
    if line is not None and 0 < line <= len(texts):
        yield Text(
            f"    {line} │ {without_ci_commands(inert(texts[line - 1].strip()))}",
            "bold",
            no_wrap=True,
            overflow="ellipsis",
        )


def remark_lines(part: LessonView, without: str | None = None) -> Iterator[Paragraph]:
    """Notes about rows that are not wrong, and why their chain is. The row `without` is left out."""
    lines = [line for line in part.lines if line.row.name != without]
    wrong = part.wrong_groups
    for group in part.groups:
        shown = [line for line in group if line in lines]
        if group not in wrong and shown:
            names, message = [line.row.name for line in shown], inert(shown[0].message)
            more = f" The same is true of {first_names(names[1:])}." if names[1:] else ""
            name = f"{names[0]}: " if shown[0].row.status == "passed" else ""
            yield Paragraph(f"• {name}{message}{more}")
    chains: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if line.row.status == "passed" and line.chain not in ("right", "not run", "–"):
            chains.setdefault((line.row.chain, line.chain), []).append(line.row.name)
    for (chain, words), names in chains.items():
        mark, colour = CHAIN[chain]
        yield Paragraph(f"{mark} {first_names(names)}, in your chain: {inert(words)}.", colour)


def notes_about(checked: Checked, part: LessonView, without: str | None = None) -> list[Paragraph]:
    """What a student reads once: red chains, rounding, missing functions. The row `without` is explained elsewhere."""
    notes = list(remark_lines(part, without))
    if any(line.row.status == "passed" and line.row.exact is False for line in part.lines):
        notes.append(Paragraph(ROUNDING_REMARK, "dim"))
    if checked.judged.message:
        notes.append(Paragraph(inert(checked.judged.message), "yellow"))
    return notes


def tally(progress: Progress) -> str:
    """`2 of 26 right, 1 wrong, 23 to do · 2 of 26 points`: all of it counts the lesson's rows."""
    states = [progress.statuses.get(item.name, "missing") for item in progress.lesson.items]
    points = f"{points_text(progress.points_reached)} of {points_text(progress.max_score)} points"
    return f"{tally_text(states)} · {points}"


def elsewhere_note(progress: Progress) -> Iterator[Paragraph]:
    """The rows that are written and that the hidden suite decides."""
    if hidden := progress.hidden:
        worth = points_in_words(progress.points_hidden)
        yield Paragraph(
            f"{HIDDEN_SUITE_DECIDES} {count_text(len(hidden), 'row')} ({worth}): {first_names(hidden)}.", "cyan"
        )


def scope_note(lesson: Lesson) -> Paragraph:
    """The note about which problems were checked. Raises LessonError where examples.py cannot be read."""
    draws = lesson.public_draws if lesson.gradients else ()
    others = sum(bool(draw.sizes) for draw in draws)
    on = (
        [count_text(len(draws), "public problem") + (f", {others} of them of other sizes" if others else "")]
        if draws
        else []
    )
    on += ["public examples"] if examples_of(lesson) else []
    here = f"Checked on {', and on '.join(on)}" if on else "Nothing was run here"
    return Paragraph(f"{here}. Your grade comes from the hidden test suite, with other problems.", "dim")


def lesson_screen(checked: Checked, only: Sequence[str] = ()) -> Iterator[RenderableType]:
    """One lesson's screen, or `only` some of its rows. Raises LessonError where the lesson cannot be read."""
    yield heading(checked.lesson, checked.submitted.shown)
    yield ""
    yield from verdict_lines(checked, only)


def verdict_lines(checked: Checked, only: Sequence[str] = ()) -> Iterator[RenderableType]:
    """The table, what is wrong, the notes, what was printed, and the tally."""
    judged, part = checked.judged, checked.part
    lines = [line for line in part.lines if not only or line.row.name in only]
    if not judged.runs:
        yield from broken_file(checked)
        return
    yield from row_table(lines)
    part = replace(part, lines=lines, groups=[group for group in part.groups if set(group) & set(lines)])
    for group in part.wrong_groups:
        yield ""
        yield from group_explanation(group, checked.text_of(group[0].row))
    notes = notes_about(checked, part)
    if notes:
        yield ""
        yield from notes
    if judged.shown:
        yield ""
        yield from printed_part(checked)
    yield ""
    yield Text(tally(checked.progress))
    yield from elsewhere_note(checked.progress)


def broken_file(checked: Checked) -> Iterator[RenderableType]:
    """Why a file does not run, and the line at which it stops."""
    row = checked.judged.rows[0]
    yield Text("✗ The file does not run, so nothing in it could be checked.", WRONG_STYLE)
    yield Paragraph(inert(checked.judged.message or ""), indent=LIST_INDENT)
    yield from quoted_line(checked.text_of(row), row.line)


def printed_part(checked: Checked, room: int | None = None) -> Iterator[Text]:
    """What the file printed, and in which runs."""
    runs = ["on the lecture's own problem"] if checked.lesson.gradients else []
    runs += ["in the public examples"] if examples_of(checked.lesson) else []
    yield Text(f"It printed, {' and '.join(runs)}:", "dim")
    yield from printed_lines(checked.judged.shown, room)


def printed_lines(lines: Sequence[str], room: int | None = None) -> Iterator[Text]:
    """The labelled lines of the output; with `room`, the first and the last."""
    for line in lines if room is None else first_and_last(lines, max(3, room // 3)):
        yield Text(f"    {without_ci_commands(inert(line))}", no_wrap=True, overflow="ellipsis")
