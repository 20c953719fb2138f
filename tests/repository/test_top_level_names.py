"""A name means one thing in the whole of grader/, and is a word of the field."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from support import ROOT

ONE_FOR_EACH_MODULE = {
    "main": "the program that a module is, where it is started as one",
}
"""Names that several modules define on purpose, because something calls them in each of these modules."""

NOT_THE_FIELDS = frozenset(
    [
        "told",
        "asked",
        "handed",
        "heed",
        "hurry",
        "rung",
        "mended",
        "mend",
        "whoever",
        "carried",
        "anatomy",
        "stands",
        "beside",
    ]
)
"""Words that this project once used for submissions, messages, fixes and targets."""

TREES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "grader").rglob("*.py"))
}


def assigned_names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple):
        for element in target.elts:
            yield from assigned_names(element)


def top_level_names(statements: Iterable[ast.stmt]) -> Iterator[str]:
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from assigned_names(target)
        elif isinstance(node, ast.AnnAssign):
            yield from assigned_names(node.target)


def test_the_names_of_a_module():
    text = "import a\nB, C = 1, 2\nd: int = 3\nif a:\n    e = 4\ndef f():\n    g = 5\nclass H:\n    i = 6\n"
    assert list(top_level_names(ast.parse(text).body)) == ["B", "C", "d", "f", "H"]


def test_one_module_defines_each_name():
    found = defaultdict(set)
    for module, tree in TREES.items():
        for name in top_level_names(tree.body):
            found[name].add(module)
    several = {name: sorted(modules) for name, modules in found.items() if len(modules) > 1}
    assert {name: modules for name, modules in several.items() if name not in ONE_FOR_EACH_MODULE} == {}
    assert several.keys() == ONE_FOR_EACH_MODULE.keys(), "a name is listed that one module alone defines"


def test_names_are_words_of_the_field():
    for module, tree in TREES.items():
        names = set(top_level_names(tree.body))
        for node in ast.walk(tree):
            names |= {node.id} if isinstance(node, ast.Name) else {node.arg} if isinstance(node, ast.arg) else set()
        words = {name: set(re.sub(r"([A-Z])", r" \1", name).lower().replace("_", " ").split()) for name in names}
        assert {name for name, parts in words.items() if parts & NOT_THE_FIELDS} == set(), module
