"""The small expressions in some code, without names: only a function that has those of a known mistake may have it."""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Iterable
from itertools import islice

from grader.source.parsing import parse_text
from grader.source.syntax import all_nodes

TOO_SMALL = (ast.Name, ast.Constant, ast.Starred, ast.Slice, ast.UnaryOp, ast.Attribute)
"""They are in every function."""
TELLING = (ast.Call, ast.Constant, ast.Subscript)
"""A piece has one of these: `_ - _` and `(_, _)` are in every function, too."""
MAX_PIECE_NODES = 6
"""Nodes of a piece."""


def pieces_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The pieces of some statements. Names of functions that are called stay."""
    found: set[str] = set()
    for node in (each for statement in nodes for each in all_nodes(statement)):
        if not isinstance(node, ast.expr) or isinstance(node, TOO_SMALL):
            continue
        inside = list(islice(all_nodes(node), MAX_PIECE_NODES + 1))
        if len(inside) <= MAX_PIECE_NODES and any(isinstance(each, TELLING) for each in inside):
            found.add(ast.unparse(Nameless().visit(copy.deepcopy(node))))
    return found


def pieces_of_text(text: str) -> set[str]:
    """The pieces of some lines; none where they are not Python on their own."""
    lines = textwrap.dedent(text)
    tree = parse_text(lines) or parse_text(f"{lines}\n    pass")
    return pieces_in(tree.body) if tree is not None else set()


class Nameless(ast.NodeTransformer):
    """`_` for each name."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        self.generic_visit(node)
        node.func = function if isinstance(function, ast.Name) else node.func
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("_", node.ctx)
