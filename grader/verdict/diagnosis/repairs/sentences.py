"""What a message says about each kind of change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from grader.reference.problem import Problem
from grader.verdict.diagnosis.repairs.change_texts import CHANGE_TEXTS
from grader.verdict.diagnosis.repairs.edits import Edit
from grader.verdict.explain.explanation import Explanation


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
        edit, sentence = self.edit, SENTENCES[self.edit.kind]
        if isinstance(sentence, str):
            verbs = {"verb": VERBS.get(edit.part), "other_verb": VERBS.get(edit.new)}
            text = sentence.format(it=self.it, **asdict(edit), **verbs)
        else:
            text = sentence(self)
        if self.problem is not None and edit.kind in QUESTION_OF_KIND:
            text = f"{text} {QUESTION_OF_KIND[edit.kind]}"
        return Explanation(IDS.get(edit.kind, edit.kind), text, line=edit.line)


def about_a_name(slip: Slip) -> str:
    edit = slip.edit
    text = f"In `{edit.code}`, `{edit.part}` is not the value that belongs there; with another one {slip.it} is right."
    if slip.problem is None:
        return text
    graph, consumers = slip.problem.graph, slip.problem.graph.consumers[slip.name]
    if edit.new.startswith("d") and edit.new[1:] in slip.problem.upstream:
        return f"{text} Which gradient comes back through the forward line?"
    if slip.is_one_step and edit.new in consumers:
        return f"{text} What the forward line reads, or what it returns: which does your formula need there?"
    if slip.is_one_step and any(edit.new in graph.sources[c] for c in consumers):
        return f"{text} This derivative is written with what the forward line reads: which values are they?"
    return f"{text} Which value does the forward pass use there?"


def about_a_repeated_name(slip: Slip) -> str:
    edit = slip.edit
    text = f"Each `{edit.part}` in this line should be another value; with that one, {slip.it} is right."
    return text if slip.problem is None else f"{text} Which value does the forward pass use there?"


def about_keepdim(slip: Slip) -> str:
    done, other = ("keeps", "Without that axis") if slip.edit.new == "kept" else ("loses", "With that axis kept")
    return f"`{slip.edit.code}` {done} the axis that it sums over. {other}, {slip.it} is right: check `keepdim`."


VERBS = {"Mult": "multiplies", "Div": "divides", "Add": "adds", "Sub": "subtracts"}
LOCAL_DERIVATIVE = "What is the local derivative of the forward line?"
WHICH_NUMBER = "Which number does the derivative of the forward line have there?"

SENTENCES: dict[str, str | Callable[[Slip], str]] = {
    **CHANGE_TEXTS,
    "name": about_a_name,
    "everywhere": about_a_repeated_name,
    "keepdim": about_keepdim,
}
"""{kind of change: the message, or what writes it}"""

QUESTION_OF_KIND = {
    "function": "At which value is the derivative of the forward line taken?",
    "divided": LOCAL_DERIVATIVE,
    "multiplied": LOCAL_DERIVATIVE,
    "operator": LOCAL_DERIVATIVE,
    "sign_of_a_term": LOCAL_DERIVATIVE,
    "factor": LOCAL_DERIVATIVE,
    "division": LOCAL_DERIVATIVE,
    "term": LOCAL_DERIVATIVE,
    "power": LOCAL_DERIVATIVE,
    "term_without_factor": LOCAL_DERIVATIVE,
    "power_missing": LOCAL_DERIVATIVE,
    "product_for_power": LOCAL_DERIVATIVE,
    "product_for_matrix_product": LOCAL_DERIVATIVE,
    "other_function": "Which function does the forward line apply, and what is its derivative?",
    "axis": "Along which axis did the forward pass copy or reduce?",
    "one_axis": "Along which axis did the forward pass copy or reduce?",
    "axis_number": "Which axes does the forward line work on?",
    "number": WHICH_NUMBER,
    "exponent": WHICH_NUMBER,
}
"""{kind: a question that follows where the function is a derivative}"""

IDS = {
    "function": "function_too_many",
    "name": "wrong_value",
    "small_number": "small_number_missing",
    "column": "whole_columns",
    "divided": "wrong_operator",
    "multiplied": "wrong_operator",
    "operator": "wrong_operator",
    "minus": "minus_too_many",
    "factor": "factor_too_many",
    "division": "factor_too_many",
    "term": "term_too_many",
    "power": "power_too_many",
    "axis": "wrong_axis",
    "one_axis": "wrong_axis",
    "axis_number": "wrong_axis",
    "axis_everywhere": "wrong_axis",
    "one_factor_summed": "sums_multiplied",
    "reduction": "reduction_too_many",
    "number": "wrong_number",
    "exponent": "wrong_number",
    "order": "factors_in_the_other_order",
    "update": "update_written_backwards",
    "root": "root_missing",
    "square": "square_missing",
}
"""{kind: the id of the mistake}, where it is not the kind"""
