"""The functions of a student's file: where they are, which of them call each other, where each gradient is assigned.

The file is read, never run. Functions are found by their names, whatever is done with them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from grader.source.parsing import parse_submitted
from grader.source.statement_names import ends_in_underscore
from grader.source.syntax import DefinitionNode, FunctionDefinition, inner_statements, names_in, nested_statements

Definition = ast.FunctionDef | ast.ClassDef | ast.Lambda
ADDING = frozenset({"append", "insert", "extend"})
"""Methods of a list that put something into it. torch's methods that change a tensor end in `_`."""

# What each gradient is made of ---------------------------------------------------------------------------------------


def joint_gradients(
    source: str, function: str, gradients: Sequence[str], called: Sequence[str]
) -> tuple[int, dict[str, tuple[int | None, list[str]]]] | None:
    """The first line of a function that returns many gradients, and what each of these is made of.

    That is the line that assigns it last, if it is found, and the functions of `called` that it is computed from. What
    counts is the variable that is returned under a name; else a variable of that name, an entry such as `d["dW"]` or
    `d["W"]`, or `W.grad`. Variables are followed in the order of the text. None where there is no such function.
    """
    definitions = definitions_in(source)
    definition = definitions.get(function)
    if not isinstance(definition, ast.FunctionDef):
        return None
    lines: dict[str, int] = {}
    behind: dict[str, set[str]] = {}  # {variable: functions of the file}
    returned: dict[str, ast.expr] = {}

    def functions_in(node: ast.AST) -> set[str]:
        read = names_read_in(node)
        return (read & definitions.keys()).union(*(behind.get(name, ()) for name in read))

    for node in nested_statements(definition.body):
        if isinstance(node, ast.Return):
            returned |= returned_parts(node.value, gradients)
            continue
        for target, value in assigned_pairs(node):
            functions = functions_in(value)
            for each in ast.walk(target):
                if name := assigned_variable(each):
                    is_replaced = isinstance(each, ast.Name) and not isinstance(node, (ast.AugAssign, ast.For))
                    behind[name] = functions if is_replaced else functions | behind.get(name, set())
                    lines[name] = max(each.lineno, lines.get(name, 0))  # type: ignore[attr-defined]
    found = {}
    for name in gradients:
        part = returned.get(name)
        line = lines.get(part.id if isinstance(part, ast.Name) else "") or lines.get(name)
        if part is not None and not isinstance(part, (ast.Name, ast.Constant)):
            line = part.lineno
        functions = functions_in(part) if part is not None else behind.get(name, set())
        found[name] = line, deepest(source, functions, called)
    return min([definition.lineno, *(each.lineno for each in definition.decorator_list)]), found


def assigned_pairs(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, what it is computed from), one by one for `a, b = x, y`, and for the entries of a dictionary."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            parts, value = getattr(target, "elts", ()), statement.value
            if isinstance(value, ast.Tuple) and len(parts) == len(value.elts):
                yield from zip(parts, value.elts, strict=True)
            else:
                yield target, value
        if isinstance(statement.value, ast.Dict):
            yield from ((k, v) for k, v in zip(statement.value.keys, statement.value.values, strict=True) if k)
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)) and statement.value is not None:
        yield statement.target, statement.value
    elif isinstance(statement, ast.For):
        yield statement.target, statement.iter
    elif isinstance(statement, ast.Expr):  # a method that changes a tensor or a list, such as `dC.index_add_(...)`
        yield statement.value, statement.value


def assigned_variable(node: ast.AST) -> str:
    """The variable that a node assigns, or changes in place; an entry of a dictionary as its gradient; "" for none."""
    match node:
        case ast.Name(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            return changed_place(node)
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in ADDING or ends_in_underscore(method):
            return changed_place(owner)
        case ast.Constant(value=str(key)) if key.startswith("d") and key.isidentifier():
            return key  # a key of a dictionary that is written out
    return ""


def changed_place(node: ast.expr) -> str:
    """The variable of `dW`, `dW[0]`; the gradient of `d["W"]`, `d["dW"][0]`, `W.grad`; "" for anything else."""
    match node:
        case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(key))):
            is_of_gradients = table[0] in "dg"  # d, grads: no forward values
            return key if key.startswith("d") else f"d{key}" if is_of_gradients else ""
        case ast.Subscript(value=inner):
            return changed_place(inner)
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="grad"):
            return f"d{name}"
    return ""


def returned_parts(value: ast.expr | None, gradients: Sequence[str]) -> dict[str, ast.expr]:
    """{gradient: the expression that is returned for it} of a tuple, a list or a dictionary that is written out."""
    found: dict[str, ast.expr] = {}
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            flat = [each for part in parts for each in getattr(part, "elts", [part])]  # also of `loss, [dW, db]`
            found = dict(zip(gradients, flat, strict=False)) if len(flat) >= len(gradients) else {}
            for part in () if found else parts:  # such as the loss and a dictionary
                found |= returned_parts(part, gradients)
        case ast.Dict(keys=keys, values=parts):
            pairs = zip(keys, parts, strict=True)
            found = {str(key.value): part for key, part in pairs if isinstance(key, ast.Constant)}
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            found = {keyword.arg: keyword.value for keyword in keywords if keyword.arg is not None}
    return {name if name in gradients else f"d{name}": part for name, part in found.items()}


# Which functions call each other -------------------------------------------------------------------------------------


def own_calls(source: str, users: Sequence[str], called: Sequence[str]) -> dict[str, list[str]]:
    """{user: those of the functions `called` that it calls, itself or through another function of the file}.

    One that calls another one of them is left out.
    """
    return {user: deepest(source, {user}, called) for user in users}


@lru_cache(maxsize=2)  # of one text after another
def definitions_in(source: str) -> dict[str, Definition]:
    """The functions and classes outside of others, and `name = lambda ...`; of several with one name the last."""
    found: dict[str, Definition] = {}
    tree = parse_submitted(source)
    for node in tree.body if tree is not None else ():
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                found[node.name] = node
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function):
                found[name] = function
    return found


def names_read_in(node: ast.AST) -> set[str]:
    """The names that it reads, without those that it sets itself: a parameter may have a function's name."""
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    own = {each.id for each in names if isinstance(each.ctx, ast.Store)} if isinstance(node, Definition) else set()
    own |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return {each.id for each in names if isinstance(each.ctx, ast.Load)} - own


def deepest(source: str, start: Collection[str], called: Sequence[str]) -> list[str]:
    """Those of `called` that are in `start` or reached from there, and that reach no other of them."""
    known = reachable_definitions(source, start)
    found = [name for name in called if name in known]
    return [name for name in found if not (reachable_definitions(source, [name]) - {name}) & {*found}] or found


def reachable_definitions(source: str, names: Iterable[str]) -> frozenset[str]:
    """The functions and classes of the given names, and those that they use, directly or through others."""
    definitions = definitions_in(source)
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found and name in definitions:  # it has none where it is a value, such as a lambda
            found.add(name)
            waiting += names_read_in(definitions[name])
    return frozenset(found)


# Where functions are -------------------------------------------------------------------------------------------------


def nested_definitions(source: str, names: Collection[str]) -> dict[str, tuple[int, str]]:
    """{name: (line, what it is inside of, in words)} of functions that are defined inside something else only."""
    tree = parse_submitted(source)
    found: dict[str, tuple[int, str]] = {}
    waiting: list[tuple[ast.stmt, str]] = [(statement, "") for statement in reversed(tree.body if tree else [])]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name in names and inside:
            found.setdefault(node.name, (node.lineno, inside))
        if isinstance(node, DefinitionNode):
            inside = f"the {'function' if isinstance(node, FunctionDefinition) else 'class'} `{node.name}`"
        elif not inside:
            guard = isinstance(node, ast.If) and "__name__" in names_in(node.test)
            inside = 'a block `if __name__ == "__main__":`, which is not run here' if guard else "a block"
        waiting += [(each, inside) for each in reversed(inner_statements(node))]
    return found


def first_nested(texts: Iterable[str], names: Collection[str]) -> str:
    """The first nested definition of one of these functions, and what to do with it, in words; "" for none."""
    places = ((name, where) for text in texts for name, (_, where) in nested_definitions(text, names).items())
    for name, where in places:
        return f"`{name}` inside {where}. Move it to the top level, without indentation."
    return ""
