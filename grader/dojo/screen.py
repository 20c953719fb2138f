"""The screen of `dojo check`: the lecture's rows with a verdict, what is wrong and why, what to do next.

Everything is lines for rich, for 80 columns or more. Text from a student's code passes `inert` first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.desk import Checked
from grader.dojo.file import HERE, HIDDEN, HIDDEN_SUITE_DECIDES, location
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.dojo.progress import Progress
from grader.dojo.rows import CHAIN, ROW_NAME_WIDTH, ROW_WORDS, WRONG_STYLE, colour_of, row_line, status_word
from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Lesson
from grader.publish.inert import inert, without_ci_commands
from grader.results import UNWRITTEN, Row, points_in_words, points_text
from grader.results.wording import count_text, first_names
from grader.sandbox.workers.printed import first_and_last
from grader.verdict.judge.examples import examples_of

MAX_UNWRITTEN_WITH_A_LINE = 3  # unwritten rows that get a line each
ROUNDING_REMARK = (
    "exact: False in a row that is right is a rounding difference in float32. The verdict compares values in float64."
)
MAX_FORWARD_LINES_ON_SCREEN = 3  # lines of the forward pass


def heading(lesson: Lesson, file: str) -> Text:
    return Text.assemble((f"{lesson.number} {lesson.title}", "bold"), "\n", (file, "dim"))


def row_table(rows: Sequence[Row], checks: Collection[str]) -> Iterator[Text]:
    """One line per row; consecutive unwritten rows share a line.

    `checks` are the names of the rows that are not gradients; they have their own column.
    """
    width = max([ROW_NAME_WIDTH, *(len(row.name) for row in rows if row.exact is not None)])
    wide = max([width, *(len(row.name) for row in rows if row.name in checks and row.status not in UNWRITTEN)])
    for status, group in groupby(rows, key=lambda row: row.status):
        alike = list(group)
        if status in UNWRITTEN and len(alike) > MAX_UNWRITTEN_WITH_A_LINE:
            yield Text(
                f"{len(alike)} {ROW_WORDS[status]}: {first_names([row.name for row in alike])}", colour_of(status)
            )
            continue
        for row in alike:
            if row.name in checks and status not in UNWRITTEN:
                yield Text.assemble(
                    f"{row.name:<{wide}}", (" | ", "dim"), (status_word(row, checks), colour_of(status))
                )
            else:
                yield row_line(row, width)


def wrong_groups(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows to explain; those with the same sentence, as in a joint function, are one group.

    These are the wrong ones, and those whose function has code and counts as not written yet.
    """
    wrong = [
        row
        for row in rows
        if row.status not in ("passed", HERE, HIDDEN, *UNWRITTEN) or (row.status == "todo" and row.mistake)
    ]
    return [list(group) for _, group in groupby(wrong, key=lambda row: (row.status, row.message, row.line))]


def group_explanation(
    rows: Sequence[Row], source: str, checks: Collection[str], lesson: Lesson
) -> Iterator[RenderableType]:
    """What is wrong with a group of rows: the location, the forward line, the message, and where the code stopped."""
    row = rows[0]
    names = first_names([row.name for row in rows])
    yield Text.assemble(
        (f"✗ {names}", WRONG_STYLE), f" {status_word(row, checks)}  ", (location(row.file or "", row.line), "dim")
    )
    yield from forward_part(lesson, row.name)
    yield Paragraph(inert(row.message or f"It is {status_word(row, checks)}."), indent=LIST_INDENT)
    if row.status in ("error", "timeout", "forbidden"):
        yield from quoted_line(source, row.line)


def forward_part(lesson: Lesson, row: str) -> Iterator[RenderableType]:
    """The lines of the forward pass that read the value whose gradient a row is."""
    target = lesson.item_for(row).target
    lines = forward_lines(lesson, target) if target else []
    for line in lines[:MAX_FORWARD_LINES_ON_SCREEN]:
        yield Paragraph(f"forward: {line}", "cyan", LIST_INDENT)
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


def remark_lines(rows: Sequence[Row], progress: Progress) -> Iterator[Paragraph]:
    """Notes about rows that are not wrong, and why their chain failed."""
    for row in rows:
        if row.message and row.status == "passed":
            yield Paragraph(f"• {row.name}: {inert(row.message)}")
    yield from missing_remarks([row for row in rows if row.status == "missing"])
    right = [row for row in rows if row.status == "passed"]
    for chain, because in (("failed", "red in your chain only because"), ("skipped", "not run in your chain, as")):
        culprits: dict[str, list[str]] = {}
        for row in right:
            if row.chain == chain:
                culprits.setdefault(next(iter(row.because_of), ""), []).append(row.name)
        mark, colour = CHAIN[chain]
        for culprit, names in culprits.items():
            state = "is not written yet" if culprit in progress.unwritten else "is wrong"
            note = f"correct; {because} {culprit} above {state}."
            if not culprit:
                note = "wrong in your chain, although every step above is right."
            yield Paragraph(f"{mark} {first_names(names)}: {note}", colour)


def has_rounding(rows: Sequence[Row]) -> bool:
    """Whether a row is right and not exact."""
    return any(row.status == "passed" and row.exact is False for row in rows)


def missing_remarks(rows: Sequence[Row]) -> Iterator[Paragraph]:
    """Why rows are missing. Sentences that differ only in a name are merged; each guess is a sentence."""
    alike: dict[str, list[Row]] = {}
    for row in rows:
        if row.message:
            guess = "did you mean" in row.message
            alike.setdefault(row.message if guess else re.sub("`[^`]*`", "", row.message), []).append(row)
    for first, *others in alike.values():
        more = f" The same is true of {first_names([row.name for row in others])}." if others else ""
        yield Paragraph(f"• {inert(first.message or '')}{more}")


def tally(progress: Progress) -> str:
    """`2 of 26 right, 1 wrong, 23 to do · 2 of 26 points`: all of it counts the lesson's rows."""
    counted = (
        (progress.wrong, "wrong"),
        (progress.unwritten, "to do"),
        (progress.having(HIDDEN), "only the hidden suite decides"),
    )
    parts = [f"{len(progress.reached)} of {len(progress.items)} right"]
    parts += [f"{len(names)} {word}" for names, word in counted if names]
    return f"{', '.join(parts)} · {points_text(progress.points_reached)} of {points_text(progress.max_score)} points"


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
    judged = checked.judged
    rows = [row for row in judged.rows if not only or row.name in only]
    yield heading(checked.lesson, checked.submitted.shown)
    yield ""
    if not judged.runs:
        yield Text("✗ The file does not run, so nothing in it could be checked.", WRONG_STYLE)
        yield Paragraph(inert(judged.message or ""), indent=LIST_INDENT)
        yield from quoted_line(checked.text_of(rows[0]), rows[0].line)
        return
    checks = [item.name for item in checked.lesson.checks]
    yield from row_table(rows, checks)
    for group in wrong_groups(rows):
        yield ""
        yield from group_explanation(group, checked.text_of(group[0]), checks, checked.lesson)
    notes = list(remark_lines(rows, checked.progress))
    if has_rounding(rows):
        notes.append(Paragraph(ROUNDING_REMARK, "dim"))
    if judged.message:
        notes.append(Paragraph(inert(judged.message), "yellow"))
    if notes:
        yield ""
        yield from notes
    if judged.shown:
        yield ""
        yield Text(f"It printed, {' and '.join(printed_on(checked.lesson))}:", "dim")
        yield from printed_lines(judged.shown)
    yield ""
    yield Text(tally(checked.progress))
    yield from elsewhere_note(checked.progress)


def printed_on(lesson: Lesson) -> list[str]:
    """The runs whose output is shown."""
    problem = ["on the lecture's own problem"] if lesson.gradients else []
    return problem + (["in the public examples"] if examples_of(lesson) else [])


def printed_lines(lines: Sequence[str], room: int | None = None) -> Iterator[Text]:
    """The labelled lines of the output; with `room`, the first and the last."""
    for line in lines if room is None else first_and_last(lines, max(3, room // 3)):
        yield Text(f"    {without_ci_commands(inert(line))}", no_wrap=True, overflow="ellipsis")
