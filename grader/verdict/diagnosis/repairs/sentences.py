"""What a message says about each kind of change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.reference.problem import Problem
from grader.verdict.diagnosis.explanation import Explanation
from grader.verdict.diagnosis.repairs.edits import Edit


@dataclass(frozen=True)
class Slip:
    """A change that makes an answer right. `it` is what becomes right, in words; `name` the value of the gradient.

    `problem` is None where the function is not about a derivative.
    """

    edit: Edit
    it: str
    name: str = ""
    problem: Problem | None = None

    @property
    def is_one_step(self) -> bool:
        """Whether one forward line lies between the value and what its function is given."""
        return self.it == f"your `d{self.name}`"

    def explanation(self) -> Explanation:
        """The message, on the line of the change."""
        identifier, template, question = SENTENCES[self.edit.kind]
        if not isinstance(template, str):
            text = template(self)
        else:
            edit, verbs = self.edit, {"verb": VERBS.get(self.edit.part), "other_verb": VERBS.get(self.edit.new)}
            text = template.format(it=self.it, code=edit.code, part=edit.part, new=edit.new, kind=edit.kind, **verbs)
        if question and self.problem is not None:
            text = f"{text} {question}"
        return Explanation(identifier or self.edit.kind, text, line=self.edit.line)


def about_a_name(slip: Slip) -> str:
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


def about_keepdim(slip: Slip) -> str:
    done, other = ("loses", "With that axis kept") if slip.edit.new == "kept" else ("keeps", "Without that axis")
    return f"`{slip.edit.code}` {done} the axis that it sums over. {other}, {slip.it} is right: check `keepdim`."


VERBS = {"Mult": "multiplies", "Div": "divides", "Add": "adds", "Sub": "subtracts"}
LOCAL_DERIVATIVE = "What is the local derivative of the forward line?"
WHICH_NUMBER = "Which number does the derivative of the forward line have there?"

ONE_PART = (
    "In `{{code}}`, the {} `{{new}}` applies to `{{part}}` only, because it comes before `+` and `-`. Should it apply "
    "to both terms? With brackets around them, {{it}} is right."
)
WHOLE = (
    "In `{{code}}`, the {} applies to all of `{{part}}`. Applied to only one of the two terms, {{it}} is right: to "
    "which one?"
)
OPERATOR = "`{code}` {verb}. If it {other_verb}, {it} is right."
ONE_TOO_MANY = "In `{code}`, the {kind} `{part}` is one too many: without it, {it} is right."
NUMBER = "The {kind} {part} in `{code}` is not the right one; with another one {it} is right."
SCALE = "`{{part}}` is not {} by `{{new}}`; if it were, {{it}} would be right. Where does the size go?"
PRODUCT = "In `{{code}}`, {}. Write the shapes next to each other: which product has the right one?"
ROOT = "`{{code}}` divides by `{{part}}`. With its {} in that place, {{it}} is right."

SENTENCES: dict[str, tuple[str, str | Callable[[Slip], str], str]] = {
    "function": (
        "function_too_many",
        "You write `{code}`. With `{new}` itself in that place, {it} is right: the `{part}` is one too many.",
        "At which value is the derivative of the forward line taken?",
    ),
    "name": ("wrong_value", about_a_name, ""),
    "part_divided": ("", ONE_PART.format("division by"), ""),
    "part_multiplied": ("", ONE_PART.format("multiplication by"), ""),
    "whole_power": ("", WHOLE.format("power"), ""),
    "whole_divided": ("", WHOLE.format("division"), ""),
    "whole_multiplied": ("", WHOLE.format("multiplication"), ""),
    "sums_multiplied": (
        "",
        "`{code}` takes a {part} of each factor and multiplies afterwards. A product of sums is not the sum of the "
        "products: multiply first, then {it} is right.",
        "",
    ),
    "small_number": (
        "small_number_missing",
        "The {new} is missing: the forward pass adds it before it takes the root or the power, and `{code}` uses "
        "`{part}` alone. With it, {it} is right.",
        "",
    ),
    "column": (
        "whole_columns",
        "`{code}` picks whole columns: for each entry of `{part}`, that column in every row. Index rows and columns "
        "together, so that each row is paired with its own entry; then {it} is right.",
        "",
    ),
    "operator": ("wrong_operator", OPERATOR, LOCAL_DERIVATIVE),
    "sign_of_a_term": ("", OPERATOR, LOCAL_DERIVATIVE),
    "minus": ("minus_too_many", "The minus in `{code}` is one too many: without it, {it} is right.", ""),
    "factor": ("factor_too_many", ONE_TOO_MANY, LOCAL_DERIVATIVE),
    "term": ("term_too_many", ONE_TOO_MANY, LOCAL_DERIVATIVE),
    "power": ("power_too_many", ONE_TOO_MANY, LOCAL_DERIVATIVE),
    "keepdim": ("", about_keepdim, ""),
    "axis": (
        "wrong_axis",
        "`{code}` takes the {part} over another axis than it should; otherwise {it} is right.",
        "Along which axis did the forward pass copy or reduce?",
    ),
    "mean_or_sum": ("", "`{code}` takes a {part}. With a {new} in that place, {it} is right.", ""),
    "reduction": ("reduction_too_many", "The {part} in `{code}` is one too many: without it, {it} is right.", ""),
    "number": ("wrong_number", NUMBER, WHICH_NUMBER),
    "exponent": ("wrong_number", NUMBER, WHICH_NUMBER),
    "not_divided": ("", SCALE.format("divided"), ""),
    "not_multiplied": ("", SCALE.format("multiplied"), ""),
    "order": ("factors_in_the_other_order", PRODUCT.format("the two factors are in the wrong order"), ""),
    "transpose": ("", PRODUCT.format("a `.T` is missing or too many"), ""),
    "root": ("root_missing", ROOT.format("square root"), ""),
    "square": ("square_missing", ROOT.format("square"), ""),
    "new_tensor": (
        "",
        "`{code}` gives the name `{part}` a new tensor; the tensor that it named before stays as it was. Change that "
        "tensor in place; then {it} is right.",
        "",
    ),
    "result_unused": (
        "",
        "`{code}` returns a new tensor, and nothing uses it: `{part}` changes nothing in place. With a call that does, "
        "{it} is right.",
        "",
    ),
    "overwritten": (
        "",
        "`{code}` overwrites what was there before. A place that is reached several times gets a gradient each time, "
        "and they add up.",
        "",
    ),
    "comparison": (
        "",
        "With another comparison in place of `{code}`, {it} is right. What should hold when both are equal?",
        "",
    ),
}
"""{kind of change: (id, or "" where it is the kind; the message; a question where the function is a derivative)}"""
