"""Whether an explanation of a student's code is true of that code: what it says is done must be in the text.

The numbers decide which explanation fits; one that says "you divide" also needs a division in the function, or in a
function of the file that it calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from grader.lesson.mistakes import Mistake
from grader.source.code_pieces import pieces_of_text

FunctionContents = Mapping[str, Any]
"""What a function is made of, see edits.contents.contents_of."""

SUMMING_FUNCTIONS = frozenset(
    {"sum", "mean", "nansum", "nanmean", "einsum", "sum_to_size", "cumsum", "add", "reduce", "index_add_"}
)
SUMMING_FUNCTIONS |= {
    "index_add",
    "scatter_add_",
    "scatter_add",
    "bincount",
    "mv",
    "matmul",
    "mm",
    "bmm",
    "dot",
    "tensordot",
    "std",
}
SUMMING_FUNCTIONS |= {"var", "average", "logsumexp", "inner", "linear", "segment_reduce"}
LOOPS = frozenset({"range", "enumerate", "zip"})
"""What loops that add up usually go over."""
MEANS = frozenset({"mean", "nanmean", "average"})
DIVIDES = frozenset(
    {"div", "div_", "divide", "true_divide", "reciprocal", "rsqrt", "pow", "mean", "nanmean", "addcdiv"}
)
DIVIDES |= {"reciprocal_", "rsqrt_", "pow_", "softmax", "log_softmax", "normalize", "exp", "var", "std", "average"}
MULTIPLIES = frozenset(
    {"mul", "mul_", "multiply", "addcmul", "addcmul_", "einsum", "matmul", "mm", "bmm", "outer", "dot"}
)
MULTIPLIES |= {"square", "pow", "prod", "tensordot", "inner", "addmm", "baddbmm", "ger", "mv", "linear", "where", "exp"}

HAS_KEEPDIM = frozenset(
    {"sum", "mean", "nansum", "nanmean", "var", "std", "max", "amax", "min", "amin", "prod", "norm"}
)
"""What has a `keepdim`."""


def calls(*names: str) -> Callable[[FunctionContents, str], bool]:
    return lambda contents, _: not set(names).isdisjoint(contents["calls"])


def reduces(contents: FunctionContents, _: str) -> bool:
    return (
        not SUMMING_FUNCTIONS.isdisjoint(contents["calls"])
        or "MatMult" in contents["operators"]
        or "sum" in contents["names"]
        or ("Add" in contents["operators"] and not LOOPS.isdisjoint(contents["names"]))
    )


def averages(contents: FunctionContents, _: str) -> bool:
    adds_up = reduces(contents, _) or "Add" in contents["operators"]
    return not MEANS.isdisjoint(contents["calls"]) or (adds_up and divides(contents, _))


def divides(contents: FunctionContents, _: str) -> bool:
    return bool({"Div", "FloorDiv", "Pow"} & set(contents["operators"])) or not DIVIDES.isdisjoint(contents["calls"])


def multiplies(contents: FunctionContents, _: str) -> bool:
    operators = {"Mult", "MatMult", "Pow"} & set(contents["operators"])
    return bool(operators) or not MULTIPLIES.isdisjoint(contents["calls"])


def sums_twice(contents: FunctionContents, _: str) -> bool:
    return bool(contents.get("reductions", 2) >= 2)


def reads(contents: FunctionContents, name: str) -> bool:
    return name in contents["names"]


def does_not_read(contents: FunctionContents, name: str) -> bool:
    return name not in contents["names"]


def has_the_right_piece(mistake: Mistake, contents: FunctionContents | None, others: Collection[str] = ()) -> bool:
    """Whether the code has what a mistake of an edit replaces, and nothing of what it puts there: it is not the reason.

    False where nothing is known about the code, for a mistake that is a formula, and for one that puts no new piece
    there: what it replaces may also stand elsewhere in the code. What the code calls counts as its own, except the
    functions named in `others`.
    """
    return keeps_the_right_piece(mistake, contents, others) and bool(replaced_pieces(mistake)[1])


def keeps_the_right_piece(mistake: Mistake, contents: FunctionContents | None, others: Collection[str] = ()) -> bool:
    """The same, also of a mistake that puts no new piece there: which of two mistakes is the likelier one."""
    if contents is None or not mistake.old:
        return False
    right, wrong = replaced_pieces(mistake)
    own = {each for name, pieces in contents.get("pieces", {}).items() if name not in others for each in pieces}
    return bool(own & right) and not own & wrong


def replaced_pieces(mistake: Mistake) -> tuple[set[str], set[str]]:
    """The pieces of code that only the right answer has, and those that only the mistake has, of an edit."""
    right, wrong = (
        set(pieces_of_text(text)) for text in (mistake.edit if any(mistake.edit) else (mistake.old, mistake.new))
    )
    return right - wrong, wrong - right


def may_have(
    mistake: Mistake, contents: Mapping[str, FunctionContents], lesson_functions: Collection[str] = ()
) -> bool:
    """Whether one of these functions may have the mistake; True where nothing is known about the code.

    Its own function decides, where it is among them: a neighbour that the lesson requires as well, such as a
    `gradient_norms` that it calls, may contain the same piece of code.
    """
    if not contents:
        return True
    if not any(is_borne_out(mistake.message, each) for each in contents.values()):
        return False
    others = {name for name in lesson_functions if name != mistake.gradient}
    own = contents.get(mistake.gradient)
    if own is not None:
        return not has_the_right_piece(mistake, own, others)
    return not all(has_the_right_piece(mistake, each) for each in contents.values())


CLAIMS: tuple[tuple[re.Pattern[str], Callable[[FunctionContents, str], bool]], ...] = tuple(
    (re.compile(pattern), holds)
    for pattern, holds in (
        (r"\b[Yy]ou (?:take the mean|average)\b|\b[Tt]his (?:is a|takes the) mean\b", averages),
        (r"\b[Yy]ou (?:sum|add up)\b|\b[Tt]he sums? (?:runs?|is taken|was taken)\b", reduces),
        (r"\b[Yy]ou sum the two factors separately\b", sums_twice),
        (r"\b[Ss]ummed axis was kept\b|\bsum with `keepdim|[Cc]heck (?:what )?`keepdim`", calls(*HAS_KEEPDIM)),
        (r"\b[Tt]he minus\b[^.:;]* (?:is|was) (?:lost|missing)\b", lambda contents, _: not contents.get("negates")),
        (r"\b(?:[Yy]ou|[Tt]his) divides?\b", divides),
        (r"\b(?:[Yy]ou|[Tt]his) multipl(?:y|ies)\b", multiplies),
        (r"\b[Yy]ou return `(\w+)` as it came\b", reads),
        (r"\b(?:[Yy]ou|[Tt]his) uses? `(\w+)`(?! where|'s)", reads),
        (r"\b[Yy]ou use `(\w+)` where\b", reads),
        (r"`(\w+)` is not used\b", does_not_read),
        (r"\b[Ii]n terms of `(\w+)` the idea", reads),
        (r"\b[Yy]our tuple has\b", lambda contents, _: set(contents["returns"]) != {"Dict"}),
        (r"\b[Yy]ou take the exponential\b|\bexp is applied\b", calls("exp", "exp_", "expm1", "softmax", "exp2")),
        (r"\b[Yy]ou apply tanh\b|\bone tanh too many\b|goes through tanh once more", calls("tanh", "tanh_")),
    )
)


def is_borne_out(message: str, contents: FunctionContents | None) -> bool:
    """False where the message claims something that is not in the code. What the code is made of may not be known."""
    if contents is None:
        return True
    for pattern, holds in CLAIMS:
        for found in pattern.finditer(message):
            if not holds(contents, found.group(1) if pattern.groups else ""):
                return False
    return True
