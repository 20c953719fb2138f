"""Known mistakes of the lesson: the answer key with one mistake in it gives what the student's answer gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from grader.calling.answer import Answer
from grader.calling.target import ModuleTarget
from grader.comparison.tensors import compare, relative_error
from grader.comparison.trees import agreement
from grader.lesson.mistakes import Mistake
from grader.reference.problem import Problem
from grader.reference.runner import run_formula
from grader.verdict.explain.edits.source_file import SourceFile
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents, is_borne_out, needs_of_formula
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.wrong_answer import Cases, euclidean_norm, tolerance_of
from grader.verdict.judge.checks import Assertion, Check, CheckFailed

# In a gradient -------------------------------------------------------------------------------------------------------


def known_mistake(
    step: str,
    cases: Cases,
    mistakes: Iterable[Mistake],
    contents: FunctionContents | None = None,
    others: Mapping[str, Cases] | None = None,
) -> Explanation | None:
    """The first known mistake of `step` (such as `dprobs`) that gives exactly these answers; None where none does.

    `others`: the answers to the other gradients of the same function. A mistake gives these as well.
    """
    mistakes = list(mistakes)
    candidates = (m for m in mistakes if m.gradient == step and is_borne_out(needs_of_formula(m.formula), contents))
    found = [m for m in candidates if gives(m, cases)]
    if others and found:
        found = likeliest(found, mistakes, others)
    return Explanation(found[0].id, found[0].message, known=True) if found else None


def likeliest(fitting: Sequence[Mistake], mistakes: Sequence[Mistake], others: Mapping[str, Cases]) -> list[Mistake]:
    """Of the mistakes that fit one gradient of a function, those that fit most of its other gradients.

    Never one that would make a right gradient wrong: an attention that gets `dout` for `dmid` has gradients as if
    `dmid` lacked a term.
    """
    explained: dict[Mistake, int] = {}
    for mistake in fitting:
        parts = [m for m in mistakes if m.id == mistake.id and m.gradient in others]
        given = [part for part in parts if gives(part, others[part.gradient])]
        if not any(are_right(part.gradient[1:], others[part.gradient]) for part in parts if part not in given):
            explained[mistake] = len(given)
    return [mistake for mistake, count in explained.items() if count == max(explained.values())]


def are_right(name: str, cases: Cases) -> bool:
    """Whether all answers equal the gradient with respect to `name`."""

    def is_right(problem: Problem, found: torch.Tensor | None) -> bool:
        if found is None or not found.is_floating_point():
            return False
        return compare(found, problem.reference(name), problem.scale(name)).passed

    return all(is_right(problem, answer.tensor) for problem, answer in cases)


def gives(mistake: Mistake, cases: Cases) -> bool:
    """Whether the wrong formula gives these answers."""

    def wrong_answer(problem: Problem) -> Answer:
        run = partial(run_formula, mistake.function, mistake.gradient, problem)
        return computed_once(problem, ("mistake", mistake), run)

    return all(answer_equals(wrong_answer(problem), answer) for problem, answer in cases)


def answer_equals(wrong: Answer, answer: Answer) -> bool:
    """Whether an answer is what a wrong formula gives, infinities in the same places included."""
    if wrong.outcome != "returned" or set(wrong.changed) != set(answer.changed):
        return False
    if wrong.tensor is None or answer.tensor is None:
        return wrong.tensor is answer.tensor and wrong.kind == answer.kind
    found, expected = answer.tensor.double(), wrong.tensor.double()
    if found.shape != expected.shape or not torch.equal(found.isfinite(), expected.isfinite()):  # it may divide by zero
        return False
    found, expected = (tensor.nan_to_num(0.0, 0.0, 0.0) for tensor in (found, expected))
    return relative_error(found, expected, euclidean_norm(expected)) <= tolerance_of(answer)


# In what a check's scenario gives ------------------------------------------------------------------------------------


def known_mistake_of_check(check: Check, failed: CheckFailed) -> Explanation | None:
    """The first known mistake that gives just these results on every draw, and that the code bears out.

    It is one of the check's function, of another that the scenario itself calls, or of one that the answer key's
    function calls: a student may have written both of these out.
    """
    assertion, results = failed.compared or (None, ())
    if assertion is None:
        return None
    lesson, trials = check.lesson, check.student.trials
    calls = (call for at in range(len(assertion.draws)) for call in check.reference(assertion, at)[1].calls)
    called = {check.item.function, *(call.function.partition(".")[0] for call in calls)}
    called |= {each.name for each in SourceFile(lesson.answer_key).reached_from(check.item.function)}
    for mistake in (each for each in lesson.mistakes if each.gradient in called):
        contents = trials.contents(mistake.gradient) if trials is not None else None
        if not is_borne_out(needs_of_formula(mistake.formula), contents):
            continue
        target = ModuleTarget(lesson.wrong(mistake), traced=False)
        if all(agrees(check, assertion, at, target, mistake, result.found) for at, result in enumerate(results)):
            return Explanation(mistake.id, mistake.message, known=True)
    return None


def agrees(check: Check, assertion: Assertion, at: int, target: ModuleTarget, mistake: Mistake, found: Any) -> bool:
    """Whether the scenario gives what was found, when the answer key has the mistake (computed once for all)."""
    key = assertion.key(at)

    def compute() -> Any:
        return assertion.scenario(target, check.generator(*key), **assertion.draws[at])

    try:
        value = check.book.value((check.lesson.name, check.item.name, *key, mistake.gradient, mistake.id), compute)
        return agreement(found, value, assertion.tolerance, check.on.low_precision).holds
    except Exception:  # the mistake raises, or gives something that a scenario should not
        return False
