"""The statements of a notebook in the order in which they run: blocks and called functions are opened in place.

The statements of `with`, `try`, a main guard and marimo cells take the place of the block. A loop, a side of an `if` or
a called function is opened if it contains a part of the pass: it assigns at least MIN_NAMES of the lesson's names, or
its results are several gradients, or it has no result and assigns a gradient that is assigned nowhere else.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from grader.source.syntax import (
    DefinitionNode,
    all_nodes,
    children,
    is_marimo_cell,
    last_name,
    names_in,
    parameters,
    stored_names,
)

MIN_NAMES = 3
"""A loop or function that assigns fewer of the lesson's names is a part of one gradient."""
MAX_DEPTH = 12  # calls inside calls
HARMLESS_DECORATORS = frozenset({"no_grad", "inference_mode", "enable_grad"})


class OpenedStatement(NamedTuple):
    """`loop` is the number of the outermost opened loop around the statement."""

    node: ast.stmt
    file: str
    loop: int | None


class _Waiting(NamedTuple):
    """`is_ready`: not opened any further. `functions` are those whose bodies are around it."""

    node: ast.stmt
    file: str
    loop: int | None = None
    functions: tuple[str, ...] = ()
    is_ready: bool = False


class Inliner:
    """Opens the blocks and calls of one notebook for one lesson; `opened` are the functions that were opened."""

    def __init__(
        self, cells: Iterable[tuple[str, Sequence[ast.stmt]]], gradients: Collection[str], values: Collection[str]
    ) -> None:
        """`gradients` and `values` are the names that tell the backward and the forward pass."""
        self.gradients, self.values = frozenset(gradients), frozenset(values)
        self.opened: set[str] = set()
        self._loops = 0
        self._functions: dict[str, list[tuple[str, ast.FunctionDef]]] = {}
        self._passed: dict[str, int] = {}  # {function: how many of its definitions are above}
        self._outside: set[str] = set()  # names that are bound outside of functions
        waiting = [(file, node) for file, body in cells for node in body][::-1]
        while waiting:
            file, node = waiting.pop()
            if (inside := statements_of_block(node)) is not None:
                waiting += [(file, each) for each in reversed(inside)]
            elif isinstance(node, ast.FunctionDef):
                self._functions.setdefault(node.name, []).append((file, node))
            else:
                self._outside |= stored_names(node)

    def statements(self, file: str, body: Iterable[ast.stmt]) -> Iterator[OpenedStatement]:
        """The statements of the next cell."""
        waiting = [_Waiting(node, file) for node in body][::-1]
        while waiting:
            item = waiting.pop()
            inside = None if item.is_ready else self._inside(item)
            if inside is None:
                if isinstance(item.node, ast.FunctionDef):
                    self._passed[item.node.name] = self._passed.get(item.node.name, 0) + 1
                yield OpenedStatement(item.node, item.file, item.loop)
            else:
                waiting += reversed(inside)

    def _inside(self, item: _Waiting) -> list[_Waiting] | None:
        """What takes the place of a statement; None where it stays."""
        node = item.node
        block = statements_of_block(node)
        if block is not None:
            return [item._replace(node=each) for each in block]
        match node:
            case ast.With():
                binders = [binder(each.optional_vars, node) for each in node.items if each.optional_vars is not None]
                ready = [item._replace(node=each, is_ready=True) for each in binders]
                return ready + [item._replace(node=each) for each in node.body]
            case ast.If():
                side = self._side(node)
                return None if side is None else [item._replace(node=each) for each in side]
            case ast.For() | ast.While() if self._has_pass([node], self.gradients):
                self._loops += item.loop is None
                inner = item._replace(loop=item.loop or self._loops)
                first = (
                    [inner._replace(node=binder(node.target, node), is_ready=True)] if isinstance(node, ast.For) else []
                )
                return first + [inner._replace(node=each) for each in (*node.body, *node.orelse)]
            case ast.Expr(value=ast.Call() as call):
                return self._called(item, call, None)
            case ast.Assign(targets=[target], value=ast.Call() as call):
                return self._called(item, call, target)
            case ast.Assign(targets=[target], value=value) if not self.gradients.isdisjoint(stored_names(target)):
                parts = split_assignment(target, value, node)
                return [item._replace(node=each, is_ready=True) for each in parts] if len(parts) > 1 else None
        return None

    def _side(self, node: ast.If) -> list[ast.stmt] | None:
        """The side that the text decides on, or the only one with a part of the backward pass."""
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        sides = [side for side in (node.body, node.orelse) if self._has_pass(side, self.gradients)]
        other = node.orelse if sides and sides[0] is node.body else node.body
        has_other = any(not self.gradients.isdisjoint(stored_names(each)) for each in other)
        return sides[0] if len(sides) == 1 and not has_other else None

    def _function(self, name: str) -> tuple[str, ast.FunctionDef] | None:
        """The definition that a call finds, with its file: the last one above it, or one from a cell further down."""
        found = self._functions.get(name)
        return found[self._passed.get(name, 0) - 1] if found else None

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
                    definition = self._function(node.func.id)
                    waiting += definition[1:] if definition else ()
        return False

    def _is_part(self, function: ast.FunctionDef, target: ast.expr | None) -> bool:
        """Whether a call is a part of the pass: not one formula, whose function a step can have as it is."""
        if self._has_pass([function], self.gradients):
            return True
        if target is None:
            own = self.gradients & set[str]().union(*map(stored_names, function.body))
            return bool(own) and own.isdisjoint(self._outside) and not isinstance(function.body[-1], ast.Return)
        several = isinstance(target, ast.Tuple | ast.List) and not self.gradients.isdisjoint(stored_names(target))
        return several or self._has_pass([function], self.values)

    def _called(self, item: _Waiting, call: ast.Call, target: ast.expr | None) -> list[_Waiting] | None:
        """The body of the function that is called, with the call's arguments; None where the call stays."""
        name = last_name(call.func) if isinstance(call.func, ast.Name) else ""
        definition = self._function(name)
        if definition is None or name in item.functions or len(item.functions) >= MAX_DEPTH:
            return None
        file, function = definition
        given = arguments_of(function, call) if can_be_opened(function) else None
        if given is None or not self._is_part(function, target):
            return None
        self.opened.add(name)
        body = [each for each in function.body if not isinstance(each, ast.Global | ast.Nonlocal)]
        stored = {each for node in body for each in stored_names(node)}
        known = self.gradients | self.values
        new = {
            parameter: value.id
            for parameter, value in given.items()
            if isinstance(value, ast.Name) and stored.isdisjoint((parameter, value.id))
            if parameter.isidentifier() and (value.id in known or parameter not in known)
        }
        first = [
            each
            for parameter, value in given.items()
            if parameter not in new
            for each in split_assignment(target_of(parameter), value, call)
        ]
        inner = item._replace(file=file, functions=(*item.functions, name))
        renamer = Renamer(new)
        body = [renamer.visit(copy.deepcopy(each)) for each in body] if new else body
        result = body.pop() if body and isinstance(body[-1], ast.Return) else None
        value = result.value if isinstance(result, ast.Return) else None
        last = [] if target is None or value is None else split_assignment(target, value, result or call)
        return [
            *(item._replace(node=each, is_ready=True) for each in first),
            *(inner._replace(node=each) for each in (*body, *last)),
        ]


def statements_of_block(node: ast.stmt) -> list[ast.stmt] | None:
    """The statements of a block that changes nothing about them; None for any other statement."""
    if isinstance(node, ast.If) and "__name__" in names_in(node.test):
        return node.body
    if isinstance(node, ast.With) and all(item.optional_vars is None for item in node.items):
        return node.body
    if isinstance(node, ast.Try) and not any(isinstance(each, ast.Import | ast.ImportFrom) for each in node.body):
        return [*node.body, *node.orelse, *node.finalbody]
    return [each for each in node.body if not isinstance(each, ast.Return)] if is_marimo_cell(node) else None


def binder(target: ast.expr, node: ast.stmt) -> ast.stmt:
    """A loop without a body: it binds its target, and nobody can say to what."""
    return ast.copy_location(ast.For(target=target, iter=ast.Tuple(elts=[], ctx=ast.Load()), body=[], orelse=[]), node)


def is_binder(node: ast.stmt) -> bool:
    return isinstance(node, ast.For) and not node.body


def split_assignment(target: ast.expr, value: ast.expr, at: ast.stmt | ast.expr) -> list[ast.stmt]:
    """`target = value` as one statement for each name, where no value reads an earlier one; none for `h = h`."""
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        stars = any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts))
        if len(target.elts) == len(value.elts) and not stars:
            pairs = [*zip(target.elts, value.elts, strict=True)]
    pairs = [
        (to, of) for to, of in pairs if not (isinstance(to, ast.Name) and isinstance(of, ast.Name) and to.id == of.id)
    ]
    before = set[str]()
    for to, of in pairs:
        if not before.isdisjoint(names_in(of)):
            pairs = [(target, value)]
            break
        before |= names_in(to)
    return [
        ast.fix_missing_locations(ast.copy_location(ast.Assign([to], of), of if len(pairs) > 1 else at))
        for to, of in pairs
    ]


# Functions that are called ------------------------------------------------------------------------------------------


def can_be_opened(function: ast.FunctionDef) -> bool:
    """Whether the function returns at its end only, and nothing is around it that changes what it does."""
    decorators = [last_name(each.func if isinstance(each, ast.Call) else each) for each in function.decorator_list]
    own: list[ast.AST] = []
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        own.append(waiting.pop())
        waiting += () if isinstance(own[-1], DefinitionNode | ast.Lambda) else children(own[-1])
    returns = [each for each in own if isinstance(each, ast.Return)]
    return (
        {*decorators} <= HARMLESS_DECORATORS
        and function.args.vararg is function.args.kwarg is None
        and not any(isinstance(each, ast.Yield | ast.YieldFrom) for each in own)
        and (not returns or returns == function.body[-1:])
    )


def arguments_of(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """{parameter: the expression that a call gives it}; None where nobody can say.

    A list that is unpacked as the last argument has the parameters that are left, in one key: {"a, b": the list}.
    """
    names = [each.arg for each, _ in parameters(function)]
    given = {each.arg: default for each, default in parameters(function) if default is not None}
    places = [*call.args]
    rest = places.pop() if places and isinstance(places[-1], ast.Starred) else None
    words = {word.arg: word.value for word in call.keywords if word.arg is not None}
    if len(places) > len(names) or any(isinstance(each, ast.Starred) for each in places):
        return None
    if len(words) < len(call.keywords) or not words.keys() <= {*names[len(places) :]}:
        return None
    given |= dict(zip(names, places, strict=False)) | words
    left = [each for each in names if each not in given]
    if isinstance(rest, ast.Starred) and left:
        return {**given, ", ".join(left): rest.value}
    return given if not left and rest is None else None


def target_of(names: str) -> ast.expr:
    """The names of a parameter, or of several, to assign to."""
    parts: list[ast.expr] = [ast.Name(each, ast.Store()) for each in names.split(", ")]
    return ast.Tuple(parts, ast.Store()) if len(parts) > 1 else parts[0]


class Renamer(ast.NodeTransformer):
    """Gives variables other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self._names.get(node.id, node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._names.get(node.arg, node.arg)
        return node
