"""Text in pieces that can be compared: statements without their layout.

Two texts that differ in spaces, line breaks, comments, quotes or brackets have the same statements. `same_answers`
compares what does not depend on names and order either.
"""

from __future__ import annotations

import ast
import copy
import io
import json
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from grader.source.parsing import parse_text
from grader.source.syntax import all_nodes, inner_statements

BODIES = ("body", "orelse", "finalbody", "cases")
OPERATION_NODES = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.AugAssign)


@dataclass(frozen=True)
class FunctionPieces:
    """A function, or the code outside of functions (`name` is then ""). `statements` are {condensed text: mass}."""

    name: str
    statements: dict[str, int]

    @property
    def mass(self) -> int:
        return sum(self.statements.values())


@dataclass
class Pieces:
    """Of one text: its functions, and the rest of it (comments, strings, prose) condensed."""

    functions: list[FunctionPieces] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    words: frozenset[str] = frozenset()

    @property
    def statements(self) -> set[str]:
        return {statement for function in self.functions for statement in function.statements}


def condense(text: str) -> str:
    """Without space where none is needed to tell two words apart."""
    return re.sub(r"(?<!\w) | (?!\w)", "", re.sub(r"\s+", " ", text))


@lru_cache(1024)
def pieces_of(name: str, text: str) -> Pieces:
    """The pieces of a file, by the suffix of its name. They are not to be changed."""
    if name.endswith((".py", ".stub")):
        return python_pieces(text) or Pieces(sentences=[condense(text)], words=words_of(text))
    if name.endswith(".ipynb") and (found := notebook_pieces(text)):
        return found
    return Pieces(sentences=[condense(text)], words=words_of(text))


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def notebook_pieces(text: str) -> Pieces | None:
    try:
        cells = json.loads(text)["cells"]
        sources = [("".join(cell["source"]), cell["cell_type"] == "code") for cell in cells]
    except (ValueError, TypeError, KeyError):
        return None
    found = Pieces(words=words_of(text))
    for source, is_code in sources:
        cell = (python_pieces(source) if is_code else None) or Pieces(sentences=[condense(source)])
        found.functions += cell.functions
        found.sentences += cell.sentences
    return found


def python_pieces(text: str) -> Pieces | None:
    """None for a text that Python cannot parse."""
    tree = parse_text(text)
    if tree is None:
        return None
    definitions = [node for node in all_nodes(tree) if isinstance(node, ast.FunctionDef)]
    functions = [FunctionPieces(node.name, dict(statements(node.body))) for node in definitions]
    functions.append(FunctionPieces("", dict(statements(tree.body))))
    return Pieces(functions, [condense(sentence) for sentence in texts_and_comments(tree, text)], words_of(text))


def statements(body: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    """(condensed text, mass) of each statement, of a compound one its head; no imports, docstrings, definitions."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Pass)):
            continue
        if isinstance(node, ast.ClassDef):
            yield from statements(node.body)
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        inner = inner_statements(node)
        if not inner:
            yield condense(ast.unparse(node)), mass(node)
        elif not isinstance(node, ast.Try | ast.TryStar):
            head = without_body(node)
            yield condense(ast.unparse(head).partition("\n")[0]), mass(head) - 1
        yield from statements(inner)


def without_body(node: ast.stmt) -> ast.stmt:
    """A compound statement with `pass` in place of all that is below it."""
    head = copy.copy(node)
    for name in BODIES:
        if hasattr(head, name):
            setattr(head, name, [ast.Pass()] if name == "body" else [])
    return head


def mass(node: ast.AST) -> int:
    """How much a piece of code says: its names, operators, calls and constants."""
    found = 0
    for each in all_nodes(node):
        found += 1 + isinstance(each, OPERATION_NODES) + len(getattr(each, "ops", ()))
    return found


def texts_and_comments(tree: ast.Module, text: str) -> Iterator[str]:
    """Strings and comments; comments on lines that follow each other are one."""
    for node in all_nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    comment, last = "", 0
    if "#" not in text:
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if comment and token.start[0] != last + 1:
                yield comment
                comment = ""
            comment, last = f"{comment} {token.string[1:]}", token.start[0]
    if comment:
        yield comment
