"""Whether an explanation is true of a student's code: what it says is done must be done in it.

The numbers decide which explanation fits. One that says "you divide" also needs a division in the function, or in a
function of the file that it calls.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

FunctionContents = Mapping[str, Any]
"""What a function is made of, see edits.contents.contents_of."""

SUMS, AVERAGES, DIVIDES, MULTIPLIES, KEEPDIM = "sums", "averages", "divides", "multiplies", "has keepdim"
"""What an explanation may need of the code. Any other need is a name that the code reads."""

MEANS = "mean nanmean average"
PRODUCTS = "einsum matmul mm bmm mv dot tensordot inner linear addmm baddbmm"
CALLS = {
    SUMS: f"{MEANS} {PRODUCTS} var std sum nansum cumsum sum_to_size logsumexp bincount count add reduce "
    "segment_reduce index_add index_add_ scatter_add scatter_add_",
    AVERAGES: MEANS,
    DIVIDES: f"{MEANS} var std pow pow_ exp div div_ divide true_divide addcdiv normalize softmax log_softmax "
    "reciprocal reciprocal_ rsqrt rsqrt_",
    MULTIPLIES: f"{PRODUCTS} pow pow_ exp mul mul_ multiply addcmul addcmul_ outer ger square prod where",
    KEEPDIM: f"{MEANS} var std sum nansum max amax min amin prod norm",
}
"""{need: functions that do it}"""
OPERATORS = {SUMS: "MatMult", DIVIDES: "Div FloorDiv Pow", MULTIPLIES: "Mult MatMult Pow"}


def does(contents: FunctionContents, need: str) -> bool:
    """Whether the code may do what an explanation needs."""
    if need not in CALLS:
        return need in contents["names"]
    if {*CALLS[need].split()} & {*contents["calls"]} or {*OPERATORS.get(need, "").split()} & {*contents["operators"]}:
        return True
    if need == AVERAGES:
        return does(contents, SUMS) and does(contents, DIVIDES)
    return need == SUMS and ("Add" in contents["operators"] or "sum" in contents["names"])


def is_borne_out(needs: Collection[str], contents: FunctionContents | None) -> bool:
    """Whether the code does all that an explanation needs. What the code is made of may not be known."""
    return contents is None or all(does(contents, need) for need in needs)


@lru_cache(maxsize=10_000)
def needs_of_formula(formula: str) -> frozenset[str]:
    """What code must do that computes a wrong formula: a formula that divides explains no code that does not."""
    found = set[str]()
    for node in ast.walk(ast.parse(formula)):
        match node:
            case ast.BinOp(left=ast.Constant()) | ast.BinOp(right=ast.Constant()):
                pass  # `x / 2` may be `0.5 * x`
            case ast.BinOp(op=ast.Div()):
                found.add(DIVIDES)
            case ast.BinOp(op=ast.Mult() | ast.MatMult()):
                found.add(MULTIPLIES)
            case ast.Attribute(attr="sum" | "mean"):
                found.add(SUMS)
    return frozenset(found)
