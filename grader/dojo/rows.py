"""A lesson's rows as lines of a screen, of any width; they can be read without colour."""

from __future__ import annotations

from rich.text import Text

from grader.dojo.file import HERE, HIDDEN
from grader.publish.view import RowView
from grader.results import UNWRITTEN, Row

SHORT_WORDS = {
    "passed": "right",
    "failed": "wrong",
    "shape": "wrong",
    "error": "error",
    "timeout": "late ",
    "crashed": "crash",
}
STYLES = {"passed": "green", "todo": "dim", "missing": "dim", HERE: "cyan", HIDDEN: "cyan"}
WRONG_STYLE = "bold red"
CHAIN = {"passed": ("✓", "green"), "failed": ("✗", "red"), "skipped": ("–", "dim")}
ROW_NAME_WIDTH = 15  # the lecture's
FULL_WIDTH, NARROW_WIDTH = 84, 80
"""Columns for the lecture's whole row with its number, and for one with `approximate` shortened."""


def colour_of(status: str) -> str:
    return STYLES.get(status, WRONG_STYLE)


def row_line(line: RowView, width: int = ROW_NAME_WIDTH) -> Text:
    """`name | exact: ... | approximate: ... | maxdiff: ...` as in the lecture, then the verdict and the chain."""
    row, colour = line.row, colour_of(line.row.status)
    text = Text.assemble((f"{row.name:<{width}}", "" if row.status not in UNWRITTEN else "dim"), (" | ", "dim"))
    if line.looks_right:
        text.append(f"{line.cmp_in_words:<52}")
    elif row.exact is not None:
        text.append(f"exact: {row.exact!s:5} | approximate: {row.approximate!s:5} | maxdiff: {maxdiff(row):7}")
    elif line.shape_difference:
        text.append(f"{line.shape_difference:<52}")
    else:
        return text.append(line.word, colour)
    text.append(" | ", "dim").append(SHORT_WORDS.get(row.status, "no   "), colour)
    return text.append(" ").append(*CHAIN[row.chain])


def numbered_line(line: RowView, number: int, selected: bool, columns: int, name_width: int) -> Text:
    """The row with the number that selects it, in `columns`."""
    row = line.row
    head = f"{'▸' if selected else ' '}{number:>2} "
    if columns >= FULL_WIDTH + name_width - ROW_NAME_WIDTH and (row.exact is not None or row.status == "shape"):
        text = row_line(line, name_width)
    elif columns >= NARROW_WIDTH + name_width - ROW_NAME_WIDTH and row.exact is not None and not line.looks_right:
        text = row_line(line, name_width)
        text = text[: name_width + 18] + Text("approx.") + text[name_width + 29 :]
    else:
        text = Text(f"{row.name:<{name_width}} ", "dim" if row.status in UNWRITTEN else "")
        if row.exact is not None or line.shape_difference:
            text.append(SHORT_WORDS.get(row.status, "no   "), colour_of(row.status)).append(" ")
            text.append(*CHAIN[row.chain]).append(f" {short_figures(line)}")
        else:
            text.append(line.word, colour_of(row.status))
    text = Text(head, no_wrap=True).append_text(text)
    if selected:
        text.stylize("bold")
    text.truncate(columns, overflow="ellipsis")
    return text


def maxdiff(row: Row) -> str:
    return "nan" if row.maxdiff is None else f"{row.maxdiff:.2g}"


def short_figures(line: RowView) -> str:
    """What a narrow window shows of a row's figures or of its shape."""
    if line.shape_difference:
        return line.shape_difference.removeprefix("shape: ")
    if line.looks_right:
        return line.cmp_in_words
    return "exact" if line.row.exact else f"maxdiff {maxdiff(line.row)}"
