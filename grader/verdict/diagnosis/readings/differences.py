"""Right but for one term: what the answer has too much, or lacks, is something that has a name.

Terms are constants, upstream gradients and forward values, products of them, and ones at the places of labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Explanation, Wrong, broadcasts, floats
from grader.verdict.diagnosis.ratios import constant
from grader.verdict.diagnosis.readings.factors import steadily, surplus_of


@dataclass(frozen=True)
class Term:
    """`words` say what it is; `of(problem)` gives it, in the gradient's shape, or None where it does not exist."""

    words: str
    of: Callable[[Problem], Tensor | None]


def differences(wrong: Wrong) -> Iterator[Explanation]:
    """One term too much, missing, or with another factor than it should have."""
    found = surplus_of(wrong)
    if found is None:
        return
    surplus, number, places = found
    problem = wrong.problems[number]
    for term in terms(wrong, problem):
        tensor = term.of(problem)
        if tensor is not None and steadily(surplus[number], places, tensor):
            label = multiple(wrong, surplus, term)
            if label is not None:
                yield Explanation(*told(wrong, term, label))


def multiple(wrong: Wrong, surplus: Sequence[Tensor], term: Term) -> str | None:
    """The name of k where found − expected = k · term on every problem."""
    values = []
    for number, problem in enumerate(wrong.problems):
        tensor = term.of(problem)
        if tensor is None:
            return None
        square = float((tensor * tensor).sum())
        if not 0 < square < float("inf"):
            return None
        values.append(float((surplus[number] * tensor).sum()) / square)
        if not wrong.equals(number, wrong.expected[number] + values[-1] * tensor):
            return None
    return constant(wrong, values)


def told(wrong: Wrong, term: Term, label: str) -> tuple[str, str]:
    negative, size = label.startswith("−"), label.removeprefix("−")
    times = term.words if size == "1" else f"{size} times {term.words}"
    if negative:
        return "term_missing", f"Your `d{wrong.name}` is right but for one term: what is missing is exactly {times}."
    return "term_too_many", f"Your `d{wrong.name}` is right but for one term: what is too much is exactly {times}."


def terms(wrong: Wrong, problem: Problem) -> Iterator[Term]:
    """Everything tried, simplest first."""
    name, shape = wrong.name, problem.values[wrong.name].shape

    def at(shape_of: Callable[[Problem], Tensor | None]) -> Callable[[Problem], Tensor | None]:
        def made(problem: Problem) -> Tensor | None:
            tensor, shape = shape_of(problem), problem.values[name].shape
            return tensor.expand(shape) if tensor is not None and broadcasts(tensor.shape, shape) else None

        return made

    yield Term("1, in every element", at(lambda p: torch.ones((), dtype=torch.float64)))
    for label, value in problem.values.items():
        if isinstance(value, Tensor) and value.dtype == torch.int64 and value.ndim == 1 and shape[:1] == value.shape:
            yield Term(f"1 at the places of `{label}` (one in each row)", lambda p, n=label: one_hot(p, name, n))  # type: ignore[misc]
    above = [n for n in problem.graph.consumers[name] if problem.upstream[n].ndim]
    for consumer in above:
        yield Term(f"`d{consumer}`", at(lambda p, c=consumer: p.upstream[c].double()))  # type: ignore[misc]
    fitting = [n for n, value in floats(problem).items() if broadcasts(value.shape, shape) and value.numel() > 1]
    for label in fitting:
        yield Term(f"`{label}`", at(lambda p, n=label: floats(p)[n]))  # type: ignore[misc]
    for consumer in above:
        if broadcasts(problem.upstream[consumer].shape, shape):
            for label in fitting:
                for power, words in ((1, ""), (2, " squared")):
                    yield Term(
                        f"`d{consumer}` times `{label}`{words}",
                        at(lambda p, c=consumer, n=label, k=power: p.upstream[c].double() * floats(p)[n] ** k),  # type: ignore[misc]
                    )


def one_hot(problem: Problem, name: str, index: str) -> Tensor | None:
    shape, places = problem.values[name].shape, problem.values[index]
    if len(shape) != 2 or places.shape != shape[:1] or int(places.max()) >= shape[1] or int(places.min()) < 0:
        return None
    return torch.nn.functional.one_hot(places, shape[1]).double()
