"""Naming the mistake in what a call gave: a tree of tensors, numbers and texts next to the one it should be.

As with gradients, an explanation is given only if it holds on every problem. A part is compared with the arguments of
the calls, the other parts of the result as they should be, and constants made of the problem's sizes and settings.
Each sentence about numbers states an identity, so it is true whatever the student's code does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.comparison.trees import name_of_entry, tensor_of
from grader.results.wording import format_shape
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.problem_values import can_expand, factors_of, shares_of, value_here
from grader.verdict.explain.readings.multiples import varying
from grader.verdict.explain.readings.terms import surplus_or_lack
from grader.verdict.explain.words import ComparedAnswer, wrong_answers, wrong_entries
from grader.verdict.explain.wrong_answer import LARGEST_FACTOR, WrongAnswer, accounts_for, fit_multiples

MAX_WRONG_PARTS = 12
"""Wrong parts that are examined: the others usually have the same mistake as the first."""
MIN_NUMBERS_OF_A_CONSTANT = 3
"""Numbers needed, over all problems, before a constant that has no name is reported."""
MAX_PLACES = 40
"""Nobody mixes up more."""
ONES = "1, in every element"
AFTER_THE_CALL = ("afterwards", "after the call")
"""What the name of a part contains, one of them, if it is an argument after the call."""

Parts = Mapping[str, tuple[Any, Any]]
"""{part of a result: (found, expected)}"""


@dataclass(frozen=True)
class ComparedResult:
    """One problem: the result found and expected, the parts that disagree, and the arguments of the reference's calls.

    `given` are the tensors and arrays by name; `sizes` (larger than 1) and `settings` are plain numbers by name.
    """

    found: Any
    expected: Any
    wrong: frozenset[str]
    given: Mapping[str, Any]
    sizes: Mapping[str, int]
    settings: Mapping[str, float]

    def disagrees(self, part: str) -> bool:
        return any(wrong == part or wrong.startswith(f"{part}[") for wrong in self.wrong)


def explain_result(outcomes: Sequence[ComparedResult], tolerance: float, coarse: bool) -> Explanation | None:
    """The mistake that holds on all outcomes, or None. `coarse`: something was computed in float32."""
    rtol = max(tolerance, LOW_PRECISION_TOLERANCE) if coarse else tolerance
    table = [{name: (found, right) for name, found, right in compared_leaves(o.found, o.expected)} for o in outcomes]
    names = dict.fromkeys(name for rows in table for name in rows)
    explanation = wrong_answers([ComparedAnswer(name, *row[name]) for row in table for name in row])
    if explanation is not None:
        return explanation
    explanation = in_other_places(table, rtol)
    if explanation is not None:
        return explanation
    wrong = [name for name in names if any(outcome.disagrees(name) for outcome in outcomes)]
    for name in wrong[:MAX_WRONG_PARTS]:
        having = [(outcome, row) for outcome, row in zip(outcomes, table, strict=True) if name in row]
        explanation = wrong_entries(name, [row[name] for _, row in having]) or explain_numbers(name, having, rtol)
        if explanation is not None:
            return explanation
    return None


def explain_numbers(
    name: str, having: Sequence[tuple[ComparedResult, Mapping[str, tuple[Any, Any]]]], rtol: float
) -> Explanation | None:
    """The mistake in a part that is numbers on all of these problems, or None."""
    found = [tensor for _, row in having if (tensor := as_numbers(row[name][0])) is not None]
    expected = [tensor for _, row in having if (tensor := as_numbers(row[name][1])) is not None]
    if not len(found) == len(expected) == len(having):
        return None
    part = WrongPart(
        name=name,
        found=found,
        expected=expected,
        rtol=rtol,
        others=[numeric_entries({f"`{other}`": row[other][1] for other in row if other != name}) for _, row in having],
        given=[numeric_entries(outcome.given) for outcome, _ in having],
        factors=[factors_of(outcome.sizes) for outcome, _ in having],
        shares=[shares_of(outcome.settings) for outcome, _ in having],
    )
    for pattern in PATTERNS_OF_PARTS:
        check_interrupt()
        explanation = next(pattern(part), None)
        if explanation is not None:
            return explanation
    return None


def compared_leaves(found: Any, expected: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(part, found, expected) per leaf, named as in `grader.comparison.trees`; a list of plain numbers is one leaf.

    Where the two are built differently, the part as a whole is a leaf.
    """
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            if key in found:
                yield from compared_leaves(found[key], value, name_of_entry(name, key))
    elif isinstance(expected, (list, tuple)) and not is_plain_list(expected):
        if isinstance(found, (list, tuple)) and len(found) == len(expected):
            for number, value in enumerate(expected):
                yield from compared_leaves(found[number], value, f"{name}[{number}]")
        else:
            yield name, found, expected
    elif not isinstance(expected, Mapping):
        yield name, found, expected


def is_plain_list(values: Iterable[Any]) -> bool:
    """Whether a list is one of plain numbers, and not empty."""
    kinds = {type(value) for value in values}
    return bool(kinds) and kinds <= {int, float}


# Right values in the places of others --------------------------------------------------------------------------------


def in_other_places(problems: Sequence[Parts], rtol: float) -> Explanation | None:
    """Explain a result all of whose parts are there, each once, but in other places on every problem."""
    if not problems or not 2 <= len(problems[0]) <= MAX_PLACES or any(p.keys() != problems[0].keys() for p in problems):
        return None
    tables = [
        {name: (as_numbers(found), as_numbers(right)) for name, (found, right) in parts.items()} for parts in problems
    ]
    if any(tensor is None for table in tables for pair in table.values() for tensor in pair):
        return None
    names = list(tables[0])
    own_first = {name: [name, *(other for other in names if other != name)] for name in names}
    order = one_to_one(
        {name: [o for o in own_first[name] if all(fits(t[name][0], t[o][1], rtol) for t in tables)] for name in names}
    )
    moved = next((name for name, other in order.items() if name != other), None)
    if moved is None:
        return None
    text = f"`{moved}` has the value that `{order[moved]}` should have. The values are right, but in other places."
    return Explanation("changed_places", text)


def fits(found: Tensor | None, expected: Tensor | None, rtol: float) -> bool:
    if found is None or expected is None or found.shape != expected.shape:
        return False
    return float((found - expected).norm()) <= rtol * float(expected.norm())


def one_to_one(choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """{name: one of its choices}, none of them twice; empty where that is not possible.

    A bipartite matching by augmenting paths (Kuhn 1955): polynomial time, whatever a student returns.
    """
    owners: dict[str, str] = {}

    def has_place(name: str, tried: set[str]) -> bool:
        for choice in choices[name]:
            if choice not in tried:
                tried.add(choice)
                if choice not in owners or has_place(owners[choice], tried):
                    owners[choice] = name
                    return True
        return False

    if all(has_place(name, set()) for name in choices):
        return {name: choice for choice, name in owners.items()}
    return {}


# One part that is numbers -------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class WrongPart(WrongAnswer):
    """A part named `name` ("" for the whole result), that is wrong.

    `others` are the result's other parts as they should be, `given` the arguments of the calls, both by name;
    `factors` (made of sizes) and `shares` (made of settings) are constants by name. Each has one entry per problem.
    """

    name: str
    others: list[dict[str, Tensor]]
    given: list[dict[str, Tensor]]
    factors: list[dict[str, float]]
    shares: list[dict[str, float]]

    @property
    def what(self) -> str:
        return f"`{self.name}`" if self.name else "The result"

    @property
    def constants(self) -> list[dict[str, float]]:
        return [sizes | shares for sizes, shares in zip(self.factors, self.shares, strict=True)]

    @cached_property
    def elements(self) -> int:
        return sum(found.numel() for found in self.found)

    @property
    def most_elements(self) -> int:
        return max(found.numel() for found in self.found)

    def is_explained_by(self, number: int, candidate: Tensor | None) -> bool:
        """Whether `candidate` is what was found on that problem, and differs from the reference by more than rounding.

        A part may be wrong by less than the tolerance of a low-precision result.
        """
        if candidate is None or not self.equals(number, candidate):
            return False
        found, expected = self.found[number], self.expected[number]
        return found.shape != expected.shape or accounts_for(found, expected, candidate)

    def constant(self, values: Sequence[float]) -> str | None:
        """The name of a constant with these values; with few elements only one that does not fit by chance.

        Some expression of the sizes, such as n²/2, equals any ratio of two small whole numbers.
        """
        label = super().constant(values)
        if label is None or self.elements >= MIN_NUMBERS_OF_A_CONSTANT:
            return label
        name = label.removeprefix("−")
        return label if name == "1" or name in self.shares[0] or name.removeprefix("1/").isidentifier() else None


def on_all_problems(tables: list[dict[str, Tensor]]) -> Iterator[tuple[str, list[Tensor]]]:
    """(name, one tensor per problem) of what every table has."""
    for label in tables[0]:
        if all(label in table for table in tables):
            yield label, [table[label] for table in tables]


def as_numbers(value: Any) -> Tensor | None:
    """A leaf of a result as a float64 tensor; None where it is no number, or holds one that is not finite."""
    tensor = tensor_of(value)
    if tensor is None or tensor.dtype == torch.bool or not tensor.numel():
        return None
    tensor = tensor.double()
    return tensor if bool(torch.isfinite(tensor).all()) else None


def numeric_entries(table: Mapping[str, Any]) -> dict[str, Tensor]:
    """The entries of a table that are numbers, as float64 tensors."""
    return {name: tensor for name, value in table.items() if (tensor := as_numbers(value)) is not None}


def zero_part(part: WrongPart) -> Iterator[Explanation]:
    """Zero in every element, in the shape that it should have, where it should not be zero."""
    if (
        not part.same_shape
        or part.elements < MIN_NUMBERS_OF_A_CONSTANT
        or not any(bool(right.any()) for right in part.expected)
    ):
        return
    if not any(bool(found.any()) for found in part.found):
        kind = "is zero" if all(not found.ndim for found in part.found) else "is zero in every element"
        where = ", on every problem" if len(part.found) > 1 else ""
        yield Explanation("zeros", f"{part.what} {kind}{where}. What should have moved it?")


def multiple_of_part(part: WrongPart) -> Iterator[Explanation]:
    """The right numbers times a constant."""
    values = fit_multiples(part, part.expected) if part.same_shape else []
    if not values or not all(values):
        return
    label = part.constant(values)
    if part.elements < MIN_NUMBERS_OF_A_CONSTANT and all(bool((e == 1).all()) for e in part.expected):
        return  # any number is so many times 1
    is_a_factor = all(1 / LARGEST_FACTOR < abs(value) < LARGEST_FACTOR for value in values)
    if label is None and is_a_factor and min(f.numel() for f in part.found) >= MIN_NUMBERS_OF_A_CONSTANT:
        yield Explanation("ratio", f"{part.what} is a multiple of what it should be: {varying(values)}.")
    elif label == "−1":
        yield Explanation("sign", f"{part.what} is exactly minus what it should be: one minus too many, or too few.")
    elif label is not None and label != "1":
        here = value_here(label, values[0], " times")
        yield Explanation("ratio", f"{part.what} is exactly {label} times what it should be{here}.")


def argument_changed_in_place(part: WrongPart) -> Iterator[Explanation]:
    """An argument after the call, where it should be as it was given."""
    if any(words in part.name for words in AFTER_THE_CALL):
        given = (tensors for _, tensors in on_all_problems(part.given))
        if any(all(map(torch.equal, tensors, part.expected)) for tensors in given):
            yield Explanation(
                "changed_argument",
                f"An argument has been changed in place: {part.what} is not what it was before the call. Start from a "
                "`.clone()`, or write `a = a + ...` instead of `a += ...`.",
            )


def unchanged_argument(part: WrongPart) -> Iterator[Explanation]:
    """One of the arguments, unchanged."""
    if part.elements >= MIN_NUMBERS_OF_A_CONSTANT and part.same_shape:
        for label, tensors in on_all_problems(part.given):
            if part.are_explained_by(tensors) and any(bool(given.any()) for given in tensors):  # zeros say `zero_part`
                yield Explanation(
                    "as_given", f"{part.what} is {label} just as it was given: nothing has been done to it."
                )
                return


def misplaced_part(part: WrongPart) -> Iterator[Explanation]:
    """The right numbers in another shape, or not yet summed."""
    found, expected = part.found[0], part.expected[0]
    shapes = f"{format_shape(found.shape)} where {format_shape(expected.shape)} is expected"
    if part.same_shape:
        if all(e.ndim == 2 and min(e.shape) > 1 for e in part.expected) and part.are_explained_by(
            [e.T for e in part.expected]
        ):
            yield Explanation("transposed", f"{part.what} is the transpose of what it should be.")
        return
    if all(f.numel() == e.numel() for f, e in part.pairs):
        if part.are_explained_by([e.reshape(f.shape) for f, e in part.pairs]):
            yield Explanation("keepdim", f"The numbers of {part.what} are right, their shape is not: {shapes}.")
        elif all(e.ndim == 2 for e in part.expected) and part.are_explained_by([e.T for e in part.expected]):
            yield Explanation("transposed", f"{part.what} is the transpose of what it should be: {shapes}.")
        return
    for word, reduce in (("sum", torch.sum), ("mean", torch.mean)):
        for axis in range(min(f.ndim for f in part.found)):
            for keep in (False, True):
                if all(are_close(reduce(f, dim=axis, keepdim=keep), e, part.rtol) for f, e in part.pairs):
                    yield Explanation(
                        "sum_missing", f"{part.what} still needs a {word} over axis {axis}: its shape is {shapes}."
                    )
                    return


def are_close(one: Tensor, other: Tensor, rtol: float) -> bool:
    return one.shape == other.shape and float((one - other).norm()) <= rtol * float(other.norm())


def wrong_term_of_part(part: WrongPart) -> Iterator[Explanation]:
    """One term too much, missing, or with another factor than it should have."""
    if not part.same_shape or part.most_elements < MIN_NUMBERS_OF_A_CONSTANT:
        return
    for name, tensors in possible_operands(part):
        values = fit_multiples(part, tensors, part.expected)
        if not values:
            continue
        label = part.constant(values)
        if label is None:
            wrong = (
                "all elements are off by the same number" if name is ONES else f"what is wrong is a multiple of {name}"
            )
            yield Explanation("term_multiple", f"{part.what} is right except for one term: {wrong}.")
        else:
            size, (identifier, what) = label.removeprefix("−"), surplus_or_lack(label)
            times = name if size == "1" else f"{size}, in every element" if name is ONES else f"{size} times {name}"
            yield Explanation(
                identifier, f"{part.what} is right except for one term: what is {what} is exactly {times}."
            )
        return


def possible_operands(part: WrongPart) -> Iterator[tuple[str, list[Tensor]]]:
    """Everything that is tried as a term, in the shape of the part, simplest first."""
    yield ONES, [torch.ones_like(e) for e in part.expected]
    for name, tensors in (*on_all_problems(part.given), *on_all_problems(part.others)):
        if all(can_expand(t.shape, e.shape) for t, e in zip(tensors, part.expected, strict=True)):
            yield name, [t.expand(e.shape) for t, e in zip(tensors, part.expected, strict=True)]


PATTERNS_OF_PARTS: tuple[Callable[[WrongPart], Iterator[Explanation]], ...] = (
    argument_changed_in_place,
    zero_part,
    multiple_of_part,
    unchanged_argument,
    misplaced_part,
    wrong_term_of_part,
)
"""Patterns of wrong numbers in the order of trust: the first that holds counts."""
