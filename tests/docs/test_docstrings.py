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
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if "Tensor" not in text or module not in public:
            continue
        for function, docstring in public_functions(ast.parse(text), public[module]):
            if "Tensor" in ast.unparse(function.args) + ast.unparse(function.returns or ast.Constant(None)):
                said += bool(SAYS.search(docstring))
                silent += [] if SAYS.search(docstring) else [f"{module}.{function.name}"]
    assert silent == [] and said > 15
