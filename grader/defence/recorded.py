"""The material of a lesson whose rows are checks of whole functions: values that its public examples lead to.

The examples run in the worker, on copies of the student's plain functions that note what each line reads. A row whose
example does not hold there is left out, and so is one whose example measures a process.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed, Measurement
from grader.defence.file_lines import CALL, FileFunction, functions_in, with_line
from grader.defence.lines import Line, line_from, versions_and_names
from grader.defence.material import MAX_CHOSEN, Material, call_in_worker, values_noted
from grader.defence.measuring import measuring_file
from grader.defence.plain_part import plain_part
from grader.lesson.lesson import Item, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.file_worker import StudentFile
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.sandbox.workers.work_clock import TimeAccount
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.verdict.judge.checks import run_check
from grader.verdict.judge.examples import PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.problems import ProblemBook

PIECEWISE = re.compile(r"[<>]|==|!=|\b(max|min|maximum|minimum|amax|amin|any|all|where|clamp|relu|sign|abs)\b")


class QuickTarget(RemoteTarget):
    """Measures nothing: that takes seconds."""

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        raise CallFailed(Answer("raised", message="A defence measures nothing."), name)


@dataclass
class RecordedMaterial(Material):
    """Material with the examples behind it.

    Attributes:
        ran: {right row: the functions that its example runs}.
        every_line: the lines, also those for a name that has several.
        changed_rows: rows of which a question has changed a line.
    """

    ran: Mapping[str, Collection[str]] = field(default_factory=dict)
    every_line: Sequence[Line] = ()
    changed_rows: set[str] = field(default_factory=set)

    def running(self, function: str) -> list[str]:
        """The rows whose examples run a function."""
        return [row for row, ran in self.ran.items() if function in ran]

    @contextmanager
    def changed(self, line: Line, code: str) -> Iterator[Student | None]:
        """A worker with `code` in place of a line; None where the function has that line twice."""
        at = line.at
        try:
            text = source_reader().call(with_line, self.text, at.function, at.name, at.code, code)
        except (ReadingStopped, ReadingFailed):
            text = ""
        if not text:
            yield None
            return
        file = measuring_file([self.text, text], {}, self.functions)
        student = self._student.like_this({BACKWARD_FILE: file}, BACKWARD_FILE, self._student.time)
        try:
            yield student
        finally:
            student.close()

    def holding(self, line: Line, code: str, rows: Collection[str]) -> dict[str, bool]:
        """{row: whether its example holds} with `code` in place of a line. Raises CallFailed."""
        with self.changed(line, code) as student:
            if student is None:
                return {}
            items = [item for item in self.lesson.checks if item.name in rows]
            holding = {item.name: example_holds(self.lesson, item, student) for item in items}
            return {} if student.time.is_used_up else holding  # an example that was not run says nothing


def example_holds(lesson: Lesson, item: Item, student: Student) -> bool:
    example = examples_of(lesson)[item.name]
    check = Example(lesson, item, student, QuickTarget(student), ProblemBook(PUBLIC_SEED))
    return run_check(example, check) is None


def recorded_material(
    lesson: Lesson,
    files: Mapping[str, bytes],
    right: Collection[str],
    zygote: ZygoteProcess,
    chance: random.Random,
    time: TimeAccount | None = None,
) -> RecordedMaterial | None:
    """The material of a file whose rows `right` are right; None where there is nothing to ask about.

    Raises ZygoteDied, and CallFailed where the file does not run.
    """
    functions = askable(lesson, right)
    try:
        text = source_reader().call(plain_part, files[BACKWARD_FILE].decode("utf-8-sig", errors="replace"))
        read = [FileFunction.from_data(each) for each in source_reader().call(functions_in, text, [*lesson.functions])]
        lines = [line for each in read if each.name in functions for line in each.lines]
        versions, names = versions_and_names(lines)
    except (ReadingStopped, ReadingFailed):
        return None
    file = measuring_file([text, *(each.noting for each in read)], names, [each.name for each in read])
    student = Student(zygote, StudentFile({BACKWARD_FILE: file}, BACKWARD_FILE), time=time)
    try:
        ran = rows_that_ran(lesson, student, right)
        seen = call_in_worker(student, "_defence_values") if ran else {}
    except BaseException:
        student.close()
        raise

    functions &= {function for of_row in ran.values() for function in of_row} & {line.function for line in lines}
    lines = [line for line in lines if line.function in functions]
    rows = {function: row for row, function in rows_with_functions(lesson, functions)}
    recorded = [
        line_from(rows[line.function], "", line, values, versions[line.number], True)
        for line in lines
        if (values := values_noted(seen, line))
    ]
    repeated = {(each.name, name) for each in read for name in each.repeated}
    chance.shuffle(recorded)
    single = [each for each in recorded if (each.at.function, each.at.name) not in repeated and is_known(each)]
    kept = single[: 2 * MAX_CHOSEN] or recorded[:1]
    covered = {each.at.function for each in recorded}
    return RecordedMaterial(
        lesson, right, kept, {each.name: each for each in read}, covered, text, student, names, ran, recorded
    )


def askable(lesson: Lesson, right: Collection[str]) -> set[str]:
    """The functions that a defence may be about: each of their rows is right."""
    functions = {item.function for item in lesson.checks if item.name in right}
    return functions - {item.function for item in lesson.checks if item.name not in right}


def rows_with_functions(lesson: Lesson, functions: Collection[str]) -> list[tuple[str, str]]:
    """(row, function): the first row of each function comes last."""
    return [(item.name, item.function) for item in reversed(lesson.checks) if item.function in functions]


def rows_that_ran(lesson: Lesson, student: Student, right: Collection[str]) -> dict[str, set[str]]:
    """{right row whose example holds: the functions that it runs}. Raises CallFailed."""
    examples, found = examples_of(lesson), {}
    for item in lesson.checks:
        if item.name in right and item.name in examples:
            holds, ran = example_holds(lesson, item, student), call_in_worker(student, "_defence_noted")
            if holds and isinstance(ran, list):
                found[item.name] = {str(each).removeprefix(CALL) for each in ran}
    return found


def is_known(line: Line) -> bool:
    """Whether drawn values decide what a line is equal to.

    One size of a single example could be another one as well, and a comparison has the same result by chance.
    """
    return not PIECEWISE.search(line.at.code) and (len(line.values) > 1 or not any(line.shapes.values()))
