"""What another package imports and computes with tensors says their shapes or dtypes."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from support import ROOT

IMPORT = re.compile(r"^ *from (grader(?:\.\w+)+) import (?:\(([^)]*)\)|([^\n(]+))", re.MULTILINE)
SAYS = re.compile(r"shape|size|dtype|float64|float32|element|norm\b|scalar|index|number|\[|\(\w+,")
"""How a docstring speaks of a tensor's shape, dtype or content."""


def package_of(path: Path) -> str:
    return path.relative_to(ROOT / "grader").parts[0]


def imported_elsewhere(texts: dict[Path, str]) -> dict[str, set[str]]:
    """{module: names that another package imports from it}."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, text in texts.items():
        for module, several, one in IMPORT.findall(text):
            if module.split(".")[1] != package_of(path):
                found[module].update(re.findall(r"(\w+)(?: as \w+)?", several or one))
    return found


def public_functions(node: ast.AST, names: set[str]) -> Iterator[tuple[ast.FunctionDef, str]]:
    """(function or method, its docstring and its class's)."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef) and each.name in names:
            yield each, ast.get_docstring(each) or ""
        elif isinstance(each, ast.ClassDef) and each.name in names:
            for method in each.body:
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                    yield method, f"{ast.get_docstring(method) or ''} {ast.get_docstring(each) or ''}"


def test_functions_of_tensors_say_shapes_or_dtypes():
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "grader").rglob("*.py")}
    public, silent, said = imported_elsewhere(texts), [], 0
    for path, text in texts.items():
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if "Tensor" not in text or module not in public:
            continue
        for function, docstring in public_functions(ast.parse(text), public[module]):
            if "Tensor" in ast.unparse(function.args) + ast.unparse(function.returns or ast.Constant(None)):
                said += bool(SAYS.search(docstring))
                silent += [] if SAYS.search(docstring) else [f"{module}.{function.name}"]
    assert silent == [] and said > 15


def errors_raised(function: ast.FunctionDef) -> set[str]:
    """The exceptions that a function raises itself and does not catch."""
    found, waiting = set[str](), [(node, frozenset[str]()) for node in function.body]
    while waiting:
        node, caught = waiting.pop()
        if isinstance(node, ast.Try):
            names = {
                n.id for handler in node.handlers for n in ast.walk(handler.type or node) if isinstance(n, ast.Name)
            }
            waiting += [(each, caught | names) for each in node.body]
            waiting += [(each, caught) for each in (*node.handlers, *node.orelse, *node.finalbody)]
        elif isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = raised.id if isinstance(raised, ast.Name) else ""
            found |= {name} - caught if name[:1].isupper() else set()
        elif not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += [(each, caught) for each in ast.iter_child_nodes(node)]
    return found - {"SystemExit", "NotImplementedError", "AssertionError"}


def test_functions_say_which_errors_they_raise():
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "grader").rglob("*.py")}
    public, silent, said = imported_elsewhere(texts), [], 0
    for path, text in texts.items():
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for function, docstring in public_functions(ast.parse(text), public[module]) if "raise " in text else ():
            for name in errors_raised(function):
                said += name in docstring
                silent += [] if name in docstring else [f"{module}.{function.name} raises {name}"]
    assert silent == [] and said > 50
