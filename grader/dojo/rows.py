"""A lesson's rows as lines of a screen, of any width; they can be read without colour."""

from __future__ import annotations

from collections.abc import Collection

from rich.text import Text

from grader import results as statuses
from grader.dojo.file import HERE, HIDDEN
from grader.results import UNWRITTEN, Row
from grader.results.wording import format_shape

ROW_WORDS = statuses.STATUS_WORDS | {
    HERE: "passed here; the hidden suite checks more",
    HIDDEN: "written; only the hidden suite checks it",
}
SHORT_WORDS = {
    "passed": "right",
    "failed": "wrong",
    "shape": "shape",
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


def row_line(row: Row, width: int = ROW_NAME_WIDTH) -> Text:
    """`name | exact: ... | approximate: ... | maxdiff: ...` as in the lecture, then the verdict and the chain."""
    colour = colour_of(row.status)
    line = Text.assemble((f"{row.name:<{width}}", "" if row.status not in UNWRITTEN else "dim"), (" | ", "dim"))
    if row.exact is not None:
        line.append(f"exact: {row.exact!s:5} | approximate: {row.approximate!s:5} | maxdiff: {maxdiff(row):7}")
    elif row.status == "shape" and row.shape is not None and row.shape != row.expected_shape:
        line.append(f"{shape_difference(row):<52}")
    else:
        return line.append(ROW_WORDS[row.status], colour)
    line.append(" | ", "dim").append(SHORT_WORDS.get(row.status, "no   "), colour)
    return line.append(" ").append(*CHAIN[row.chain])


def numbered_line(row: Row, number: int, selected: bool, columns: int, name_width: int, word: str) -> Text:
    """The row with the number that selects it, in `columns`; `word` is its status where it has no figures."""
    head = f"{'▸' if selected else ' '}{number:>2} "
    if columns >= FULL_WIDTH + name_width - ROW_NAME_WIDTH and (row.exact is not None or row.status == "shape"):
        line = row_line(row, name_width)
    elif columns >= NARROW_WIDTH + name_width - ROW_NAME_WIDTH and row.exact is not None:
        line = row_line(row, name_width)
        line = line[: name_width + 18] + Text("approx.") + line[name_width + 29 :]
    else:
        line = Text(f"{row.name:<{name_width}} ", "dim" if row.status in UNWRITTEN else "")
        other_shape = row.status == "shape" and row.shape is not None and row.shape != row.expected_shape
        if row.exact is not None or other_shape:
            line.append(SHORT_WORDS.get(row.status, "no   "), colour_of(row.status)).append(" ").append(
                *CHAIN[row.chain]
            )
            figures = "exact" if row.exact else f"maxdiff {maxdiff(row)}"
            line.append(f" {shape_difference(row).removeprefix('shape: ') if other_shape else figures}")
        else:
            line.append(word, colour_of(row.status))
    line = Text(head, no_wrap=True).append_text(line)
    if selected:
        line.stylize("bold")
    line.truncate(columns, overflow="ellipsis")
    return line


def maxdiff(row: Row) -> str:
    return "nan" if row.maxdiff is None else f"{row.maxdiff:.2g}"


def shape_difference(row: Row) -> str:
    return f"shape: {format_shape(tuple(row.shape or ()))}, expected: {format_shape(tuple(row.expected_shape))}"


def status_word(row: Row, checks: Collection[str]) -> str:
    """A row's status in words; a check that failed may have no value to be wrong."""
    return "wrong here" if row.name in checks and row.status == "failed" else ROW_WORDS[row.status]
