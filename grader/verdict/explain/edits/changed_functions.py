"""A student's function with one small change each, which undoes a common slip (rules.toml).

Only text is read and written here. A worker runs the changed functions (search.py), and a slip is reported only if its
change makes the answer right.
"""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.source.own_functions import assigned_pairs, assigned_variable, names_read_in, returned_parts
from grader.source.parsing import parse_text
from grader.source.syntax import is_text, nested_statements
from grader.verdict.explain.edits.coded_changes import Around, Known
from grader.verdict.explain.edits.contents import draws_numbers, parsed_file
from grader.verdict.explain.edits.rules import RULES, changes_by_rules
from grader.verdict.explain.edits.source_file import (
    ChildPlace,
    nodes_with_places,
    parameter_names,
    quote,
    quote_in_context,
    replace_node,
)

MAX_EDITED_NODES = 3_000
"""A longer function is not changed."""
MAX_EDITS = 300
MAX_EDITED_CHARACTERS = 600_000
"""Of the changed functions together: a worker reads them all."""
INNER_GRADIENT = "inner"
"""The kind of an edit that undoes no slip: the function returns a gradient that it computes on the way."""
SPOILT_OUTSIDE = "spoilt_outside"
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


@dataclass(frozen=True)
class Change:
    """`node`, in its place in a function, becomes `new`; `words` are those of the sentence of the rule `rank`."""

    rank: int
    node: ast.AST
    place: ChildPlace
    new: ast.AST
    around: Around
    words: Mapping[str, ast.AST | str]

    def edit(self) -> Edit:
        """What is said of the change. It quotes much code: the change that is not tried needs none."""
        function, rule = self.around.function, RULES[self.rank]
        words = {name: quote(each) if isinstance(each, ast.AST) else each for name, each in self.words.items()}
        shown = {"code": quote_in_context(self.node, self.around.parents), "new": quote(self.new), **words}
        line = getattr(self.node, "lineno", function.lineno)
        return Edit(function.name, rule.id, line, rule.message(shown), rule.question)


def edits_of(source: str, function: str, named: str, known: Known) -> tuple[list[Edit], list[str]]:
    """Changes to a function of the file, most likely slips first, and for each the text that defines the changed one.

    The changed functions are called `named` and a number, from 0. A function that is too deeply nested has none.
    """
    reached = parsed_file(source).reached_from(function)
    size = sum(1 for each in reached for _ in ast.walk(each))
    if not reached or size > MAX_EDITED_NODES or any(map(draws_numbers, reached)):  # then it may be right by chance
        return [], []
    try:
        edits = texts_of_edits(reached[0], reached[1:], known)
    except RecursionError:
        return [], []
    texts = [text.replace(PLACEHOLDER, f"{named}{number}", 1) for number, text in enumerate(edits)]
    return list(edits.values()), texts


def texts_of_edits(step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], known: Known) -> dict[str, Edit]:
    """{the text of the changed function: the edit}. What a wrong gradient is computed by is changed first."""
    suspected = suspected_nodes(step, helpers, known)
    assigned = [(each, target) for each in nested_statements(step.body) for target, _ in assigned_pairs(each)]
    forward = [each for each, target in assigned if assigned_variable(target) in known.forward]
    given = {id(node) for statement in forward for node in ast.walk(statement)}  # most students were given these lines
    every = [(spoilt_outside(step), (step, "body", 0), step.body[0]), *inner_gradients(step, known)]
    edits = {text_of_changed(step, (), place, new, known): edit for edit, place, new in every}
    found = [
        change
        for each in (step, *helpers)
        for change in changes(Around(each, known, step.name if each is step else ""))
        if id(change.node) not in given
    ]
    in_doubt = {id(each.node) for each in found} - suspected if suspected else set()
    unread = {name for each in found for name in each.around.unread}  # most likely, they belong somewhere
    found.sort(key=lambda each: (id(each.node) in in_doubt, getattr(each.new, "id", "") not in unread, each.rank))
    characters = sum(map(len, edits))
    for change in found:
        if len(edits) == MAX_EDITS or characters > MAX_EDITED_CHARACTERS:
            break
        is_helper = change.around.function is not step
        text = text_of_changed(step, helpers if is_helper else (), change.place, change.new, known)
        if text not in edits and (isinstance(change.new, ast.expr) or parse_text(text) is not None):
            characters += len(text)
            edits[text] = change.edit()
    return edits


def changes(around: Around) -> Iterator[Change]:
    """Every change of one function by a rule."""
    function, parents = around.function, around.parents
    for node, place in nodes_with_places(function):
        parents[id(node)] = place[0]
        is_target = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        for number, new, words in changes_by_rules(node, around):
            if not is_target or isinstance(new, ast.Subscript):
                yield Change(number, node, place, new, around, words)


def spoilt_outside(function: ast.FunctionDef) -> Edit:
    """No change at all: where that is right, no other change explains anything."""
    message = f"Run by itself, the `{function.name}` in line {function.lineno} is right: look for a decorator, a later "
    message += "line that puts something else in its place, or something that it keeps from call to call."
    return Edit(function.name, SPOILT_OUTSIDE, function.lineno, message)


def inner_gradients(function: ast.FunctionDef, known: Known) -> Iterator[tuple[Edit, ChildPlace, ast.AST]]:
    """The function with a gradient on the way in the place of each that it returns: (edit, place, what takes it)."""
    place = (function, "body", len(function.body) - 1)
    stored = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    lines = {each.id: each.lineno for each in sorted(stored, key=lambda each: each.lineno)}
    for name in known.inner if isinstance(function.body[-1], ast.Return) else ():
        if name in lines:
            keys: list[ast.expr | None] = [ast.Constant(each) for each in known.returned]
            instead = ast.Return(ast.Dict(keys, [ast.Name(name, ast.Load()) for _ in keys]))
            yield Edit(function.name, INNER_GRADIENT, lines[name], name), place, instead


def suspected_nodes(step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], known: Known) -> frozenset[int]:
    """The ids of the nodes that compute a wrong gradient, in a function that returns all; empty if not known.

    These are in the returned expression, and in the lines and helpers behind it, up to gradients that are right.
    """
    behind: dict[str, list[ast.AST]] = defaultdict(list, {helper.name: [helper] for helper in helpers})
    returned: dict[str, ast.expr] = {}
    for statement in nested_statements(step.body):
        if isinstance(statement, ast.Return):
            returned |= returned_parts(statement.value, known.returned)
        for target, value in assigned_pairs(statement):
            if isinstance(target, ast.Subscript):  # `gradients["W"] = ...`
                returned |= returned_parts(ast.Dict([target.slice], [value]), known.returned)
            for name in filter(None, map(assigned_variable, ast.walk(target))):
                behind[name].append(value if isinstance(statement, ast.For) else statement)
    nodes: list[ast.AST] = [part for name, part in returned.items() if name not in known.right]
    seen = {*known.right, *(ast.unparse(part) for name, part in returned.items() if name in known.right)}
    waiting = [known.wrong] if known.wrong else [name for part in nodes for name in names_read_in(part)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            nodes += behind[name]
            waiting += [read for node in behind[name] for read in names_read_in(node)]
        seen.add(name)
    found = {id(each) for node in nodes for each in ast.walk(node)}
    found |= {id(each) for each in ast.walk(step) if isinstance(each, ast.For) and found & {*map(id, each.body)}}
    return frozenset(found if returned or known.wrong else ())


def text_of_changed(
    step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], place: ChildPlace, new: ast.AST, known: Known
) -> str:
    """The function's text with a new node in a place, and with `helpers` defined inside it."""
    names = [each.id for each in ast.walk(new) if isinstance(each, ast.Name) and getattr(each, "is_new", False)]
    parameters = set(parameter_names(step))
    added = dict.fromkeys(each for each in names if each not in parameters and each in known.shapes)
    arguments = copy.copy(step.args)
    arguments.kwonlyargs = [*arguments.kwonlyargs, *(ast.arg(arg=name) for name in added)]
    arguments.kw_defaults = [*arguments.kw_defaults, *(None for _ in added)]
    old = replace_node(place, new)
    try:
        copied = copy.copy(step)
        copied.name, copied.args, copied.decorator_list = PLACEHOLDER, arguments, []
        code = [each for each in step.body if not is_text(each)]  # a docstring is long
        copied.body = [*helpers, *code] or [ast.Pass()]
        return ast.unparse(copied)
    finally:
        replace_node(place, old)
