"""One row of a report: a gradient judged on all its problems, in words a student can use."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from grader.calling.answer import Answer
from grader.comparison.tensors import TOLERANCE, Comparison, compare, differs_in_ones, is_coarse, relative_error
from grader.lesson.mistakes import Mistake
from grader.reference.problem import Problem
from grader.results import Chain, Status
from grader.verdict.diagnosis.circumstances import circumstances
from grader.verdict.diagnosis.claims import Contents
from grader.verdict.diagnosis.diagnose import explain, known_mistake
from grader.verdict.diagnosis.errors.raised import explain_error
from grader.verdict.diagnosis.evidence import Explanation, listed
from grader.verdict.diagnosis.readings.widths import width_from_the_data
from grader.verdict.diagnosis.time_allowance import attempt
from grader.verdict.diagnosis.where_wrong import anatomy

STATUS_OF: dict[str, Status] = {
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


JUDGED_IN_FLOAT32 = (
    "Right, judged in float32: in float64 it does not run, because something in it is always float32 (`.float()`, "
    "`dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given."
)

UNSTABLE = 1e-2
"""Relative error in float32, on the published problem, from which a right formula is told to be unstable there."""


@dataclass
class Verdict:
    """The verdict on one line of a student's, fed the given upstream gradients."""

    status: Status
    relative_error: float | None = None
    message: str | None = None
    mistake: Explanation | None = None
    line: int | None = None

    @property
    def passed(self) -> bool:
        return self.status == "passed"


Case = tuple[Problem, Answer]


def judge_line(
    name: str,
    cases: Sequence[Case],
    mistakes: Sequence[Mistake] = (),
    naming: bool = True,
    contents: Contents | None = None,
) -> Verdict:
    """The verdict on d`name`, from its answers to several problems. Advisory problems never fail it.

    `mistakes` are the lesson's known ones; without `naming` a failed line is not explained (which takes the longest).
    `contents` is what the step's code is made of, where that is known: no explanation contradicts it.
    """
    deciding = [case for case in cases if not case[0].draw.note]
    line = next((answer.line for _, answer in deciding if answer.line is not None), None)
    for problem, answer in deciding:
        if answer.outcome != "returned":
            return no_answer(name, problem, answer, deciding, contents)
    if any(answer.changed for _, answer in deciding):
        mistake = attempt(lambda: explain(name, deciding, mistakes, contents)) if naming else None
        return Verdict("failed", message=mistake.message if mistake else None, mistake=mistake, line=line)
    for _, answer in deciding:
        if answer.tensor is None:
            mistake = attempt(lambda: known_mistake("d" + name, deciding, mistakes, contents))
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
                in_float32 = any(answer.in_float32 for _, answer in deciding)
                verdict.message = f"{GOES_ROUND} {JUDGED_IN_FLOAT32}" if in_float32 else GOES_ROUND
                return verdict
            mistake = upstream_left_out(name, skipping.ones)
        else:
            mistake = attempt(lambda: explanation_of(name, deciding, mistakes, contents)) if naming else None
        verdict.status = "shape" if any(c.rung == "shape" for _, c in failing) else "failed"
        verdict.mistake = mistake
        verdict.message = mistake.message if mistake else what_is_wrong(name, failing, deciding)
        return verdict
    if any(answer.in_float32 for _, answer in deciding):
        verdict.message = JUDGED_IN_FLOAT32
    elif verdict.relative_error is not None and verdict.relative_error > TOLERANCE:
        verdict.message = IN_FLOAT32
    for problem, answer in cases:
        if problem.draw.note and (
            answer.tensor is None or answer.changed or not compared(name, problem, answer).passed
        ):
            verdict.message = problem.draw.note
    return verdict


def with_remark(verdict: Verdict, remark: str) -> Verdict:
    """The same verdict with one more sentence for the student."""
    return replace(verdict, message=f"{remark} {verdict.message}" if verdict.message else remark)


def explanation_of(
    name: str, cases: Sequence[Case], mistakes: Sequence[Mistake], contents: Contents | None = None
) -> Explanation | None:
    known = known_mistake("d" + name, cases, mistakes, contents)
    return known or width_from_the_data(name, cases, contents) or explain(name, cases, (), contents)


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


def no_answer(
    name: str, problem: Problem, answer: Answer, cases: Sequence[Case], contents: Contents | None = None
) -> Verdict:
    """The verdict where a step raised, hung, or was not there."""
    message, explanation = answer.message or None, None
    width = attempt(lambda: width_from_the_data(name, cases, contents)) if answer.outcome == "raised" else None
    if width is not None:
        told = f"With {problem.draw.describe()}: {answer.message}. {width.message}"
        return Verdict("error", message=told, mistake=Explanation(width.id, told), line=answer.line)
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
    reference, scale, low = problem.reference(name), problem.scale(name), answer.low_precision
    if not is_coarse(answer.tensor, low):
        return compare(answer.tensor, reference, scale, low, problem.size(name))
    return compare(answer.tensor, reference, scale, low, problem.size(name), problem.low_precision_tolerance)


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


def not_earned_alone(name: str, missing: str) -> Explanation:
    """Why a row whose true gradient is zero earns nothing while `missing` is wrong."""
    return Explanation(
        "earned_together",
        f"The true `{name}` is zero here, so zeros are right without any work. Its points come with those of "
        f"`{missing}`, which is computed from the same upstream gradient and is not right yet.",
    )


def sizes_written_in(
    name: str,
    at_the_lecture_sizes: Case,
    cases: Sequence[Case],
    contents: Contents | None = None,
    unnamed: bool = True,
    function: str = "",
) -> Explanation | None:
    """A message about a step that is right at the published sizes and at no others; None for every other step.

    `contents` is what its code is made of (edits.contents_of): the number and its line are named where they are found.
    Where the code is not known to hold such a number, only a step that is `unnamed` so far gets the message. `function`
    is the one that returns the gradient, where it is not called like it.
    """
    if not judge_line(name, [at_the_lecture_sizes], naming=False).passed:
        return None
    failing = (case for case in cases if not judge_line(name, [case], naming=False).passed)
    published, (other, _) = at_the_lecture_sizes[0], next(failing, cases[0])
    where = numbers_of_sizes("" if function else name, published, other, contents or {})
    if not where and not unnamed:
        return None
    where = where or "A size is written into it as a number."
    it = "This gradient" if function else f"Your `d{name}`"
    return Explanation(
        "sizes_written_in",
        f"{it} is right at the lecture's sizes and wrong at others ({other.draw.describe()}). {where} "
        "Take sizes from what you are given.",
    )


def numbers_of_sizes(name: str, published: Problem, other: Problem, contents: Contents) -> str:
    """A sentence on the first line of the code with numbers that are sizes of the published problem; "" for none."""
    there, here = sizes_by_name(published, name), sizes_by_name(other, name)
    lines: dict[tuple[int, str], dict[int, str]] = {}
    for value, line, code in contents.get("numbers", ()):
        label = next((label for label, size in there.items() if size == value and here.get(label) != value), None)
        taken = lines.setdefault((line, code), {})
        if label in taken.values():  # of two axes of one size, each has its name
            label = next((k for k, v in there.items() if v == value and k not in taken.values()), label)
        if label is not None:
            taken.setdefault(value, label)
    for (line, code), taken in lines.items():
        if taken:
            numbers, names = listed_plainly([*map(str, taken)]), listed([*taken.values()])
            s, are = ("", "is") if len(taken) == 1 else ("s", "are")
            return f"Line {line} uses the number{s} {numbers}, which {are} {names} there: `{code}`."
    return ""


def listed_plainly(words: Sequence[str]) -> str:
    return listed(words).replace("`", "")


def sizes_by_name(problem: Problem, name: str) -> dict[str, int]:
    """{how a size is called: its value}: whole numbers by name, then axes of values, the step's own first."""
    found = {label: value for label, value in problem.values.items() if type(value) is int and value > 1}
    for label in dict.fromkeys((name, *problem.graph.consumers.get(name, ()), *problem.values)):
        value = problem.values.get(label)
        if isinstance(value, torch.Tensor):
            found |= {f"{label}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
    return found


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


def chain_verdicts(
    problem: Problem,
    targets: Mapping[str, str],
    answers: Mapping[str, Answer],
    lines: Mapping[str, bool],
    in_float32: Collection[str] = (),
    other_shape: Collection[str] = (),
) -> dict[str, tuple[Chain, list[str]]]:
    """{step: (passed | failed | skipped, the wrong steps above it, nearest first)} for the student's own chain.

    `targets` is {step: forward value}, `lines` says which steps are right when fed the true upstream gradients, and
    `in_float32` which of them are so only as far as float32 goes. Those in `other_shape` are right in a shape that
    differs from their value's in axes of length one: such a step is a wrong one for the steps that it makes wrong.
    """
    blamed: set[str] = set()
    verdicts: dict[str, tuple[Chain, list[str]]] = {}
    coarse: set[str] = set()
    order = list(problem.graph.values)
    for step, target in targets.items():
        answer = answers[step]
        above = problem.graph.above(target)
        narrow = answer.tensor is not None and answer.tensor.dtype == torch.float32
        if step in in_float32 or narrow or answer.low_precision:
            coarse.add(target)
        culprits = [s for s, t in targets.items() if t in above and (s in blamed or not lines.get(s, False))]
        odd = [s for s, t in targets.items() if t in above and s in other_shape]
        tensor = answer.tensor
        reference, scale, low = problem.chain[target], problem.scale(target), bool(coarse & (above | {target}))
        allowed = {"low_precision_tolerance": problem.low_precision_tolerance} if low else {}
        if tensor is not None and step in other_shape and differs_in_ones(tensor.shape, reference.shape):
            tensor = tensor.reshape(reference.shape)
        if tensor is not None and not answer.changed and compare(tensor, reference, scale, low, **allowed).passed:
            verdicts[step] = ("passed", [])
            continue
        if not culprits and lines.get(step, False):
            culprits = odd
            blamed.update(odd)
        culprits.sort(key=lambda s: order.index(targets[s]))
        ran = tensor is not None or answer.outcome in ("returned", "raised")
        verdicts[step] = ("failed" if ran else "skipped", culprits)
    return verdicts
