"""What another package imports has a docstring, with a tensor's shape and the errors that it raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from support import ROOT

SHAPE = re.compile(r"shape|axis|axes|index|element|scalar|\(n\b|\(\w+,")
"""How a docstring names a tensor's shape."""
NOT_FOR_CALLERS = {"SystemExit", "NotImplementedError", "AssertionError"}


class Function(NamedTuple):
    module: str
    name: str


def package_of(module: str) -> str:
    return module.split(".")[1] if "." in module else module


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(path.read_text("utf-8"))
    for path in sorted((ROOT / "grader").rglob("*.py"))
}
IMPORTED = {
    module: {
        alias.asname or alias.name: Function(node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("grader.")
        for alias in node.names
    }
    for module, tree in MODULES.items()
}
DEFINED = {
    Function(module, node.name): node
    for module, tree in MODULES.items()
    for node in tree.body
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
}
PUBLIC = {
    target
    for module, names in IMPORTED.items()
    for target in names.values()
    if target in DEFINED and package_of(target.module) != package_of(module)
}
BASES = {
    node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
    for node in DEFINED.values()
    if isinstance(node, ast.ClassDef)
}


def kinds_of(error: str) -> set[str]:
    """The names of a class and of the classes that it inherits from."""
    return {error}.union(*(kinds_of(base) for base in BASES.get(error, ())))


def names_in(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def guarded(function: ast.AST) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Each node that runs when the function is called, with the names of the exceptions that are caught around it."""
    waiting = [(node, frozenset[str]()) for node in getattr(function, "body", ())]
    while waiting:
        node, caught = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield node, caught
        inside = caught
        if isinstance(node, ast.Try):
            inside = caught.union(*(names_in(handler.type or node) for handler in node.handlers))
        elif isinstance(node, ast.With):
            calls = [item.context_expr for item in node.items if "suppress" in ast.unparse(item.context_expr)]
            inside = caught.union(*map(names_in, calls))
        protected = list(map(id, node.body)) if isinstance(node, (ast.Try, ast.With)) else []
        waiting += [(each, inside if id(each) in protected else caught) for each in ast.iter_child_nodes(node)]


def users_errors() -> dict[Function, set[str]]:
    """{function: the user's errors that it raises or lets pass}, followed through calls by name."""
    found: dict[Function, set[str]] = {each: set() for each in DEFINED}
    raised: list[tuple[Function, str, frozenset[str]]] = []
    calls: list[tuple[Function, Function, frozenset[str]]] = []
    for function, definition in DEFINED.items():
        for node, caught in guarded(definition) if not isinstance(definition, ast.ClassDef) else ():
            called = node.exc if isinstance(node, ast.Raise) and node.exc is not None else node
            name = called.func.id if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) else ""
            if isinstance(node, ast.Raise):
                raised.append((function, name, caught))
            elif name:
                here = Function(function.module, name)
                calls.append((function, IMPORTED[function.module].get(name, here), caught))
    for function, name, caught in raised:
        if "UserError" in kinds_of(name) and not caught & kinds_of(name):
            found[function].add(name)
    changed = True
    while changed:
        before = sum(map(len, found.values()))
        for function, target, caught in calls:
            found[function] |= {each for each in found.get(target, ()) if not caught & {*kinds_of(each), "Exception"}}
        changed = sum(map(len, found.values())) != before
    return found


def test_every_name_that_another_package_imports_has_a_docstring():
    assert [each for each in sorted(PUBLIC) if not ast.get_docstring(DEFINED[each])] == []
    assert len(PUBLIC) > 400


def public_functions() -> Iterator[tuple[str, ast.FunctionDef, str]]:
    """(name, definition, docstring) of each function, and of each method, whose docstring includes its class's."""
    for each in sorted(PUBLIC):
        definition = DEFINED[each]
        docstring = ast.get_docstring(definition) or ""
        if isinstance(definition, ast.FunctionDef):
            yield f"{each.module}.{each.name}", definition, docstring
        elif isinstance(definition, ast.ClassDef):
            for method in definition.body:
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                    name = f"{each.module}.{each.name}.{method.name}"
                    yield name, method, f"{ast.get_docstring(method) or ''} {docstring}"


def errors_raised(function: ast.FunctionDef) -> set[str]:
    """The names of the exceptions that a function raises itself and does not catch."""
    found = set[str]()
    for node, caught in guarded(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = raised.id if isinstance(raised, ast.Name) else ""
            found |= {name} - caught if name[:1].isupper() else set()
    return found - NOT_FOR_CALLERS


def test_a_function_of_tensors_names_a_shape():
    with_tensors = {
        name: docstring
        for name, function, docstring in public_functions()
        if "Tensor" in ast.unparse(function.args) + (ast.unparse(function.returns) if function.returns else "")
    }
    assert [name for name, docstring in with_tensors.items() if not SHAPE.search(docstring)] == []
    assert len(with_tensors) > 12


def test_a_function_says_which_errors_it_raises_itself():
    errors = [
        (name, error, docstring)
        for name, function, docstring in public_functions()
        for error in errors_raised(function)
    ]
    assert [f"{name} raises {error}" for name, error, docstring in errors if error not in docstring] == []
    assert len(errors) > 50


@pytest.mark.full
def test_a_function_says_which_of_the_user_s_errors_it_raises_or_passes_on():
    errors = {each: names for each, names in users_errors().items() if names and each in PUBLIC}
    silent = {}
    for each, names in errors.items():
        docstring = ast.get_docstring(DEFINED[each]) or ""
        if not any(kind in docstring for name in names for kind in kinds_of(name) - {"Exception"}):
            silent[each] = sorted(names)
    assert silent == {} and len(errors) > 50
