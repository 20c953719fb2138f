"""A student's function with one small change each, which undoes a common slip (rules.py).

Only text is read and written here. A worker runs the changed functions (search.py), and a slip is reported only if its
change makes the answer right.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.source.own_functions import assigned_pairs, assigned_variable, names_read_in, returned_parts
from grader.source.syntax import nested_statements
from grader.verdict.explain.edits.coded_changes import Around, Known
from grader.verdict.explain.edits.contents import draws_numbers
from grader.verdict.explain.edits.rules import RULES, changes_by_rules
from grader.verdict.explain.edits.source_file import (
    ChildPlace,
    SourceFile,
    assigned_names,
    nodes_with_places,
    parameter_names,
    quote,
    quote_in_context,
    replace_node,
)

MAX_EDITED_NODES = 3_000
"""A longer function is not changed."""
MAX_EDITS = 240
MAX_EDITED_CHARACTERS = 600_000
"""Of the changed functions together: a worker reads them all."""
INNER_GRADIENT = "inner"
"""The kind of an edit that undoes no slip: the function returns a gradient that it computes on the way."""
PLACEHOLDER = "changed_function_"


@dataclass(frozen=True)
class Edit:
    """One change of `function`, or of a function of the file that it calls.

    `kind` is the id of its rule, `message` its sentences, with `{it}` in place of what becomes right, and `question`
    what to ask about a derivative. Of an inner gradient, `message` is its name.
    """

    function: str
    kind: str
    line: int
    message: str = ""
    question: str = ""


Change = tuple[int, ast.AST, Edit, ChildPlace, ast.AST]
"""(rank, the node that changes, the edit, the node's place, what takes it)"""


def edits_of(source: str, function: str, named: str, known: Known) -> tuple[list[Edit], list[str]]:
    """Changes to a function of the file, most likely slips first, and for each the text that defines the changed one.

    The changed functions are called `named` and a number, from 0. A function too deeply nested to be copied has none.
    """
    reached = SourceFile(source).reached_from(function)
    size = sum(1 for each in reached for _ in ast.walk(each))
    if not reached or size > MAX_EDITED_NODES or any(map(draws_numbers, reached)):  # then it may be right by chance
        return [], []
    try:
        step, *helpers = (copy.deepcopy(each) for each in reached)
        edits = texts_of_edits(step, helpers, known)
    except RecursionError:
        return [], []
    texts = [text.replace(PLACEHOLDER, f"{named}{number}", 1) for number, text in enumerate(edits)]
    return list(edits.values()), texts


def texts_of_edits(step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], known: Known) -> dict[str, Edit]:
    """{the text of the changed function: the edit}. What a wrong gradient depends on is changed first."""
    suspected = suspected_nodes(step, helpers, known)
    assigned = [(each, target) for each in nested_statements(step.body) for target, _ in assigned_pairs(each)]
    forward = [each for each, target in assigned if assigned_variable(target) in known.forward]
    given = {id(node) for statement in forward for node in ast.walk(statement)}
    found = [
        (bool(suspected) and id(change[1]) not in suspected, *change)
        for each in (step, *helpers)
        for change in changes(Around(each, known, step.name if each is step else ""))
        if id(change[1]) not in given  # most students were given these lines
    ]
    found += [(False, *change) for change in inner_gradients(step, known)]
    found.sort(key=lambda entry: entry[:2])
    edits: dict[str, Edit] = {}
    characters = 0
    for _, _, _, edit, place, new in found:
        text = text_of_changed(step, helpers, edit.function, place, new, known)
        if text not in edits and is_python(text):
            characters += len(text)
            edits[text] = edit
        if len(edits) == MAX_EDITS or characters > MAX_EDITED_CHARACTERS:
            break
    return edits


def is_python(text: str) -> bool:
    """Whether a changed text can be parsed: a call cannot be assigned to, and no keyword may occur twice."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


# What changes --------------------------------------------------------------------------------------------------------


def changes(around: Around) -> Iterator[Change]:
    """Every change of one function. Nothing changes in an equality that decides something."""
    function, parents = around.function, around.parents
    operations = (n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div | ast.Mult))
    times = Counter((type(each.op), quote(each.right)) for each in operations)
    for node, place in nodes_with_places(function):
        parents[id(node)] = place[0]
        if is_decided_by_equality(node, parents):
            continue
        is_target = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        shown = quote_in_context(node, parents)
        for number, new, words in changes_by_rules(node, around):
            if is_target and not isinstance(new, ast.Subscript):
                continue
            if undoes_another(node, new, times):
                continue
            rule, line = RULES[number], getattr(node, "lineno", function.lineno)
            message = rule.message({"code": shown, "new": quote(new), **words})
            yield number, node, Edit(function.name, rule.id, line, message, rule.question), place, new


def is_decided_by_equality(node: ast.AST, parents: Mapping[int, ast.AST]) -> bool:
    """Whether it is part of an `a == b` that decides something: a change there may only mean that it never holds."""
    each, is_equality = node, False
    while (parent := parents.get(id(each))) is not None:
        is_equality = is_equality or (isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq | ast.NotEq))
        if isinstance(parent, ast.IfExp | ast.If | ast.While) and parent.test is each:
            return is_equality
        each = parent
    return False


def undoes_another(old: ast.AST, new: ast.AST, times: Mapping[tuple[type[ast.operator], str], int]) -> bool:
    """Whether it multiplies by what it divided by, and another place divides by it as well: it may undo that one."""
    if not isinstance(old, ast.BinOp) or not isinstance(new, ast.BinOp) or not isinstance(new.op, ast.Div | ast.Mult):
        return False
    return new.left is old.left and new.right is old.right and times.get((type(old.op), quote(old.right)), 0) > 1


def inner_gradients(function: ast.FunctionDef, known: Known) -> Iterator[Change]:
    """The function with a gradient on the way in the place of each that it returns."""
    place, assigned = (function, "body", len(function.body) - 1), assigned_names(function)
    for name in known.inner if isinstance(function.body[-1], ast.Return) else ():
        if name in assigned:
            keys: list[ast.expr | None] = [ast.Constant(each) for each in known.returned]
            instead = ast.Return(ast.Dict(keys, [ast.Name(name, ast.Load()) for _ in keys]))
            stored = (n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            line = max(each.lineno for each in stored if each.id == name)
            yield -1, function, Edit(function.name, INNER_GRADIENT, line, name), place, instead


# Where ---------------------------------------------------------------------------------------------------------------


def suspected_nodes(step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], known: Known) -> frozenset[int]:
    """The ids of what a wrong gradient is computed by, in a function that returns all of them; empty if not known."""
    returned: dict[str, ast.expr] = {}
    for statement in nested_statements(step.body):
        if isinstance(statement, ast.Return):
            returned |= returned_parts(statement.value, known.returned)
    wrong = [part for name, part in returned.items() if name not in known.right]
    start = {known.wrong} if known.wrong else set[str]().union(*map(names_read_in, wrong))
    own = frozenset(id(node) for part in wrong for node in ast.walk(part))
    return own | nodes_behind(step, helpers, start, known.right) if returned else frozenset()


def nodes_behind(
    step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], names: Collection[str], right: Collection[str]
) -> frozenset[int]:
    """The ids of the nodes in the lines and helpers that compute some variables; nothing behind `right` ones."""
    behind: dict[str, list[ast.AST]] = defaultdict(list, {helper.name: [helper] for helper in helpers})
    for statement in nested_statements(step.body):
        for target, value in assigned_pairs(statement):
            for name in filter(None, map(assigned_variable, ast.walk(target))):
                behind[name] += [value, *([] if isinstance(statement, ast.For) else [statement])]
    found, seen, waiting = set[int](), set(right), [*names]
    while waiting:
        name = waiting.pop()
        for node in behind[name] if name not in seen else ():
            found |= {id(each) for each in ast.walk(node)}
            waiting += names_read_in(node)
        seen.add(name)
    return frozenset(found)


# The text ------------------------------------------------------------------------------------------------------------


def text_of_changed(
    step: ast.FunctionDef,
    helpers: Sequence[ast.FunctionDef],
    changed: str,
    place: ChildPlace,
    new: ast.AST,
    known: Known,
) -> str:
    """The function's text with a new node in a place. Helpers that are changed, or call one, are defined inside it."""
    parameters = set(parameter_names(step))
    names = [each.id for each in ast.walk(new) if isinstance(each, ast.Name) and getattr(each, "is_new", False)]
    added = dict.fromkeys(each for each in names if each not in parameters and each in known.shapes)
    arguments = copy.copy(step.args)
    arguments.kwonlyargs = [*arguments.kwonlyargs, *(ast.arg(arg=name) for name in added)]
    arguments.kw_defaults = [*arguments.kw_defaults, *(None for _ in added)]
    inside = {changed}
    while more := {each.name for each in helpers if names_read_in(each) & inside} - inside:
        inside |= more
    old = replace_node(place, new)
    try:
        copied = copy.copy(step)
        copied.name, copied.args, copied.decorator_list = PLACEHOLDER, arguments, []
        copied.body = [*(each for each in helpers if each.name in inside), *step.body]
        return ast.unparse(copied)
    finally:
        replace_node(place, old)
