"""What an answer *is*, where nothing says how it differs from the gradient: two of the step's arguments, combined.

The gradient is read in the same way, so that the message can say what is right about the answer: both tensors, one of
them, or nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.mismatch import GradientMismatch, euclidean_norm
from grader.verdict.explain.problem_values import can_expand, operand

BINARY_OPERATIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "times": torch.mul,
    "divided by": torch.div,
    "plus": torch.add,
    "minus": torch.sub,
}
ELEMENTWISE_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    ".log()": torch.log,
    ".exp()": torch.exp,
    ".tanh()": torch.tanh,
    ".sqrt()": torch.sqrt,
    "**2": torch.square,
}
"""What a step may apply to a forward value before it combines the result with an upstream gradient."""
MAX_OPERANDS_OF_A_FORM = 5
MIN_ELEMENTS_OF_A_FORM = 3
"""Elements from which a form that fits is no coincidence."""


@dataclass(frozen=True)
class Form:
    """`left operation right`, summed over `axis`; one operand alone when there is no operation."""

    left: str
    operation: str = ""
    right: str = ""
    axis: int | None = None
    negative: bool = False

    def value(self, problem: Problem, like: Tensor) -> Tensor | None:
        """The tensor, in the shape of `like`; None where it has another number of elements."""
        left, right = (
            value_of_operand(problem, self.left),
            value_of_operand(problem, self.right) if self.right else None,
        )
        if left is None or (self.right and right is None):
            return None
        try:
            result = left if right is None else BINARY_OPERATIONS[self.operation](left, right)
            result = result if self.axis is None else result.sum(self.axis)
        except (RuntimeError, IndexError):
            return None
        if result.numel() != like.numel() or not bool(torch.isfinite(result).all()):
            return None
        result = result.reshape(like.shape)
        return -result if self.negative else result

    @property
    def operands(self) -> set[str]:
        return {self.left, self.right} - {""}

    def __str__(self) -> str:
        body = f"`{self.left}`" + (f" {self.operation} `{self.right}`" if self.right else "")
        body = f"minus {body}" if self.negative and not self.right else f"minus ({body})" if self.negative else body
        return body if self.axis is None else f"{body}, summed over axis {self.axis}"


def value_of_operand(problem: Problem, text: str) -> Tensor | None:
    """An operand, or one of ELEMENTWISE_FUNCTIONS of it: `probs`, `probs.log()`."""
    for ending, function in ELEMENTWISE_FUNCTIONS.items():
        if text.endswith(ending):
            value = operand(problem, text.removesuffix(ending))
            return None if value is None else function(value)
    return operand(problem, text)


def forms_with_a_function(operands: Sequence[str]) -> Iterator[Form]:
    """An upstream gradient combined with a function of a forward value."""
    values = [name for name in operands if not name.startswith("d")]
    for upstream in (name for name in operands if name.startswith("d")):
        for right in (name + ending for name in values for ending in ELEMENTWISE_FUNCTIONS):
            for operation in BINARY_OPERATIONS:
                yield from with_both_signs(Form(upstream, operation, right))


def possible_forms(operands: Sequence[str]) -> Iterator[Form]:
    """Every form of these operands, simplest first."""
    for axis in (None, 0, 1):
        for left in operands:
            yield from with_both_signs(Form(left, axis=axis))
        for number, left in enumerate(operands):
            for right in operands[number:]:
                for operation in BINARY_OPERATIONS:
                    if left == right and operation != "times":
                        continue
                    yield from with_both_signs(Form(left, operation, right, axis))
                    if operation == "divided by":
                        yield from with_both_signs(Form(right, operation, left, axis))


def with_both_signs(form: Form) -> Iterator[Form]:
    yield form
    yield replace(form, negative=True)


def first_form(wrong: GradientMismatch, tensors: list[Tensor], operands: list[str]) -> Form | None:
    """The simplest form of the operands that gives `tensors` on every problem."""
    number = max(range(len(tensors)), key=lambda i: tensors[i].numel())
    tensor, problem = tensors[number], wrong.problems[number]
    if tensor.numel() < MIN_ELEMENTS_OF_A_FORM:
        return None
    shapes = {name: tuple(value.shape) for name in operands if (value := operand(problem, name)) is not None}
    for form in possible_forms(list(shapes)):
        if elements_of_form(shapes[form.left], shapes.get(form.right, ()), form.axis) == tensor.numel() and all(
            form_gives(wrong, form, i, tensors[i]) for i in (number, *range(len(tensors)))
        ):
            return form
    return None


def first_form_with_a_function(wrong: GradientMismatch, operands: Sequence[str]) -> Form | None:
    """The first form with a function of a forward value that gives the whole answer on every problem."""
    number = wrong.largest
    if not wrong.is_whole_in_shape or wrong.found[number].numel() < MIN_ELEMENTS_OF_A_FORM:
        return None
    order = (number, *range(len(wrong.found)))
    forms = forms_with_a_function(operands)
    return next((form for form in forms if all(form_gives(wrong, form, i, wrong.found[i]) for i in order)), None)


def elements_of_form(left: Sequence[int], right: Sequence[int], axis: int | None) -> int | None:
    """How many elements a form has, from its operands' shapes; None where they do not fit each other."""
    shape = [max(sizes) for sizes in zip_longest(reversed(left), reversed(right), fillvalue=1)][::-1]
    if not (can_expand(left, shape) and can_expand(right, shape)):
        return None
    if axis is not None and axis >= len(shape):
        return None
    return math.prod(size for number, size in enumerate(shape) if number != axis)


def form_gives(wrong: GradientMismatch, form: Form, number: int, tensor: Tensor) -> bool:
    """Whether a form gives `tensor` on that problem."""
    value = form.value(wrong.problems[number], tensor)
    size = max(euclidean_norm(tensor), wrong.floor(number))
    return value is not None and euclidean_norm(value - tensor) <= wrong.rtol * size


def operands_of_code(wrong: GradientMismatch) -> list[str]:
    """What the step may have combined: what its code reads; where that is not known, what the graph says."""
    if not wrong.uses:
        return operands_of_gradient(wrong)
    return [name for name in sorted(wrong.uses) if operand(wrong.problems[0], name) is not None][
        :MAX_OPERANDS_OF_A_FORM
    ]


def operands_of_gradient(wrong: GradientMismatch) -> list[str]:
    """The upstream gradients, and the values in the forward lines that read `name`."""
    problem = wrong.problems[0]
    consumers = wrong.consumers if wrong.consumer is None else (wrong.consumer,)
    names = ["d" + c for c in consumers]
    names += [n for c in consumers for n in (*sorted(problem.graph.sources[c]), c)]
    return [n for n in dict.fromkeys(names) if operand(problem, n) is not None][:MAX_OPERANDS_OF_A_FORM]


def wrong_operation(wrong: GradientMismatch) -> Iterator[Explanation]:
    """The answer as a form of the step's arguments."""
    operands = operands_of_code(wrong)
    form = first_form(wrong, wrong.found, operands) or first_form_with_a_function(wrong, operands)
    if form is None:
        return
    right = first_form(wrong, wrong.expected, operands_of_gradient(wrong)) if form.right else None
    text = f"{wrong.what} is exactly {form}"
    if not form.right:
        yield Explanation(
            "operand_alone", f"{text}, and nothing else. Is that what the forward line's derivative says?"
        )
    elif right is not None and form.operands == right.operands:
        what = "the operation is not"
        if form.operation == right.operation:
            what = "the sum's axis or the sign is not" if form.left == right.left else "their order is not"
        yield Explanation("operation", f"{text}. These are the right two tensors; {what}.")
    elif right is not None and form.operands & right.operands:
        (shared, *_) = sorted(form.operands & right.operands)
        yield Explanation("operand", f"{text}. The gradient contains `{shared}`, too, but combined in another way.")
    else:
        yield Explanation("operation", f"{text}{what_is_wrong_with(form, wrong)}")


def what_is_wrong_with(form: Form, wrong: GradientMismatch) -> str:
    """The end of a sentence about a form, which may be the student's own line: what is wrong with it."""
    upstream = [name for name in (form.left, form.right) if name.startswith("d") and name[1:] in wrong.consumers]
    if len(upstream) == 1 and form.operation in ("plus", "minus"):
        return (
            f". A forward value is never added to a gradient: `{upstream[0]}` is multiplied by the derivative of "
            f"`{upstream[0][1:]}` with respect to `{wrong.name}`."
        )
    if upstream == [form.left] and form.operation == "times" and form.axis is None and len(wrong.consumers) == 1:
        sign = "minus " if form.negative else ""
        return (
            f": {sign}`{form.right}` is not the derivative of `{upstream[0][1:]}` with respect to `{wrong.name}`. "
            "What does the forward line say?"
        )
    return ". Is that what the forward line's derivative says?"


def constant_elements(wrong: GradientMismatch) -> Iterator[Explanation]:
    """Every element the same, on every problem."""
    values = [float(found.flatten()[0]) for found in wrong.found]
    if all(bool((found == values[0]).all()) for found in wrong.found) and max(f.numel() for f in wrong.found) > 2:
        is_read = any(name.startswith("d") and name[1:] in wrong.problems[0].upstream for name in wrong.uses)
        text = f"Every element of your `d{wrong.name}` is {values[0]:g}, whatever the upstream gradient is"
        yield Explanation("constant", f"{text}." if is_read else f"{text}: it is not used.")


def reciprocal(wrong: GradientMismatch) -> Iterator[Explanation]:
    """One over the gradient, elementwise."""
    if wrong.same_shape and all(bool((e != 0).all()) for e in wrong.expected) and wrong.holds(lambda _, e: 1 / e):
        yield Explanation(
            "upside_down",
            f"Your `d{wrong.name}` is exactly 1 over the gradient: what divides and what is divided are swapped.",
        )
