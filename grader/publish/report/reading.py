"""One student's results, arranged as a report tells them: parts, lines, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.gradebook.grading.graded import GradedSubmission
from grader.lesson.lesson import Item, Lesson
from grader.publish.report.annotated import sentences_about_lesson
from grader.publish.report.curve import Plot, plot
from grader.publish.report.excerpt import Lines, excerpt
from grader.publish.report.forces import Forces, forces
from grader.publish.report.heat_map import HeatMap, heat_map
from grader.questions.question import is_question
from grader.results import BROKEN_STATUSES, STATUS_WORDS, UNWRITTEN, WRONG_STATUSES, LessonResult, Row
from grader.results.wording import figure_text, shape_text, verdict_of_row

if TYPE_CHECKING:
    from grader.publish.report.layout import Layout, Node

SMALLEST_LOSS = 1e-6  # a logarithmic axis has no zero

STATE_WORDS = STATUS_WORDS | {
    "chain": "right, chain red",
    "here": "passed here",
    "hidden": "the hidden suite decides",
    "none": "no verdict",
    "uncounted": "not counted",
}


class TableRow(NamedTuple):
    """All that a row of the table shows, and nothing else: two students' rows that are equal here look alike."""

    name: str
    anchor: str
    why: str | None  # the anchor of the section that explains it
    state: str
    word: str
    chain: str
    exact: bool | None
    approximate: bool | None
    maxdiff: float | None
    ulps: int | None
    points: float
    max_points: float
    function: str


class NodeTooltip(NamedTuple):
    """All that a node of the graph shows of the row of its gradient."""

    state: str
    anchor: str
    first: bool  # the one to fix first
    facts: tuple[str, ...]


@dataclass(frozen=True)
class ReportRow:
    """A row of results.json with what the page adds. `state` is its status, or `chain` where only the chain is red."""

    row: Row
    state: str
    anchor: str
    item: Item | None
    culprits: tuple[tuple[str, bool], ...] = ()  # the wrong steps above it, nearest first, and whether they are written
    picture: Mapping[str, Any] | None = None
    excerpt: tuple[tuple[int, str], ...] = ()

    @property
    def is_check(self) -> bool:
        return self.item is not None and self.item.target is None

    @property
    def word(self) -> str:
        """The verdict on the line alone, short."""
        if self.state == "chain":
            return "right"
        if self.state == "failed" and self.is_check:
            return "not met"
        if self.state == "shape" and self.is_check:
            return "wrong form"
        return verdict_of_row(self.row) if self.wrong else STATE_WORDS[self.state]

    @property
    def chain(self) -> str:
        """The verdict on the student's own chain, as prose."""
        if self.is_check or self.state == "uncounted":
            return "–"
        if self.row.chain == "passed":
            return "right"
        if self.row.chain == "skipped":
            return f"not run: {self.culprit}" if self.culprits and self.row.status == "passed" else "not run"
        if self.state != "chain":
            return "wrong"
        if self.culprits:
            return f"correct; red only because {self.culprit}"
        return "wrong, although every step above it is right"

    @property
    def culprit(self) -> str:
        (nearest, is_written), *others = self.culprits
        text = f"`{nearest}` above it is {'wrong' if is_written else 'not written yet'}"
        return f"{text}, and {len(others)} more" if others else text

    def cells(self, why: str | None) -> TableRow:
        row = self.row
        figures = row.exact, row.approximate, row.maxdiff, row.ulps, row.points, row.max_points
        function = self.item.function if self.item else row.name
        return TableRow(row.name, self.anchor, why, self.state, self.word, self.chain, *figures, function)

    def tooltip(self, shape: str, first: bool) -> NodeTooltip:
        """For the node of its gradient in the graph, of the value's `shape`."""
        row = self.row
        facts = [f"{row.name}: {self.word if self.wrong else STATE_WORDS[self.state]}", f"shape {shape}"]
        if row.shape not in (None, row.expected_shape):
            facts.append(f"your shape {shape_text(row.shape)}")
        if row.maxdiff is not None:
            facts.append(f"maxdiff {figure_text(row.maxdiff)}, {figure_text(row.ulps)} ulps")
        facts.append("your chain: " + {"passed": "right", "failed": "red", "skipped": "not run"}[row.chain])
        if self.state == "chain" and self.culprits:
            facts.append(f"because of {self.culprits[0][0]}")
        return NodeTooltip(self.state, self.anchor, first, tuple(facts))

    @property
    def wrong(self) -> bool:
        return self.state in WRONG_STATUSES

    @property
    def broken(self) -> bool:
        return self.state in BROKEN_STATUSES

    @property
    def error(self) -> Mapping[str, Any] | None:
        """The picture of its error, where there is any: an argument changed in place leaves the value right."""
        return self.picture if self.picture and any(map(any, self.picture.get("cells", ()))) else None

    @property
    def heat(self) -> HeatMap | None:
        return heat_map(self.error) if self.error else None

    @property
    def forces(self) -> Forces | None:
        drawn = (self.picture or {}).get("forces")
        return forces(drawn["found"], drawn["expected"]) if drawn else None

    @property
    def curves(self) -> Mapping[str, Any] | None:
        return (self.picture or {}).get("curves")

    @property
    def plot(self) -> Plot | None:
        """The reference's curve, then the student's."""
        if not self.curves:
            return None
        found, expected = self.curves["found"], self.curves["expected"]
        return plot(found, [expected, found], 1, len(expected), SMALLEST_LOSS)


@dataclass
class LessonPart:
    """A lesson's part of the page. `groups` are rows that tell the same, in one section; `answers` are to questions."""

    results: LessonResult
    lesson: Lesson | None
    lines: list[ReportRow]
    answers: list[Row] = field(default_factory=list)
    groups: list[list[ReportRow]] = field(default_factory=list)
    printed: str = ""

    @property
    def first(self) -> ReportRow | None:
        """The step to fix first: the wrong one nearest the loss, else the first one not written yet."""
        unwritten = [line for line in self.lines if line.state in UNWRITTEN]
        unwritten.sort(key=lambda line: bool(line.row.outside_notebook))
        return next((line for line in self.lines if line.wrong), next(iter(unwritten), None))

    @property
    def message(self) -> str:
        """What is said about the lesson as a whole, unless its first row says the same."""
        says_the_same = self.lines and self.lines[0].row.message == self.results.message
        return "" if says_the_same else self.results.message or ""

    @property
    def uncounted(self) -> int:
        """How many rows the submission cannot contain."""
        return sum(line.state == "uncounted" for line in self.lines)

    @property
    def sentences(self) -> list[str]:
        """What the assignment and people say about the lesson."""
        return sentences_about_lesson(self.results)

    @property
    def has_gradients(self) -> bool:
        """Whether any row is a gradient; a lesson of functions and classes has none."""
        return any(line.item is None or line.item.target for line in self.lines)

    @property
    def title(self) -> str:
        return self.lesson.title if self.lesson else self.results.name

    @property
    def number(self) -> str:
        return self.lesson.number if self.lesson else ""

    @property
    def by_target(self) -> dict[str, ReportRow]:
        return {line.item.target: line for line in self.lines if line.item and line.item.target}

    @property
    def explained(self) -> dict[str, str]:
        """{a row's anchor: the anchor of the section that explains it}"""
        return {line.anchor: group[0].anchor for group in self.groups for line in group}

    @property
    def cells(self) -> list[TableRow]:
        explained = self.explained
        return [line.cells(explained.get(line.anchor)) for line in self.lines]

    def nodes_of(self, layout: Layout) -> list[tuple[int, Node, NodeTooltip | None]]:
        """The drawing's nodes, numbered, each with what it tells of its gradient."""
        lines, first = self.by_target, self.first
        nodes = [(node, lines.get(node.name)) for node in layout.nodes]
        return [
            (n, node, line.tooltip(node.shape, line is first) if line else None) for n, (node, line) in enumerate(nodes)
        ]


def state_of(row: Row) -> str:
    if not row.counted:
        return "uncounted"
    return "chain" if row.status == "passed" and row.chain == "failed" else row.status


def arrange_lesson(results: LessonResult, lesson: Lesson | None, graded: GradedSubmission, source: str) -> LessonPart:
    """What the report shows of a lesson, None if the course no longer has it; `source` is the student's file."""
    name = results.name
    rows = {row.name: row for row in results.rows}
    items = {item.name: item for item in lesson.items} if lesson else {}
    pictures = graded.pictures.get(name, {})
    split: dict[str, Lines] = {}

    def lines_of(text: str) -> Lines:
        if text not in split:
            split[text] = Lines(text)
        return split[text]

    lines = [
        ReportRow(
            row,
            state_of(row),
            f"{name}-{row.name}",
            items.get(row.name),
            tuple((step, rows[step].status not in UNWRITTEN) for step in row.because_of if step in rows),
            pictures.get(row.name),
            excerpt(lines_of(graded.texts.get(row.file or "", source)), row.name, row.line)
            if row.status not in ("passed", *UNWRITTEN)
            else (),
        )
        for row in results.rows
        if not is_question(row.name)
    ]
    answers = [row for row in results.rows if is_question(row.name)]
    arranged = LessonPart(results, lesson, lines, answers, printed="\n".join(graded.shown.get(name, ())))
    for line in lines:
        tells = line.wrong or line.row.mistake or (line.state not in ("todo", "uncounted") and line.row.message)
        alike = arranged.groups and verdict_and_message(arranged.groups[-1][-1]) == verdict_and_message(line)
        if tells and alike and (line.broken or same_function(arranged.groups[-1][-1], line)):
            arranged.groups[-1].append(line)  # a file that does not run fails all its rows with one sentence
        elif tells:
            arranged.groups.append([line])
    return arranged


def same_function(line: ReportRow, other: ReportRow) -> bool:
    """Whether both are wrong gradients of one function, which one mistake may spoil."""
    items = line.item, other.item
    are_gradients = line.wrong and all(item and item.target for item in items)
    return are_gradients and len({item and item.function for item in items}) == 1


def verdict_and_message(line: ReportRow) -> tuple[str, str | None, int | None]:
    return line.state, line.row.message, line.row.line
