"""Which small change of a student's own code makes a wrong gradient right: the slip, in words.

Changed functions run in a worker, as the student's own do (`Trials`). A change is reported only if it gives the right
gradient on every deciding problem, so what the message says is true of the code and of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import compare
from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Cases, Explanation
from grader.verdict.diagnosis.repairs.edits import Edit, Known
from grader.verdict.diagnosis.time_allowance import check_time

KEPT = {
    *("sum_missing", "wrong_axis", "mean_for_sum", "summed_too_much", "sum_too_many", "sign", "ratio"),
    *("branch_missing", "branch_sign", "keepdim", "not_reshaped", "transposed", "not_broadcast", "broadcast_too_far"),
    *("local_derivative_missing", "wrong_upstream", "repeated_index", "zeros", "changed_argument", "held_constant"),
    *("other_gradient", "upstream_left_out", "sizes_of_the_lecture", "left_to_the_data"),
}
"""Readings of the numbers that say more than a change of the code does: the rule that was broken."""
SMALL = 1e-2
TOGETHER = 80
"""Changed functions that are run in one round trip."""
TOGETHER_OF_A_JOINT_FUNCTION = 16
"""The same for a function that is run alone: the first slip that fits ends the search."""


class Trials(Protocol):
    """A student's functions with one change each (grader/gradebook/grading/trials.py)."""

    def contents(self, function: str) -> Mapping[str, Any] | None:
        """What a function is made of, see edits.contents_of; None where that is not known."""

    def edits(self, function: str, known: Known) -> Sequence[Edit]:
        """The changes that can be tried, most likely slips first."""

    def side(self, function: str, number: int) -> Any:
        """A target (see grader/calling/protocol.py) with the changed function as `function`; None once time is up."""

    def answers(self, step: str, problem: Problem, numbers: Sequence[int]) -> Mapping[int, Answer]:
        """The answers of the changed functions of these numbers."""


def repaired(step: str, function: str, cases: Cases, trials: Trials, constants: Sequence[float]) -> Explanation | None:
    """The first change that makes d`name` right on all cases, in words; None where none does."""
    first = cases[0][0]
    edits = trials.edits(function, known_on(first, constants))
    at_once = TOGETHER if step == function else TOGETHER_OF_A_JOINT_FUNCTION
    for start in range(0, len(edits), at_once):
        left: Sequence[int] = range(start, min(start + at_once, len(edits)))
        for problem, _ in cases:
            check_time()
            found = trials.answers(step, problem, left) if left else {}
            left = [number for number in left if number in found and is_right(step, problem, found[number])]
        if left:
            edit, it = edits[left[0]], f"your `{step}`" if step == function else "this gradient"
            words = WORDS[edit.kind](Slip(edit, it, step[1:], first))
            return Explanation(IDS.get(edit.kind, edit.kind), words, line=edit.line)
    return None


def of_a_check(edit: Edit) -> Explanation:
    """The change of a function that makes a check hold, in words."""
    words = WORDS[edit.kind](Slip(edit, f"`{edit.function}`"))
    return Explanation(IDS.get(edit.kind, edit.kind), words, line=edit.line)


def is_right(step: str, problem: Problem, answer: Answer) -> bool:
    if answer.tensor is None or answer.changed or not answer.tensor.is_floating_point():
        return False
    name = step[1:]
    return compare(
        answer.tensor, problem.reference(name), problem.scale(name), answer.low_precision, problem.size(name)
    ).passed


def known_on(problem: Problem, constants: Sequence[float]) -> Known:
    """What a step may read on a problem."""
    shapes = {name: list(v.shape) if isinstance(v, Tensor) else [] for name, v in problem.values.items()}
    if problem.random_upstream:
        shapes |= {"d" + name: list(gradient.shape) for name, gradient in problem.upstream.items()}
    sizes = [n for n, v in problem.values.items() if type(v) is int and v > 1]
    own = [v for v in problem.values.values() if type(v) is float and 0 < v < SMALL]
    return Known(shapes, sizes, tuple(dict.fromkeys((*constants, *own))))


# In words -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slip:
    """`it` is what becomes right, as a sentence calls it; `name` the value whose gradient it is."""

    edit: Edit
    it: str
    name: str = ""
    problem: Problem | None = None

    @property
    def is_one_step(self) -> bool:
        """Whether one forward line lies between the value and what its function is given."""
        return self.it == f"your `d{self.name}`"

    def ask(self, question: str) -> str:
        """A question about a derivative; "" where the function is not about one."""
        return f" {question}" if self.problem is not None else ""


IDS = {
    "function": "function_too_many",
    "name": "wrong_value",
    "column": "whole_columns",
    "small_number": "small_number_missing",
    "factor": "factor_too_many",
    "term": "term_too_many",
    "number": "wrong_number",
    "exponent": "wrong_number",
    "power": "power_too_many",
    "root": "root_missing",
    "square": "square_missing",
    "axis": "wrong_axis",
    "operator": "wrong_operator",
    "minus": "minus_too_many",
    "order": "factors_in_the_other_order",
    "reduction": "reduction_too_many",
}
VERBS = {"Mult": "multiplies", "Div": "divides", "Add": "adds", "Sub": "subtracts"}


def of_a_function(slip: Slip) -> str:
    edit = slip.edit
    return (
        f"You write `{edit.code}`. With `{edit.new}` itself in that place, {slip.it} is right: the `{edit.part}` is "
        f"one too many.{slip.ask('At which value is the derivative of the forward line taken?')}"
    )


def of_a_name(slip: Slip) -> str:
    edit = slip.edit
    text = f"In `{edit.code}`, `{edit.part}` is not the value that belongs there; with another one {slip.it} is right."
    if slip.problem is None:
        return text
    graph, consumers = slip.problem.graph, slip.problem.graph.consumers[slip.name]
    if edit.new.startswith("d") and edit.new[1:] in slip.problem.upstream:
        return f"{text} Which gradient comes back through the forward line?"
    if slip.is_one_step and edit.new in consumers:
        return f"{text} This derivative is written with what the forward line returns, not with what it reads."
    if slip.is_one_step and any(edit.new in graph.sources[c] for c in consumers):
        return f"{text} This derivative is written with what the forward line reads: which values are they?"
    return f"{text} Which value does the forward pass use there?"


def of_a_part(slip: Slip) -> str:
    edit = slip.edit
    verb = "division by" if edit.kind == "part_divided" else "multiplication by"
    return (
        f"In `{edit.code}`, the {verb} `{edit.new}` applies to `{edit.part}` only, because it comes before `+` and "
        f"`-`. Should it apply to both terms? With brackets around them, {slip.it} is right."
    )


def of_a_whole(slip: Slip) -> str:
    edit = slip.edit
    what = {"whole_power": "power", "whole_divided": "division", "whole_multiplied": "multiplication"}[edit.kind]
    return (
        f"In `{edit.code}`, the {what} applies to all of `{edit.part}`. Applied to only one of the two terms, "
        f"{slip.it} is right: to which one?"
    )


def of_sums(slip: Slip) -> str:
    return (
        f"`{slip.edit.code}` takes a {slip.edit.part} of each factor and multiplies afterwards. A product of sums is "
        f"not the sum of the products: multiply first, then {slip.it} is right."
    )


def of_a_small_number(slip: Slip) -> str:
    edit = slip.edit
    return (
        f"The {edit.new} is missing: the forward pass adds it before it takes the root or the power, and `{edit.code}` "
        f"uses `{edit.part}` alone. With it, {slip.it} is right."
    )


def of_a_column(slip: Slip) -> str:
    edit = slip.edit
    return (
        f"`{edit.code}` picks whole columns: for each entry of `{edit.part}`, that column in every row. Index rows and "
        f"columns together, so that each row is paired with its own entry; then {slip.it} is right."
    )


def of_an_operator(slip: Slip) -> str:
    edit = slip.edit
    return (
        f"`{edit.code}` {VERBS[edit.part]}. If it {VERBS[edit.new]}, {slip.it} is right."
        f"{slip.ask('What is the local derivative of the forward line?')}"
    )


def of_a_minus(slip: Slip) -> str:
    return f"The minus in `{slip.edit.code}` is one too many: without it, {slip.it} is right."


def of_a_factor(slip: Slip) -> str:
    edit = slip.edit
    return (
        f"In `{edit.code}`, the {edit.kind} `{edit.part}` is one too many: without it, {slip.it} is right."
        f"{slip.ask('What is the local derivative of the forward line?')}"
    )


def of_a_reduction(slip: Slip) -> str:
    edit = slip.edit
    if edit.kind == "keepdim":
        done = "loses" if edit.new == "kept" else "keeps"
        other = "With that axis kept" if edit.new == "kept" else "Without that axis"
        return f"`{edit.code}` {done} the axis that it sums over. {other}, {slip.it} is right: check `keepdim`."
    if edit.kind == "axis":
        return (
            f"`{edit.code}` takes the {edit.part} over another axis than it should; otherwise {slip.it} is right."
            f"{slip.ask('Along which axis did the forward pass copy or reduce?')}"
        )
    if edit.kind == "mean_or_sum":
        return f"`{edit.code}` takes a {edit.part}. With a {edit.new} in that place, {slip.it} is right."
    return f"The {edit.part} in `{edit.code}` is one too many: without it, {slip.it} is right."


def of_a_number(slip: Slip) -> str:
    edit = slip.edit
    return (
        f"The {edit.kind} {edit.part} in `{edit.code}` is not the right one; with another one {slip.it} is right."
        f"{slip.ask('Which number does the derivative of the forward line have there?')}"
    )


def of_a_scale(slip: Slip) -> str:
    edit = slip.edit
    done = "divided" if edit.kind == "not_divided" else "multiplied"
    return f"`{edit.part}` is not {done} by `{edit.new}`; if it were, {slip.it} would be right. Where does the size go?"


def of_a_product(slip: Slip) -> str:
    what = "the two factors are in the wrong order" if slip.edit.kind == "order" else "a `.T` is missing or too many"
    return f"In `{slip.edit.code}`, {what}. Write the shapes next to each other: which product has the right one?"


def of_a_root(slip: Slip) -> str:
    what = "its square root" if slip.edit.kind == "root" else "its square"
    return f"`{slip.edit.code}` divides by `{slip.edit.part}`. With {what} in that place, {slip.it} is right."


def of_a_comparison(slip: Slip) -> str:
    return (
        f"With another comparison in place of `{slip.edit.code}`, {slip.it} is right. What should hold when both are "
        "equal?"
    )


def of_an_assignment(slip: Slip) -> str:
    edit = slip.edit
    if edit.kind == "new_tensor":
        return (
            f"`{edit.code}` gives the name `{edit.part}` a new tensor; the tensor that it named before stays as it "
            f"was. Change that tensor in place; then {slip.it} is right."
        )
    if edit.kind == "result_unused":
        return (
            f"`{edit.code}` returns a new tensor, and nothing uses it: `{edit.part}` changes nothing in place. With a "
            f"call that does, {slip.it} is right."
        )
    return (
        f"`{edit.code}` overwrites what was there before. A place that is reached several times gets a gradient each "
        "time, and they add up."
    )


WORDS: dict[str, Callable[[Slip], str]] = {
    "function": of_a_function,
    "name": of_a_name,
    "part_divided": of_a_part,
    "part_multiplied": of_a_part,
    "whole_power": of_a_whole,
    "whole_divided": of_a_whole,
    "whole_multiplied": of_a_whole,
    "sums_multiplied": of_sums,
    "small_number": of_a_small_number,
    "column": of_a_column,
    "operator": of_an_operator,
    "sign_of_a_term": of_an_operator,
    "minus": of_a_minus,
    "factor": of_a_factor,
    "term": of_a_factor,
    "power": of_a_factor,
    "keepdim": of_a_reduction,
    "axis": of_a_reduction,
    "mean_or_sum": of_a_reduction,
    "reduction": of_a_reduction,
    "number": of_a_number,
    "exponent": of_a_number,
    "not_divided": of_a_scale,
    "not_multiplied": of_a_scale,
    "order": of_a_product,
    "transpose": of_a_product,
    "root": of_a_root,
    "square": of_a_root,
    "new_tensor": of_an_assignment,
    "overwritten": of_an_assignment,
    "result_unused": of_an_assignment,
    "comparison": of_a_comparison,
}
