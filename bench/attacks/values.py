"""Judges every row of every lesson on hostile return values: no fault, no point, no hidden text, no stall.

    python -m bench attacks values                      20,000 values
    python -m bench attacks values 10 --values 2000

Each value is packed as a worker packs it, and unpacked as the grader does; every function, method and attribute of the
row returns it. bench/attacks/hostile_values.py has the values. Exit status 1 when something is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NoReturn

import torch

from bench.attacks.hostile_values import evaluator, expressions
from bench.measuring import lessons_named
from grader.authoring.lesson_sources import suite_of
from grader.calling.answer import Answer
from grader.calling.failures import failure
from grader.calling.protocol import CallRequest, Measurement
from grader.calling.steps import answer_fields
from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Problem
from grader.reference.runner import StepRunner
from grader.sandbox.workers import codec, messages
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.waiting import WireError
from grader.typed_json import to_json
from grader.verdict.explain.checks import explain_check
from grader.verdict.explain.gradient import explain_gradient
from grader.verdict.judge.checks import Check, run_check, tests_of
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook

SEED = 20_240_607
SECONDS = 2.0
"""Processor time that a row may take on one value, besides what is done once per run."""
LONGEST = 10_000
"""Characters of a message."""
MIN_LINE = 16
"""Characters of a line of a hidden suite from which on it is looked for."""
MAX_STEPS = 3
"""Gradients of a lesson that are tried: they are all judged alike."""


class Hostile(StepRunner):
    """A student whose functions all return `value`; what it says goes through the wire, without a worker."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._replies: dict[Any, tuple[bytes, messages.PackedRequest]] = {}

    def call(self, request: CallRequest) -> Answer:
        asked = messages.pack(request)
        key = (request.after, len(request.args), asked.room)
        if key not in self._replies:  # packed once: a worker has its own time for that
            arguments = [self._value for _ in request.args if request.after]
            answer = Answer("returned", value=self._value, arguments=arguments)
            self._replies[key] = messages.encode_reply([(request.name, answer)], asked.ticket, asked.room), asked
        reply, first = self._replies[key]
        return through_the_wire(reply, first)

    def answers(self, problem: Problem) -> dict[str, Answer]:
        return {"d" + name: self._answer(problem, "d" + name) for name in problem.values}

    def _answer(self, problem: Problem, step: str) -> Answer:
        try:
            answer = Answer("returned", **answer_fields(self._value, problem.values.get(step[1:]), torch.float64))
        except BaseException as error:
            answer = failure(error, step, ())
        sent = messages.PackedProblem(b"", frozenset(problem.values), 1 << 20)
        asked = messages.PackedRequest(messages.Run(sent, [step]), b"", 1, sent.room)
        return through_the_wire(messages.encode_reply([(step, answer)], 1, 1 << 20), asked)

    def run_traced(self, problem: Problem, step: str) -> Answer:
        return self._answer(problem, step)


def through_the_wire(reply: bytes, asked: messages.PackedRequest) -> Answer:
    try:
        (answer,) = messages.decode_reply(received(reply), asked)
        return answer
    except WireError as error:
        return Answer("crashed", message=str(error))


def received(data: bytes) -> codec.Frame:
    """The frame that arrives. Raises WireError."""
    frame = codec.take_frame(bytearray(data), messages.MOST_ROOM)
    assert frame is not None
    return frame


@dataclass
class Tally:
    """What came of one row: how often each status, the longest time, and everything that is wrong."""

    lesson: str
    row: str
    statuses: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


class Unmeasured(RemoteTarget):
    """A measured call is only a call here: there is no worker, and what it returns is what counts."""

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        return Measurement(self.call(name, *args), 0, 0.0)


class Rows:
    """The rows of one lesson, judged in this process. `hidden` are the lines that nobody may see."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self.lesson, self._book = lesson, ProblemBook(seed)
        suite = suite_of(lesson)
        self._tests, self._draws = tests_of(suite), getattr(suite, "DRAWS", ())
        self.hidden = hidden_lines(lesson)
        checks = [item for item in lesson.items if item.name in self._tests]
        self.items = [*checks, *lesson.gradients[:MAX_STEPS]]

    def judge(self, item: Item, value: Any) -> tuple[str, str]:
        """(status, message) of the row when every function returns `value`."""
        student: Any = Hostile(value)
        if item.name not in self._tests:
            gradient = GradientCheck(self.lesson, item, student, self._book)
            row = gradient.row(self._draws)
            explain_gradient(gradient, self._draws, row)
            json.dumps([gradient.add_figures(row), row.to_json()], allow_nan=False).encode()
            return row.status, row.message or ""
        check = Check(self.lesson, item, student, Unmeasured(student), self._book)
        failed = run_check(self._tests[item.name], check)
        failed = explain_check(self._tests, check, failed) if failed else None
        json.dumps(to_json({"error": check.error}), allow_nan=False).encode()
        return ("passed", "") if failed is None else (failed.status, str(failed))

    def try_value(self, item: Item, expression: str, scope: dict[str, Any], tally: Tally) -> None:
        value = eval(expression, scope)
        status, message, seconds = "FAULT", "", SECONDS + 1
        try:
            for _ in range(2):  # what is done once per run is done at the first time
                if seconds > SECONDS:
                    started = time.process_time()
                    status, message = self.judge(item, value)
                    seconds = time.process_time() - started
        except Exception as error:
            tally.problems.append(f"{type(error).__name__}: {error}, from {expression[:200]}")
        tally.statuses[status] += 1
        tally.seconds = max(tally.seconds, seconds)
        tally.problems += [f"{problem}, from {expression[:200]}" for problem in wrong_in(message, self.hidden)]
        if status == "passed":
            tally.problems.append(f"passed with {expression[:200]}")
        if seconds > SECONDS:
            tally.problems.append(f"{seconds:.1f} s of processor time for {expression[:200]}")


def wrong_in(text: str, hidden: Sequence[str]) -> list[str]:
    """What is wrong with a text that a student may read."""
    found = [f"the hidden line {line!r} is told" for line in hidden if line in text]
    if len(text) > LONGEST:
        found.append(f"a message of {len(text)} characters")
    with contextlib.suppress(UnicodeEncodeError):
        text.encode()
        return found
    return [*found, "a message that is no UTF-8"]


def hidden_lines(lesson: Lesson) -> list[str]:
    """The lines of the hidden suite, without those that say nothing of it."""
    public = {line.strip() for path in lesson.exercise.glob("*.py") for line in path.read_text().splitlines()}
    lines = {line.strip() for line in lesson.suite.read_text(encoding="utf-8").splitlines()}
    return sorted(line for line in lines - public if len(line) >= MIN_LINE and not line.startswith(("import", "from")))


def fuzz(lessons: Sequence[Lesson], values: int, seed: int) -> list[Tally]:
    """`values` judgements, the same number of each row."""
    pairs = [(rows, item) for rows in [Rows(lesson, seed) for lesson in lessons] for item in rows.items]
    scope, tallies = evaluator(), []
    for number, (rows, item) in enumerate(pairs):
        tally = Tally(rows.lesson.name, item.name)
        share = values // len(pairs) + (number < values % len(pairs))
        for expression in islice(expressions(seed + number), share):
            rows.try_value(item, expression, scope, tally)
        tallies.append(tally)
    return tallies


def table(tallies: Sequence[Tally]) -> str:
    lines = [f"{'lesson':22} {'row':28} {'values':>6} {'worst s':>8}  statuses"]
    for tally in tallies:
        statuses = ", ".join(f"{count} {status}" for status, count in tally.statuses.most_common())
        total = sum(tally.statuses.values())
        lines.append(f"{tally.lesson:22} {tally.row:28} {total:6} {tally.seconds:8.3f}  {statuses}")
        lines += [f"    {problem[:400]}" for problem in dict.fromkeys(tally.problems)]
    wrong = sum(len(tally.problems) for tally in tallies)
    return "\n".join([*lines, f"{sum(sum(t.statuses.values()) for t in tallies):,} judgements, {wrong} wrong"])


def main(parser: argparse.ArgumentParser) -> NoReturn:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by number or name (all)")
    parser.add_argument("--values", type=int, default=20_000, help="judgements in this process (default 20,000)")
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tallies = fuzz(lessons_named(chosen.lessons), chosen.values, chosen.seed)
    print(table(tallies), flush=True)
    os._exit(any(tally.problems for tally in tallies))  # some values cannot be taken apart
