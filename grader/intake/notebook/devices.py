"""A notebook that was run on a GPU, read as if it had been run on the CPU, where the grader's problems are."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence

from grader.source.syntax import all_nodes

ACCELERATOR = re.compile(r"(cuda|mps|xpu)(:\d+)?")


def on_the_cpu(body: Sequence[ast.stmt], text: str) -> list[ast.stmt]:
    """The statements of a cell with this text, with `"cpu"` for `"cuda"` or `"mps"`, and `.cpu()` for `.cuda()`."""
    if ACCELERATOR.search(text) is None:
        return [*body]
    changer = OnTheCpu()
    return [
        changer.visit(copy.deepcopy(each)) if any(names_accelerator(node) for node in all_nodes(each)) else each
        for each in body
    ]


def names_accelerator(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return ACCELERATOR.fullmatch(text) is not None
        case ast.Call(func=ast.Attribute(attr=name)):
            return ACCELERATOR.fullmatch(name) is not None
    return False


class OnTheCpu(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.copy_location(ast.Constant("cpu"), node) if names_accelerator(node) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not names_accelerator(node) or not isinstance(node.func, ast.Attribute):
            return node
        method = ast.copy_location(ast.Attribute(node.func.value, "cpu", ast.Load()), node.func)
        return ast.copy_location(ast.Call(method, [], []), node)
