"""Constants by name, of which a wrong formula may be made, and what is computed once for each problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from torch import Tensor

from grader.reference.problem import Problem

ValueType = TypeVar("ValueType")

_COMPUTED: WeakKeyDictionary[Problem, dict[object, Any]] = WeakKeyDictionary()


def computed_once(problem: Problem, key: object, compute: Callable[[], ValueType]) -> ValueType:
    """The result of `compute`, kept with the problem: it serves every row and every student judged on it."""
    table = _COMPUTED.setdefault(problem, {})
    if key not in table:
        table[key] = compute()
    result: ValueType = table[key]
    return result


def can_expand(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether a tensor of `shape` can be expanded to the shape `to`."""
    return len(shape) <= len(to) and all(a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))


# Constants by name ----------------------------------------------------------------------------------------------------


def named_factors(problem: Problem, name: str) -> dict[str, float]:
    """{a constant in words: its value}, of whole numbers, and of axes of `name` and of the values that read it."""

    def compute() -> dict[str, float]:
        sizes = {label: n for label, n in problem.values.items() if type(n) is int}
        for tensor in (name, *problem.graph.consumers.get(name, ())):
            value = problem.values[tensor]
            if isinstance(value, Tensor) and tensor.isidentifier():  # no `x[0]`: a student may not have such a list
                sizes |= {f"{tensor}.shape[{axis}]": size for axis, size in enumerate(value.shape)}
                if value.ndim > 1:
                    sizes[f"{tensor}.numel()"] = value.numel()
        return factors_of({label: size for label, size in sizes.items() if size > 0})

    return computed_once(problem, ("named factors", name), compute)


def factors_of(sizes: Mapping[str, int]) -> dict[str, float]:
    """{a constant in words: its value}, made of sizes, simplest first. What divides by zero is left out."""
    factors: dict[str, float] = {"2": 2.0, "1/2": 0.5}
    for label, n in sizes.items():
        factors |= {label: n, f"1/{label}": 1 / n}
    for label, n in sizes.items():
        root = f"√{label}" if label.isidentifier() else f"√({label})"
        factors |= {f"{label}²": n * n, f"1/{label}²": 1 / n**2, root: n**0.5, f"1/{root}": n**-0.5}
        if n > 1:
            factors |= {f"({label}−1)": n - 1, f"1/({label}−1)": 1 / (n - 1)}
            factors |= {f"{label}/({label}−1)": n / (n - 1), f"({label}−1)/{label}": (n - 1) / n}
        factors |= {f"{label}/({label}+1)": n / (n + 1), f"({label}+1)/{label}": (n + 1) / n, f"2/{label}": 2 / n}
    for (one, n), (other, m) in combinations(sizes.items(), 2):
        factors |= {f"{one}·{other}": n * m, f"1/({one}·{other})": 1 / (n * m)}
        factors |= {f"{one}/{other}": n / m, f"{other}/{one}": m / n}
    return factors


def name_of(values: Sequence[float], tables: Sequence[Mapping[str, float]], rtol: float) -> str | None:
    """The name of a number with these values, one per problem: "1", "−n", "0.25" ...; None where it has none.

    `tables` hold each problem's constants by name. A number that is the same on all problems needs no name, but gets
    one that fits on all of them. `rtol` is a relative distance.
    """
    if not values or any(value * values[0] <= 0 for value in values):
        return None
    sign = "−" if values[0] < 0 else ""
    magnitudes = [abs(value) for value in values]
    is_same = max(magnitudes) - min(magnitudes) <= rtol * magnitudes[0]
    if is_same and abs(magnitudes[0] - 1) <= rtol:
        return sign + "1"
    for label in tables[0]:
        constants = [table.get(label, float("nan")) for table in tables]
        for prefix, signed in (("", values), ("−", [-value for value in values])):
            if all(abs(value - c) <= rtol * abs(c) for value, c in zip(signed, constants, strict=True)):
                return prefix + label
    digits = 7 if rtol < 1e-7 else 5  # a number of float32 is not known to seven digits
    return f"{sign}{magnitudes[0]:.{digits}g}" if is_same else None


def times_what(name: str, value: float, right: str = "what it should be") -> str:
    """ "exactly n times what it should be (here 6)": a factor by its name, and its value where the name has letters."""
    here = f" (here {value:.6g})" if any(letter.isalpha() for letter in name) else ""
    return f"exactly {name} times {right}{here}"
