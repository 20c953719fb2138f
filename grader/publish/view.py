"""A result in words: its rows, which rows have one cause, how many are right, and what to do next.

Reports, screens, editors, assistants and exports render these. No other module decides what a row is called or what is
said about it. A text may quote a student: each renderer makes it harmless.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Item, Lesson
from grader.publish.excerpt import excerpt
from grader.questions.question import is_question
from grader.results import BROKEN_STATUSES, START_THERE, UNWRITTEN, WRONG_STATUSES, LessonResult, Row
from grader.results.wording import format_shape


class RowState(NamedTuple):
    """Of a row: its name, what it means in a sentence without its capital and its full stop, and five letters of it."""

    word: str
    meaning: str
    short: str = "no"


STATES: Final = {
    "passed": RowState("right", "your line gives the gradient", "right"),
    "chain": RowState(
        "right, chain red", "your line is right; in your chain, a step above it passes it a wrong gradient"
    ),
    "failed": RowState("wrong value", "it ran, but the numbers are wrong", "wrong"),
    "shape": RowState("wrong shape", "the shape or the type is not the gradient’s", "wrong"),
    "error": RowState("error", "it raised an exception", "error"),
    "timeout": RowState("out of time", "it did not return in time", "late"),
    "crashed": RowState("crashed", "its process ended", "crash"),
    "forbidden": RowState(
        "not allowed", "it used autograd, numerical differentiation, or something else that is not allowed"
    ),
    "todo": RowState("to do", "not written yet"),
    "missing": RowState("missing", "there is no such function"),
    "uncounted": RowState("not counted", "the lecture’s notebook has no such row: it gives no points and costs none"),
    "here": RowState("passed here; the hidden suite decides", "it agrees with its public examples"),
    "hidden": RowState("written; only the hidden suite decides", "it has no public example"),
}
"""In the order in which a page explains them. A state is a status, or one of two more: `chain` for a right row that is
red in the student's own chain, `uncounted` for one that the submission cannot contain."""
STATE_WORDS: Final = {name: state.word for name, state in STATES.items()}


@dataclass(eq=False)
class RowView:
    """A row of a result, in words.

    Attributes:
        anchor: its id in a page.
        others: the rows of its lesson, by name.
        lesson: None where the course no longer has it.
        source: the text that `row.line` is a line of.
        picture: what the report draws of its values.
        why: the anchor of the first row of its group; "" where nothing is to be explained.
    """

    row: Row
    anchor: str = ""
    others: Mapping[str, Row] = field(default_factory=dict)
    lesson: Lesson | None = None
    item: Item | None = None
    source: str = ""
    picture: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @cached_property
    def state(self) -> str:
        if not self.row.counted:
            return "uncounted"
        return "chain" if self.row.status == "passed" and self.row.chain == "failed" else self.row.status

    @property
    def is_wrong(self) -> bool:
        return self.state in WRONG_STATUSES

    @property
    def is_broken(self) -> bool:
        """Whether there is no value to judge."""
        return self.state in BROKEN_STATUSES

    @property
    def is_check(self) -> bool:
        return self.item is not None and self.item.target is None

    @property
    def cmp_remark(self) -> str:
        """What the lecture's `cmp` says of a row that is not right, where it finds nothing wrong; "" elsewhere."""
        finds_nothing = self.row.status != "passed" and self.row.approximate
        return f"{'exact' if self.row.exact else 'approximate'} on the published problem" if finds_nothing else ""

    @property
    def shape_difference(self) -> str:
        """The shape that was found and the expected one, where they differ; "" elsewhere."""
        found, expected = self.row.shape, self.row.expected_shape
        is_other = self.row.status == "shape" and found not in (None, expected)
        return f"shape: {format_shape(found)}, expected: {format_shape(expected)}" if is_other else ""

    @cached_property
    def word(self) -> str:
        """The verdict on the line alone, which neither the row's figures nor its shape contradict."""
        row, word = self.row, STATE_WORDS["passed" if self.state == "chain" else self.state]
        if row.status == "shape" and row.shape is None:  # None, a list or an array; a check's result may have any parts
            return "wrong type" if row.expected_shape else "wrong shape or type"
        if row.status == "shape" and row.exact is None and row.shape == row.expected_shape:
            return "wrong type"
        if self.cmp_remark and self.is_wrong:
            return f"{word.removesuffix(' value')}; {self.cmp_remark}"
        is_measured = row.exact is not None or row.relative_error is not None or row.expected_shape
        return word if is_measured or row.status != "failed" else "wrong"

    @property
    def short_word(self) -> str:
        """The verdict on the line in at most five characters."""
        return STATES[self.row.status].short

    @property
    def label(self) -> str:
        """The verdict on the line, and on the chain where that differs."""
        return STATE_WORDS[self.state] if self.state == "chain" else self.word

    @property
    def message(self) -> str:
        """What the grader says about this row; "" where that is nothing."""
        row, numerical = self.row, self.row.numerical_differentiation
        text = row.message or (row.mistake.message if row.mistake else "")
        if numerical and numerical.message not in text:
            text = f"{text} {numerical.message}".strip()
        if numerical and numerical.observed and numerical.observed not in text:
            text = f"{text} {numerical.observed}."
        return text

    @property
    def sentence(self) -> str:
        """The message, or what the verdict means."""
        row, meaning = self.row, STATES[self.state].meaning
        if row.message or row.mistake:
            return self.message
        default = f"{meaning[0].upper()}{meaning[1:]}."
        if self.state == "todo" and (row.expected_shape or (self.item and self.item.target)):
            default = (
                f"Not written yet. Return a tensor of shape {format_shape(row.expected_shape)}. "
                "The stub shows the line of the forward pass that it belongs to."
            )
        elif self.state == "shape" and row.shape is not None:
            default = f"Its shape is {format_shape(row.shape)}; expected {format_shape(row.expected_shape)}."
        return f"{default} {self.message}".strip()

    @property
    def chain(self) -> str:
        """The verdict on the student's own chain, with the nearest step above that turns it red."""
        row, culprit = self.row, ""
        if self.is_check or self.state == "uncounted":
            return "–"
        if row.chain == "passed":
            return "right"
        if row.because_of:
            nearest, *more = row.because_of
            is_unwritten = nearest in self.others and self.others[nearest].status in UNWRITTEN
            culprit = f"`{nearest}` above it is {'not written yet' if is_unwritten else 'wrong'}"
            culprit += f", and {len(more)} more" if more else ""
        if row.chain == "skipped":
            return f"not run, because {culprit}" if culprit and row.status == "passed" else "not run"
        if self.state != "chain":
            return "wrong"
        return f"correct; red only because {culprit}" if culprit else "wrong, although every step above it is right"

    @property
    def place(self) -> str:
        """The row's file and line; "" where it has none."""
        return (self.row.file or "") + (f", line {self.row.line}" if self.row.file and self.row.line else "")

    @cached_property
    def excerpt(self) -> tuple[tuple[int, str], ...]:
        """The student's own lines, numbered, of a row that is not right."""
        is_shown = self.row.status not in ("passed", *UNWRITTEN)
        return excerpt(self.source, self.row.name, self.row.line) if is_shown and self.source else ()

    @property
    def forward(self) -> list[str]:
        """The lines of the forward pass through which the value feeds the loss; none for a check."""
        return forward_lines(self.lesson, self.item.target) if self.lesson and self.item and self.item.target else []

    @property
    def explanation(self) -> str:
        """The row as lines of plain text: verdict and place, message, chain, and what the lecture's `cmp` prints."""
        row, cmp_line = self.row, ""
        verdict = self.word.capitalize() + (f" ({self.place})" if self.place else "")
        chain = f"In your chain: {self.chain}." if self.state == "chain" else ""
        if row.exact is not None:
            maxdiff = "none" if row.maxdiff is None else f"{row.maxdiff:.6g}"
            cmp_line = f"exact: {row.exact!s:5} | approximate: {row.approximate!s:5} | maxdiff: {maxdiff}"
        return "\n".join(filter(None, (verdict, self.message, chain, cmp_line)))

    @property
    def answer_word(self) -> str:
        """The verdict on an answer to a question."""
        if self.row.answer and self.row.answer.waits:
            return "read by a person" if self.row.adjustment else "for a person to read"
        return {"passed": "right", "failed": "not right", "error": "not readable"}.get(self.row.status, "not answered")

    @property
    def error(self) -> Mapping[str, Any] | None:
        """The picture of its error, where there is any: an argument changed in place leaves the value right."""
        return self.picture if any(map(any, self.picture.get("cells", ()))) else None


@dataclass
class LessonView:
    """A lesson of a result: `every` row, and as `groups` neighbouring rows with one cause."""

    results: LessonResult
    lesson: Lesson | None
    every: list[RowView]
    groups: list[list[RowView]]
    printed: str = ""

    @cached_property
    def lines(self) -> list[RowView]:
        """The rows that are not answers to questions."""
        return [line for line in self.every if not is_question(line.row.name)]

    @property
    def answers(self) -> list[RowView]:
        """The rows of answers to questions."""
        return [line for line in self.every if is_question(line.row.name)]

    @property
    def wrong_groups(self) -> list[list[RowView]]:
        """The groups that are wrong, or whose function has code and counts as not written yet."""
        return [group for group in self.groups if group[0].is_wrong or (group[0].state == "todo" and group[0].message)]

    @property
    def first(self) -> RowView | None:
        """The step to fix first: the wrong one nearest the loss that comes from no other; or the one to write first."""
        wrong = sorted((line for line in self.lines if line.is_wrong), key=lambda line: START_THERE in line.message)
        unwritten = [line for line in self.lines if line.state in UNWRITTEN]
        later = [line for line in unwritten if line.item is not None and line.item.taught_in]
        unwritten.sort(key=lambda line: (line.row.outside_notebook, line in later))
        return next(iter([*wrong, *unwritten]), None)

    @property
    def tally(self) -> str:
        return tally_text([line.state for line in self.lines])

    @property
    def message(self) -> str:
        """What is said about the lesson as a whole, unless its first row says the same."""
        says_the_same = self.lines and self.lines[0].row.message == self.results.message
        return "" if says_the_same else self.results.message or ""

    @property
    def has_gradients(self) -> bool:
        """Whether any row is a gradient; a lesson of functions and classes has none."""
        return not all(line.is_check for line in self.lines)

    @property
    def title(self) -> str:
        return self.lesson.title if self.lesson else self.results.name

    @property
    def number(self) -> str:
        return self.lesson.number if self.lesson else self.results.name.partition("_")[0]


def lesson_view(
    results: LessonResult,
    lesson: Lesson | None = None,
    source: str = "",
    texts: Mapping[str, str] = {},
    pictures: Mapping[str, Any] = {},
    printed: str = "",
) -> LessonView:
    """A lesson in words.

    Args:
        source: the text of the student's file.
        texts: {a row's file: its text}, for files that were graded in another form than they were submitted in.
        pictures: {row: what the report draws of its values}
    """
    rows = {row.name: row for row in results.rows}
    items = {item.name: item for item in lesson.items} if lesson else {}
    every, groups = list[RowView](), list[list[RowView]]()
    for name, row in rows.items():
        text, picture = texts.get(row.file or "", source), pictures.get(name) or {}
        line = RowView(row, f"{results.name}-{name}", rows, lesson, items.get(name), text, picture)
        every.append(line)
        is_explained = line.is_wrong or row.mistake or (row.message and line.state not in ("todo", "uncounted"))
        if is_question(name) or not is_explained:
            continue
        may_join = line.is_broken or row.line or row.status == "missing"
        if groups and may_join and cause(groups[-1][-1]) == cause(line):
            groups[-1].append(line)  # a file that does not run fails all its rows with one sentence
        else:
            groups.append([line])
        line.why = groups[-1][0].anchor
    return LessonView(results, lesson, every, groups, printed)


def cause(line: RowView) -> tuple[str, bool, str, str | None, int | None]:
    """Equal for rows to which the same thing happened. The messages of missing rows may differ in their names."""
    row, message = line.row, line.row.message or ""
    if row.status == "missing":
        for name in (row.name, line.item.function if line.item else row.name):
            message = message.replace(f"`{name}`", "")
    if START_THERE in message:
        return line.state, False, message, row.file, None
    return line.state, line.is_check and line.state in ("failed", "shape"), message, row.file, row.line


def tally_text(states: Sequence[str]) -> str:
    """`2 of 26 right, 1 wrong, 23 to do`"""
    right = sum(state in ("passed", "chain", "here") for state in states)
    others = {
        "to do": sum(state in UNWRITTEN for state in states),
        "only the hidden suite decides": states.count("hidden"),
        "not counted": states.count("uncounted"),
    }
    counts = {"wrong": len(states) - right - sum(others.values())} | others
    return ", ".join([f"{right} of {len(states)} right", *(f"{each} {word}" for word, each in counts.items() if each)])


class NextStep(NamedTuple):
    """What to do next: a row to fix or to write, a lesson to submit, or questions; nothing where all is right.

    `title` is a command without its capital. `together` counts the rows of `line`'s group.
    """

    title: str = ""
    sentence: str = "Nothing is left to fix here."
    part: LessonView | None = None
    line: RowView | None = None
    together: int = 1


def next_step(parts: Sequence[LessonView]) -> NextStep:
    """Wrong rows come first, and rows that a notebook like the lecture's cannot have come last."""
    parts = [part for part in parts if part.results.excused is None]
    first = [(part, part.first) for part in parts if part.results.status == "graded" and part.first]
    if first:
        part, line = min(first, key=lambda each: 0 if each[1].is_wrong else 2 if each[1].row.outside_notebook else 1)
        together = next((len(group) for group in part.groups if line in group), 1)
        title = f"{'fix' if line.is_wrong else 'write'} `{line.row.name}`"
        if together > 1 and line.is_broken and line.state != "forbidden":
            title = "make the file run"
        return NextStep(title, line.sentence, part, line, together)
    for part in parts:
        if part.results.status != "graded":
            return NextStep(f"submit lesson {part.number}, {part.title}", part.results.message or "", part)
    for part in parts:
        if count := sum(each.row.points < each.row.max_points and each.row.adjustment is None for each in part.answers):
            title = f"answer the questions of lesson {part.number}, {part.title}"
            return NextStep(title, f"{count} of them have not earned all their points yet.", part)
    return NextStep()
