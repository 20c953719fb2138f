"""A gradient without a value, and the meaning of the error that Python or torch raised (error_meanings.toml).

The error's own text says what happened; a student also needs to know what it is about. The explanation says only what
follows from the text, from the arguments and from what the code is made of.
"""

from __future__ import annotations

import difflib
import re
import sys
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.reference.tape import LOSS
from grader.results import NamedMistake
from grader.results.wording import format_shape, listed_as_code
from grader.verdict.explain.attempts import attempt
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents
from grader.verdict.explain.where_wrong import smallest_sizes
from grader.verdict.judge.line import Verdict

MEANINGS_FILE = Path(__file__).with_name("error_meanings.toml")
MAX_NAMES_SUGGESTED = 6
ABOUT_SHAPES = {"shapes_do_not_fit", "view_does_not_fit", "axis_out_of_range", "index_out_of_range"}
ABOUT_SHAPES |= {"index_is_no_integer"}
"""What is easier to see next to the shapes of the arguments."""
USUAL_NAMES = {"F": "import torch.nn.functional as F", "nn": "from torch import nn", "np": "import numpy as np"}
"""{what people call a library: how they import it}."""
UNKNOWN_METHOD = re.compile(r"'Tensor' object has no attribute '(\w+)'")
NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")


@dataclass(frozen=True)
class CallContext:
    """What the code that raised was called with: the arguments that it reads, by name, and all it could request.

    `own` are the names that it is most likely to mean: its upstream gradients, and what it reads; none of a method.
    `near` are these and the other values in the forward lines that it is about. `contents` is what its code is made of,
    and `result_shape` the shape that its result should have ("the shape of `W`, (5, 3)"); empty if unknown.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    parameters: Collection[str] = ()
    result_shape: str = ""
    own: Collection[str] = ()
    near: Collection[str] = ()
    contents: FunctionContents = field(default_factory=dict)

    def has(self, key: str, *names: str) -> bool:
        """Whether the code's `calls`, `bare_calls`, `imports` ... include one of these names; without names, any."""
        found = set(self.contents.get(key, ()))
        return not found.isdisjoint(names or found)


class ErrorMeaning(NamedTuple):
    """An entry of error_meanings.toml. The code must have a name in each entry of `needs`, see contents_of."""

    pattern: re.Pattern[str]
    id: str
    message: str
    needs: Mapping[str, Sequence[str]]


@cache
def error_meanings() -> list[ErrorMeaning]:
    """The entries of error_meanings.toml, in its order."""
    entries = tomllib.loads(MEANINGS_FILE.read_text(encoding="utf-8"))["meaning"]
    return [
        ErrorMeaning(re.compile("|".join(each["patterns"])), each["id"], each["message"], each.get("needs", {}))
        for each in entries
    ]


# A gradient without a value ------------------------------------------------------------------------------------------


def explain_no_answer(name: str, verdict: Verdict, contents: FunctionContents | None) -> None:
    """Explain why d`name` has no value: its verdict gets a message, and a mistake where one is known."""
    problem, answer = next(case for case in verdict.cases if case[1].outcome != "returned")
    if answer.outcome == "todo":
        return name_mistake(verdict, still_unwritten(contents))
    message, draw = verdict.message or "", problem.draw.describe()
    if answer.outcome == "raised":
        found = attempt(lambda: explain_error(name, problem, answer, contents))
        if found is not None:
            message = f"{answer.message.rstrip('.')}. {found.message}"
            name_mistake(verdict, Explanation(found.id, message))
    right = [other.draw for other, given in verdict.cases if given.outcome == "returned"]
    if message and right:
        failing = [other.draw for other, given in verdict.cases if given.outcome != "returned"]
        special = smallest_sizes(failing, right, "runs")
        end = f"{'' if message.endswith('?') else '.'} {special}" if special else message[len(message.rstrip(".")) :]
        verdict.message = f"With {draw}: {message.rstrip('.')}{end}"


def name_mistake(verdict: Verdict, found: Explanation | None) -> None:
    if found is not None:
        verdict.mistake, verdict.message = NamedMistake(found.id, found.message), found.message


def still_unwritten(contents: FunctionContents | None) -> Explanation | None:
    """Why a function that has code counts as not written yet; None for an ordinary stub."""
    if contents is None or not contents["raise_left"]:
        return None
    return Explanation("raise_left", "The function has code, and `raise NotImplementedError` still ends it.")


def explain_error(
    label: str, problem: Problem, answer: Answer, contents: FunctionContents | None
) -> Explanation | None:
    """The meaning of what the step d`label` raised, where its text is one of those known here."""
    known = problem.given | {f"d{consumer}": gradient for consumer, gradient in problem.fed.items()}
    reads = {argument: known[argument] for argument in sorted(answer.uses) if argument in known}
    consumers = problem.graph.consumers[label]
    own = list(dict.fromkeys((*(f"d{each}" for each in consumers if each != LOSS), *reads)))
    near = {*own, *consumers, *(value for consumer in consumers for value in problem.graph.parents[consumer])}
    is_alone = problem.random_upstream  # else the line may be about any of the gradients that one function returns
    result_shape = f"the shape of `{label}`, {format_shape(problem.values[label].shape)}" if is_alone else ""
    context = CallContext(reads, known.keys(), result_shape, own, near, contents or {})
    found = explain_error_text(answer.message, context)
    if found is None or found.id != "shapes_do_not_fit" or not is_alone:
        return found
    text, used = found.message, {name: value for name, value in reads.items() if isinstance(value, Tensor)}
    if context.has("transposed", *(name for name, each in used.items() if each.ndim > 2), ""):
        text += " `.T` reverses all axes of a tensor that has more than two; `.transpose(-2, -1)` swaps the last two."
    for name in (name for name, v in used.items() if v.dtype == torch.int64 and context.has("operands", name)):
        text += f" You calculate with `{name}`, which holds whole numbers that are indices: is it meant as a value?"
    return Explanation(found.id, text)


# The text of an error ------------------------------------------------------------------------------------------------


def explain_error_text(message: str, context: CallContext) -> Explanation | None:
    """The meaning of an error's text; None where it is not known, or says all there is to say."""
    if (undefined := NOT_DEFINED.search(message)) is not None:
        return Explanation("name_not_defined", explain_undefined_name(undefined[1], context))
    for meaning in error_meanings():
        if (found := meaning.pattern.search(message)) is None:
            continue
        groups = (found[0], *found.groups())
        if all(context.has(key, *(n.format(*groups) for n in names)) for key, names in meaning.needs.items()):
            first, result = next(filter(None, found.groups()), None), context.result_shape or "the shape that you need"
            hidden = listed_as_code(context.contents.get("hidden", ()))
            text = meaning.message.format(*groups, first=first, result=result, hidden=hidden)
            given = [(k, v) for k, v in context.arguments.items() if hasattr(v, "shape") and meaning.id in ABOUT_SHAPES]
            shapes = [f"`{name}` {format_shape(tuple(value.shape))}" for name, value in given[:MAX_NAMES_SUGGESTED]]
            return Explanation(meaning.id, f"{text} You are given {', '.join(shapes)}." if shapes else text)
    if (unknown := UNKNOWN_METHOD.search(message)) is None:
        return None
    if unknown[1] in dir(Tensor):  # of a class with the same name
        return Explanation("method_unknown", f"Your class `Tensor` has no `{unknown[1]}`: is it written?")
    near = nearest(unknown[1], [each for each in dir(Tensor) if not each.startswith("_")], 0.7)
    return Explanation("method_unknown", f"Do you mean `.{near}`?") if near else None


def explain_undefined_name(name: str, context: CallContext) -> str:
    if name in context.parameters:
        twin = next((each for each in context.near if each.lower() == name.lower()), None)
        if name in context.near or not context.near:
            return f"`{name}` is available: add it to the parameters of the function that reads it."
        if twin is not None:
            return f"`{name}` and `{twin}` are two names here. Do you mean `{twin}`?"
        return f"`{name}` is not a value of the forward lines of this gradient. Which of these do you mean?"
    if name in USUAL_NAMES or name == "torch" or name in sys.stdlib_module_names:
        line = USUAL_NAMES.get(name, f"import {name}")
        return f"`{name}` is not imported: write `{line}` at the top of the file."
    others = [each for each in context.contents.get("names", ()) if each != name]
    unread = context.contents.get("unread", ())
    near = nearest(name, (*unread, *context.own), 0.66) or nearest(name, (*others, *context.near), 0.66)
    own = list(unread or context.own)
    meant = "Is it spelled as where you set it, or does `self.` belong in front of it?"
    if near or len(own) == 1:
        meant = f"Do you mean `{near or own[0]}`?"
    elif own:
        meant = f"Do you mean one of {listed_as_code(own, MAX_NAMES_SUGGESTED)}?"
    return f"Nothing of the name `{name}` has been set when that line is reached. {meant}"


def nearest(name: str, others: Collection[str], cutoff: float) -> str:
    """The one that is spelled most like `name`, apart from capitals; "" where none is."""
    alike = {other.lower(): other for other in others}
    near = difflib.get_close_matches(name.lower(), alike, n=1, cutoff=cutoff)
    return alike[near[0]] if near else ""
