"""Which small change of a student's own code makes a wrong gradient right: the slip, in words.

Changed functions run in a worker, as the student's own do (`Trials`). A change is reported only if it gives the right
gradient on every deciding problem, so what the message says is true of the code and of the numbers.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from grader.answer import Answer
from grader.diagnosis.allowance import check_time
from grader.diagnosis.edits import Edit, Known
from grader.diagnosis.evidence import Cases, Explanation
from grader.judge import compare
from grader.problem import Problem

KEPT = {
    *("sum_missing", "wrong_axis", "mean_for_sum", "summed_too_much", "sum_too_many", "sign", "ratio"),
    *("branch_missing", "branch_sign", "keepdim", "not_reshaped", "transposed", "not_broadcast", "broadcast_too_far"),
    *("local_derivative_missing", "wrong_upstream", "repeated_index", "zeros", "changed_argument", "held_constant"),
    *("other_gradient", "upstream_left_out"),
}
"""Readings of the numbers that say more than a change of the code does: the rule that was broken."""
SMALL = 1e-2


class Trials(Protocol):
    """A student's functions with one change each (grader/grading/trials.py)."""

    def contents(self, function: str) -> Mapping[str, Any] | None:
        """What a function is made of, see edits.contents_of; None where that is not known."""

    def edits(self, function: str, known: Known) -> Sequence[Edit]:
        """The changes that can be tried, most likely slips first."""

    def answers(self, step: str, problem: Problem, numbers: Sequence[int]) -> Mapping[int, Answer]:
        """The answers of the changed functions of these numbers."""


def repaired(step: str, function: str, cases: Cases, trials: Trials, constants: Sequence[float]) -> Explanation | None:
    """The first change that makes d`name` right on all cases, in words; None where none does."""
    first = cases[0][0]
    edits = trials.edits(function, known_on(first, constants))
    left: Sequence[int] = range(len(edits))
    for problem, _ in cases:
        check_time()
        found = trials.answers(step, problem, left) if left else {}
        left = [number for number in left if number in found and is_right(step, problem, found[number])]
    return explanation(step, edits[left[0]], first) if left else None


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


def small_numbers_in(path: Path) -> tuple[float, ...]:
    """The small numbers in a forward pass's text (1e-5): what it adds to a variance."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ()
    found = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is float)
    return tuple(dict.fromkeys(value for value in found if 0 < value < SMALL and math.isfinite(value)))


# In words -------------------------------------------------------------------------------------------------------------


def explanation(step: str, edit: Edit, problem: Problem) -> Explanation:
    return Explanation(IDS.get(edit.kind, edit.kind), WORDS[edit.kind](step, edit, problem))


IDS = {
    "function": "function_too_many",
    "name": "wrong_value",
    "column": "whole_columns",
    "small_number": "small_number_missing",
    "factor": "factor_too_many",
    "term": "term_too_many",
    "number": "wrong_number",
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


def of_a_function(step: str, edit: Edit, problem: Problem) -> str:
    return (
        f"You write `{edit.code}`. With `{edit.new}` itself in that place, your `{step}` is right: the `{edit.part}` "
        "is one too many. At which value is the derivative of the forward line taken?"
    )


def of_a_name(step: str, edit: Edit, problem: Problem) -> str:
    text = (
        f"In `{edit.code}`, `{edit.part}` is not the value that belongs there. With another one your `{step}` is "
        "right. "
    )
    consumers = problem.graph.consumers[step[1:]]
    if edit.new.startswith("d") and edit.new[1:] in problem.upstream:
        return text + "Which gradient comes back through the forward line?"
    if edit.new in consumers:
        return text + "This derivative is written with what the forward line returns, not with what it reads."
    if edit.new == step[1:] or any(edit.new in problem.graph.sources[c] for c in consumers):
        return text + "This derivative is written with what the forward line reads: which values are they?"
    return text + "Which value does the forward pass use there?"


def of_a_part(step: str, edit: Edit, problem: Problem) -> str:
    verb = "division by" if edit.kind == "part_divided" else "multiplication by"
    return (
        f"In `{edit.code}`, the {verb} `{edit.new}` applies to `{edit.part}` only, because it comes before `+` and "
        f"`-`. Should it apply to both terms? With brackets around them, your `{step}` is right."
    )


def of_a_whole(step: str, edit: Edit, problem: Problem) -> str:
    done = {"whole_power": "raised to the power", "whole_divided": "divided by", "whole_multiplied": "multiplied by"}
    return (
        f"In `{edit.code}`, all of `{edit.part}` is {done[edit.kind]} `{edit.new}`. With only one of the two terms "
        f"{done[edit.kind]} it, your `{step}` is right: which one?"
    )


def of_a_small_number(step: str, edit: Edit, problem: Problem) -> str:
    return (
        f"The {edit.new} is missing: the forward pass adds it before it takes the root or the power, and `{edit.code}` "
        f"uses `{edit.part}` alone. The rest of your `{step}` is right."
    )


def of_a_column(step: str, edit: Edit, problem: Problem) -> str:
    return (
        f"`{edit.code}` picks whole columns: for each entry of `{edit.part}`, that column in every row. Each row has "
        f"one place only. Index rows and columns together, so that they are paired; the rest of your `{step}` is right."
    )


def of_an_operator(step: str, edit: Edit, problem: Problem) -> str:
    return (
        f"`{edit.code}` {VERBS[edit.part]} where the derivative {VERBS[edit.new]}. The rest of your `{step}` is right. "
        "What is the local derivative of the forward line?"
    )


def of_a_minus(step: str, edit: Edit, problem: Problem) -> str:
    return f"The minus in `{edit.code}` is one too many; the rest of your `{step}` is right."


def of_a_factor(step: str, edit: Edit, problem: Problem) -> str:
    what = {"factor": "factor", "term": "term", "power": "power"}[edit.kind]
    return (
        f"In `{edit.code}`, the {what} `{edit.part}` is one too many: without it your `{step}` is right. What is the "
        "local derivative of the forward line?"
    )


def of_a_reduction(step: str, edit: Edit, problem: Problem) -> str:
    if edit.kind == "keepdim":
        done = "loses the axis that it sums over" if edit.new == "kept" else "keeps the axis that it sums over"
        return f"`{edit.code}` {done}; check `keepdim`. The rest of your `{step}` is right."
    if edit.kind == "axis":
        return (
            f"`{edit.code}` takes the {edit.part} over the wrong axis; the rest of your `{step}` is right. Over which "
            "axis did the forward pass copy or reduce?"
        )
    if edit.kind == "mean_or_sum":
        return f"`{edit.code}` takes a {edit.part} where a {edit.new} belongs; the rest of your `{step}` is right."
    return f"The {edit.part} in `{edit.code}` is one too many; the rest of your `{step}` is right."


def of_a_number(step: str, edit: Edit, problem: Problem) -> str:
    return (
        f"The number {edit.part} in `{edit.code}` is not the right one; the rest of your `{step}` is right. What does "
        "the power rule give, or the size that you divide by?"
    )


def of_a_scale(step: str, edit: Edit, problem: Problem) -> str:
    done = "divided" if edit.kind == "not_divided" else "multiplied"
    return f"`{edit.part}` is not {done} by `{edit.new}`; the rest of your `{step}` is right."


def of_a_product(step: str, edit: Edit, problem: Problem) -> str:
    what = "the two factors are in the wrong order" if edit.kind == "order" else "a `.T` is missing or one too many"
    return f"In `{edit.code}`, {what}. Write the shapes next to each other: which product gives that of `{step[1:]}`?"


def of_a_root(step: str, edit: Edit, problem: Problem) -> str:
    what = "its square root" if edit.kind == "root" else "its square"
    return f"`{edit.code}` divides by `{edit.part}`. With {what} in that place, your `{step}` is right."


def of_an_assignment(step: str, edit: Edit, problem: Problem) -> str:
    if edit.kind == "new_tensor":
        return (
            f"`{edit.code}` gives the name `{edit.part}` a new tensor; the tensor that it named before stays as it "
            f"was. To change that tensor, write in place."
        )
    return (
        f"`{edit.code}` overwrites what `{edit.part}` held before. A place that is reached several times gets a "
        f"gradient each time, and they add up."
    )


Words = Callable[[str, Edit, Problem], str]
WORDS: dict[str, Words] = {
    "function": of_a_function,
    "name": of_a_name,
    "part_divided": of_a_part,
    "part_multiplied": of_a_part,
    "whole_power": of_a_whole,
    "whole_divided": of_a_whole,
    "whole_multiplied": of_a_whole,
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
    "not_divided": of_a_scale,
    "not_multiplied": of_a_scale,
    "order": of_a_product,
    "transpose": of_a_product,
    "root": of_a_root,
    "square": of_a_root,
    "new_tensor": of_an_assignment,
    "overwritten": of_an_assignment,
}
