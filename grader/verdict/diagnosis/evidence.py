"""What an explanation is made of: a wrong gradient on every deciding problem, beside what it should be.

A wrong formula is told only when it gives the student's tensor on *every* problem (the same random upstream gradients,
several seeds and sizes), within the judge's own tolerance. So nothing is told by luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import FLOOR, LOW_PRECISION_TOLERANCE, TOLERANCE, relative_error
from grader.reference.problem import Problem
from grader.verdict.diagnosis.time_allowance import uncounted

Cases = Sequence[tuple[Problem, Answer]]
T = TypeVar("T")


@dataclass(frozen=True)
class Explanation:
    """What a message says: `id` for counting over a class, `message` to read; `known` if the lesson declares it.

    `line` is the line of the student's file that the message is about, where one is.
    """

    id: str
    message: str
    known: bool = field(default=False, compare=False)
    line: int | None = field(default=None, compare=False)


def tolerance_of(answer: Answer) -> float:
    coarse = answer.low_precision or (answer.tensor is not None and answer.tensor.dtype == torch.float32)
    return LOW_PRECISION_TOLERANCE if coarse else TOLERANCE


def equal(answer: Answer, candidate: Tensor | None) -> bool:
    """Whether an answer is what a wrong formula gives, infinities in the same places included."""
    if answer.tensor is None or candidate is None or answer.tensor.shape != candidate.shape:
        return False
    if not candidate.is_floating_point() or not answer.tensor.is_floating_point():
        return bool(torch.equal(answer.tensor.double(), candidate.double()))
    found, wanted = answer.tensor.double(), candidate.double()
    finite = torch.isfinite(found)
    if not bool(finite.all()):  # a wrong formula may divide by zero: in the same places, then
        if not bool((finite == torch.isfinite(wanted)).all()):
            return False
        found, wanted = found.where(finite, 0.0), wanted.where(finite, 0.0)
    return relative_error(found, wanted, float(torch.linalg.vector_norm(wanted))) <= tolerance_of(answer)


@dataclass
class Wrong:
    """Something wrong on every problem: the whole of d`name`, or its one branch through `consumer`.

    `found` and `expected` are float64, one of each a problem; of a branch, `found` is the answer less all the others.
    `floors` are norms below which an error is not told from rounding.
    """

    name: str
    consumer: str | None
    problems: list[Problem]
    found: list[Tensor]
    expected: list[Tensor]
    floors: list[float]
    tolerance: float
    uses: frozenset[str] = frozenset()  # parameters that the student's code reads, as far as is known
    part: str = ""  # how a part is called that is not all that comes through `consumer`

    @property
    def what(self) -> str:
        """How a sentence begins that is about it."""
        return f"Your `d{self.name}`" if self.consumer is None else f"In your `d{self.name}`, the {self.path}"

    @property
    def path(self) -> str:
        return self.part or ("gradient" if self.consumer is None else f"part that comes through `{self.consumer}`")

    @property
    def same_shape(self) -> bool:
        return all(f.shape == e.shape for f, e in zip(self.found, self.expected, strict=True))

    def equals(self, number: int, candidate: Tensor | None) -> bool:
        """Whether `candidate` is what was found on that problem."""
        found = self.found[number]
        if candidate is None or candidate.shape != found.shape:
            return False
        size = max(float(torch.linalg.vector_norm(candidate)), self.floors[number])
        return float(torch.linalg.vector_norm(found - candidate)) <= self.tolerance * size

    def holds(self, candidate: Callable[[Problem, Tensor], Tensor | None]) -> bool:
        """Whether a formula, of a problem and of what is expected there, gives what was found on every problem."""
        return all(self.equals(i, candidate(p, self.expected[i])) for i, p in enumerate(self.problems))

    def branches(self) -> Iterator[Wrong]:
        """Each branch as the one that is wrong, the others taken as right; none where there is only one."""
        consumers = self.problems[0].graph.consumers[self.name]
        if self.consumer is not None or len(consumers) < 2 or not self.same_shape:
            return
        for consumer in consumers:
            shares = [problem.branches(self.name)[consumer] for problem in self.problems]
            yield Wrong(
                self.name,
                consumer,
                self.problems,
                [f - (e - s) for f, e, s in zip(self.found, self.expected, shares, strict=True)],
                shares,
                [
                    max(size, float(torch.linalg.vector_norm(f)))
                    for size, f in zip(self.floors, self.found, strict=True)
                ],
                self.tolerance,
                self.uses,
            )


def wrong(name: str, cases: Cases) -> Wrong | None:
    """The failed gradient for those who read it off the graph; None where there are no finite numbers to read."""
    tensors = [answer.tensor for _, answer in cases]
    if any(t is None or t.dtype not in (torch.float32, torch.float64) or not t.numel() for t in tensors):
        return None
    found = [t.double() for t in tensors if t is not None]
    if not all(bool(torch.isfinite(t).all()) for t in found):
        return None
    problems = [problem for problem, _ in cases]
    return Wrong(
        name,
        None,
        problems,
        found,
        [problem.reference(name).double() for problem in problems],
        [FLOOR * problem.scale(name) for problem in problems],
        max(tolerance_of(answer) for _, answer in cases),
        frozenset().union(*(answer.uses for _, answer in cases)),
    )


_KEPT: WeakKeyDictionary[Problem, dict[object, Any]] = WeakKeyDictionary()


def kept(problem: Problem, key: object, make: Callable[[], T]) -> T:
    """What `make` gives, made once for a problem: it serves every row, and every student, that is judged on it."""
    table = _KEPT.setdefault(problem, {})
    if key not in table:
        with uncounted():
            table[key] = make()
    found: T = table[key]
    return found


def floats(problem: Problem) -> dict[str, Tensor]:
    """The forward values that are floating-point tensors, in float64."""
    return kept(
        problem,
        "floats",
        lambda: {
            name: value.double()
            for name, value in problem.values.items()
            if isinstance(value, Tensor) and value.is_floating_point()
        },
    )


def operand(problem: Problem, name: str) -> Tensor | None:
    """A forward value by its name, or an upstream gradient by its own (`dh`), in float64; None for anything else."""
    value = floats(problem).get(name)
    if value is None and name.startswith("d") and name[1:] in problem.upstream:
        value = problem.upstream[name[1:]].double()
    return value


def broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether a tensor of `shape` can be expanded to the shape `to`."""
    return len(shape) <= len(to) and all(a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + f" and {quoted[-1]}"
