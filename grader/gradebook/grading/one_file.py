"""One student's file for one lesson: run in workers, its rows judged, its chain run.

Which problems it is judged on is for the caller to say: a hidden suite (session) or public problems (dojo/check).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON
from grader.comparison.tensors import TOLERANCE
from grader.gradebook.grading.trials import FileTrials
from grader.intake.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.results import WRONG_STATUSES, Row
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.printed import lines_by_label
from grader.sandbox.workers.student import Student
from grader.verdict.explain import row_places
from grader.verdict.judge import numerical
from grader.verdict.judge.chain import chain_verdicts
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.line import STATUS_OF
from grader.verdict.judge.notebook_terms import is_published, terms_of

MAX_PRINTED = 6_000
SEARCH_STOPPED = (
    "The search for the slips in your functions took more than {:g} seconds, and was stopped. "
    "Some messages may say less than they could."
)

Explain = Callable[[Row], None]
"""Writes the mistake of a row into it, or what else is known of it. It changes no verdict."""


class JudgedRows(NamedTuple):
    """What a suite says of a student's file: rows in the lesson's order, and by row the check of its gradient.

    `explain` is for rows that are not right, once the verdicts on all rows are known.
    """

    rows: list[Row]
    gradients: Mapping[str, GradientCheck]
    explain: Mapping[str, Explain]


Suite = Callable[[Student], JudgedRows]


@dataclass
class JudgedFile:
    """The verdict on a file.

    `explain` is for rows that are not explained yet. `message` is about the file as a whole: why it does not run, or
    stopped early. `printed` is the beginning of what it printed; `shown` are lines of that, each labelled with the
    function that printed it.
    """

    rows: list[Row]
    message: str | None = None
    pictures: dict[str, Any] = field(default_factory=dict)
    printed: str = ""
    shown: list[str] = field(default_factory=list)
    runs: bool = True  # False when the file itself fails, and all rows with it
    explain: Mapping[str, Explain] = field(default_factory=dict)

    def add(self, remark: str) -> None:
        """Add a sentence to the message."""
        self.message = f"{self.message} {remark}" if self.message else remark


def judge_file(
    lesson: Lesson,
    submitted: LessonFiles,
    zygote: ZygoteProcess,
    suite: Suite,
    interrupt: int | None = None,
    show: Callable[[JudgedFile], None] | None = None,
) -> JudgedFile:
    """Judge a submitted file. Once the descriptor `interrupt` is readable, Interrupted is raised instead of waiting.

    Rows that are not right are explained after the verdicts; where one is wrong, `show` gets these before. Raises
    Interrupted, and for faults of the grader ZygoteDied and what `suite` raises.
    """
    student, chain = student_of(lesson, submitted, zygote, interrupt)
    student.trials = trials = FileTrials(student, submitted.files[BACKWARD_FILE])
    with closing(student):
        if (failure := student.load_failure) is not None:
            judged = file_that_does_not_run(lesson, submitted, failure)
        else:
            judged = judge_running_file(lesson, submitted, student, suite, chain)
            if show is not None and any(row.status in ("failed", "shape", "error") for row in judged.rows):
                show(replace(judged, rows=[in_its_place(copy(row), submitted) for row in judged.rows]))
            explain_rows(lesson, submitted, judged, student.functions)
    for row in judged.rows:
        in_its_place(row, submitted)
    if trials.ran_out:
        judged.add(SEARCH_STOPPED.format(zygote.limits.total_seconds))
    output, most = student.output, zygote.limits.output_bytes
    if output.total:
        judged.printed = output.data[:MAX_PRINTED].decode("utf-8", errors="replace")
        judged.printed += f"\n... ({output.total:,} bytes in all)" if output.total > MAX_PRINTED else ""
        judged.shown = lines_by_label(output.data, BACKWARD_FILE)
    if output.total > most:
        judged.add(f"It printed more than {most:,} bytes; what came after them was dropped.")
    return judged


def student_of(
    lesson: Lesson, submitted: LessonFiles, zygote: ZygoteProcess, interrupt: int | None
) -> tuple[Student, Problem | None]:
    """(who runs the file in workers, the problem of the student's own chain; None where no chain is run).

    A notebook has the published problem at its own sizes, where these differ.
    """
    origin, gradients = submitted.origin, [item.name for item in lesson.gradients]
    terms = terms_of(lesson, origin.sizes, origin.numbers) if origin else terms_of(lesson, None)
    public, chain = None, lesson.public_chain if gradients else None
    if not is_published(lesson, terms.sizes):
        public, chain = lesson.published_at(terms.sizes or {})
    above = None
    if chain is not None:
        names_above = {name: {"d" + each for each in chain.graph.above(name[1:])} for name in gradients}
        above = chain, {name: each & set(gradients) for name, each in names_above.items()}
    student = Student(
        zygote, submitted.files, gradients, lesson.joint, lesson.not_allowed, above, terms, public, interrupt=interrupt
    )
    return student, chain


def judge_running_file(
    lesson: Lesson, submitted: LessonFiles, student: Student, suite: Suite, chain: Problem | None
) -> JudgedFile:
    """The verdict on a file that runs, perhaps not to its end.

    A worker in which autograd was switched on may have used it for any row: none has points.
    """
    rows, gradients, explain = suite(student)
    row_places.locate_checks(lesson, rows, submitted.files[BACKWARD_FILE])
    student.right_rows = frozenset(row.name for row in rows if row.points)
    student.wrong_rows = frozenset(row.name for row in rows if row.status in WRONG_STATUSES)
    student.is_right = is_right_as_a_whole(lesson, student, rows)
    pictures = {row.name: gradients[row.name].add_figures(row) for row in rows if row.name in gradients}
    if chain is not None:
        add_chain(lesson, student, rows, chain)
    # what right steps and functions do when they run again, by row and by function
    passed = [row.name for row in rows if row.status == "passed"]
    functions = numerical.functions_by_row(lesson)
    called = {functions[name] for name in passed if name in functions}
    seen = student.watch(passed, sorted(called - {item.function for item in lesson.gradients}))
    numerical.mark_rows(lesson, submitted.shown, rows, seen)
    if student.switched_on:
        rows = [
            Row(row.name, "forbidden", 0, row.max_points, message=SWITCHED_ON, expected_shape=row.expected_shape)
            for row in rows
        ]
        return JudgedFile(rows, message=SWITCHED_ON)
    message = submitted.message
    if student.note:
        message = f"Lines of {submitted.shown} that fail outside its functions were left out. {student.note}"
    shown = {name: picture for name, picture in pictures.items() if picture}
    return JudgedFile(rows, message, shown, explain=explain)


def is_right_as_a_whole(lesson: Lesson, student: Student, rows: list[Row]) -> bool:
    """Whether every gradient is right in float64 and in its value's shape: then so is the chain of them all."""
    exact = [row.name for row in rows if row.status == "passed" and (row.relative_error or 0) <= TOLERANCE]
    return not student.terms.broadcast and {item.name for item in lesson.gradients} <= {*exact}


def add_chain(lesson: Lesson, student: Student, rows: list[Row], problem: Problem) -> None:
    """Say of each row whether the student's own chain is right there. It is run where something may be wrong."""
    targets = {item.name: item.target for item in lesson.gradients if item.target is not None}
    if student.is_right:
        for row in rows:
            row.chain = "passed" if row.name in targets else row.chain
        return
    lines = {row.name: row.status == "passed" for row in rows}
    other_shape = {row.name for row in rows if lines[row.name] and row.shape not in (None, row.expected_shape)}
    verdicts = chain_verdicts(problem, targets, student.chain(), lines, student.low_precision_steps, other_shape)
    for row in rows:
        if row.name in verdicts:
            row.chain, row.because_of = verdicts[row.name]


def explain_rows(lesson: Lesson, submitted: LessonFiles, judged: JudgedFile, functions: Sequence[str]) -> None:
    """Write into rows that are not right what is known of the cause. `functions` are those of the file."""
    for row in judged.rows:
        if row.name in judged.explain:
            judged.explain[row.name](row)
    text = submitted.files[BACKWARD_FILE].decode("utf-8-sig", errors="replace")
    row_places.explain_missing(lesson, judged.rows, functions, text)
    row_places.locate_gradients(lesson, judged.rows, text)
    row_places.name_wrong_functions(lesson, judged.rows, text)
    row_places.move_errors(lesson, judged.rows, submitted.files[BACKWARD_FILE])


def in_its_place(row: Row, submitted: LessonFiles) -> Row:
    """The row, which now says in which file its line is, in a notebook also in which cell."""
    row.file = submitted.shown
    if submitted.origin is not None:
        submitted.origin.explain(row)
    return row


def file_that_does_not_run(lesson: Lesson, submitted: LessonFiles, failure: Answer) -> JudgedFile:
    """Every row fails, because the file itself does."""
    place = f"{submitted.shown}, line {failure.line}" if failure.line else submitted.shown
    if submitted.origin is not None:
        place = submitted.origin.in_words(failure.line, submitted.shown)
    message, status = f"{place}: {failure.message}", STATUS_OF[failure.outcome]
    about: dict[str, Any] = {"message": message, "line": failure.line}
    rows = [Row(i.name, status, 0, i.points, expected_shape=lesson.expected_shape(i), **about) for i in lesson.items]
    return JudgedFile(rows, message, runs=False)
