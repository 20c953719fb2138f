"""Two small changes of a student's function that are right only together: two slips in one formula.

As in edits.py, only text is read and written here, and a worker runs the changed functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from grader.verdict.diagnosis.repairs.edits import PLACEHOLDER, Edit, changes, text_of_changed
from grader.verdict.diagnosis.repairs.known import Known
from grader.verdict.diagnosis.repairs.source_file import (
    ChildPlace,
    SourceFile,
    assigned_names,
    draws_numbers,
    parameter_names,
    quote,
    replace_node,
)
from grader.verdict.explain.explanation import Explanation

MAX_NODES = 150
"""A longer function has too many pairs of changes."""
MAX_SINGLE_CHANGES = 60
MAX_PAIRS = 900
MAX_CHARACTERS = 250_000
"""Of the changed functions together."""

PLACES = {
    "exponent": "the exponent {part} in `{code}`",
    "number": "the number {part} in `{code}`",
    "sign_of_a_term": "the sign before `{part}`",
    "minus": "the minus of `{code}`",
    "axis_number": "axis {part} in `{code}`",
    "axis": "the axis of `{code}`",
    "keepdim": "`keepdim` in `{code}`",
    "mean_or_sum": "the {part} in `{code}`",
    "transpose": "the transpose in `{code}`",
    "transposed": "the transpose in `{code}`",
    "order": "the order of the product `{code}`",
    "multiplied": "the multiplication by `{part}` in `{code}`",
    "divided": "the division by `{part}` in `{code}`",
    "factor": "the factor `{part}` in `{code}`",
    "division": "the division by `{part}` in `{code}`",
    "small_number": "`{part}` in `{code}`",
    "other_small_number": "`{part}` in `{code}`",
    "unbiased": "what `{code}` divides by",
    "root": "the divisor `{part}` in `{code}`",
    "square": "the divisor `{part}` in `{code}`",
    "power_missing": "`{part}` in `{code}`, where a power is missing",
    "power": "the power `{part}` in `{code}`",
    "term": "the term `{part}` in `{code}`",
    "function": "`{part}` in `{code}`",
    "reduction": "the {part} in `{code}`",
    "one_axis": "the axis of `{code}`",
    "name": "`{part}` in `{code}`",
    "not_divided": "`{part}`, which a size should divide",
    "not_multiplied": "`{part}`, which a size should multiply",
}
"""{kind of change: where it is}, the most likely slips first. Others are not tried in pairs."""

OMISSIONS = frozenset({"factor", "division", "term", "power", "function", "reduction", "minus"})
"""Changes that leave something out. Two of them leave too little to call the rest right."""
Pair = tuple[Edit, Edit]


def pairs_of(source: str, function: str, named: str, known: Known) -> tuple[list[Pair], list[str]]:
    """Pairs of changes of one function, most likely slips first, and for each the text that defines the changed one.

    The changed functions are called `named` and a number, from 0. A long or deeply nested function has none.
    """
    try:
        return changed_twice(source, function, named, known)
    except RecursionError:
        return [], []


def changed_twice(source: str, function: str, named: str, known: Known) -> tuple[list[Pair], list[str]]:
    reached = SourceFile(source).reached_from(function)
    if len(reached) != 1 or draws_numbers(reached[0]) or sum(1 for _ in ast.walk(reached[0])) > MAX_NODES:
        return [], []
    (step,) = reached
    own, likely = {*parameter_names(step), *assigned_names(step)}, list(PLACES)
    every = list(changes(step, known, function, is_step=True))
    of_one = {text_of_changed(step, [], [(place, new)], known) for _, _, _, place, new in every}
    single = sorted(
        (
            (with_its_term(edit, node), node, place, new)
            for _, node, edit, place, new in every
            if edit.kind in PLACES and (edit.kind != "name" or edit.new in own)
        ),
        key=lambda entry: likely.index(entry[0].kind),
    )
    found: dict[str, Pair] = {}
    characters = 0
    for first, second in sorted(combinations(range(min(len(single), MAX_SINGLE_CHANGES)), 2), key=sum):
        (edit, node, place, new), (other_edit, other_node, other_place, other_new) = single[first], single[second]
        kinds = {edit.kind, other_edit.kind}
        if node is other_node or kinds == {"name"} or kinds <= OMISSIONS:
            continue
        for change, inner in (
            ((place, new), (other_node, other_new)),
            ((other_place, other_new), (node, new)),
        ):
            text = text_of_both(step, change, inner, known)
            if text is not None and text not in of_one and text not in found:
                found[text] = edit, other_edit
                characters += len(text)
        if len(found) == MAX_PAIRS or characters > MAX_CHARACTERS:
            break
    texts = [text.replace(PLACEHOLDER, f"{named}{number}", 1) for number, text in enumerate(found)]
    return list(found.values()), texts


def with_its_term(edit: Edit, node: ast.AST) -> Edit:
    """A sign is quoted with the term after it: a long sum has several."""
    if edit.kind != "sign_of_a_term" or not isinstance(node, (ast.BinOp, ast.AugAssign)):
        return edit
    return replace(edit, part=quote(node.right if isinstance(node, ast.BinOp) else node.value))


def text_of_both(
    step: ast.FunctionDef, change: tuple[ChildPlace, ast.AST], inner: tuple[ast.AST, ast.AST], known: Known
) -> str | None:
    """The text after a change and then `inner`, a node and what replaces it; None where that node is gone by then."""
    old = replace_node(*change)
    where = next((place for node, place in places_below(step) if node is inner[0]), None)
    replace_node(change[0], old)
    return None if where is None else text_of_changed(step, [], [change, (where, inner[1])], known)


def places_below(node: ast.AST) -> Iterator[tuple[ast.AST, ChildPlace]]:
    """Every node below, with its place."""
    for name, value in ast.iter_fields(node):
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST):
                yield child, (node, name, index)
                yield from places_below(child)


def explain_pair(pair: Pair, it: str) -> Explanation:
    """The message about two changes that make `it` right, on the line of the first."""
    first, second = sorted(pair, key=lambda edit: edit.line)
    where = [PLACES[edit.kind].format(part=edit.part, code=edit.code) for edit in (first, second)]
    text = f"Change two things, and {it} is right: {where[0]}, and {where[1]}."
    return Explanation("two_slips", text, line=first.line)
