"""What another package imports has a docstring, with a tensor's shape and the errors that it raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from support import ROOT

SHAPE = re.compile(r"shape|axis|axes|index|element|scalar|\(n\b|\(\w+,")
"""How a docstring names a tensor's shape."""
NOT_FOR_CALLERS = {"SystemExit", "NotImplementedError", "AssertionError"}


class Function(NamedTuple):
    module: str
    name: str


def package_of(module: str) -> str:
    return module.split(".")[1] if "." in module else module


@cache
def public_definitions() -> dict[Function, ast.AST]:
    """Each function and class that another package imports. To parse grader/ takes a second: no work for an import."""
    trees = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text("utf-8")
        )
        for path in sorted((ROOT / "grader").rglob("*.py"))
    }
    imported = {
        Function(node.module, alias.name)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("grader.")
        if package_of(node.module or "") != package_of(module)
        for alias in node.names
    }
    return {
        Function(module, node.name): node
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if Function(module, node.name) in imported
    }


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


def test_every_name_that_another_package_imports_has_a_docstring():
    assert sorted(each for each, node in public_definitions().items() if not ast.get_docstring(node)) == []
    assert len(public_definitions()) > 400


def public_functions() -> Iterator[tuple[str, ast.FunctionDef, str]]:
    """(name, definition, docstring) of each function, and of each method, whose docstring includes its class's."""
    for each, definition in sorted(public_definitions().items()):
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
