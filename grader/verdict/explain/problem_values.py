"""What a problem offers for building a wrong formula: its forward values and upstream gradients in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.constants import factors_of

ValueType = TypeVar("ValueType")

_COMPUTED: WeakKeyDictionary[Problem, dict[object, Any]] = WeakKeyDictionary()


def computed_once(problem: Problem, key: object, compute: Callable[[], ValueType]) -> ValueType:
    """The result of `compute`, kept with the problem: it serves every row and every student judged on it."""
    table = _COMPUTED.setdefault(problem, {})
    if key not in table:
        table[key] = compute()
    result: ValueType = table[key]
    return result


def float_values(problem: Problem) -> dict[str, Tensor]:
    """{name: float64 tensor} of the forward values that are floating-point tensors."""
    return computed_once(
        problem,
        "float values",
        lambda: {
            name: value.double()
            for name, value in problem.values.items()
            if isinstance(value, Tensor) and value.is_floating_point()
        },
    )


def operand(problem: Problem, name: str) -> Tensor | None:
    """A forward value by its name, or an upstream gradient by its own (`dh`), in float64; None for anything else."""
    value = float_values(problem).get(name)
    if value is None and name.startswith("d") and name[1:] in problem.upstream:
        value = problem.upstream[name[1:]].double()
    return value


def can_expand(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether a tensor of `shape` can be expanded to the shape `to`."""
    return len(shape) <= len(to) and all(a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))


def sizes_near(problem: Problem, name: str) -> dict[str, int]:
    """{label: size}: whole numbers, then axes of `name` and of the values that read it."""
    found = {label: n for label, n in problem.values.items() if isinstance(n, int) and not isinstance(n, bool)}
    for tensor in (name, *problem.graph.consumers.get(name, ())):
        value = problem.values[tensor]
        if isinstance(value, Tensor) and tensor.isidentifier():  # no `x[0]`: a student may not have such a list
            found |= {f"{tensor}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
            if value.ndim > 1:
                found[f"{tensor}.numel()"] = value.numel()
    return {label: size for label, size in found.items() if size > 0}


def named_factors(problem: Problem, name: str) -> dict[str, float]:
    """{a constant in words: its value on this problem}."""
    return computed_once(problem, ("named factors", name), lambda: factors_of(sizes_near(problem, name)))
