"""Which functions of a file call each other, and which gradients are computed from these calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from grader.source.assignment_lines import assigned_variable, returned_parts
from grader.source.parsing import parse_submitted
from grader.source.syntax import nested_statements

Definition = ast.FunctionDef | ast.ClassDef


def own_calls(source: str, users: Sequence[str], called: Sequence[str]) -> dict[str, list[str]]:
    """{user: those of the functions `called` that it calls, itself or through another function of the file}.

    One that calls another one of them is left out. Functions are found by their names, whatever is done with them.
    """
    definitions = definitions_in(source)
    return {user: deepest(definitions, {user}, called) for user in users}


def calls_behind(source: str, function: str, gradients: Sequence[str], called: Sequence[str]) -> dict[str, list[str]]:
    """{gradient: the functions of `called` that it is computed from}, for a function that returns many gradients.

    `gradients` are in the order of the returned tuple. Variables are followed in the order of the text.
    """
    definitions = definitions_in(source)
    if function not in definitions:
        return {}
    behind: dict[str, set[str]] = {}  # {variable: functions of the file}

    def functions_in(node: ast.AST) -> set[str]:
        read = names_read_in(node)
        return {name for name in read if name in definitions}.union(*(behind.get(name, set()) for name in read))

    returned: dict[str, ast.expr] = {}
    for node in nested_statements(definitions[function].body):
        if isinstance(node, ast.Return):
            returned |= returned_parts(node.value, gradients)
            continue
        for target, value in assigned_pairs(node):
            functions = functions_in(value)
            for each in ast.walk(target):
                if name := assigned_variable(each):
                    is_replaced = isinstance(each, ast.Name) and not isinstance(node, (ast.AugAssign, ast.For))
                    behind[name] = functions | (set() if is_replaced else behind.get(name, set()))
    own = {name: functions_in(returned[name]) if name in returned else behind.get(name, set()) for name in gradients}
    return {name: deepest(definitions, functions, called) for name, functions in own.items()}


def definitions_in(source: str) -> dict[str, Definition]:
    """The functions and classes outside of others; of several with one name the last."""
    tree = parse_submitted(source)
    body = tree.body if tree is not None else ()
    return {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def names_read_in(node: ast.AST) -> set[str]:
    """The names that it reads, without those that it sets itself: a parameter may have a function's name."""
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    own = {each.id for each in names if isinstance(each.ctx, ast.Store)} if isinstance(node, Definition) else set()
    own |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return {each.id for each in names if isinstance(each.ctx, ast.Load)} - own


def deepest(definitions: Mapping[str, Definition], start: Collection[str], called: Sequence[str]) -> list[str]:
    """Those of `called` that are in `start` or reached from there, and that reach no other of them."""
    found = reachable_functions(definitions, start) & set(called)
    roots = [
        name for name in called if name in found and not (reachable_functions(definitions, {name}) - {name}) & found
    ]
    return roots or [name for name in called if name in found]


def reachable_functions(definitions: Mapping[str, Definition], start: Collection[str]) -> set[str]:
    """`start`, and every function of the file that is called from there."""
    found, waiting = set(start), list(start)
    while waiting:
        definition = definitions.get(waiting.pop())  # None for a function that is a value, such as a lambda
        for name in names_read_in(definition) & definitions.keys() if definition is not None else ():
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def assigned_pairs(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, what it is computed from), one by one for `a, b = x, y`."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            parts, value = getattr(target, "elts", ()), statement.value
            if isinstance(value, ast.Tuple) and len(parts) == len(value.elts):
                yield from zip(parts, value.elts, strict=True)
            else:
                yield target, value
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)) and statement.value is not None:
        yield statement.target, statement.value
    elif isinstance(statement, ast.For):
        yield statement.target, statement.iter
    elif isinstance(statement, ast.Expr):  # a method that changes a tensor or a list, such as `dC.index_add_(...)`
        yield statement.value, statement.value


START = re.compile(r"^(?:@|(?:async )?def (\w+)|class (\w+)|(\w+)\b.*?=|\S)", re.MULTILINE)
NAME_TOKEN = re.compile(r"\w+")


def definition_texts(text: str) -> dict[str, str]:
    """{name: the lines of its definition}; what defines no name is under ""."""
    starts = list(START.finditer(text))
    found: dict[str, str] = {}
    decorators = ""
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        lines = text[start.start() : following.start() if following else len(text)].strip()
        if lines.startswith("@"):
            decorators += lines
            continue
        name = next((group for group in start.groups() if group), "")
        found[name] = f"{found.get(name, '')}{decorators}{lines}\n"
        decorators = ""
    return found


def changed_definitions(before: str, after: str) -> frozenset[str]:
    """The names whose definitions differ between two texts; "" among them where something else does."""
    old, new = definition_texts(before), definition_texts(after)
    return frozenset(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def reachable_definitions(text: str, names: Iterable[str]) -> frozenset[str]:
    """The definitions that the given ones use, directly or through others; "" is always among them."""
    known = definition_texts(text)
    waiting, found = [name for name in names if name in known], {""}
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += set(NAME_TOKEN.findall(known[name])) & known.keys()
    return frozenset(found)
