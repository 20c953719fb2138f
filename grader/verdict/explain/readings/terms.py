"""Right except for one term: the surplus, or what is missing, is something that has a name.

Terms are constants, upstream gradients and forward values, products of them, and ones at the places of labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.problem_values import can_expand, float_values
from grader.verdict.explain.wrong_answer import WrongGradient, fit_parts, name_multiple

MIN_ELEMENTS = 3
"""Elements from which an error that is a multiple of a term is no coincidence."""


@dataclass(frozen=True)
class Term:
    """`compute(problem)` gives the term in the gradient's shape, or None where it does not exist."""

    words: str
    compute: Callable[[Problem], Tensor | None]


def wrong_term(wrong: WrongGradient) -> Iterator[Explanation]:
    """One term too much, missing, or with another factor than it should have."""
    if not wrong.same_shape or wrong.expected[wrong.largest].numel() < MIN_ELEMENTS:
        return
    for term in possible_terms(wrong.name, wrong.problems[wrong.largest]):
        label = name_multiple(wrong, map(term.compute, wrong.problems), wrong.expected)
        if label is not None:
            size, (identifier, what) = label.removeprefix("−"), surplus_or_lack(label)
            times = term.words if size == "1" else f"{size} times {term.words}"
            text = f"Your `d{wrong.name}` is right except for one term: what is {what} is exactly {times}."
            yield Explanation(identifier, text)


def wrong_term_and_factor(wrong: WrongGradient) -> Iterator[Explanation]:
    """All of it has a wrong constant factor, and besides a term is missing or too much: `softmax` alone."""
    if not wrong.is_whole_in_shape or wrong.expected[wrong.largest].numel() < MIN_ELEMENTS:
        return
    for term in possible_terms(wrong.name, wrong.problems[wrong.largest]):
        terms = [tensor for problem in wrong.problems if (tensor := term.compute(problem)) is not None]
        fitted = fit_parts(wrong, zip(wrong.expected, terms, strict=True)) if len(terms) == len(wrong.problems) else []
        if fitted and "0" not in (labels := [label for label, _ in fitted]):
            factor, size = labels[0], labels[1].removeprefix("−")
            times = term.words if size == "1" else f"{size} times {term.words}"
            what = "taken away" if labels[1].startswith("−") else "added"
            text = f"Your `d{wrong.name}` is exactly {factor} times the gradient, with {times} {what}."
            yield Explanation("term_and_factor", f"{text} Two things are to be changed, a factor and a term.")
            return


def surplus_or_lack(label: str) -> tuple[str, str]:
    """(id, what is wrong) of a term whose coefficient in found − expected is called `label`."""
    return ("term_missing", "missing") if label.startswith("−") else ("term_too_many", "too much")


def possible_terms(name: str, problem: Problem) -> Iterator[Term]:
    """Everything that is tried as a term of d`name`, simplest first."""
    shape = problem.values[name].shape

    def term(words: str, compute: Callable[[Problem], Tensor]) -> Term:
        def expanded(problem: Problem) -> Tensor | None:
            try:
                tensor, shape = compute(problem), problem.values[name].shape
            except KeyError:  # a layer or time step that this problem does not have
                return None
            return tensor.expand(shape) if can_expand(tensor.shape, shape) else None

        return Term(words, expanded)

    yield term("1, in every element", lambda p: torch.ones((), dtype=torch.float64))
    for label, value in problem.values.items():
        if isinstance(value, Tensor) and value.dtype == torch.int64 and value.ndim == 1 and shape[:1] == value.shape:
            yield Term(f"1 at the places of `{label}` (one in each row)", lambda p, n=label: one_hot_at(p, name, n))  # type: ignore[misc]
    above = [n for n in problem.graph.consumers[name] if problem.upstream[n].ndim]
    for consumer in above:
        yield term(f"`d{consumer}`", lambda p, c=consumer: p.upstream[c].double())  # type: ignore[misc]
    fitting = [n for n, value in float_values(problem).items() if can_expand(value.shape, shape) and value.numel() > 1]
    for label in fitting:
        yield term(f"`{label}`", lambda p, n=label: float_values(p)[n])  # type: ignore[misc]
    for consumer in above:
        if can_expand(problem.upstream[consumer].shape, shape):
            for label in fitting:
                for power, words in ((1, ""), (2, " squared")):
                    yield term(
                        f"`d{consumer}` times `{label}`{words}",
                        lambda p, c=consumer, n=label, k=power: p.upstream[c].double() * float_values(p)[n] ** k,  # type: ignore[misc]
                    )


def one_hot_at(problem: Problem, name: str, index: str) -> Tensor | None:
    """Ones at the places of the labels `index`, in the shape of `name`; None where the labels are no columns of it."""
    shape, places = problem.values[name].shape, problem.values[index]
    if len(shape) != 2 or places.shape != shape[:1] or int(places.max()) >= shape[1] or int(places.min()) < 0:
        return None
    return torch.nn.functional.one_hot(places, shape[1]).double()
