"""Changed lines of the classes that a lesson checks: what an operation computes, and the way back, each with a mistake.

Only text is read: nothing here imports torch, and `source_reader()` calls these functions. Whether a changed file
behaves differently is for a run to say.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.defence.changed_lines import variants, wrong_templates
from grader.defence.file_lines import MAX_LINE_CHARACTERS_SHOWN, NO_FIXED_VALUE
from grader.source.parsing import parse_text

MAX_CLASS_CHANGES = 200


@dataclass(frozen=True)
class ClassChange:
    """The change of this number, in a method: what a question shows of it before and after, and what it does."""

    number: int
    owner: str
    method: str
    before: str
    after: str
    words: str


def class_changes(source: str, wanted: Sequence[str]) -> list[ClassChange]:
    """The changes in the methods of these classes, one per part of a line. A text that is not Python has none."""
    tree = parse_text(source)
    return [change for change, *_ in places_of_changes(tree, wanted)] if tree is not None else []


def with_class_change(source: str, wanted: Sequence[str], number: int) -> str:
    """The whole file with the change of this number."""
    for change, node, code in places_of_changes(ast.parse(source), wanted):
        if change.number == number:
            return with_expression(source, node, code)
    return ""


def places_of_changes(tree: ast.Module, wanted: Sequence[str]) -> list[tuple[ClassChange, ast.expr, str]]:
    """(change, the expression, what takes its place)"""
    found: list[tuple[ClassChange, ast.expr, str]] = []
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in wanted}
    for owner in classes.values():
        for method in owner.body:
            if isinstance(method, ast.FunctionDef):
                whole = ast.unparse(method)
                for node, shown in changeable(method):
                    code = ast.unparse(node)
                    before = shown.format(code=code)
                    if NO_FIXED_VALUE.search(code):
                        continue
                    is_shown = (
                        whole.count(before) == 1 and len(before) <= MAX_LINE_CHARACTERS_SHOWN and "\n" not in before
                    )
                    for variant in variants(code, wrong_templates) if is_shown else ():
                        after = shown.format(code=variant.code)
                        change = ClassChange(len(found), owner.name, method.name, before, after, variant.words)
                        found.append((change, node, variant.code))
    return found[:MAX_CLASS_CHANGES]


def changeable(method: ast.FunctionDef) -> Iterator[tuple[ast.expr, str]]:
    """(expression, how a question shows it, with {code} in its place): of lambdas, and of lines without any.

    A loop with a condition is left out: with a change, it may have no end.
    """
    loops = [inner for node in ast.walk(method) if isinstance(node, ast.While) for inner in ast.walk(node)]
    for node in ast.walk(method):
        if any(node is each for each in loops):
            continue
        if isinstance(node, ast.Lambda):
            yield node.body, f"lambda {with_doubled_braces(ast.unparse(node.args))}: {{code}}"
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Return)) and node.value is not None:
            if any(isinstance(inner, ast.Lambda) for inner in ast.walk(node.value)):
                continue
            code, line = ast.unparse(node.value), ast.unparse(node)
            yield node.value, with_doubled_braces(line.removesuffix(code)) + "{code}"


def with_doubled_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def with_expression(source: str, node: ast.expr, code: str) -> str:
    """The text with `code` in place of an expression of its tree."""
    lines = [line.encode() for line in io.StringIO(source)]
    assert node.end_lineno is not None and node.end_col_offset is not None
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = source.encode()
    return (whole[:start] + f"({code})".encode() + whole[end:]).decode()
