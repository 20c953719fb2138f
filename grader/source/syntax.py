"""Small questions about syntax trees: kinds of node, children, names, parameters, literals."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeGuard

FunctionDefinition = ast.FunctionDef | ast.AsyncFunctionDef
FunctionNode = FunctionDefinition | ast.Lambda
DefinitionNode = FunctionDefinition | ast.ClassDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Block = ast.stmt | ast.ExceptHandler | ast.match_case
LEAVES = frozenset({"ctx", "op", "ops", "id", "attr"})
_fields_with_nodes: dict[type, tuple[str, ...]] = {}  # {a kind of node: its fields that may hold nodes}


def children(node: ast.AST) -> list[ast.AST]:
    """As ast.iter_child_nodes, without contexts (Load, Store) and operators, and in half the time."""
    found: list[ast.AST] = []
    kind = type(node)
    if kind not in _fields_with_nodes:
        _fields_with_nodes[kind] = tuple(name for name in kind._fields if name not in LEAVES)
    for name in _fields_with_nodes[kind]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
    return found


def all_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """As ast.walk, without contexts and operators."""
    waiting = [tree]
    while waiting:
        yield (node := waiting.pop())
        waiting += children(node)


def nested_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements and those of the blocks in them, in order, without those of functions and classes."""
    for statement in body:
        yield statement
        if not isinstance(statement, DefinitionNode):
            yield from nested_statements(inner_statements(statement))


def inner_statements(block: Block) -> list[ast.stmt]:
    """The statements of its blocks, also of `except` handlers and `match` cases, in the order of the text."""
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(block):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, Block):
            found += inner_statements(child)
    return found


def first_statement(function: FunctionDefinition) -> ast.stmt | None:
    """The first statement that is no docstring and no `...`."""
    return next((each for each in function.body if not is_text(each)), None)


def is_text(node: ast.stmt) -> bool:
    """Whether it is a docstring, or `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def only_raises(function: FunctionDefinition) -> bool:
    """Whether a function begins with `raise NotImplementedError`, in any spelling, as a stub does."""
    first = first_statement(function)
    return first is not None and is_stub_raise(first)


def is_stub_raise(statement: ast.stmt) -> bool:
    """Whether it is `raise NotImplementedError`, with a text or without."""
    raised = statement.exc if isinstance(statement, ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return raised is not None and last_name(raised) == "NotImplementedError"


def names_in(tree: ast.AST) -> set[str]:
    """All names in a tree, read or assigned."""
    return {node.id for node in all_nodes(tree) if isinstance(node, ast.Name)}


def stored_names(tree: ast.AST) -> set[str]:
    """Names that are assigned in a tree, without those of nested functions, classes and comprehensions."""
    found: set[str] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, DefinitionNode | ast.Lambda | Comprehension):
            waiting += children(node)
    return found


def last_name(node: ast.AST) -> str:
    """`full` of `torch.full` and of `full`; "" unless it is an attribute or a name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def base_of(node: ast.AST) -> ast.AST:
    """`x` of `x`, `x[i]` and `x.part`."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node


def base_name(node: ast.AST) -> str:
    """The name of `base_of`; "" where that is not a name."""
    base = base_of(node)
    return base.id if isinstance(base, ast.Name) else ""


def parameters(function: FunctionNode) -> list[tuple[ast.arg, ast.expr | None]]:
    """(parameter, its default value or None) of a function."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    found: list[tuple[ast.arg, ast.expr | None]] = [*zip(positional, defaults, strict=True)]
    found += zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return [*found, *((each, None) for each in (given.vararg, given.kwarg) if each is not None)]


def evaluated_outside(node: DefinitionNode | ast.Lambda) -> list[ast.expr]:
    """The parts of a definition that are evaluated in the scope around it: default values, decorators, base classes."""
    found: list[ast.expr] = []
    if isinstance(node, FunctionNode):
        found += [*node.args.defaults, *(value for value in node.args.kw_defaults if value is not None)]
    if isinstance(node, DefinitionNode):
        found += node.decorator_list
    if isinstance(node, ast.ClassDef):
        found += node.bases
    return found


class WrittenNumber(NamedTuple):
    """A number as a literal: its value, the file as messages show it, and the line, counted from 1.

    `is_count`: no literal, but how many parts are written one by one, as 3 in `x[0]`, `x[1]`, `x[2]`.
    """

    value: float
    file: str
    line: int
    is_count: bool = False


def is_marimo_cell(node: ast.AST) -> TypeGuard[FunctionDefinition]:
    """Whether it is a cell of a notebook that marimo saved as a Python file: a function marked `@app.cell`."""
    marks = node.decorator_list if isinstance(node, FunctionDefinition) else []
    called = [mark.func if isinstance(mark, ast.Call) else mark for mark in marks]
    return any(isinstance(mark, ast.Attribute) and mark.attr == "cell" for mark in called)
