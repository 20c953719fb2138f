"""What a defence is made of: a student's right lines, and a worker that runs these and other lines.

One run of the file's plain part (plain_part.py) confirms that its rows are right, and notes what each line reads:
steps are called on small problems, and functions that are checked as a whole run in the lesson's public examples. No
other text of the file is run. This process compares tensors.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed, Measurement
from grader.defence.file_lines import FileLine, PlainFile, read_plain_file
from grader.defence.lines import Line, reads_noted
from grader.defence.small_problems import small_graph, small_problems
from grader.defence.versions import Variant, versions_of
from grader.defence.worker import LineResult, Raised, call_in_worker, results_of, value_of, worker_file
from grader.lesson.lesson import Item, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.sandbox.workers.waiting import TimeAccount
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.typed_json import from_json
from grader.verdict.judge.checks import run_check
from grader.verdict.judge.examples import PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.problems import ProblemBook

MAX_LINES = 40
"""Lines of a file that one defence may be about."""
ENOUGH_LINES = 12
"""With so many lines of gradients the examples are not run: that takes seconds."""
PIECEWISE = re.compile(r"[<>]|==|!=|\b(max|min|maximum|minimum|amax|amin|any|all|where|clamp|relu|sign|abs)\b")
"""Lines that drawn values have the same result for by chance."""


class QuickTarget(RemoteTarget):
    """Measures nothing: that takes seconds."""

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        raise CallFailed(Answer("raised", message="A defence measures nothing."), name)


@dataclass
class Material:
    """Lines of a file and what they give.

    Attributes:
        covered: the right gradients and checked functions that a question can be about.
        lines: lines of right rows, in the order in which this defence prefers them.
        ran: {right check: the student's functions that its example runs}
    """

    lesson: Lesson
    covered: set[str]
    lines: list[Line]
    ran: Mapping[str, Collection[str]]
    _file: PlainFile
    _student: Student
    _names: Mapping[tuple[int, str], str]

    def table(self, line: Line, codes: Sequence[str], draws: Sequence[Mapping[str, Any]]) -> list[list[LineResult]]:
        """For each of the `draws` of what the line reads, the values of `codes`. Raises CallFailed."""
        jobs = [(self._names[line.at.number, code], drawn) for drawn in draws for code in codes]
        values = map(value_of, results_of(self._student, jobs))
        return [[next(values) for _ in codes] for _ in draws]

    def run_function(self, name: str, arguments: Mapping[str, Any]) -> LineResult:
        """What a function of the student's returns. Raises CallFailed."""
        (found,) = results_of(self._student, [(name, arguments)])
        return value_of(found)

    def parameters(self, function: str) -> Sequence[str]:
        return next(each.parameters for each in self._file.functions if each.name == function)

    def red_rows(self, line: Line, code: str, rows: Collection[str]) -> list[str] | None:
        """Those of the `rows` whose example does not hold with `code` in place of a line; None where time is used up.

        Raises CallFailed.
        """
        file = worker_file(self._file.changed(line.at, code), [each.name for each in self._file.functions])
        with closing(replace(self._student, files={BACKWARD_FILE: file}, account=self._student.time)) as student:
            items = [item for item in self.lesson.checks if item.name in rows]
            red = [item.name for item in items if not example_holds(self.lesson, item, student)]
            return None if student.time.is_used_up else red  # an example that was not run says nothing


@contextmanager
def material_of(
    lesson: Lesson,
    files: Mapping[str, bytes],
    right: Collection[str],
    zygote: ZygoteProcess,
    chance: random.Random,
    time: TimeAccount | None = None,
) -> Iterator[Material | None]:
    """The material of a file whose rows `right` are right; None where its text has no line to ask about.

    Raises ZygoteDied, and CallFailed where the plain part does not run.
    """
    try:
        source = files[BACKWARD_FILE].decode("utf-8-sig", errors="replace")
        wanted = dict.fromkeys([*lesson.functions, *([lesson.joint.name] if lesson.joint is not None else [])])
        file = from_json(PlainFile, source_reader().call(read_plain_file, source, [*wanted]))
        chosen = chosen_lines(lesson, file, right, chance)
        texts = source_reader().call(versions_of, [(line.code, line.names) for _, _, line in chosen])
    except (ReadingStopped, ReadingFailed):
        chosen = []
    if not chosen:
        yield None
        return
    versions = from_json(list[dict[str, list[Variant]]], texts)
    names, lambdas = dict[tuple[int, str], str](), dict[str, str]()
    for (_, _, line), others in zip(chosen, versions, strict=True):
        for code in (line.code, *(each.code for alike in others.values() for each in alike)):
            name = names.setdefault((line.number, code), f"_defence_{len(names)}")
            lambdas[name] = f"lambda {', '.join(line.names)}: ({code})"
    text = worker_file(file.with_notes, [each.name for each in file.functions], lambdas)
    with closing(Student(zygote, {BACKWARD_FILE: text}, account=time)) as student:
        confirmed = confirmed_rows(lesson, student, file, right)
        covered = confirmed & {row for row, _, _ in chosen} - {
            each.name for each in file.functions if not each.is_shown
        }
        checked, ran = askable(lesson, right), dict[str, set[str]]()
        if sum(line.function not in checked for _, _, line in chosen) < ENOUGH_LINES:
            ran = rows_that_ran(lesson, student, right)
        noted, in_examples = call_in_worker(student, "_defence_noted"), set().union(*ran.values())
        lines = []
        for (row, target, at), others in zip(chosen, versions, strict=True):
            reads = reads_noted(at.names, noted.get(str(at.number)) if isinstance(noted, dict) else None)
            is_checked = at.function in checked
            if is_checked and reads and at.function in in_examples:
                covered.add(at.function)
            elif is_checked or not reads or row not in (confirmed if row in right else {row}):
                continue
            symbols = [symbol for read in reads.values() for symbol in read.sizes]
            is_decided = not any(len(symbol) == 1 for symbol in symbols) and not PIECEWISE.search(at.code)
            is_known = not is_checked or (is_decided and not at.is_repeated)
            lines.append(Line(row, target, at, reads, others, is_checked, is_known))
        yield Material(lesson, covered, lines, ran, file, student, names)


def chosen_lines(
    lesson: Lesson, file: PlainFile, right: Collection[str], chance: random.Random
) -> list[tuple[str, str, FileLine]]:
    """Up to MAX_LINES of (row, forward value, line), gradients first.

    They belong to right rows, or in a function that returns all gradients to a value between them.
    """
    gradients, functions = {item.name for item in lesson.gradients}, askable(lesson, right)
    rows = {item.function: item.name for item in reversed(lesson.checks)}
    problems = small_problems(lesson)
    values = set(small_graph(lesson, problems[0]).consumers) if problems else set()
    found = []
    for line in (line for function in file.functions for line in function.lines):
        name = line.function if line.is_returned else line.name
        if line.function in functions:
            found.append((rows[line.function], "", line))
        elif lesson.joint is not None and line.function == lesson.joint.name:
            is_known = name in right or (name not in gradients and name[:1] == "d")
            if is_known and right and name[1:] in values and not line.is_repeated:
                found.append((name, name[1:], line))
        elif problems and line.function in gradients.intersection(right) and not line.is_repeated:
            found.append((line.function, line.function[1:] if name == line.function else "", line))
    return sorted(chance.sample(found, len(found)), key=lambda each: not each[1])[:MAX_LINES]


def askable(lesson: Lesson, right: Collection[str]) -> set[str]:
    """The checked functions that a defence may be about: each of their rows is right."""
    functions = {item.function for item in lesson.checks if item.name in right}
    return functions - {item.function for item in lesson.items if item.name not in right}


def confirmed_rows(lesson: Lesson, student: Student, file: PlainFile, right: Collection[str]) -> set[str]:
    """The right rows for which the plain part returns the right gradient of the published problem. Raises CallFailed.

    What a file does to its functions when it is imported is not in the plain part: a function of this name may be one
    that the file replaces. The steps also run on the small problems, so that what their lines read is noted.
    """
    if not lesson.gradients:
        return set()
    problem, joint = lesson.public_chain, lesson.joint
    targets = {item.name: item.target for item in lesson.gradients if item.name in right and item.target}
    called = [f for f in file.functions if f.name in targets or (joint is not None and f.name == joint.name)]
    found = dict[str, Any]()
    for on in (*small_problems(lesson), problem):
        known = on.given | {f"d{name}": value for name, value in on.upstream.items()}
        callable_here = [each for each in called if known.keys() >= set(each.parameters)]
        jobs = [(each.name, {name: known[name] for name in each.parameters}) for each in callable_here]
        found = dict(zip([each.name for each in callable_here], results_of(student, jobs), strict=True))
    if joint is not None and not isinstance(found.get(joint.name), Raised | None):
        pieces = joint.pieces(found[joint.name])
        found = pieces if isinstance(pieces, dict) else {}
    requested = {each.name: {name[1:] for name in each.parameters if name[:1] == "d"} for each in file.functions}

    def is_right(row: str, target: str) -> bool:
        value = found.get(row)
        expected = problem.chain[target] if row not in requested else problem.reference_from(target, requested[row])
        if not isinstance(value, Tensor) or value.shape != expected.shape or value.is_complex():
            return False
        return torch.allclose(value.to(expected.dtype), expected, rtol=1e-5, atol=1e-9)

    return {row for row, target in targets.items() if is_right(row, target)}


def rows_that_ran(lesson: Lesson, student: Student, right: Collection[str]) -> dict[str, set[str]]:
    """{right row whose example holds: the functions that it runs}. Raises CallFailed."""
    found = {}
    for item in lesson.checks:
        if item.name in right and item.name in examples_of(lesson):
            holds, ran = example_holds(lesson, item, student), call_in_worker(student, "_defence_calls")
            if holds and isinstance(ran, list):
                found[item.name] = {str(each) for each in ran}
    return found


def example_holds(lesson: Lesson, item: Item, student: Student) -> bool:
    check = Example(lesson, item, student, QuickTarget(student), ProblemBook(PUBLIC_SEED))
    return run_check(examples_of(lesson)[item.name], check) is None
