"""The statements of a notebook in the order in which they run: blocks and called functions are opened in place.

The statements of `with`, `try`, a main guard and marimo cells take the place of the block. A loop, a side of an `if` or
a called function is opened if it contains a part of the pass: it assigns at least MIN_NAMES of the lesson's names, or
its results are several gradients, or it declares a gradient as global.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from grader.source.syntax import all_nodes, is_marimo_cell, last_name, names_in, nested_statements, parameters

MIN_NAMES = 3
"""A loop or function that assigns fewer of the lesson's names is a part of one gradient."""
MAX_DEPTH = 12  # calls inside calls
HARMLESS_DECORATORS = frozenset({"no_grad", "inference_mode", "enable_grad"})


class OpenedStatement(NamedTuple):
    """`loop` is the number of the outermost opened loop around it; `functions` are those whose bodies are around it."""

    node: ast.stmt
    file: str
    loop: int | None = None
    functions: tuple[str, ...] = ()


class Inliner:
    """Opens the blocks and calls of one notebook for one lesson; `opened` are the functions that were opened."""

    def __init__(
        self, cells: Iterable[tuple[str, Sequence[ast.stmt]]], gradients: Collection[str], values: Collection[str]
    ) -> None:
        """`gradients` and `values` are the names that tell the backward and the forward pass."""
        self.gradients, self.values = frozenset(gradients), frozenset(values)
        self.opened: set[str] = set()
        self._loops = 0
        self._functions: dict[str, tuple[str, ast.FunctionDef]] = {}  # by name: the last one so far, or the first below
        waiting = [(file, node) for file, body in cells for node in body][::-1]
        while waiting:
            file, node = waiting.pop()
            if isinstance(node, ast.FunctionDef) and not is_marimo_cell(node):
                self._functions.setdefault(node.name, (file, node))
            else:
                waiting += [(file, each) for each in reversed(statements_of_block(node) or ())]

    def statements(self, file: str, body: Iterable[ast.stmt]) -> Iterator[OpenedStatement]:
        """The statements of the next cell."""
        waiting = [OpenedStatement(node, file) for node in body][::-1]
        while waiting:
            item = waiting.pop()
            inside = self._inside(item)
            if inside is None:
                if isinstance(item.node, ast.FunctionDef):
                    self._functions[item.node.name] = item.file, item.node
                yield item
            else:
                waiting += reversed(inside)

    def _inside(self, item: OpenedStatement) -> list[OpenedStatement] | None:
        """What takes the place of a statement; None where it stays."""
        node = item.node
        block = statements_of_block(node)
        if block is not None:
            return [item._replace(node=each) for each in block]
        match node:
            case ast.If():
                side = self._side(node)
                return None if side is None else [item._replace(node=each) for each in side]
            case ast.For() | ast.While() if node.body and self._has_pass([node], self.gradients):
                self._loops += item.loop is None
                inner = item._replace(loop=item.loop or self._loops)
                first = [binder(node.target, node)] if isinstance(node, ast.For) else []
                return [inner._replace(node=each) for each in (*first, *node.body, *node.orelse)]
            case ast.Expr(value=ast.Call() as call):
                return self._called(item, call, None)
            case ast.Assign(targets=[target], value=ast.Call() as call):
                return self._called(item, call, target)
            case ast.Assign(targets=[ast.Tuple() as target], value=ast.Tuple() as value):
                parts = assignments(target, value, node)
                return [item._replace(node=each) for each in parts] if len(parts) > 1 else None
        return None

    def _side(self, node: ast.If) -> list[ast.stmt] | None:
        """The side that the text decides on, or the only one with a part of the backward pass."""
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        sides = [side for side in (node.body, node.orelse) if self._has_pass(side, self.gradients)]
        return sides[0] if len(sides) == 1 else None

    def _has_pass(self, nodes: Iterable[ast.AST], names: Collection[str]) -> bool:
        """Whether the code assigns at least MIN_NAMES of the names, in the functions that it calls as well."""
        found, called, waiting = set[str](), set[str](), [*nodes]
        while waiting:
            for node in all_nodes(waiting.pop()):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
                    found.add(node.id)
                    if len(found) >= MIN_NAMES:
                        return True
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in called:
                    called.add(node.func.id)
                    waiting += self._functions.get(node.func.id, ())[1:]
        return False

    def _called(self, item: OpenedStatement, call: ast.Call, target: ast.expr | None) -> list[OpenedStatement] | None:
        """The body of the function that is called, below assignments to its parameters; None where the call stays.

        It stays where the function is one formula: a step can have that as it is.
        """
        name = last_name(call.func) if isinstance(call.func, ast.Name) else ""
        if name not in self._functions or name in item.functions or len(item.functions) >= MAX_DEPTH:
            return None
        file, function = self._functions[name]
        given = arguments_of(function, call) if can_be_opened(function) else None
        shared = {name for each in function.body if isinstance(each, ast.Global) for name in each.names}
        is_part = (
            self._has_pass([function], self.gradients)
            or (target is not None and self._has_pass([function], self.values))
            or not self.gradients.isdisjoint(names_in(target) if isinstance(target, ast.Tuple) else shared)
        )
        if given is None or not is_part:
            return None
        self.opened.add(name)
        names: list[ast.expr] = [ast.Name(each, ast.Store()) for each in given]
        first = assignments(ast.Tuple(names, ast.Store()), ast.Tuple([*given.values()], ast.Load()), call)
        body = [each for each in function.body if not isinstance(each, ast.Global | ast.Nonlocal)]
        result = body.pop() if body and isinstance(body[-1], ast.Return) else None
        value = result.value if isinstance(result, ast.Return) else None
        last = [] if target is None or value is None else assignments(target, value, result or call)
        functions = (*item.functions, name)  # also of the arguments: a default value may call the function itself
        inner = item._replace(file=file, functions=functions)
        return [
            *(item._replace(node=each, functions=functions) for each in first),
            *(inner._replace(node=each) for each in (*body, *last)),
        ]


def statements_of_block(node: ast.stmt) -> list[ast.stmt] | None:
    """The statements of a block that changes nothing about them; None for any other statement."""
    if isinstance(node, ast.If) and "__name__" in names_in(node.test):
        return node.body
    if isinstance(node, ast.With):
        named = [item.optional_vars for item in node.items if item.optional_vars is not None]
        return [*(binder(each, node) for each in named), *node.body]
    if isinstance(node, ast.Try) and not any(isinstance(each, ast.Import | ast.ImportFrom) for each in node.body):
        return [*node.body, *node.orelse, *node.finalbody]
    return [each for each in node.body if not isinstance(each, ast.Return)] if is_marimo_cell(node) else None


def binder(target: ast.expr, node: ast.stmt) -> ast.stmt:
    """A loop without a body: it binds its target to what the text does not say."""
    return ast.copy_location(ast.For(target=target, iter=ast.Tuple(elts=[], ctx=ast.Load()), body=[], orelse=[]), node)


def is_binder(node: ast.stmt) -> bool:
    return isinstance(node, ast.For) and not node.body


def assignments(target: ast.expr, value: ast.expr, at: ast.stmt | ast.expr) -> list[ast.stmt]:
    """`target = value`, as one statement for each name where no value reads an earlier name; none for `h = h`."""
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = [*zip(target.elts, value.elts, strict=True)]
    pairs = [(to, of) for to, of in pairs if ast.unparse(to) != ast.unparse(of)]
    assigned = [names_in(to) for to, _ in pairs]
    if any(names_in(of) & set[str]().union(*assigned[:k]) for k, (_, of) in enumerate(pairs)):
        pairs = [(target, value)]
    made = [ast.Assign([to], of) for to, of in pairs]
    return [ast.fix_missing_locations(ast.copy_location(each, at)) for each in made]


# Functions that are called ------------------------------------------------------------------------------------------


def can_be_opened(function: ast.FunctionDef) -> bool:
    """Whether the function returns at its end only, and nothing is around it that changes what it does."""
    decorators = [last_name(each.func if isinstance(each, ast.Call) else each) for each in function.decorator_list]
    returns = [each for each in nested_statements(function.body) if isinstance(each, ast.Return)]
    return (
        {*decorators} <= HARMLESS_DECORATORS
        and function.args.vararg is function.args.kwarg is None
        and not any(isinstance(each, ast.Yield | ast.YieldFrom) for each in all_nodes(function))
        and (not returns or returns == function.body[-1:])
    )


def arguments_of(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """{parameter: the expression that a call gives it}; None where the text does not say it."""
    names = [each.arg for each, _ in parameters(function)]
    given = {each.arg: default for each, default in parameters(function) if default is not None}
    given |= dict(zip(names, call.args, strict=False))
    given |= {word.arg: word.value for word in call.keywords if word.arg is not None}
    is_clear = len(call.args) <= len(names) and not any(isinstance(each, ast.Starred) for each in call.args)
    return given if is_clear and given.keys() == {*names} else None
