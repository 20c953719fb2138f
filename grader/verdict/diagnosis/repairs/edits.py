"""Small changes to a student's function, each of which undoes one common slip.

Only text is read and written here. A worker runs the changed functions (grader/verdict/diagnosis/repairs/repairs.py),
and a slip is reported only if its change makes the answer right.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from grader.verdict.diagnosis.repairs.arithmetic_changes import (
    ArithmeticChange,
    cancels,
    comparisons,
    is_new,
    matrix_products,
    new_name,
    omissions,
    operators,
    other_numbers,
    other_operators,
    regroupings,
    roots,
    scalings,
    terms_without_a_factor,
)
from grader.verdict.diagnosis.repairs.call_changes import (
    maxima,
    other_functions,
    reductions,
    reductions_everywhere,
    small_numbers,
    sums_multiplied,
    unary_calls,
)
from grader.verdict.diagnosis.repairs.contents import kind_of_number
from grader.verdict.diagnosis.repairs.joint_changes import FORWARD_LINE, inner_gradients, lines_of_the_lesson
from grader.verdict.diagnosis.repairs.loop_changes import loops
from grader.verdict.diagnosis.repairs.mixed_up_changes import mixed_up
from grader.verdict.diagnosis.repairs.repeated_changes import repeated_values
from grader.verdict.diagnosis.repairs.source_file import (
    ChildPlace,
    SourceFile,
    assigned_names,
    context_of,
    draws_numbers,
    equation_around,
    is_leaf,
    is_written_number,
    parameter_names,
    quote,
    quote_text,
    replace_node,
)
from grader.verdict.diagnosis.repairs.statement_changes import assignments, column_indices
from grader.verdict.diagnosis.repairs.suspects import helpers_on_the_way, suspected_helpers, suspects

MAX_EDITED_NODES = 3_000
"""A longer function is not changed."""
MAX_EDITS = 240
MAX_EDITED_CHARACTERS = 600_000
"""Of the changed functions together: a worker reads them all."""
RANK_OF_WRITTEN_FACTORS = 2.5
"""The rank of leaving out a factor that is written as a number, `2 * a`: such a factor is rarely part of a gradient."""
RANK_OF_NAMES = 5.5
"""The rank of a changed name: between the kinds of number 5 and 6."""
INNER_GRADIENT = "inner"
"""The kind of an edit that undoes no slip: the function returns a gradient that it computes on the way."""
RANK_OF_INNER, RANK_OF_FORWARD = -2.0, -1.0
MAX_NAMES_OF_UNKNOWN_SHAPE = 4
"""Variables of unknown shape up to which each may be confused with any other."""
PLACEHOLDER = "changed_function_"

BACKWARDS = re.compile(r"^([ \t]+\w[^=#\n]*?) ?=([+-])(?= )", re.MULTILINE)
"""`dx =+ ...`, which assigns, and is no way to write anything else."""

CHANGED_NODES = (ast.expr, ast.stmt, ast.keyword)


@dataclass(frozen=True)
class Known:
    """What a step may read.

    `shapes` are those of forward values and upstream gradients by name on one problem, () for a number; `sizes` are the
    names of whole numbers, `masks` of the tensors of True and False; `constants` are the small numbers that the forward
    pass adds (1e-5). Of a function that returns all gradients, `returned` are their names, `right` those that are
    right, `inner` the names of gradients on the way to them, and `forward` the expressions of the forward pass by
    value. `wrong` is the first wrong one of these gradients, "" where none is known, and None to take any changes that
    have been found already.
    """

    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sizes: Sequence[str] = ()
    constants: Sequence[float] = ()
    returned: Sequence[str] = ()
    inner: Sequence[str] = ()
    right: Sequence[str] = ()
    forward: Mapping[str, str] = field(default_factory=dict)
    wrong: str | None = None
    masks: Sequence[str] = ()


@dataclass(frozen=True)
class Edit:
    """One change of `function`, or of a function of the file that it calls.

    `code` is the student's expression, `part` what in it is changed, `new` what takes its place.
    """

    function: str
    kind: str
    line: int
    code: str
    part: str
    new: str


def edits_of(source: str, function: str, named: str, known: Known) -> tuple[list[Edit], list[str]]:
    """Changes to a function of the file, most likely slips first, and for each the text that defines the changed one.

    The changed functions are called `named` and a number, from 0. A function too deeply nested to be copied has none.
    """
    try:
        return changed_functions(source, function, named, known)
    except RecursionError:
        return [], []


def changed_functions(source: str, function: str, named: str, known: Known) -> tuple[list[Edit], list[str]]:
    reached = SourceFile(source).reached_from(function)
    size = sum(1 for each in reached for _ in ast.walk(each))
    if not reached or size > MAX_EDITED_NODES or any(map(draws_numbers, reached)):  # then it may be right by chance
        return [], []
    step, *helpers = (copy.deepcopy(each) for each in reached)
    suspected = suspects(step, known.returned, known.right, known.wrong)
    called = suspected_helpers(step, helpers, suspected)
    found = [
        (bool(suspected) and id(node) not in suspected and each.name not in called, rank, edit, place, new)
        for each in (step, *helpers)
        for rank, node, edit, place, new in changes(each, known, function, each is step)
    ]
    found += ((False, *entry) for entry in of_all_gradients(step, known))
    found.sort(key=lambda entry: entry[:2])
    edits = updates_written_backwards(source, function, known)
    characters = 0
    for _, _, edit, place, new in found:
        text = text_of_changed(step, helpers_on_the_way(helpers, edit.function), [(place, new)], known)
        characters += len(text) if text not in edits else 0
        edits.setdefault(text, edit)
        if len(edits) == MAX_EDITS or characters > MAX_EDITED_CHARACTERS:
            break
    texts = [text.replace(PLACEHOLDER, f"{named}{number}", 1) for number, text in enumerate(edits)]
    return list(edits.values()), texts


def updates_written_backwards(source: str, function: str, known: Known) -> dict[str, Edit]:
    """{the function with `+=` and `-=` for every `=+` and `=-`: the edit}, empty where it has none."""
    written = BACKWARDS.sub(r"\1 \2=", source)
    reached = SourceFile(written).reached_from(function) if written != source else []
    for number, line in enumerate(source.splitlines(), 1):
        found = BACKWARDS.match(line)
        if found is not None and any(each.lineno <= number <= (each.end_lineno or 0) for each in reached):
            step, *helpers = reached
            text = text_of_changed(step, helpers, [], known)
            return {text: Edit(function, "update", number, quote_text(line), f"={found[2]}", f"{found[2]}=")}
    return {}


def text_of_changed(
    step: ast.FunctionDef,
    helpers: Sequence[ast.FunctionDef],
    changed: Sequence[tuple[ChildPlace, ast.AST]],
    known: Known,
) -> str:
    """The function's text with new nodes in these places. The `helpers`, defined inside it, are changed or call one."""
    parameters = set(parameter_names(step))
    added = [
        n.id
        for _, new in changed
        for n in ast.walk(new)
        if isinstance(n, ast.Name) and n.id not in parameters and n.id in known.shapes and is_new(n)
    ]
    arguments = copy.copy(step.args)
    extra = [ast.arg(arg=name) for name in dict.fromkeys(added)]
    arguments.kwonlyargs = [*arguments.kwonlyargs, *extra]
    arguments.kw_defaults = [*arguments.kw_defaults, *[None for _ in extra]]
    before = [(place, replace_node(place, new)) for place, new in changed]
    try:
        copied = copy.copy(step)
        copied.name, copied.args, copied.decorator_list = PLACEHOLDER, arguments, []
        copied.body = [*helpers, *step.body]
        return ast.unparse(copied)
    finally:
        for place, old in reversed(before):
            replace_node(place, old)


def nodes_with_places(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, ChildPlace]]:
    """Every expression and statement in the body, with its place; not what a statement writes to.

    With another `g` in `g[0] = 1` or `g.add_(1)`, the statement would write to something that nobody reads.
    """
    waiting: deque[tuple[ast.AST, ChildPlace]] = deque((s, (function, "body", i)) for i, s in enumerate(function.body))
    receivers: set[int] = set()
    while waiting:
        node, place = waiting.popleft()
        yield node, place
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method) as receiver)) if method.endswith("_"):
                receivers.add(id(receiver))
        is_written_to = id(node) in receivers or isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        for name, value in ast.iter_fields(node):
            if name == "value" and is_written_to:
                continue
            if isinstance(value, ast.expr):
                waiting.append((value, (node, name, None)))
            elif isinstance(value, list):
                waiting += [(v, (node, name, i)) for i, v in enumerate(value) if isinstance(v, CHANGED_NODES)]


def changes(
    function: ast.FunctionDef, known: Known, step: str, is_step: bool
) -> Iterator[tuple[float, ast.AST, Edit, ChildPlace, ast.AST]]:
    """Every change of one function, with its rank among the kinds and the node that it changes."""
    parents: dict[int, ast.AST] = {}
    names = parameter_names(function), assigned_names(function)
    kinds: tuple[Callable[[ast.AST], Iterator[ArithmeticChange]], ...] = (
        *(loops, unary_calls, column_indices, assignments, regroupings, sums_multiplied),
        partial(small_numbers, constants=known.constants),
        *(operators, comparisons, omissions, reductions, matrix_products, other_numbers, maxima),
        partial(repeated_values, parameters=names[0], shapes=known.shapes, shape=known.shapes.get(step[1:], ())),
        partial(scalings, sizes=known.sizes, parents=parents),
        *(roots, other_operators),
        partial(terms_without_a_factor, factors=[n for n in names[0] if known.shapes.get(n)]),
        *(other_functions, reductions_everywhere, partial(mixed_up, parameters=names[0], shapes=known.shapes)),
    )
    for node, place in nodes_with_places(function):
        parent = parents[id(node)] = place[0]
        for rank, changes_of_kind in enumerate(kinds):
            for kind, part, words, new in changes_of_kind(node):
                kind = kind_of_number(node, parents) if kind == "number" else kind
                if words == "0" and kind in ("number", "exponent"):
                    continue
                around = context_of(node, parents) if is_leaf(node) else node
                if condition := equation_around(node, parents):
                    kind, around = "condition", condition
                line = getattr(node, "lineno", function.lineno)
                ranked = RANK_OF_WRITTEN_FACTORS if kind in ("factor", "division") and is_written_number(part) else rank
                yield ranked, node, Edit(function.name, kind, line, quote(around), part, words), place, new
        is_callee = isinstance(parent, ast.Call) and parent.func is node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not is_callee:
            for other in alternative_names(node.id, *names, known, step if is_step else None):
                edit = Edit(function.name, "name", node.lineno, quote(context_of(node, parents)), node.id, other)
                if not cancels(parent, other):
                    yield RANK_OF_NAMES, node, edit, place, new_name(other)


def of_all_gradients(function: ast.FunctionDef, known: Known) -> Iterator[tuple[float, Edit, ChildPlace, ast.AST]]:
    """The changes of a function that goes forward and back."""
    inner = inner_gradients(function, known.inner, known.returned)
    forward = lines_of_the_lesson(function, known.forward)
    for rank, kind, changed in ((RANK_OF_INNER, INNER_GRADIENT, inner), (RANK_OF_FORWARD, FORWARD_LINE, forward)):
        for line, code, part, words, place, new in changed:
            yield rank, Edit(function.name, kind, line, quote_text(code), part, quote_text(words)), place, new


def alternative_names(
    name: str, parameters: Sequence[str], local: Sequence[str], known: Known, step: str | None
) -> Iterable[str]:
    """What may be confused with a name: values of its shape; for one of unknown shape, such variables and similar names.

    `step` is None in a function that the step calls: any of its names may be confused with any other.
    """
    if name not in parameters and name not in local:
        return ()
    if step is None:
        return [n for n in dict.fromkeys((*parameters, *local)) if n != name]
    shape = shape_of_name(name, known, local)
    if shape is None:
        unknown = [n for n in local if shape_of_name(n, known, local) is None and n != name]
        similar = [n for n in parameters if n != name and n.split("_")[0] == name.split("_")[0]]  # h and h_before
        return [*similar, *(unknown if len(unknown) <= MAX_NAMES_OF_UNKNOWN_SHAPE else ())]
    found = [n for n in local if shape_of_name(n, known, local) == shape]
    found += [n for n, s in known.shapes.items() if list(s) == list(shape) and n not in local]
    return [n for n in found if n not in (name, step) and (n in known.masks) == (name in known.masks)]


def shape_of_name(name: str, known: Known, local: Sequence[str]) -> Sequence[int] | None:
    """The shape of a value by its name; a variable `dh` has the shape of `h`."""
    if name in known.shapes and name not in local:
        return known.shapes[name]
    return known.shapes.get(name[1:]) if name.startswith("d") else known.shapes.get(name)
