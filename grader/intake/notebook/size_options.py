"""Sizes that a notebook sets as options: `config["block_size"]`, `cfg.n_embd`, a parameter's default, an argument."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from grader.source.syntax import FunctionDefinition, all_nodes, last_name, literal_string, parameters

Option = tuple[str, ast.expr]


def options_of(statements: Iterable[ast.stmt]) -> dict[str, list[ast.expr]]:
    """{name of an option: the expressions that the text gives it}."""
    nodes = [node for statement in statements for node in all_nodes(statement)]
    positions = {
        node.name: [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        for node in nodes
        if isinstance(node, FunctionDefinition)
    }
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        for name, value in options_in(node, positions):
            found.setdefault(name, []).append(value)
    return found


def options_in(node: ast.AST, positions: dict[str, list[str]]) -> Iterator[Option]:
    """Those that one node sets; `positions` are the parameters of functions, to which arguments by position belong."""
    match node:
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                yield literal_string(key) or "" if key else "", value
        case ast.Call():
            called = last_name(node.func)
            yield from ((word.arg, word.value) for word in node.keywords if word.arg)
            yield from zip(positions.get(called, ()), node.args, strict=False)
            if called == "add_argument" and node.args:  # of argparse
                option = (literal_string(node.args[0]) or "").lstrip("-").replace("-", "_")
                yield from ((option, word.value) for word in node.keywords if word.arg == "default")
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from ((each.arg, default) for each, default in parameters(node) if default is not None)
        case ast.ClassDef():
            for each in node.body:
                match each:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value):
                        yield name, value
                    case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as given):
                        yield name, given
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target]):
            yield option_name(target) or "", node.value


def option_name(node: ast.expr) -> str | None:
    """`block_size` of `config["block_size"]` and `cfg.block_size`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return literal_string(node.slice) if isinstance(node, ast.Subscript) else None
