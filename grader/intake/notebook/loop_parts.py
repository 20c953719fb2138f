"""Loops that compute several gradients element by element: what is left of one for the step of one gradient.

    for row in range(n):
        dlogit_maxes[row] = -dnorm_logits[row].sum()
        dlogits[row, logits[row].argmax()] += dlogit_maxes[row, 0]

The step of `dlogits` is given `dlogit_maxes`, so that a mistake in one does not make the other wrong. The line that
fills it is left out where what the loop reads of it is final: an element that was filled earlier in the same round, and
that no other round fills. Everywhere else the loop stays whole, as reading what is half done is a mistake of the step.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from grader.source.syntax import all_nodes, base_of, names_in, stored_names

SAFE_FUNCTIONS = frozenset({"sum", "float", "abs", "min", "max"})
"""Functions that do not change what they are called on."""


def without_other_gradients(loop: ast.For, others: Collection[str]) -> tuple[ast.For, frozenset[str]]:
    """The loop without the statements that fill others of the gradients, and which these are."""
    left_out: set[str] = set()
    while found := [name for name in sorted(set(others) - left_out) if can_be_left_out(loop, name)]:
        left_out.add(found[0])
        loop = without(loop, found[0])
    return loop, frozenset(left_out)


def can_be_left_out(loop: ast.For, name: str) -> bool:
    """Whether the loop fills the gradient, and reads nothing of it that is not final."""
    uses = LoopUses(name)
    uses.visit([loop], ())
    if not uses.stores or uses.is_unclear:
        return False
    if not uses.reads:
        return True
    first = uses.stores[0]
    if any(store.block != first.block or store.index != first.index for store in uses.stores):
        return False
    bound = [target for node in all_nodes(loop) for target in names_stored_by(node)]
    return (
        None not in first.rounds
        and {each for each in first.rounds if each is not None} <= set(first.index)
        and all(bound.count(each) == 1 for each in first.rounds if each is not None)
        and all(is_plain_index(each) for each in first.elements)
        and all(follows(read, uses.stores) for read in uses.reads)
    )


@dataclass(frozen=True)
class Element:
    """A place where a loop fills or reads an element of a gradient.

    Attributes:
        path: the blocks around it, from the loop's own inwards, each with the place of the statement in it.
        elements: the expressions in its index; `index` are their texts.
        rounds: the variables of the loops around it; None for a loop of which no variable numbers the rounds.
    """

    path: tuple[tuple[int, int], ...]
    elements: Sequence[ast.expr]
    rounds: tuple[str | None, ...]

    @property
    def block(self) -> tuple[tuple[int, int], ...]:
        return (*self.path[:-1], (self.path[-1][0], 0))

    @property
    def index(self) -> list[str]:
        return [ast.unparse(each) for each in self.elements]


def follows(read: Element, stores: Sequence[Element]) -> bool:
    """Whether the read is of a part of what all the stores fill, in a later statement of their block."""
    first = stores[0]
    if read.index[: len(first.index)] != first.index or len(read.path) < len(first.path):
        return False
    at = read.path[len(first.path) - 1]
    return read.path[: len(first.path) - 1] == first.path[:-1] and all(
        at[0] == store.path[-1][0] and at[1] > store.path[-1][1] for store in stores
    )


@dataclass
class LoopUses:
    """Where a loop fills and reads a gradient; `is_unclear` where it does something else with it."""

    name: str
    stores: list[Element] = field(default_factory=list)
    reads: list[Element] = field(default_factory=list)
    is_unclear: bool = False

    def visit(
        self, block: Sequence[ast.stmt], path: tuple[tuple[int, int], ...], rounds: tuple[str | None, ...] = ()
    ) -> None:
        for place, statement in enumerate(block):
            here = (*path, (id(block), place))
            match statement:
                case ast.For(iter=iterable, body=body, orelse=[]):
                    self.is_unclear |= self.name in names_in(iterable)
                    self.visit(body, here, (*rounds, round_variable(statement)))
                case ast.If(test=test, body=body, orelse=orelse):
                    self.is_unclear |= self.name in names_in(test)
                    self.visit(body, here, rounds)
                    self.visit(orelse, here, rounds)
                case ast.Assign() | ast.AugAssign():
                    self.assignment(statement, here, rounds)
                case _:
                    self.is_unclear |= self.name in names_in(statement)

    def assignment(
        self, statement: ast.Assign | ast.AugAssign, path: tuple[tuple[int, int], ...], rounds: tuple[str | None, ...]
    ) -> None:
        target = single_target(statement)
        if fills_only(statement, self.name):
            elements = index_of(target) if isinstance(target, ast.Subscript) else []
            self.stores.append(Element(path, elements, rounds))
            parts: list[ast.AST] = [statement.value, *elements]
            self.is_unclear |= any(self.name in names_in(part) for part in parts)
            return
        if self.name not in names_in(statement):
            return
        elements_read = {
            id(node.value): index_of(node)
            for node in all_nodes(statement)
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == self.name
        }
        mentions = [node for node in all_nodes(statement) if isinstance(node, ast.Name) and node.id == self.name]
        if may_change(statement, self.name) or any(id(node) not in elements_read for node in mentions):
            self.is_unclear = True
        self.reads += [Element(path, elements, rounds) for elements in elements_read.values()]


def single_target(statement: ast.Assign | ast.AugAssign) -> ast.expr | None:
    if isinstance(statement, ast.AugAssign):
        return statement.target
    return statement.targets[0] if len(statement.targets) == 1 else None


def fills_only(statement: ast.stmt, name: str) -> bool:
    """Whether all that the statement does is to fill elements of the gradient, or to add to it."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=base))]):
            return base == name
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=base)) | ast.Name(id=base)):
            return base == name
    return False


def may_change(statement: ast.Assign | ast.AugAssign, name: str) -> bool:
    """Whether a statement that reads the gradient may change it, or give a part of it another name."""
    target, value = single_target(statement), base_of(statement.value)
    if not isinstance(target, ast.Subscript) and isinstance(value, ast.Name) and value.id == name:
        return True
    if name in stored_names(statement):
        return True
    for node in all_nodes(statement):
        if isinstance(node, ast.Attribute) and node.attr.endswith("_"):
            return True
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            has_it = any(isinstance(each := base_of(part), ast.Name) and each.id == name for part in given)
            is_own = isinstance(node.func, ast.Name) and node.func.id not in SAFE_FUNCTIONS
            if has_it and (is_own or any(keyword.arg == "out" for keyword in node.keywords)):
                return True
    return False


def index_of(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def is_plain_index(index: ast.expr) -> bool:
    """Whether an element of an index is a variable, a number or a colon."""
    return isinstance(index, ast.Name | ast.Constant) or ast.unparse(index) == ":"


def round_variable(loop: ast.For) -> str | None:
    """The variable that numbers the rounds of a loop: another number in each; None where there may be none."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[_])):
            return name
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=name), _]), iter=ast.Call(func=ast.Name(id="enumerate"), args=[_])
        ):
            return name
    return None


def names_stored_by(node: ast.AST) -> list[str]:
    """The names that a node stores, one entry for each time."""
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


def without(loop: ast.For, name: str) -> ast.For:
    """The loop without the statements that fill the gradient."""

    def left(block: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in block:
            match statement:
                case ast.For() as inner:
                    found.append(without(inner, name))
                case ast.If(test=test, body=body, orelse=orelse):
                    nothing = ast.copy_location(ast.Pass(), statement)
                    found.append(ast.copy_location(ast.If(test, left(body) or [nothing], left(orelse)), statement))
                case _ if not fills_only(statement, name):
                    found.append(statement)
        return found

    body = left(loop.body) or [ast.copy_location(ast.Pass(), loop)]
    return ast.copy_location(ast.For(loop.target, loop.iter, body, loop.orelse), loop)
