"""Small changes to a student's function, each of which undoes one common slip.

Only text is read and written here. A worker runs the changed functions (grader/verdict/diagnosis/repairs/repairs.py),
and a slip is reported only if its change makes the answer right.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from grader.verdict.diagnosis.repairs.arithmetic_changes import (
    ArithmeticChange,
    cancels,
    comparisons,
    is_new,
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
from grader.verdict.diagnosis.repairs.known import Known
from grader.verdict.diagnosis.repairs.loop_changes import loops
from grader.verdict.diagnosis.repairs.matrix_changes import matrix_products, products_by_element
from grader.verdict.diagnosis.repairs.mixed_up_changes import mixed_up
from grader.verdict.diagnosis.repairs.names import alternative_names
from grader.verdict.diagnosis.repairs.repeated_changes import missing_squares, repeated_values
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
    quote_operation,
    quote_text,
    replace_node,
)
from grader.verdict.diagnosis.repairs.statement_changes import assignments, column_indices, rows_and_parts
from grader.verdict.diagnosis.repairs.suspects import (
    forward_nodes,
    helpers_on_the_way,
    suspected_helpers,
    suspects,
)

MAX_EDITED_NODES = 3_000
"""A longer function is not changed."""
MAX_EDITS = 240
MAX_EDITED_CHARACTERS = 600_000
"""Of the changed functions together: a worker reads them all."""
RANK_OF_WRITTEN_FACTORS = 2.5
"""The rank of leaving out a factor that is written as a number, `2 * a`: such a factor is rarely part of a gradient."""
RANK_OF_NAMES = 14.5
"""The rank of a changed name, between the kinds of number 14 and 15. Another value may fit by an identity of the
forward pass, so what is wrong with an operator, a number or an axis is looked for first."""
RANK_OF_RELATED_NAMES = 99.0
"""The rank of a name of another shape that the derivative of the forward line may be written with."""
INNER_GRADIENT = "inner"
"""The kind of an edit that undoes no slip: the function returns a gradient that it computes on the way."""
RANK_OF_INNER, RANK_OF_FORWARD = -2.0, -1.0
MAX_UNREAD = 3
"""Parameters that a function does not read, up to which each may belong in the place of any other."""
PLACEHOLDER = "changed_function_"

BACKWARDS = re.compile(r"^([ \t]+\w[^=#\n]*?) ?=([+-])(?= )", re.MULTILINE)
"""`dx =+ ...`, which assigns, and is no way to write anything else."""

CHANGED_NODES = (ast.expr, ast.stmt, ast.keyword)


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
    given = forward_nodes(step, known.forward)
    called = suspected_helpers(step, helpers, suspected)
    found = [
        (bool(suspected) and id(node) not in suspected and each.name not in called, rank, edit, place, new)
        for each in (step, *helpers)
        for rank, node, edit, place, new in changes(each, known, function, each is step)
        if id(node) not in given
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
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    unread = [name for name in names[0] if name not in read]
    repeated = repeated_operands(function)
    kinds: tuple[Callable[[ast.AST], Iterator[ArithmeticChange]], ...] = (
        *(loops, unary_calls, column_indices, assignments, regroupings, sums_multiplied),
        partial(small_numbers, constants=known.constants),
        *(operators, comparisons, omissions, reductions, matrix_products, other_numbers, missing_squares, maxima),
        partial(repeated_values, parameters=names[0], shapes=known.shapes, shape=known.shapes.get(step[1:], ())),
        partial(scalings, sizes=known.sizes, parents=parents),
        *(roots, other_operators),
        partial(terms_without_a_factor, factors=[n for n in names[0] if known.shapes.get(n)]),
        *(other_functions, reductions_everywhere, partial(mixed_up, parameters=names[0], shapes=known.shapes)),
        *(rows_and_parts, products_by_element),
    )
    for node, place in nodes_with_places(function):
        parent = parents[id(node)] = place[0]
        for rank, changes_of_kind in enumerate(kinds):
            for kind, part, words, new in changes_of_kind(node):
                kind = kind_of_number(node, parents) if kind == "number" else kind
                if (words == "0" and kind in ("number", "exponent")) or (kind, part) in repeated:
                    continue
                around = context_of(node, parents) if is_leaf(node) else node
                if condition := equation_around(node, parents):
                    kind, around = "condition", condition
                line = getattr(node, "lineno", function.lineno)
                code = quote(around)
                if kind == "operator" and isinstance(node, ast.BinOp):
                    code = quote_operation(node)
                ranked = RANK_OF_WRITTEN_FACTORS if kind in ("factor", "division") and is_written_number(part) else rank
                yield ranked, node, Edit(function.name, kind, line, code, part, words), place, new
        is_callee = isinstance(parent, ast.Call) and parent.func is node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not is_callee:
            alternatives = alternative_names(node.id, *names, known, step if is_step else None)
            unused = unread if is_step and len(unread) <= MAX_UNREAD and node.id in names[0] else ()
            likely = dict.fromkeys((*unused, *alternatives), RANK_OF_NAMES)
            less_likely = dict.fromkeys(known.related if node.id in names[0] else (), RANK_OF_RELATED_NAMES)
            for other, ranked in {**less_likely, **likely}.items():
                edit = Edit(function.name, "name", node.lineno, quote(context_of(node, parents)), node.id, other)
                if other not in (node.id, step) and not cancels(parent, other):
                    yield ranked, node, edit, place, new_name(other)


def repeated_operands(function: ast.FunctionDef) -> set[tuple[str, str]]:
    """(kind of change, operand) of what divides or multiplies at several places: a change at one undoes the other."""
    kinds: dict[type[ast.operator], str] = {ast.Div: "divided", ast.Mult: "multiplied"}
    operations = (n for n in ast.walk(function) if isinstance(n, ast.BinOp) and type(n.op) in kinds)
    count = Counter((kinds[type(each.op)], quote(each.right)) for each in operations)
    return {each for each, times in count.items() if times > 1}


def of_all_gradients(function: ast.FunctionDef, known: Known) -> Iterator[tuple[float, Edit, ChildPlace, ast.AST]]:
    """The changes of a function that goes forward and back."""
    inner = inner_gradients(function, known.inner, known.returned)
    forward = lines_of_the_lesson(function, known.forward)
    for rank, kind, changed in ((RANK_OF_INNER, INNER_GRADIENT, inner), (RANK_OF_FORWARD, FORWARD_LINE, forward)):
        for line, code, part, words, place, new in changed:
            yield rank, Edit(function.name, kind, line, quote_text(code), part, quote_text(words)), place, new
