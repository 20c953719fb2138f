"""The meaning of an error that Python or torch raised, with the shapes of what the code was called with.

The error's own text says what happened; a student also needs to know what it is about. The explanation says only what
follows from the text and from the arguments.
"""

from __future__ import annotations

import difflib
import math
import re
import sys
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.results.wording import format_shape, listed_as_code
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents

MEANINGS_FILE = Path(__file__).with_name("meanings.toml")
MAX_NAMES_SUGGESTED = 6
ABOUT_SHAPES = {
    "shapes_do_not_fit",
    "view_does_not_fit",
    "axis_out_of_range",
    "index_out_of_range",
    "index_is_no_integer",
}
"""What is easier to see next to the shapes of the arguments."""

PRODUCT_ERROR = re.compile(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
VIEW = re.compile(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)")
USUAL_NAMES = {
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
    "np": "import numpy as np",
    "torch": "import torch",
}
"""{what people call a library: how they import it}."""
ARGUMENTS = {"keepdim": "True", "dim": "1", "axis": "1"}
"""Names of arguments that people write without a value, and a value of each."""
UNKNOWN_METHOD = re.compile(r"'Tensor' object has no attribute '(\w+)'")
NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")


@dataclass(frozen=True)
class CallContext:
    """What the code that raised was called with: the arguments that it reads, by name, and all it could request.

    `own` are the names that it is most likely to mean: its upstream gradients, and what it reads. `near` are these and
    the other values in the forward lines that it is about. `contents` is what its code is made of; empty if unknown.
    `result_shape` is the shape that its result should have, in words: "the shape of `W`, (5, 3)"; "" if unknown.
    `result` is that shape as numbers.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    parameters: Collection[str] = ()
    result_shape: str = ""
    result: Sequence[int] | None = None
    own: Collection[str] = ()
    near: Collection[str] = ()
    contents: FunctionContents = field(default_factory=dict)

    def has(self, key: str, *names: str) -> bool:
        """Whether the code's `calls`, `bare_calls`, `imports` ... include one of these names."""
        return not set(names).isdisjoint(self.contents.get(key, ()))


def explain_error(
    name: str, problem: Problem, answer: Answer, contents: FunctionContents | None = None
) -> Explanation | None:
    """The meaning of what the step d`name` raised, where its text is one of those known here."""
    upstream = {f"d{consumer}": gradient for consumer, gradient in problem.fed.items()}
    known = problem.given | upstream
    reads = {argument: known[argument] for argument in sorted(answer.uses) if argument in known}
    consumers = problem.graph.consumers[name]
    own = list(dict.fromkeys((*(f"d{consumer}" for consumer in consumers), *reads)))
    near = {*own, *(value for consumer in consumers for value in problem.graph.parents[consumer])}
    result_shape = f"the shape of `{name}`, {format_shape(problem.values[name].shape)}"
    if not problem.random_upstream:  # the line may be about any of the gradients that one function returns
        result_shape = ""
    result = problem.values[name].shape if result_shape else None
    return explain_error_text(
        answer.message, CallContext(reads, known.keys(), result_shape, result, own, near, contents or {})
    )


def explain_error_text(message: str, context: CallContext) -> Explanation | None:
    """The meaning of an error's text; None where it is not known, or says all there is to say."""
    if (undefined := NOT_DEFINED.search(message)) is not None:
        return Explanation("name_not_defined", explain_undefined_name(undefined[1], context))
    found = find_meaning(message, context)
    if found is None:
        unknown = UNKNOWN_METHOD.search(message)
        if unknown and unknown[1] in dir(Tensor):  # of a class with the same name
            return Explanation("method_unknown", f"Your class `Tensor` has no `{unknown[1]}`: is it written?")
        near = nearest(unknown[1], [each for each in dir(Tensor) if not each.startswith("_")], 0.7) if unknown else ""
        return Explanation("method_unknown", f"Do you mean `.{near}`?") if near else None
    identifier, text = found
    shapes = shapes_of_arguments(context.arguments) if identifier in ABOUT_SHAPES else ""
    return Explanation(identifier, f"{text} You are given {shapes}." if shapes else text)


def find_meaning(message: str, context: CallContext) -> tuple[str, str] | None:
    """(id, text) of the first pattern found in the message."""
    if (found := PRODUCT_ERROR.search(message)) is not None:
        return "shapes_do_not_fit", explain_product(found, context)
    if (found := VIEW.search(message)) is not None:
        return "view_does_not_fit", explain_view(*found.groups())
    for meaning in error_meanings():
        if (found := meaning.pattern.search(message)) is not None:
            groups = (found[0], *found.groups())
            if all(context.has(key, *(n.format(*groups) for n in names)) for key, names in meaning.needs.items()):
                first = next(filter(None, found.groups()), None)
                return meaning.id, meaning.message.format(*groups, first=first)
    return None


class ErrorMeaning(NamedTuple):
    """An entry of meanings.toml. The code must have one of the names in each entry of `needs`, see contents_of."""

    pattern: re.Pattern[str]
    id: str
    message: str
    needs: Mapping[str, Sequence[str]]


@cache
def error_meanings() -> list[ErrorMeaning]:
    """The entries of meanings.toml, in its order."""
    entries = tomllib.loads(MEANINGS_FILE.read_text(encoding="utf-8"))["meaning"]
    return [
        ErrorMeaning(re.compile("|".join(each["patterns"])), each["id"], each["message"], each.get("needs", {}))
        for each in entries
    ]


def explain_product(found: re.Match[str], context: CallContext) -> str:
    rows, inner, other, columns = map(int, found.groups())
    text = f"A matrix product needs equal inner sizes; here you multiply ({rows}, {inner}) by ({other}, {columns}). "
    if context.result is not None and not has_product(context.arguments, context.result):
        nothing = f"No product of two of these, in any order and with any `.T`, has {context.result_shape}"
        return f"{text}{nothing}: is another value needed, or another operation?"
    return text + f"Which order, and which `.T`, gives {context.result_shape or 'the shape that you need'}?"


def has_product(arguments: Mapping[str, Any], result: Sequence[int]) -> bool:
    """Whether a matrix product of two of the arguments, transposed or not, has this shape; True where it may have."""
    shapes = [tuple(value.shape) for value in arguments.values() if hasattr(value, "shape")]
    if len(result) != 2 or any(len(shape) > 2 for shape in shapes):
        return True
    matrices = [shape for shape in shapes if len(shape) == 2]
    both = [each for shape in matrices for each in (shape, shape[::-1])]
    return any(a[1] == b[0] and (a[0], b[1]) == tuple(result) for a in both for b in both)


def explain_view(sizes: str, elements: str) -> str:
    held = None if "-" in sizes else math.prod(map(int, sizes.split(",")))
    reason = f"which would hold {held}" if held is not None else "which it does not fill evenly"
    return (
        f"A tensor of {elements} elements cannot be viewed as ({sizes}), {reason}. Is it the tensor that you mean, and "
        "are these its sizes?"
    )


def explain_undefined_name(name: str, context: CallContext) -> str:
    twin = next((each for each in context.near if each.lower() == name.lower()), None)
    if name in context.parameters and twin is not None and name not in context.near:
        return f"`{name}` and `{twin}` are two names here. Do you mean `{twin}`?"
    if name in context.parameters and (name in context.near or not context.near):
        return f"`{name}` is available: add it to the parameters."
    if name in context.parameters:
        return (
            f"`{name}` is in none of the forward lines that this gradient is about. Which of their values do you mean?"
        )
    if name in ARGUMENTS:
        return f"Nothing has the name `{name}`. If it is an argument, it needs a value: `{name}={ARGUMENTS[name]}`."
    if name in USUAL_NAMES or name in sys.stdlib_module_names:
        line = USUAL_NAMES.get(name, f"import {name}")
        misspelled = nearest(name, context.contents.get("imports", ()), 0.7)
        if misspelled and misspelled != name:
            return f"The file imports `{misspelled}`, and no `{name}`. Do you mean `{line}`?"
        return f"`{name}` is not imported: write `{line}` at the top of the file."
    if context.has("bare_calls", name) and hasattr(Tensor, name):
        return f"`{name}` is a method of tensors, `x.{name}(...)`. Is a comma written for the full stop?"
    others = [each for each in context.contents.get("names", ()) if each != name]
    near = nearest(name, context.own, 0.7) or nearest(name, others, 0.7) or nearest(name, context.parameters, 0.8)
    if near or len(context.own) == 1:
        meant = f"Do you mean `{near or next(iter(context.own))}`?"
    elif context.own:
        meant = f"Do you mean one of {listed_as_code(list(context.own), MAX_NAMES_SUGGESTED)}?"
    else:
        meant = "Is it spelled as where you set it?"
    return f"Nothing of the name `{name}` has been set when that line is reached. {meant}"


def nearest(name: str, others: Collection[str], cutoff: float) -> str:
    """The one that is spelled most like `name`, apart from capitals; "" where none is."""
    alike = {other.lower(): other for other in others}
    near = difflib.get_close_matches(name.lower(), alike, n=1, cutoff=cutoff)
    return alike[near[0]] if near else ""


def shapes_of_arguments(arguments: Mapping[str, Any]) -> str:
    """The shapes of those that are tensors or arrays, in words."""
    known = [f"`{name}` {format_shape(tuple(v.shape))}" for name, v in arguments.items() if hasattr(v, "shape")]
    return ", ".join(known[:MAX_NAMES_SUGGESTED])
