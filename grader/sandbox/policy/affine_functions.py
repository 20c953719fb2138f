"""Which pure functions are affine in their upstream gradients, decided from their text.

Where such a function is right for the true upstream gradients, it is right for those that differ from them by rounding:
f(u + e) = f(u) + L e, with the L that the hidden suite compared on random upstream gradients. So a student's own chain
of these functions need not be run again (grader/gradebook/grading/verdict_cache.py).

The reading is an allow-list. A name *depends* on an upstream gradient from where something that does is assigned to it,
or written into it or into what may share its memory. What depends may be added, multiplied by what does not, summed,
reshaped and indexed. It may not decide anything: no condition, no index, no divisor. Functions with an `if` are never
affine.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.sandbox.policy.affine_names import (
    COLLECTIONS,
    LIKE,
    LIKE_FIRST,
    LINEAR_IN_FIRST,
    MAY_SHARE_MEMORY,
    PRODUCT_FUNCTIONS,
    RETURNED,
    ROUNDING_KEYWORDS,
    SHAPES,
    SUM_FUNCTIONS,
    SUMS_WITH_PRODUCT,
)

UPSTREAM = "d"
"""How the name of an upstream gradient begins. A forward value with such a name is read as one: that is stricter."""
MAX_READINGS = 2_000
"""Statements that are read, those of loops each time: what one does to the next may take many readings to show."""


class NotAffine(Exception):
    """Something is not on the list."""


def is_affine(function: ast.FunctionDef, parameters: Sequence[str]) -> bool:
    """Whether a pure function that calls no other function of its file is affine in its upstream gradients."""
    names = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
    own = {each.id for each in names if isinstance(each.ctx, ast.Store)} | set(parameters)
    reader = _Affine(own, {name for name in parameters if name.startswith(UPSTREAM)})
    try:
        reader.run(function.body)
    except NotAffine:
        return False
    return True


def is_size(node: ast.expr) -> bool:
    """Whether the only argument of a `view` is seen to be no dtype."""
    match node:
        case ast.Starred(value=value) | ast.Subscript(value=value):
            return is_size(value)
        case ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="size")):
            return True
    return isinstance(node, (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List))


class _Affine:
    """Reads statements; `dependent` are the names that depend on upstream gradients so far."""

    def __init__(self, own: set[str], dependent: set[str]) -> None:
        self._own, self.dependent = own, dependent
        self._readings, self._lists = 0, set[str]()
        self._shared: dict[str, set[str]] = {}  # {name: names whose values may share memory with its own}

    def run(self, body: Sequence[ast.stmt]) -> None:
        self._readings += len(body)
        if self._readings > MAX_READINGS:
            raise NotAffine
        for statement in body:
            match statement:
                case ast.Pass() | ast.Break() | ast.Continue() | ast.Return(value=None):
                    pass
                case ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
                    self.depends(value)
                case ast.Assign(targets=targets, value=value):
                    depends = self.depends(value)
                    for target in targets:
                        self._bind(target, value, depends)
                    self._share(set().union(*map(self._sharing, targets)))  # `a = b = ...` is one value
                case ast.AugAssign(target=target, op=op, value=value):
                    if isinstance(op, ast.Add):  # of lists
                        self._share(self._sharing(target) | self._sharing(value))
                    if self._combined(op, self.depends(target), self.depends(value)):
                        self._write_into(target)
                case ast.For(target=target, iter=values, orelse=[]):
                    before: tuple[int, int] | None = None
                    while before != self._size:  # what the loop's end does to its beginning shows in the next reading
                        before = self._size
                        self._bind_each(target, values)
                        self.run(statement.body)
                case _:
                    raise NotAffine

    def depends(self, node: ast.expr | None) -> bool:
        """Whether the value depends on upstream gradients. Raises NotAffine where it is not affine in them."""
        match node:
            case None | ast.Constant():
                return False
            case ast.Name(id=name):
                return name in self.dependent
            case ast.Attribute(value=value, attr=attribute):
                if not self.depends(value) or attribute in SHAPES:
                    return False
                if attribute not in ("T", "mT"):
                    raise NotAffine
                return True
            case ast.Subscript(value=value, slice=index):
                self._refuse(index)
                return self.depends(value)
            case ast.Slice():
                self._refuse(node.lower, node.upper, node.step)
                return False
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return any([self.depends(part) for part in parts])
            case ast.Starred(value=value) | ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=value):
                return self.depends(value)
            case ast.BinOp(left=left, op=op, right=right):
                return self._combined(op, self.depends(left), self.depends(right))
            case ast.UnaryOp(operand=value):
                self._refuse(value)
                return False
            case ast.Compare(left=left, comparators=others):
                self._refuse(left, *others)
                return False
            case ast.ListComp(elt=value, generators=generators) | ast.GeneratorExp(elt=value, generators=generators):
                for each in generators:
                    if each.ifs:
                        raise NotAffine
                    self._bind_each(each.target, each.iter)
                return self.depends(value)
            case ast.Call():
                return self._call(node)
        raise NotAffine

    def _refuse(self, *nodes: ast.expr | None) -> None:
        """Raises NotAffine where one of them depends on upstream gradients."""
        if any(self.depends(node) for node in nodes):
            raise NotAffine

    def _combined(self, op: ast.operator, left: bool, right: bool) -> bool:
        allowed = {
            ast.Add: True,
            ast.Sub: True,
            ast.Mult: not (left and right),
            ast.MatMult: not (left and right),
            ast.Div: not right,
        }.get(type(op), not (left or right))
        if not allowed:
            raise NotAffine
        return left or right

    def _call(self, node: ast.Call) -> bool:
        operands, name = self._operands(node)
        given = [self.depends(operand) for operand in operands]
        several = [each for each in operands if isinstance(each, ast.Starred)]
        self._refuse(*several, *(keyword.value for keyword in node.keywords))
        if any(keyword.arg == "inplace" for keyword in node.keywords):
            raise NotAffine
        if not any(given):
            self._share_appended(node, name)
            return False
        if name in LIKE or name in SHAPES or name == "len":
            self._refuse(*operands[1:])
            return False
        if not self._is_affine(node, name, operands, given):
            raise NotAffine
        self._share_appended(node, name)
        for keyword in node.keywords:
            if keyword.arg == "out":
                self._write_into(keyword.value)
        if name.endswith("_") or name in ("append", "extend"):
            self._write_into(operands[0])
        return given[0] if name in LIKE_FIRST else True

    def _is_affine(self, node: ast.Call, name: str, operands: Sequence[ast.expr], given: Sequence[bool]) -> bool:
        """Whether a call is affine in its operands. `given` says which of them depend on upstream gradients."""
        if any(keyword.arg in ROUNDING_KEYWORDS for keyword in node.keywords):
            return False
        if name == "view" and len(node.args) == 1 and not is_size(node.args[0]):
            return False
        if name in PRODUCT_FUNCTIONS:
            return sum(given) == 1 and not (name == "einsum" and len(operands) == 2 and self._is_list(operands[1]))
        if name == "where":  # of torch.where, which is no method, the condition is the first operand
            return len(operands) == len(node.args) and not given[0]
        if name in SUMS_WITH_PRODUCT:
            return len(operands) == 3 and sum(given[1:]) <= 1
        if name in SUM_FUNCTIONS:
            places = {0, *(place + 1 for place in SUM_FUNCTIONS[name])}
            return all(place in places for place, depends in enumerate(given) if depends)
        if name in LIKE_FIRST:
            return len(operands) == 2
        is_of_first = name in LINEAR_IN_FIRST and not any(given[1:])
        return is_of_first or (isinstance(node.func, ast.Name) and name in COLLECTIONS)

    def _operands(self, node: ast.Call) -> tuple[list[ast.expr], str]:
        """(what a call is about, its name). A method's object comes before its arguments."""
        match node.func:
            case ast.Name(id=name) if name not in self._own:  # a variable may be any function
                return node.args, name
            case ast.Attribute(value=receiver, attr=name):
                root = receiver
                while isinstance(root, ast.Attribute):
                    root = root.value
                is_module = isinstance(root, ast.Name) and root.id not in self._own
                return (node.args if is_module else [receiver, *node.args]), name
        raise NotAffine

    @property
    def _size(self) -> tuple[int, int]:
        return len(self.dependent), sum(map(len, self._shared.values()))

    # Names that may share memory --------------------------------------------------------------------------------------

    def _bind_each(self, target: ast.expr, values: ast.expr) -> None:
        """The target of a loop over `values`."""
        match target, values:
            case ast.Tuple(elts=parts), ast.Call(func=ast.Name(id="zip"), args=zipped) if len(parts) == len(zipped):
                for part, value in zip(parts, zipped, strict=True):
                    self._bind(part, value, self.depends(value))
            case _:
                self._bind(target, values, self.depends(values))

    def _bind(self, target: ast.expr, value: ast.expr, depends: bool) -> None:
        match target:
            case ast.Name(id=name):
                self._share({name} | self._sharing(value))
                if self._is_list(value):
                    self._lists.add(name)
                if depends:
                    self.dependent.add(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._bind(part, value, depends)
                self._share(self._sharing(target))  # `a, b = [value] * 2`
            case ast.Subscript():
                if self.depends(target) or depends:
                    self._write_into(target)
                self._share(self._sharing(target) | self._sharing(value))
            case _:
                raise NotAffine

    def _share(self, names: set[str]) -> None:
        together = names.union(*(self._shared.get(name, ()) for name in names))
        for name in together:
            self._shared[name] = together

    def _share_appended(self, node: ast.Call, name: str) -> None:
        if name in ("append", "extend"):
            self._share(self._sharing(node.func).union(*map(self._sharing, node.args)))

    def _sharing(self, node: ast.expr) -> set[str]:
        """The names whose memory a value may share."""
        match node:
            case ast.Name(id=name):
                return {name} & self._own
            case ast.Subscript(value=value) | ast.Attribute(value=value) | ast.Starred(value=value):
                return self._sharing(value)
            case ast.UnaryOp(op=ast.UAdd(), operand=value):  # `+x` is x
                return self._sharing(value)
            case ast.BinOp(left=left, right=right) if self._is_list(node):
                return self._sharing(left) | self._sharing(right)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return set().union(*map(self._sharing, parts))
            case ast.ListComp(elt=value) | ast.GeneratorExp(elt=value):
                return self._sharing(value)
            case ast.Call():
                operands, name = self._operands(node)
                takes_any = isinstance(node.func, ast.Name) or name in RETURNED
                is_view = takes_any or name in MAY_SHARE_MEMORY or name.endswith("_")
                given = operands if takes_any else operands[: int(is_view)]
                named = [each.value for each in node.keywords if is_view or each.arg == "out"]
                return set().union(*map(self._sharing, [*given, *named]))
        return set()

    def _is_list(self, node: ast.expr) -> bool:
        """Whether the value may be a list or a tuple."""
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
                return self._is_list(left) or self._is_list(right)
            case ast.Subscript(value=value):
                return self._is_list(value)
            case ast.Call(func=ast.Name(id=name)):
                return name not in ("sum", "len", "float", "int", "abs")
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in ("chunk", "split", "unbind")
            case ast.Name(id=name):
                return name in self._lists
        return isinstance(node, (ast.List, ast.ListComp, ast.Tuple))

    def _write_into(self, node: ast.expr) -> None:
        """What depends on upstream gradients is written into the value."""
        names = self._sharing(node)
        self.dependent |= names.union(*(self._shared.get(name, ()) for name in names))
