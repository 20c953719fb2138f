"""One row of a report: a gradient judged on all its problems, in words a student can use."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import torch

from grader.answer import Answer
from grader.diagnosis.allowance import attempt
from grader.diagnosis.anatomy import anatomy
from grader.diagnosis.circumstances import circumstances
from grader.diagnosis.diagnose import explain, known_mistake
from grader.diagnosis.evidence import Explanation
from grader.diagnosis.raised import explain_error
from grader.judge import TOLERANCE, Comparison, compare, relative_error
from grader.mistakes import Mistake
from grader.problem import Problem

STATUS_OF = {
    "todo": "todo",
    "missing": "missing",
    "raised": "error",
    "timeout": "timeout",
    "crashed": "crashed",
    "forbidden": "forbidden",
    "skipped": "error",
}


TRIVIAL = 1e-6
"""A gradient smaller than this share of the upstream gradient's norm is taken for a zero with rounding noise."""

GOES_ROUND = "Right, though it goes round a neighbour: it is computed from gradients further up than the next one."
IN_FLOAT32 = (
    "Right, as far as float32 goes: it computes in float32 although the values are float64 "
    "(is there a `.float()` or a `dtype=...`?)."
)


UNSTABLE = 1e-2
"""Relative error in float32, on the published problem, from which a right formula is told to be unstable there."""


@dataclass
class Verdict:
    """The verdict on one line of a student's, fed the given upstream gradients."""

    status: str
    relative_error: float | None = None
    message: str | None = None
    mistake: Explanation | None = None
    line: int | None = None

    @property
    def passed(self) -> bool:
        return self.status == "passed"


Case = tuple[Problem, Answer]


def judge_line(name: str, cases: Sequence[Case], mistakes: Sequence[Mistake] = (), naming: bool = True) -> Verdict:
    """The verdict on d`name`, from its answers to several problems. Advisory problems never fail it.

    `mistakes` are the lesson's known ones; without `naming` a failed line is not explained (which takes the longest).
    """
    deciding = [case for case in cases if not case[0].draw.note]
    line = next((answer.line for _, answer in deciding if answer.line is not None), None)
    for problem, answer in deciding:
        if answer.outcome != "returned":
            return no_answer(name, problem, answer, deciding)
    if any(answer.changed for _, answer in deciding):
        mistake = attempt(lambda: explain(name, deciding, mistakes)) if naming else None
        return Verdict("failed", message=mistake.message if mistake else None, mistake=mistake, line=line)
    for _, answer in deciding:
        if answer.tensor is None:
            mistake = attempt(lambda: known_mistake("d" + name, deciding, mistakes))
            return Verdict(
                "shape", message=mistake.message if mistake else not_a_tensor(name, answer), mistake=mistake, line=line
            )
    comparisons = [compared(name, problem, answer) for problem, answer in deciding]
    verdict = Verdict("passed", worst_error(comparisons), line=line)
    failing = [(case, c) for case, c in zip(deciding, comparisons, strict=True) if not c.passed]
    if failing:
        skipping = skips_a_neighbour(name, deciding)
        if skipping is not None and known_mistake("d" + name, deciding, mistakes) is None:
            verdict.relative_error = skipping.error
            if not skipping.ones:
                verdict.message = GOES_ROUND
                return verdict
            mistake = upstream_left_out(name, skipping.ones)
        else:
            mistake = attempt(lambda: explain(name, deciding, mistakes)) if naming else None
        verdict.status = "shape" if any(c.rung == "shape" for _, c in failing) else "failed"
        verdict.mistake = mistake
        verdict.message = mistake.message if mistake else what_is_wrong(name, failing, deciding)
        return verdict
    if verdict.relative_error is not None and verdict.relative_error > TOLERANCE:
        verdict.message = IN_FLOAT32
    for problem, answer in cases:
        if problem.draw.note and (
            answer.tensor is None or answer.changed or not compared(name, problem, answer).passed
        ):
            verdict.message = problem.draw.note
    return verdict


def unstable(name: str, problem: Problem, answer: Answer) -> str | None:
    """A note on a step that is right in float64, of its answer to a float32 problem; None where all is well.

    Right formulas stay within the rounding of a few operations there; one that loses most of its digits, or overflows,
    subtracts large numbers from each other, or takes an `exp` that is too large.
    """
    if answer.tensor is None or answer.tensor.shape != problem.reference(name).shape:
        return None
    advice = "What is subtracted from what, and can an `exp` overflow? Look for the form that the forward pass uses."
    if not bool(torch.isfinite(answer.tensor).all()):
        return f"Right in float64, but in float32, at the published sizes, it is not finite. {advice}"
    error = relative_error(answer.tensor, problem.reference(name), problem.scale(name))
    if error <= UNSTABLE:
        return None
    return (
        f"Right in float64, but in float32, at the published sizes, it is off by {error:.1g} of its size, far more "
        f"than rounding. {advice}"
    )


def no_answer(name: str, problem: Problem, answer: Answer, cases: Sequence[Case]) -> Verdict:
    """The verdict where a step raised, hung, or was not there."""
    message, explanation = answer.message or None, None
    if answer.outcome == "raised":
        explanation = attempt(lambda: explain_error(name, problem, answer))
        if explanation is not None:
            explanation = Explanation(explanation.id, f"{answer.message}. {explanation.message}")
            message = explanation.message
    right = [other.draw for other, given in cases if given.outcome == "returned"]
    if message and right:
        message = f"With {problem.draw.describe()}: {message}"
        failing = [other.draw for other, given in cases if given.outcome != "returned"]
        special = circumstances(failing, right)
        if "wrong where" in special:
            message = (
                message.rstrip(".")
                + (" " if message.endswith("?") else ". ")
                + special.replace("It is right on", "It runs on").replace("wrong where", "does not where")
            )
    return Verdict(STATUS_OF[answer.outcome], message=message, mistake=explanation, line=answer.line)


def what_is_wrong(name: str, failing: Sequence[tuple[Case, Comparison]], cases: Sequence[Case]) -> str:
    """What can be said when no wrong formula fits."""
    (problem, answer), comparison = failing[0]
    assert answer.tensor is not None
    text = anatomy(answer.tensor, problem.reference(name), comparison)
    wrong = [case[0].draw for case, _ in failing]
    special = circumstances(wrong, [p.draw for p, _ in cases if all(p.draw is not draw for draw in wrong)])
    return f"{text} {special}" if special else text


def compared(name: str, problem: Problem, answer: Answer) -> Comparison:
    assert answer.tensor is not None
    reference, scale = problem.reference(name), problem.scale(name)
    return compare(answer.tensor, reference, scale, answer.low_precision, problem.size(name))


def worst_error(comparisons: Sequence[Comparison]) -> float | None:
    errors = [c.relative_error for c in comparisons]
    known = [error for error in errors if error is not None]
    return max(known) if len(known) == len(errors) and known else None


class Skipping(NamedTuple):
    """A step that is right given the upstream gradients that it requests; `ones` are those left out that are all ones.

    `error` is the largest relative error.
    """

    error: float
    ones: tuple[str, ...]


def skips_a_neighbour(name: str, cases: Sequence[Case]) -> Skipping | None:
    """Whether the step is right given the upstream gradients that it requests, on every problem.

    Those need not be its direct consumers': "the mean of dbndiff" for dbnmeani's share is right in every network.
    """
    errors = []
    ones: tuple[str, ...] = ()
    for problem, answer in cases:
        consumers = problem.graph.consumers[name]
        parameters = {parameter[1:] for parameter in answer.uses if parameter.startswith("d")}
        asked = parameters & problem.upstream.keys()
        if all(consumer in asked for consumer in consumers) or not asked <= problem.graph.above(name):
            return None
        assert answer.tensor is not None
        reference = problem.reference_from(name, asked)
        if float(torch.linalg.vector_norm(reference)) < TRIVIAL * problem.scale(name):
            return None  # zero in the whole network: an answer that equals it shows nothing
        comparison = compare(answer.tensor, reference, problem.scale(name), answer.low_precision)
        if not comparison.passed or comparison.relative_error is None:
            return None
        errors.append(comparison.relative_error)
        ones = left_out_ones(problem, name, asked)
    return Skipping(max(errors), ones)


def left_out_ones(problem: Problem, name: str, requested: Collection[str]) -> tuple[str, ...]:
    """The upstream gradients that the step does not request and that are all ones in the whole network.

    Leaving them out has no effect there, as behind a plain sum, so an answer that equals the gradient shows no work.
    """
    skipped: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for consumer in problem.graph.consumers[waiting.pop()]:
            has_upstream = consumer not in requested and problem.graph.consumers[consumer]
            if has_upstream and consumer not in skipped:
                skipped[consumer] = None
                waiting.append(consumer)
    return tuple(other for other in skipped if bool((problem.reference_from(other, requested) == 1).all()))


def upstream_left_out(name: str, ones: Sequence[str]) -> Explanation:
    return Explanation(
        "upstream_left_out",
        f"Your `d{name}` leaves out `d{ones[0]}`. In this network that is all ones, so leaving it out changes nothing "
        "here; in another network it does. Request the upstream gradient as a parameter and multiply by it.",
    )


def sizes_written_in(name: str, at_the_lecture_sizes: Case, cases: Sequence[Case]) -> Explanation | None:
    """Told of a step that is right at the published sizes and at no other: a size stands in it as a number."""
    if not judge_line(name, [at_the_lecture_sizes], naming=False).passed:
        return None
    other = cases[0][0].draw.describe()
    return Explanation(
        "sizes_written_in",
        f"Your `d{name}` is right at the lecture's sizes and wrong at others ({other}): "
        "a size stands in it as a number. Take sizes from what you are given: `n`, `x.shape[1]`, `zeros_like(x)`.",
    )


def not_a_tensor(name: str, answer: Answer) -> str:
    found = answer.kind
    if answer.message:  # a joint function that returned something else altogether
        return answer.message
    if found == "None":
        return f"`d{name}` returned None; expected a tensor. Is the last line `return ...`?"
    if found.startswith("numpy."):
        return f"`d{name}` returned {found}; expected a torch.Tensor. Stay in torch, or return `torch.from_numpy(...)`."
    if found.startswith("tuple of 1"):
        return f"`d{name}` returned a tuple of 1; expected a tensor. Did a comma slip in at the end of the line?"
    return f"`d{name}` returned {found}; expected a torch.Tensor of {name}'s shape."


@dataclass
class Row:
    """One entry of results.json's `gradients`, field for field."""

    name: str
    status: str
    points: float
    max_points: float
    exact: bool | None = None
    approximate: bool | None = None
    maxdiff: float | None = None
    ulps: int | None = None
    relative_error: float | None = None
    shape: list[int] | None = None
    expected_shape: list[int] = field(default_factory=list)
    chain: str = "skipped"
    because_of: list[str] = field(default_factory=list)
    mistake: dict[str, str] | None = None
    message: str | None = None
    file: str | None = None
    line: int | None = None
    counted: bool = True

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def chain_verdicts(
    problem: Problem,
    targets: Mapping[str, str],
    answers: Mapping[str, Answer],
    lines: Mapping[str, bool],
    in_float32: Collection[str] = (),
) -> dict[str, tuple[str, list[str]]]:
    """{step: (passed | failed | skipped, the wrong steps above it, nearest first)} for the student's own chain.

    `targets` is {step: forward value}, `lines` says which steps are right when fed the true upstream gradients, and
    `in_float32` which of them are so only as far as float32 goes.
    """
    verdicts: dict[str, tuple[str, list[str]]] = {}
    coarse: set[str] = set()
    order = list(problem.graph.values)
    for step, target in targets.items():
        answer = answers[step]
        above = problem.graph.above(target)
        if step in in_float32 or (answer.tensor is not None and answer.tensor.dtype == torch.float32):
            coarse.add(target)
        culprits = [s for s, t in targets.items() if t in above and not lines.get(s, False)]
        culprits.sort(key=lambda s: order.index(targets[s]))
        if answer.tensor is None:
            verdicts[step] = ("failed" if answer.outcome in ("returned", "raised") else "skipped", culprits)
            continue
        result = compare(answer.tensor, problem.chain[target], problem.scale(target), bool(coarse & (above | {target})))
        verdicts[step] = ("passed", []) if result.passed and not answer.changed else ("failed", culprits)
    return verdicts
