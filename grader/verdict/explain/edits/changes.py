"""Small changes to a student's function, each of which undoes one common slip (rules.py).

Only text is read and written here. A worker runs the changed functions (search.py), and a slip is reported only if its
change makes the answer right.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from grader.source.syntax import names_in
from grader.verdict.explain.edits.generators import Around
from grader.verdict.explain.edits.known import Known
from grader.verdict.explain.edits.patterns import filled, matches, root_types, variants_of
from grader.verdict.explain.edits.rules import BACKWARD_UPDATE, RULES
from grader.verdict.explain.edits.source_file import (
    ChildPlace,
    SourceFile,
    assigned_names,
    context_of,
    draws_numbers,
    is_decided_by_equality,
    is_leaf,
    is_new,
    new_name,
    parameter_names,
    quote,
    quote_text,
    replace_node,
)
from grader.verdict.explain.edits.suspects import (
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
INNER_GRADIENT = "inner"
"""The kind of an edit that undoes no slip: the function returns a gradient that it computes on the way."""
PLACEHOLDER = "changed_function_"
BACKWARDS = re.compile(r"^([ \t]+\w[^=#\n]*?) ?=([+-])(?= )", re.MULTILINE)
"""`dx =+ ...`, which assigns, and is no way to write anything else."""
CHANGED_NODES = (ast.expr, ast.stmt, ast.keyword, ast.comprehension)


@dataclass(frozen=True)
class Edit:
    """One change of `function`, or of a function of the file that it calls.

    `kind` is the id of its rule, which is number `rule` of the table, and `words` are for the rule's sentences.
    """

    function: str
    kind: str
    line: int
    words: Mapping[str, str] = field(default_factory=dict)
    rule: int = -1

    def sentences(self, it: str) -> tuple[str, str, str]:
        """Kind and place of the slip, what makes `it` right, and the question about a derivative."""
        rule = RULES[self.rule] if self.rule >= 0 else BACKWARD_UPDATE
        return rule.text.format(it=it, **self.words), rule.fix.format(it=it, **self.words), rule.question


Change = tuple[float, ast.AST, Edit, ChildPlace, ast.AST]
"""(rank, the node that changes, the edit, the node's place, what takes it)"""


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
        for rank, node, edit, place, new in changes(Around(each, known, function if each is step else ""))
        if id(node) not in given
    ]
    found += [(False, rank, edit, place, new) for rank, _, edit, place, new in of_all_gradients(step, known)]
    found.sort(key=lambda entry: entry[:2])
    edits = updates_written_backwards(source, function, known)
    characters = 0
    for _, _, edit, place, new in found:
        text = text_of_changed(step, helpers_on_the_way(helpers, edit.function), place, new, known)
        if text not in edits and is_python(text):
            characters += len(text)
            edits[text] = edit
        if len(edits) == MAX_EDITS or characters > MAX_EDITED_CHARACTERS:
            break
    texts = [text.replace(PLACEHOLDER, f"{named}{number}", 1) for number, text in enumerate(edits)]
    return list(edits.values()), texts


def is_python(text: str) -> bool:
    """Whether a changed text can be parsed: a call cannot be assigned to, and no keyword may occur twice."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def updates_written_backwards(source: str, function: str, known: Known) -> dict[str, Edit]:
    """{the function with `+=` and `-=` for every `=+` and `=-`: the edit}, empty where it has none."""
    written = BACKWARDS.sub(r"\1 \2=", source)
    reached = SourceFile(written).reached_from(function) if written != source else []
    for number, line in enumerate(source.splitlines(), 1):
        found = BACKWARDS.match(line)
        if found is not None and any(each.lineno <= number <= (each.end_lineno or 0) for each in reached):
            step, *helpers = reached
            words = {"code": quote_text(line), "written": f"={found[2]}", "new": f"{found[2]}="}
            return {
                text_of_changed(step, helpers, None, step, known): Edit(function, BACKWARD_UPDATE.id, number, words)
            }
    return {}


def text_of_changed(
    step: ast.FunctionDef, helpers: Sequence[ast.FunctionDef], place: ChildPlace | None, new: ast.AST, known: Known
) -> str:
    """The function's text with a new node in a place. The `helpers`, defined inside it, are changed or call one."""
    parameters = set(parameter_names(step))
    names = [each for each in ast.walk(new) if isinstance(each, ast.Name) and is_new(each)]
    added = [each.id for each in names if each.id not in parameters and each.id in known.shapes]
    arguments = copy.copy(step.args)
    extra = [ast.arg(arg=name) for name in dict.fromkeys(added)]
    arguments.kwonlyargs = [*arguments.kwonlyargs, *extra]
    arguments.kw_defaults = [*arguments.kw_defaults, *[None for _ in extra]]
    old = replace_node(place, new) if place is not None else new
    try:
        copied = copy.copy(step)
        copied.name, copied.args, copied.decorator_list = PLACEHOLDER, arguments, []
        copied.body = [*helpers, *step.body]
        return ast.unparse(copied)
    finally:
        if place is not None:
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


@lru_cache(1)
def patterns_by_type() -> Mapping[type[ast.AST], Sequence[tuple[int, ast.AST, ast.AST]]]:
    """{type of a node: (number of a rule, pattern, what takes its place)}"""
    found = defaultdict(list)
    for number, rule in enumerate(RULES):
        for before, after in rule.change.items() if isinstance(rule.change, Mapping) else ():
            for new in (after,) if isinstance(after, str) else after:
                for pattern, template in variants_of(before, new):
                    for kind in root_types(pattern):
                        found[kind].append((number, pattern, template))
    return found


def by_rules(node: ast.AST, around: Around) -> Iterator[tuple[int, ast.AST, Mapping[str, str]]]:
    """(number of a rule, what it writes in place of the node, the words for its sentence)."""
    for number, pattern, template in patterns_by_type().get(type(node), ()):
        for bound in matches(pattern, node, {}):
            for supplied in supplied_values(names_in(template), node, around):
                parts = {**bound, **supplied}
                words = {name: quote_part(part) for name, part in parts.items()}
                yield number, filled(template, parts), words
    for number, rule in enumerate(RULES):
        if not isinstance(rule.change, Mapping):
            yield from ((number, *found) for found in rule.change(node, around))


def supplied_values(names: Collection[str], node: ast.AST, around: Around) -> Iterator[dict[str, ast.expr]]:
    """Every choice of what only a replacement names: a small number `EPS`, and a tensor `FACTOR` of the parameters."""
    factors = [each for each in around.factors if each not in names_in(node)] if "FACTOR" in names else []
    choices: dict[str, Sequence[ast.expr]] = {
        "EPS": [ast.Constant(each) for each in around.known.constants],
        "FACTOR": [new_name(each) for each in factors],
    }
    used = [name for name in choices if name in names]
    for chosen in product(*(choices[name] for name in used)):
        yield dict(zip(used, chosen, strict=True))


def quote_part(part: object) -> str:
    return part if isinstance(part, str) else quote(part) if isinstance(part, ast.AST) else ""


def changes(around: Around) -> Iterator[Change]:
    """Every change of one function. Nothing changes in an equality that decides something."""
    function = around.function
    repeated = repeated_operands(function)
    for node, place in nodes_with_places(function):
        around.parents[id(node)] = place[0]
        if is_decided_by_equality(node, around.parents):
            continue
        is_target = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        shown = quote(context_of(node, around.parents) if is_leaf(node) else node)
        for number, new, words in by_rules(node, around):
            if is_target and not isinstance(new, ast.Subscript):
                continue
            if isinstance(node, ast.BinOp) and isinstance(new, ast.BinOp) and undoes_another(node, new, repeated):
                continue
            line = getattr(node, "lineno", function.lineno)
            words = {"code": shown, "new": quote(new), **words}
            yield number, node, Edit(function.name, RULES[number].id, line, words, number), place, new


def repeated_operands(function: ast.FunctionDef) -> set[tuple[type[ast.operator], str]]:
    """(operator, operand) of what divides or multiplies at several places."""
    operations = (n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div | ast.Mult))
    count = Counter((type(each.op), quote(each.right)) for each in operations)
    return {each for each, times in count.items() if times > 1}


def undoes_another(old: ast.BinOp, new: ast.BinOp, repeated: Collection[tuple[type[ast.operator], str]]) -> bool:
    """Whether it multiplies by what it divided by, and another place does so as well: it may undo that one."""
    is_inverse = new.left is old.left and new.right is old.right and isinstance(new.op, ast.Div | ast.Mult)
    return is_inverse and (type(old.op), quote(old.right)) in repeated


def of_all_gradients(function: ast.FunctionDef, known: Known) -> Iterator[Change]:
    """The function with a gradient on the way in the place of each that it returns."""
    place, assigned = (function, "body", len(function.body) - 1), assigned_names(function)
    for name in known.inner if isinstance(function.body[-1], ast.Return) else ():
        if name in assigned:
            keys: list[ast.expr | None] = [ast.Constant(each) for each in known.returned]
            instead = ast.Return(ast.Dict(keys, [ast.Name(name, ast.Load()) for _ in keys]))
            stored = (n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            line = max(each.lineno for each in stored if each.id == name)
            yield -1, function, Edit(function.name, INNER_GRADIENT, line, {"name": name}), place, instead
