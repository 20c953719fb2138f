"""Of a function that returns all gradients: the first one on the way that is wrong, by the student's own names.

A variable `dout` of the function is compared with the gradient of the forward value `out`. What is wrong with the first
wrong one is then read as if it were a row of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.results.wording import listed_as_code
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.diagnose import explain
from grader.verdict.explain.edits.changed_functions import INNER_GRADIENT, Edit
from grader.verdict.explain.edits.search import Trials, is_right_gradient, known_on
from grader.verdict.explain.explanation import UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.wrong_answer import Cases

MAX_RIGHT_GRADIENTS_NAMED = 3
"""Right gradients before the wrong one that a message names: the last ones."""


@dataclass(frozen=True)
class InnerGradient:
    """The first wrong gradient on the way to another one, and those before it that are `right`."""

    name: str
    right: Sequence[str]
    explanation: Explanation


def explain_by_inner_gradients(
    step: str, function: str, cases: Cases, trials: Trials, constants: Sequence[float], passing: Collection[str] = ()
) -> InnerGradient | None:
    """What is wrong with the first wrong gradient on the way to `step`; None where none is known to be wrong.

    `passing` are the values whose gradients are right. What they are all computed from is not wrong, whatever its name:
    a student's `dscores` may have the factor of the next line already.
    """
    first, target = cases[0][0], step[1:]
    edits = trials.edits(function, known_on(first, constants, passing))
    inner = numbers_of_inner_gradients(edits)
    above = first.finer.above(target)
    right: list[str] = []
    for name in (name for name in inner if name[1:] in above and name != step):
        check_interrupt()
        answers = answers_of(trials, step, cases, inner[name])
        if len(answers) < len(cases):
            continue
        if all(is_right_gradient(name, *case) for case in answers):
            right.append(name)
            continue
        if any(first.finer.goes_through(each, name[1:]) for each in passing):
            continue
        before = (
            f"Up to {listed_as_code(right[-MAX_RIGHT_GRADIENTS_NAMED:])} your `{function}` is right. " if right else ""
        )
        text = f"{before}`{name}` is wrong, and `{step}` is computed from it."
        mistake = explain(name[1:], answers)
        is_clear = mistake is not None and mistake.id != UNNAMED_MULTIPLE
        message = f"{text} {mistake.message}" if mistake and is_clear else text
        return InnerGradient(name, right, Explanation("inner_gradient", message, line=edits[inner[name]].line))
    return None


def upstream_is_right(
    step: str, function: str, cases: Cases, trials: Trials, constants: Sequence[float], passing: Collection[str] = ()
) -> bool:
    """Whether the function computes, by its name, the gradient of each value that `step`'s is used in, and rightly."""
    inner = numbers_of_inner_gradients(trials.edits(function, known_on(cases[0][0], constants, passing)))
    upstream = [f"d{consumer}" for consumer in cases[0][0].finer.consumers[step[1:]]]
    if not all(name in inner for name in upstream):
        return False
    found = {name: answers_of(trials, step, cases, inner[name]) for name in upstream}
    return all(
        len(answers) == len(cases) and all(is_right_gradient(name, *case) for case in answers)
        for name, answers in found.items()
    )


def numbers_of_inner_gradients(edits: Sequence[Edit]) -> dict[str, int]:
    """{inner gradient: the number of the edit that returns it}."""
    return {edit.message: number for number, edit in enumerate(edits) if edit.kind == INNER_GRADIENT}


def answers_of(trials: Trials, step: str, cases: Cases, number: int) -> list[tuple[Problem, Answer]]:
    """The inner gradient on each problem where it is a tensor."""
    answers = [(unfused(p), trials.answers(step, p, [number]).get(number)) for p, _ in cases]
    return [(p, answer) for p, answer in answers if answer is not None and answer.tensor is not None]


def unfused(problem: Problem) -> Problem:
    """The problem with a gradient for each value of the forward pass, those of fused steps included."""
    return computed_once(problem, "unfused", lambda: problem.in_single_steps())
