"""A lesson's rows as lines of a screen, of any width; they can be read without colour."""

from __future__ import annotations

from collections.abc import Collection

from rich.text import Text

from grader import results as statuses
from grader.dojo.file import HERE, HIDDEN
from grader.results import UNWRITTEN, Row
from grader.results.wording import cmp_text, format_shape, looks_right, verdict_of_row

ROW_WORDS = statuses.STATUS_WORDS | {
    HERE: "passed here; the hidden suite decides",
    HIDDEN: "written; only the hidden suite decides",
}
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


def row_line(row: Row, width: int = ROW_NAME_WIDTH) -> Text:
    """`name | exact: ... | approximate: ... | maxdiff: ...` as in the lecture, then the verdict and the chain."""
    colour = colour_of(row.status)
    line = Text.assemble((f"{row.name:<{width}}", "" if row.status not in UNWRITTEN else "dim"), (" | ", "dim"))
    if looks_right(row):
        line.append(f"{cmp_text(row):<52}")
    elif row.exact is not None:
        line.append(f"exact: {row.exact!s:5} | approximate: {row.approximate!s:5} | maxdiff: {maxdiff(row):7}")
    elif has_other_shape(row):
        line.append(f"{shape_difference(row):<52}")
    else:
        return line.append(status_word(row), colour)
    line.append(" | ", "dim").append(SHORT_WORDS.get(row.status, "no   "), colour)
    return line.append(" ").append(*CHAIN[row.chain])


def numbered_line(row: Row, number: int, selected: bool, columns: int, name_width: int, word: str) -> Text:
    """The row with the number that selects it, in `columns`; `word` is its status where it has no figures."""
    head = f"{'▸' if selected else ' '}{number:>2} "
    if columns >= FULL_WIDTH + name_width - ROW_NAME_WIDTH and (row.exact is not None or row.status == "shape"):
        line = row_line(row, name_width)
    elif columns >= NARROW_WIDTH + name_width - ROW_NAME_WIDTH and row.exact is not None and not looks_right(row):
        line = row_line(row, name_width)
        line = line[: name_width + 18] + Text("approx.") + line[name_width + 29 :]
    else:
        line = Text(f"{row.name:<{name_width}} ", "dim" if row.status in UNWRITTEN else "")
        if row.exact is not None or has_other_shape(row):
            line.append(SHORT_WORDS.get(row.status, "no   "), colour_of(row.status)).append(" ").append(
                *CHAIN[row.chain]
            )
            line.append(f" {short_figures(row)}")
        else:
            line.append(word, colour_of(row.status))
    line = Text(head, no_wrap=True).append_text(line)
    if selected:
        line.stylize("bold")
    line.truncate(columns, overflow="ellipsis")
    return line


def maxdiff(row: Row) -> str:
    return "nan" if row.maxdiff is None else f"{row.maxdiff:.2g}"


def has_other_shape(row: Row) -> bool:
    return row.status == "shape" and row.shape not in (None, row.expected_shape)


def short_figures(row: Row) -> str:
    """What a narrow window shows of a row's figures or of its shape."""
    if has_other_shape(row):
        return shape_difference(row).removeprefix("shape: ")
    if looks_right(row):
        return cmp_text(row)
    return "exact" if row.exact else f"maxdiff {maxdiff(row)}"


def shape_difference(row: Row) -> str:
    return f"shape: {format_shape(tuple(row.shape or ()))}, expected: {format_shape(tuple(row.expected_shape))}"


def status_word(row: Row, checks: Collection[str] = ()) -> str:
    """The verdict in words; a check that failed may have no value to be wrong."""
    if row.status in (HERE, HIDDEN):
        return ROW_WORDS[row.status]
    return "wrong here" if row.name in checks and row.status == "failed" else verdict_of_row(row)
