"""What an error means that Python or torch raised, with the shapes of what the code was given beside it.

The error's own text says what happened; a student also needs to know what it is about. Only what follows from the text,
and from what was given, is said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.calling.answer import Answer
from grader.comparison.tensors import written
from grader.reference.problem import Problem
from grader.verdict.diagnosis.errors.error_texts import MEANINGS
from grader.verdict.diagnosis.explanation import Explanation

MOST_SHOWN = 6
ABOUT_SHAPES = {
    "shapes_do_not_fit",
    "view_does_not_fit",
    "axis_out_of_range",
    "index_out_of_range",
    "index_is_no_integer",
}
"""What is easier to see with the shapes of the arguments beside it."""

PRODUCT = re.compile(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")


@dataclass(frozen=True)
class Asked:
    """What was asked of the code that raised: the arguments that it reads, by name, and what else it could ask for.

    `wanted` is the shape that its result should have, in words: "the shape of `W`, (5, 3)"; "" where it is not known.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    parameters: Collection[str] = ()
    wanted: str = ""


def explain_error(name: str, problem: Problem, answer: Answer) -> Explanation | None:
    """The meaning of what the step d`name` raised, where its text is one of those known here."""
    upstream = {f"d{consumer}": gradient for consumer, gradient in problem.upstream.items()}
    known = problem.given | upstream
    reads = {argument: known[argument] for argument in sorted(answer.uses) if argument in known}
    wanted = f"the shape of `{name}`, {written(problem.values[name].shape)}"
    return meaning(answer.message, Asked(reads, known.keys(), wanted))


def meaning(message: str, asked: Asked) -> Explanation | None:
    """What an error's text means for whoever was `asked`; None where it is not known, or says all there is to say."""
    product, undefined = PRODUCT.search(message), NOT_DEFINED.search(message)
    if product is not None:
        return beside("shapes_do_not_fit", of_a_product(product, asked.wanted), asked)
    if undefined is not None:
        return Explanation("name_not_defined", of_a_name(undefined.group(1), asked.parameters))
    for pattern, identifier, words in MEANINGS:
        found = pattern.search(message)
        if found is not None:
            return beside(identifier, words(found), asked)
    return None


def beside(identifier: str, text: str, asked: Asked) -> Explanation:
    shapes = given_shapes(asked.arguments) if identifier in ABOUT_SHAPES else ""
    return Explanation(identifier, f"{text} You are given {shapes}." if shapes else text)


def of_a_product(found: re.Match[str], wanted: str) -> str:
    rows, inner, other, columns = map(int, found.groups())
    text = f"A matrix product needs the inner sizes alike; here it is ({rows}, {inner}) times ({other}, {columns}). "
    return text + f"Which order, and which `.T`, gives {wanted or 'the shape that you need'}?"


def of_a_name(name: str, parameters: Collection[str]) -> str:
    if name in parameters:
        return f"`{name}` is there to be asked for: add it to the parameters, and it is given to you by that name."
    return f"Nothing of the name `{name}` has been set when that line is reached. Is it spelled as where you set it?"


def given_shapes(arguments: Mapping[str, Any]) -> str:
    """The shapes of those that are tensors or arrays."""
    known = [f"`{name}` {written(tuple(v.shape))}" for name, v in arguments.items() if hasattr(v, "shape")]
    return ", ".join(known[:MOST_SHOWN])
