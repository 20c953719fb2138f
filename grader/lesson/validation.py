"""Faults of a lesson that are found in its files without running them, in milliseconds, before every run.

`grade verify` finds these faults and more, because it runs the lesson. A fault is reported here only where the text
leaves no doubt. A suite that creates its tests with `setattr`, for example, is left to `grade verify`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from grader.lesson.lesson import Item, Lesson, LessonError

DYNAMIC = {"globals", "locals", "vars", "setattr", "exec", "eval", "__import__"}
"""Functions that can bind names which do not appear in the text."""
FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef)


def lesson_faults(lesson: Lesson) -> Iterator[str]:
    """Yield a sentence for each fault, in the words of `grade verify`."""
    try:
        suite = lesson.suite
    except LessonError as error:
        yield str(error)
        return
    try:
        tests = bound_tests(parse_module(suite))
        for path in (lesson.solution / "backward.py", lesson.solution / "mistakes.py"):
            if path.is_file():
                parse_module(path)
        forward = parse_module(lesson.exercise / "forward.py") if lesson.gradients else None
    except LessonError as error:
        yield str(error)
        return
    if tests is not None:
        yield from row_faults(lesson, (name for name, is_check in tests.items() if is_check is not False), tests)
    if forward is not None:
        named = value_names(forward)
        for item in lesson.gradients:
            if named is not None and item.target not in named:
                yield no_value(item)


def row_faults(lesson: Lesson, tests: Iterable[str], sure: Mapping[str, bool | None] | None = None) -> Iterator[str]:
    """Rows of lesson.toml without a check in the hidden suite, and checks without a row.

    `tests` are the names of the suite's checks without `test_`. Of those in `sure`, only the ones with True certainly
    are checks.
    """
    known, suite = set(tests), lesson.suite.name
    rows = {item.name for item in lesson.checks}
    for item in lesson.checks:
        if item.name not in known:
            yield f"{suite}: no test_{item.name}(check) for the row [checks.{item.name}] of lesson.toml."
    for name in sorted(known - rows):
        if sure is None or sure.get(name):
            yield f"{suite}: test_{name} has no row [checks.{name}] in lesson.toml."


def no_value(item: Item) -> str:
    return f"lesson.toml asks for {item.name}, but forward.py names no value `{item.target}`."


def parse_module(path: Path) -> ast.Module:
    """Raises LessonError when the file is missing or is not Python."""
    if not path.is_file():
        raise LessonError(f"{path} is missing: every lesson needs one.")
    try:
        return ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError, OSError) as error:
        raise LessonError(f"{path} does not run: {type(error).__name__}: {error}") from error


def is_dynamic(tree: ast.AST) -> bool:
    """Whether names may be bound that the text does not show."""
    return any(
        (isinstance(node, ast.Name) and node.id in DYNAMIC)
        or (isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names))
        for node in ast.walk(tree)
    )


def bound_tests(suite: ast.Module) -> dict[str, bool | None] | None:
    """{name without `test_`: whether it is a check} for what a suite binds; None where the text does not say.

    A value is None where something is bound that may be a check or not: by a decorator, an import or an assignment.
    """
    if is_dynamic(suite):
        return None
    found: dict[str, bool | None] = {}
    for node in ast.walk(suite):
        names: list[str] = []
        if isinstance(node, (*FUNCTION_NODES, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names = [node.id]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.asname or alias.name for alias in node.names]
        found |= dict.fromkeys(name.removeprefix("test_") for name in names if name.startswith("test_"))
    for node in suite.body:
        if isinstance(node, FUNCTION_NODES) and node.name.startswith("test_") and not node.decorator_list:
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            found[node.name.removeprefix("test_")] = any(argument.arg == "check" for argument in arguments)
    return found


def value_names(forward: ast.Module) -> set[str] | None:
    """Every word in forward.py that may name a value; None where names may be computed or come from another file."""
    own = {node.name: node for node in forward.body if isinstance(node, FUNCTION_NODES)}
    if is_dynamic(forward) or not {"forward", "inputs"} <= own.keys():
        return None
    named: set[str] = set()
    attributes_of: set[int] = set()
    tapes = {argument.arg for argument in own["forward"].args.args[:1]}
    for node in ast.walk(forward):
        if isinstance(node, (ast.JoinedStr, ast.DictComp)):
            return None
        if isinstance(node, ast.BinOp) and any(is_string_constant(operand) for operand in (node.left, node.right)):
            return None
        if isinstance(node, ast.Attribute):
            if node.attr in ("format", "join"):
                return None
            named.add(node.attr)
            attributes_of.add(id(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named.update(node.value.replace(",", " ").split())
        elif isinstance(node, ast.Name):
            named.add(node.id)
        elif isinstance(node, (ast.arg, ast.keyword)) and node.arg:
            named.add(node.arg)
    for node in ast.walk(own["forward"]):  # another function that gets the tape may set names
        if isinstance(node, ast.Name) and node.id in tapes and id(node) not in attributes_of:
            return None
    return named


def is_string_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
