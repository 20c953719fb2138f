"""Naming the mistake: which wrong formula gives exactly this answer?

An explanation holds only when it gives the student's tensor on every problem (same random upstream gradients, several
seeds and sizes) within the judge's own tolerance, so none is told by luck. The lesson's known mistakes come first,
then what can be read off the graph alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import torch
from torch import Tensor

from grader.answer import Answer
from grader.judge import LOW_PRECISION_TOLERANCE, TOLERANCE, relative_error, written
from grader.local import run_formula
from grader.mistakes import Mistake
from grader.problem import Problem

Cases = Sequence[tuple[Problem, Answer]]


@dataclass(frozen=True)
class Explanation:
    """What a student is told: `id` for counting over a class, `message` to read."""

    id: str
    message: str


def equal(answer: Answer, candidate: Tensor | None) -> bool:
    if answer.tensor is None or candidate is None or answer.tensor.shape != candidate.shape:
        return False
    if not candidate.is_floating_point() or not answer.tensor.is_floating_point():
        return bool(torch.equal(answer.tensor.double(), candidate.double()))
    coarse = answer.low_precision or answer.tensor.dtype == torch.float32
    found, wanted = answer.tensor.double(), candidate.double()
    finite = torch.isfinite(found)
    if not bool(finite.all()):  # a wrong formula may divide by zero: in the same places, then
        if not bool((finite == torch.isfinite(wanted)).all()):
            return False
        found, wanted = found.where(finite, 0.0), wanted.where(finite, 0.0)
    scale = float(torch.linalg.vector_norm(wanted))
    return relative_error(found, wanted, scale) <= (LOW_PRECISION_TOLERANCE if coarse else TOLERANCE)


def explain(name: str, cases: Cases, mistakes: Iterable[Mistake]) -> Explanation | None:
    """The first explanation that holds on all `cases`, or None. `name` is the forward value (`probs` for `dprobs`)."""
    known = known_mistake("d" + name, cases, mistakes)
    if known is not None:
        return known
    changed = changed_argument(name, cases)
    if changed is not None:
        return changed
    if any(answer.tensor is None for _, answer in cases):
        return None
    for read_off in (zeros, sign, branches, keepdim, sums, unchanged_upstream, transposed, ratio):
        for explanation in read_off(name, cases):
            return explanation
    return None


def known_mistake(step: str, cases: Cases, mistakes: Iterable[Mistake]) -> Explanation | None:
    """One of the lesson's own wrong formulas, run on the same problems."""
    for mistake in mistakes:
        if mistake.gradient == step and all(repeats(mistake, problem, answer) for problem, answer in cases):
            return Explanation(mistake.id, mistake.message)
    return None


def repeats(mistake: Mistake, problem: Problem, answer: Answer) -> bool:
    wrong = run_formula(mistake.function, mistake.gradient, problem)
    if wrong.outcome != "returned" or set(wrong.changed) != set(answer.changed):
        return False
    if wrong.tensor is None:
        return answer.tensor is None and wrong.kind == answer.kind
    return equal(answer, wrong.tensor)


def changed_argument(name: str, cases: Cases) -> Explanation | None:
    changed = sorted({argument for _, answer in cases for argument in answer.changed})
    if not changed:
        return None
    what = " and ".join(f"`{argument}`" for argument in changed)
    return Explanation(
        "changed_argument",
        f"Your `d{name}` changed {what} in place: whoever reads it afterwards gets other numbers. "
        f"`a = b` makes a second name, not a copy; start from `{changed[0]}.clone()`, or write `a = a + ...` "
        "instead of `a += ...`.",
    )


def holds(cases: Cases, candidate: Callable[[Problem], Tensor | None]) -> bool:
    return all(equal(answer, candidate(problem)) for problem, answer in cases)


def zeros(name: str, cases: Cases) -> Iterator[Explanation]:
    if all(a.tensor is not None and a.tensor.numel() and not bool(a.tensor.any()) for _, a in cases):
        yield Explanation(
            "zeros",
            f"Every element of your `d{name}` is zero. Where `{name}` is read, which of its elements change "
            "the result?",
        )


def unchanged_upstream(name: str, cases: Cases) -> Iterator[Explanation]:
    for consumer in cases[0][0].graph.consumers[name]:
        if holds(cases, lambda problem, c=consumer: problem.upstream[c]):  # type: ignore[misc]
            yield Explanation(
                "local_derivative_missing",
                f"You return `d{consumer}` as it came: the upstream gradient still has to be multiplied by the "
                f"derivative of `{consumer}` with respect to `{name}`.",
            )


def sign(name: str, cases: Cases) -> Iterator[Explanation]:
    if holds(cases, lambda problem: -problem.reference(name)):
        yield Explanation(
            "sign",
            f"The sign is turned round: your `d{name}` is exactly minus the gradient. Look for a minus in the "
            "forward line.",
        )


def branches(name: str, cases: Cases) -> Iterator[Explanation]:
    consumers = cases[0][0].graph.consumers[name]
    for count in range(1, len(consumers)):
        for kept in combinations(consumers, count):
            if holds(cases, lambda problem, k=kept: sum_of(problem, name, k)):  # type: ignore[misc]
                have, lost = (
                    " and ".join(f"`{k}`" for k in kept),
                    " and ".join(f"`{c}`" for c in consumers if c not in kept),
                )
                yield Explanation(
                    "branch_missing",
                    f"You have the path through {have}; `{name}` also feeds {lost}. Gradients of all paths add up.",
                )


def sum_of(problem: Problem, name: str, consumers: Sequence[str]) -> Tensor:
    parts = problem.branches(name)
    return torch.stack([parts[c] for c in consumers]).sum(0)


def keepdim(name: str, cases: Cases) -> Iterator[Explanation]:
    def reshaped(problem: Problem, answer: Answer) -> bool:
        reference = problem.reference(name)
        assert answer.tensor is not None
        if answer.tensor.shape == reference.shape or answer.tensor.numel() != reference.numel():
            return False
        return without_ones(answer.tensor.shape) == without_ones(reference.shape) and equal(
            answer, reference.reshape(answer.tensor.shape)
        )

    if all(reshaped(problem, answer) for problem, answer in cases):
        problem, answer = cases[0]
        found, expected = answer.tensor, problem.reference(name)
        assert found is not None
        if found.ndim < expected.ndim:
            fix = "sum with `keepdim=True`"
        elif found.ndim > expected.ndim:
            fix = f"drop the extra dimension (no `keepdim`, or `.view({name}.shape)`)"
        else:
            fix = f"they lie along the other axis (`.view({name}.shape)`)"
        yield Explanation(
            "keepdim",
            f"The numbers are right, the shape is not: {written(found.shape)} where `{name}` is "
            f"{written(expected.shape)}; {fix}. "
            "Broadcasting hides this in a comparison, and hurts later.",
        )


def without_ones(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def sums(name: str, cases: Cases) -> Iterator[Explanation]:
    """A broadcast in the forward pass is a sum in the backward pass: forgotten, over the wrong axis, or a mean."""
    first, answer = cases[0]
    full = {problem: problem.unreduced(name) for problem, _ in cases}
    for consumer in full[first]:
        shape, small = first.values[consumer].shape, first.values[name].shape
        what = f"`{name}` {written(small)} is broadcast to {written(shape)} in `{consumer}`"

        def candidate(problem: Problem, reduce: Callable[[Tensor], Tensor], c: str = consumer) -> Tensor | None:
            whole = full[problem].get(c)
            if whole is None:
                return None
            others = [share for other, share in problem.branches(name).items() if other != c]
            reduced = reduce(whole)
            try:
                return sum(others, reduced)
            except RuntimeError:
                return None

        if holds(cases, lambda problem: candidate(problem, lambda u: u)):
            yield Explanation(
                "sum_missing",
                f"The sum is missing: {what}, and a broadcast forward is a sum backward, over the axis it ran along.",
            )
        for axis in range(len(shape)):
            for keep in (False, True):
                if holds(cases, lambda problem, a=axis, k=keep: candidate(problem, lambda u: u.sum(a, keepdim=k))):  # type: ignore[misc]
                    yield Explanation(
                        "wrong_axis", f"You sum over axis {axis}: {what}. Sum over the axis along which it was copied."
                    )
                if holds(cases, lambda problem, a=axis, k=keep: candidate(problem, lambda u: u.mean(a, keepdim=k))):  # type: ignore[misc]
                    yield Explanation(
                        "mean_for_sum",
                        f"You take the mean over axis {axis} where a sum belongs: {what}; every copy counts in full.",
                    )
        if holds(cases, lambda problem: candidate(problem, lambda u: u.sum())):
            yield Explanation(
                "summed_too_much", f"You sum over everything: {what}. Sum only over the axis along which it was copied."
            )
    assert answer.tensor is not None
    if all(
        a.tensor is not None and a.tensor.shape != p.reference(name).shape and copies(a.tensor, p.reference(name))
        for p, a in cases
    ):
        yield Explanation(
            "not_broadcast",
            f"Your {written(answer.tensor.shape)} holds the right numbers once; `{name}` is "
            f"{written(first.reference(name).shape)}, each of its elements has its own gradient: a sum forward is a "
            "broadcast backward (multiply by `torch.ones_like(...)`, or `.expand_as(...)`).",
        )


def copies(small: Tensor, reference: Tensor) -> bool:
    try:
        return bool(torch.allclose(small.double().expand(reference.shape), reference, rtol=TOLERANCE, atol=0))
    except RuntimeError:
        return False


def transposed(name: str, cases: Cases) -> Iterator[Explanation]:
    if all(p.reference(name).ndim == 2 for p, _ in cases) and holds(cases, lambda problem: problem.reference(name).T):
        yield Explanation(
            "transposed",
            f"Your `d{name}` is the transpose of the gradient. Write the shapes of the factors next to each other: "
            f"only one order gives {name}'s own shape.",
        )


def ratio(name: str, cases: Cases) -> Iterator[Explanation]:
    """The gradient times a number, named after the sizes of the problems where it is one of them."""
    found = []
    for problem, answer in cases:
        reference = problem.reference(name)
        assert answer.tensor is not None
        if answer.tensor.shape != reference.shape or not answer.tensor.is_floating_point() or not bool(reference.any()):
            return
        factor = float((answer.tensor.double() * reference).sum() / (reference * reference).sum())
        if factor == 0 or not equal(answer, factor * reference):
            return
        found.append(factor)
    for label, meaning in named_factors(cases[0][0]).items():
        expected = [named_factors(problem).get(label, float("nan")) for problem, _ in cases]
        if all(abs(f - e) <= 1e-6 * abs(e) for f, e in zip(found, expected, strict=True)):
            yield Explanation(
                "ratio",
                f"Your `d{name}` is the gradient times {label} (here {meaning:g}): exactly one factor too many, or "
                "one too few.",
            )
            return
    if max(found) - min(found) <= 1e-6 * abs(found[0]):
        yield Explanation(
            "ratio",
            f"Your `d{name}` is exactly {found[0]:.6g} times the gradient: a constant factor is lost, or one too many.",
        )


def named_factors(problem: Problem) -> dict[str, float]:
    factors: dict[str, float] = {"2": 2.0, "one half": 0.5}
    for label, n in problem.values.items():
        if isinstance(n, int) and n > 1:
            factors |= {label: n, f"1/{label}": 1 / n, f"{label}²": n * n, f"1/{label}²": 1 / n**2}
            factors |= {f"{label}−1": n - 1, f"1/({label}−1)": 1 / (n - 1)}
            factors |= {f"{label}/({label}−1)": n / (n - 1), f"({label}−1)/{label}": (n - 1) / n}
    return factors | {"−" + label: -value for label, value in factors.items()}
