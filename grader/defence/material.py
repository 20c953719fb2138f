"""What a defence is made of: a student's right lines, the values that they read, and a worker that runs other lines.

The plain part of a student's file (plain_part.py), and every line made from it, runs in a locked-in worker, without the
file's other text. This process compares tensors.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed
from grader.defence.file_lines import FileFunction, FileLine, functions_in
from grader.defence.lines import CodeNames, Line, chosen_lines, line_from, lines_of_rows, versions_and_names
from grader.defence.measuring import measuring_file
from grader.defence.plain_part import plain_part
from grader.defence.small_problems import arguments_on, graph_of, small_problems
from grader.lesson.forward_statements import forward_statements
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.file_worker import StudentFile
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.sandbox.workers.work_clock import TimeAccount
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader

MAX_NUMBER = 1e300
MAX_CHOSEN, MAX_CANDIDATE_LINES = 12, 36
"""Lines of a file that one defence may be about, and that it reads to find them."""


@dataclass(frozen=True)
class Raised:
    """A line has no value: it raised this error."""

    kind: str


class NotNumbers(Raised):
    """A line has a value, but no real numbers: booleans, or another object."""


LineResult = Tensor | Raised


@dataclass
class Material:
    """Lines of a file and what they give. Close it when the defence is generated.

    Attributes:
        right: the rows that the student has right, and that the plain part of the file has right as well.
        covered: of these, the rows (of checks: the functions) that a question can be about.
        lines: right lines, in the order in which this defence prefers them.
        functions: the student's functions by name.
        text: the plain part of the file.
    """

    lesson: Lesson
    right: Collection[str]
    lines: list[Line]
    functions: Mapping[str, FileFunction]
    covered: Collection[str]
    text: str
    _student: Student
    _names: CodeNames = field(default_factory=dict)

    def run(self, jobs: Sequence[tuple[str, Line, Mapping[str, Any]]]) -> list[LineResult]:
        """The values of (code, the line that it belongs to, what it reads), in one round trip. Raises CallFailed."""
        named = [[self._names[code, line.at.names], dict(values)] for code, line, values in jobs]
        return [value_of(each) for each in replies_to(self._student, named)]

    def table(self, line: Line, codes: Sequence[str], draws: Sequence[Mapping[str, Any]]) -> list[list[LineResult]]:
        """For each of the `draws` of what the line reads, the values of `codes`. Raises CallFailed."""
        values = iter(self.run([(code, line, drawn) for drawn in draws for code in codes]))
        return [[next(values) for _ in codes] for _ in draws]

    def run_function(self, name: str, values: Sequence[Mapping[str, Any]]) -> list[LineResult]:
        """What a function of the student's returns for each of several arguments. Raises CallFailed."""
        return [value_of(each) for each in replies_to(self._student, [[name, dict(v)] for v in values])]

    def forward(self, target: str) -> list[str]:
        """The lines of the forward pass that read a value."""
        statements = forward_statements(self.lesson)
        problem = small_problems(self.lesson)[0]
        consumers = graph_of(self.lesson, problem).consumers.get(target, ())
        return [statements[each] for each in consumers if each in statements]

    def close(self) -> None:
        self._student.close()


def call_in_worker(student: Student, name: str, *arguments: Any) -> Any:
    return RemoteTarget(student).call(name, *arguments)


def replies_to(student: Student, jobs: Sequence[Any]) -> list[tuple[bool, Any]]:
    """(whether it returned, what it returned) for each job. Raises CallFailed, also for a reply of another form."""
    found = call_in_worker(student, "_defence_run", list(jobs)) if jobs else []
    is_whole = isinstance(found, list) and len(found) == len(jobs)
    if not is_whole or not all(isinstance(each, list) and len(each) == 2 for each in found):
        raise CallFailed(Answer("raised", message="The worker's answer has another form than it should have."), "run")
    return [(each[0] is True, each[1]) for each in found]


def value_of(reply: tuple[bool, Any]) -> LineResult:
    is_value, found = reply
    if not is_value:
        return Raised(str(found))
    if isinstance(found, (int, float)) and not isinstance(found, bool) and abs(found) < MAX_NUMBER:
        return torch.tensor(float(found), dtype=torch.float64)
    tensor = torch.as_tensor(found) if isinstance(found, numpy.ndarray) else found
    if not isinstance(tensor, Tensor) or tensor.is_complex() or tensor.dtype == torch.bool:
        return NotNumbers(type(found).__name__)
    return tensor.detach()


def material_of(
    lesson: Lesson,
    files: Mapping[str, bytes],
    right: Collection[str],
    zygote: ZygoteProcess,
    chance: random.Random,
    time: TimeAccount | None = None,
) -> Material | None:
    """The material of a file whose rows `right` are right; None where it has no line to ask about.

    Raises ZygoteDied, and CallFailed where its plain part does not run.
    """
    try:
        joint = lesson.joint.name if lesson.joint is not None else ""
        wanted = list(dict.fromkeys([*lesson.functions, joint]))
        text = source_reader().call(plain_part, files[BACKWARD_FILE].decode("utf-8-sig", errors="replace"))
        read = [FileFunction.from_data(each) for each in source_reader().call(functions_in, text, wanted)]
        every = lines_of_rows(lesson, read, right)
        candidates = chosen_lines(every, chance, MAX_CANDIDATE_LINES)
        versions, names = versions_and_names([line for _, _, line in candidates])
    except (ReadingStopped, ReadingFailed):
        return None
    problems = small_problems(lesson)
    if not every or not problems:
        return None
    noting = [function.noting for function in read]
    file = StudentFile({BACKWARD_FILE: measuring_file([text, *noting], names)}, BACKWARD_FILE)
    student = Student(zygote, file, time=time)
    try:
        confirmed = confirmed_rows(lesson, student, read, right)
        candidates = [each for each in candidates if each[0] in confirmed or (confirmed and each[0] not in right)]
        chosen = candidates[:MAX_CHOSEN]
        known = values_before(student, read, [line for _, _, line in chosen], problems)
    except BaseException:
        student.close()
        raise
    lines = [
        line_from(row, target, line, values, versions[line.number])
        for row, target, line in chosen
        if (values := known[line.number])
    ]
    hidden = {each.name for each in read if not each.is_shown}
    covered = (confirmed & {row for row, _, _ in every}) - hidden
    return Material(lesson, confirmed, lines, {each.name: each for each in read}, covered, text, student, names)


def confirmed_rows(
    lesson: Lesson, student: Student, functions: Sequence[FileFunction], right: Collection[str]
) -> set[str]:
    """The right rows for which the plain part returns the right gradient of the published problem. Raises CallFailed.

    What a file does to its functions when it is imported is not in the plain part: a function of this name may be one
    that the file replaces.
    """
    problem, joint = lesson.public_chain, lesson.joint
    targets = {item.name: item.target for item in lesson.gradients if item.name in right and item.target}
    called = [f for f in functions if f.name in targets or (joint is not None and f.name == joint.name)]
    given = [(each, arguments_on(problem, each.parameters)) for each in called]
    jobs = [(each, arguments) for each, arguments in given if arguments is not None]
    found: dict[str, Any] = {}
    for (each, _), (is_value, value) in zip(
        jobs, replies_to(student, [[each.name, arguments] for each, arguments in jobs]), strict=True
    ):
        if joint is not None and each.name == joint.name:
            pieces = joint.pieces(value) if is_value else None
            found |= pieces if isinstance(pieces, dict) else {}
        elif is_value:
            found[each.name] = value
    requested = {each.name: {name[1:] for name in each.parameters if name[:1] == "d"} for each in functions}

    def is_right(row: str, target: str) -> bool:
        value = found.get(row)
        expected = problem.chain[target] if row not in requested else problem.reference_from(target, requested[row])
        return isinstance(value, Tensor) and value.shape == expected.shape and close(value, expected)

    return {row for row, target in targets.items() if is_right(row, target)}


def close(value: Tensor, expected: Tensor) -> bool:
    return not value.is_complex() and torch.allclose(value.to(expected.dtype), expected, rtol=1e-5, atol=1e-9)


def is_about(values: object, line: FileLine) -> TypeGuard[dict[str, Any]]:
    """Whether what a worker has sent is a value for each name that a line reads."""
    return isinstance(values, dict) and all(name in values for name in line.names)


def values_before(
    student: Student, functions: Sequence[FileFunction], lines: Sequence[FileLine], problems: Sequence[Problem]
) -> dict[int, list[dict[str, Any]]]:
    """{number of a line: what it reads on each of the problems}; empty where that is not known. Raises CallFailed."""
    with_lines = {line.function for line in lines}
    given = [(f, [arguments_on(problem, f.parameters) for problem in problems]) for f in functions]
    call_in_worker(student, "_defence_start")
    replies_to(student, [[f.name, each] for f, several in given if f.name in with_lines for each in several if each])
    seen = call_in_worker(student, "_defence_values")
    return {line.number: values if len(values := values_noted(seen, line)) == len(problems) else [] for line in lines}


def values_noted(seen: object, line: FileLine) -> list[dict[str, Any]]:
    """What a line has read, as the worker noted it."""
    values = seen.get(str(line.number)) if isinstance(seen, dict) else None
    return values if isinstance(values, list) and all(is_about(each, line) for each in values) else []
