"""The best score of any answer that ignores its input, for the rows of every lesson.

    python -m bench no_points checks [LESSON]... [--seeds 3]

Every check row is graded with some hundred lazy answers (lazy_answers.py), each under several secret seeds: in
this process, without workers, by the hidden suite's own tests. A score is the share of seeds in which an answer earned
the row. A check row that can be had so is a fault of its suite: then the exit status is 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from bench.measuring import aligned, lessons_named
from bench.no_points.lazy_answers import Lazy, has_function, lazy_answers, question
from bench.no_points.lazy_target import Answers, LazyTarget, Record, RecordedCall
from grader.calling.answer import Answer
from grader.calling.target import ModuleTarget
from grader.comparison.tensors import TOLERANCE
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Problem, derive
from grader.reference.runner import LocalStudent, StepRunner
from grader.verdict.judge.checks import Check, CheckFailed, Scenario, run_check, tests_of
from grader.verdict.judge.examples import PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.problems import ProblemBook

LEARNED, LEARNED_OF_FUNCTIONS = 4, 16
"""Seeds whose questions and answers a lazy answer may have seen; more where a call is given a function. Graded are
others."""


@dataclass(frozen=True)
class Score:
    """How a row fares against its best lazy answer. `right` is the largest share of calls that one answered right."""

    lesson: str
    row: str
    tried: int
    best: str
    score: float
    right: float = 0.0


class Watched:
    """What the two kinds of check have in common here: `answers` stand behind `on`, and follow the reference in use."""

    answers: Answers

    def agrees(
        self,
        scenario: Scenario,
        draws: Sequence[Mapping[str, Any]] = ({},),
        reference: Any = None,
        tolerance: float = TOLERANCE,
    ) -> None:
        lesson: Lesson = self.lesson  # type: ignore[attr-defined]
        self.answers.reference = ModuleTarget(lesson.answers if reference is None else reference, traced=False)
        try:
            super().agrees(scenario, draws, reference, tolerance)  # type: ignore[misc]
        finally:
            self.answers.reference = ModuleTarget(lesson.answers)


class HiddenCheck(Watched, Check):
    pass


class PublicCheck(Watched, Example):
    pass


def run_row(
    kind: type[Any],
    lesson: Lesson,
    item: Item,
    test: Callable[..., None],
    book: ProblemBook,
    student: Any,
    answers: Answers,
) -> tuple[CheckFailed | None, bool]:
    """How the row ends, and whether it rests on a gradient."""
    check = kind(lesson, item, student, LazyTarget(answers), book)
    check.answers = answers
    answers.reference = ModuleTarget(lesson.answers)
    try:
        failed = run_check(test, check)
    except CheckFailed as error:
        failed = error
    except AssertionError:
        raise
    except Exception as error:  # the suite could not work with the answer
        failed = CheckFailed(str(error))
    return failed, bool(check._consulted)


def recorded(
    lesson: Lesson, item: Item, test: Callable[..., None], book: ProblemBook, kind: type[Any] = HiddenCheck
) -> tuple[Record, bool]:
    """The reference's answers in one row, which must pass, and whether it rests on a gradient."""
    record, student = Record(), LocalStudent(vars(lesson.answers), [g.name for g in lesson.gradients], lesson.joint)
    failed, consulted = run_row(kind, lesson, item, test, book, student, Answers(record))
    if failed is not None:
        raise AssertionError(f"{lesson.name}, {item.name}: the reference does not pass: {failed}")
    return record, consulted


def public_answers(lesson: Lesson) -> dict[str, Any]:
    """{a call of a public example: the reference's answer}."""
    found: dict[str, Any] = {}
    for name, test in examples_of(lesson).items():
        if any(item.name == name for item in lesson.checks):
            record, _ = recorded(lesson, lesson.item_for(name), test, ProblemBook(PUBLIC_SEED), PublicCheck)
            found |= {question(call): call.value for call, _, _ in record}
    return found


def check_rows(
    lesson: Lesson, seeds: Sequence[int], suite: ModuleType | None = None, only: Collection[str] = ()
) -> Iterator[Score]:
    """The best lazy answer of each check row, or of each in `only`; `suite` is the lesson's own unless one is given."""
    tests = tests_of(suite or load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}_lazy"))
    examples = public_answers(lesson)
    for item in [item for item in lesson.checks if not only or item.name in only]:
        test = tests[item.name]
        learned: list[list[RecordedCall]] = []
        due = LEARNED
        while len(learned) < due:
            record, consulted = recorded(lesson, item, test, ProblemBook(derive(len(learned), "learned")))
            learned.append([call for call, _, _ in record])
            due = LEARNED_OF_FUNCTIONS if any(map(has_function, learned[-1])) else due
        lazies = list(lazy_answers(learned, examples)) if learned[0] else [Lazy("", lambda call: None)]
        steps = LAZY_STEPS if consulted else {"": zeros}
        tried = [(lazy, step) for lazy in lazies for step in steps]
        earned, right = [0] * len(tried), [0.0] * len(tried)
        for seed in seeds:
            book = ProblemBook(seed)
            record, _ = recorded(lesson, item, test, book)
            for number, (lazy, step) in enumerate(tried):
                answers = Answers(record, lazy.answer, lazy.arguments)
                failed, _ = run_row(HiddenCheck, lesson, item, test, book, Idle(steps[step]), answers)
                earned[number] += failed is None
                right[number] += answers.right / max(answers.calls_made, 1) / len(seeds)
        best = max(range(len(tried)), key=lambda number: (earned[number], right[number]))
        lazy, step = tried[best]
        name = " and ".join(filter(None, (lazy.name, step)))
        yield Score(lesson.number, item.name, len(tried), name, earned[best] / len(seeds), right[best])


# Gradients on which a check row rests


def zeros(problem: Problem, target: str) -> Tensor:
    return torch.zeros_like(problem.values[target])


def ones(problem: Problem, target: str) -> Tensor:
    return torch.ones_like(problem.values[target])


Make = Callable[[Problem, str], Tensor]
LAZY_STEPS: Mapping[str, Make] = {"zeros": zeros, "ones": ones}


class OnRequest(dict[str, Answer]):
    """Answers that are computed when they are read."""

    def __init__(self, make: Callable[[str], Answer]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, step: str) -> Answer:
        return self._make(step)


class Idle(StepRunner):
    """Answers every step by `make`.

    `uses` are the upstream gradients that its code would request.
    """

    def __init__(self, make: Make, uses: frozenset[str] = frozenset()) -> None:
        self._make, self._uses = make, uses

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        return OnRequest(lambda step: self.run_traced(problem, step))

    def run_traced(self, problem: Problem, step: str) -> Answer:
        return Answer("returned", self._make(problem, step[1:]), uses=self._uses)


# The table


def table(scores: Sequence[Score]) -> str:
    rows = [("row", "lazy answers", "best of them", "score", "calls right")]
    rows += [(f"{s.lesson}.{s.row}", str(s.tried), s.best[:90], f"{s.score:.0%}", f"{s.right:.0%}") for s in scores]
    return aligned(rows)


def lessons_and_seeds(parser: argparse.ArgumentParser) -> tuple[list[Lesson], list[int]]:
    """What the command line names: lessons, or all; how many secret seeds."""
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by number or name (all)")
    parser.add_argument("--seeds", type=int, default=3, help="how many secret seeds are graded")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    return lessons_named(chosen.lessons), [derive(number, "graded") for number in range(chosen.seeds)]


def main(parser: argparse.ArgumentParser) -> int:
    lessons, seeds = lessons_and_seeds(parser)
    checks = [score for lesson in lessons for score in check_rows(lesson, seeds)]
    print(f"Check rows, over {len(seeds)} seeds: the best answer that ignores its input\n")
    print(table(checks))
    found = [score for score in checks if score.score]
    print(f"\n{len(found)} of {len(checks)} check rows can be earned so.")
    return 1 if found else 0
