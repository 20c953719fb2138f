"""Finds derivatives that are propagated forward by hand in a slice: dual numbers, and tangents of basis vectors.

A dual number is a pair of a value and its derivative. What gives one away is the product rule in the second component:
`(a.v * b.v, a.v * b.d + a.d * b.v)`. A class for reverse mode keeps parents and local derivatives instead, and is the
student's own backward pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.source.program_slice import ProgramSlice
from grader.source.scopes import Binding, Scope
from grader.source.syntax import FunctionNode, all_nodes, last_name

_PRODUCTS = frozenset({"mul", "multiply", "matmul", "mm", "bmm", "einsum", "dot", "mv", "outer", "tensordot", "inner"})
_CHAIN = 4
"""Named values on a tangent's way through the network. One or two are a matrix product with a basis vector, which is
what the sum of a formula for one element looks like, too."""
_INLINED = 6
_MAX_NAMES = 500
_COUNTERS = frozenset({"range", "ndindex", "product"})
_ZEROS = frozenset({"zeros", "zeros_like", "new_zeros"})
_UNITS = frozenset({"eye", "identity"})


def product_rules(whole: ProgramSlice) -> Iterator[ast.AST]:
    """Values that a function of the slice returns with the product rule in them: pairs of value and derivative."""
    for node, scope in [*whole.nodes.values()]:
        if not isinstance(node, ast.Call | ast.Tuple | ast.List | ast.Dict):
            continue
        if not isinstance(scope.node, FunctionNode) or not any(node is value for value in scope.returns):
            continue
        parts: list[ast.expr]
        if isinstance(node, ast.Dict):
            parts = node.values
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            parts = node.args[0].elts  # torch.stack([...])
        elif isinstance(node, ast.Call):
            parts = [*node.args, *(word.value for word in node.keywords)]
            own = [t for t in whole.callees(node.func, scope) if isinstance(t, ast.ClassDef)]
            named = last_name(node.func) in ("type", "self", "cls", "__class__") or isinstance(node.func, ast.Call)
            if not own and not named and not _is_record(node.func, scope, whole):
                continue
        else:
            parts = node.elts
        if 2 <= len(parts) <= 4 and _is_product_rule(parts, scope, whole):
            yield node


def _is_record(function: ast.AST, scope: Scope, whole: ProgramSlice) -> bool:
    """Whether a name is assigned from `namedtuple(...)`."""
    if not isinstance(function, ast.Name):
        return False
    values = [d.value for d in whole.program.bindings(function.id, scope) if d.kind == "value"]
    return any(isinstance(v, ast.Call) and last_name(v.func) in ("namedtuple", "NamedTuple") for v in values)


def _is_product_rule(parts: list[ast.expr], scope: Scope, whole: ProgramSlice) -> bool:
    values = [_leaves(_product(_inlined(part, scope, whole))) for part in parts]
    for number, part in enumerate(parts):
        total = _inlined(part, scope, whole)
        if isinstance(total, ast.BinOp) and isinstance(total.op, ast.Div):  # the quotient rule
            total = _inlined(total.left, scope, whole)
        if not (isinstance(total, ast.BinOp) and isinstance(total.op, ast.Add | ast.Sub)):
            continue
        one = _leaves(_product(_inlined(total.left, scope, whole)))
        two = _leaves(_product(_inlined(total.right, scope, whole)))
        for other, value in enumerate(values):
            if other != number and len(value) == len(one) == len(two) == 2 and _crossed(value, one, two):
                return True
    return False


def _crossed(value: frozenset[str], one: frozenset[str], two: frozenset[str]) -> bool:
    """a·b next to a·db + da·b."""
    shared_one, shared_two = value & one, value & two
    return (
        len(shared_one) == len(shared_two) == 1
        and shared_one != shared_two
        and not (one - value) & (two - value)
        and len(one | two | value) == 4
    )


def _inlined(node: ast.AST, scope: Scope, whole: ProgramSlice, depth: int = 0) -> ast.AST:
    """The value of a name that is assigned once."""
    if isinstance(node, ast.Name) and depth < _INLINED:
        bindings = [d for d in whole.program.bindings(node.id, scope) if d.kind != "passed"]
        if len(bindings) == 1 and bindings[0].kind == "value" and bindings[0].value is not None:
            value = bindings[0].value
            if isinstance(value, ast.BinOp | ast.Call | ast.Name):
                return _inlined(value, bindings[0].scope, whole, depth + 1)
    return node


def _product(node: ast.AST) -> list[ast.AST]:
    """The two factors of a product or quotient; of anything else, none."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult | ast.Div):
        return [node.left, node.right]
    if isinstance(node, ast.Call) and last_name(node.func) in _PRODUCTS:
        factors: list[ast.AST] = [each for each in node.args if not isinstance(each, ast.Constant)]
        if isinstance(node.func, ast.Attribute) and len(factors) == 1:
            factors.insert(0, node.func.value)
        return factors
    return []


def _leaves(factors: list[ast.AST]) -> frozenset[str]:
    """The factors as texts, without methods and indices that only change a shape."""
    return frozenset(_leaf(factor) for factor in factors)


def _leaf(node: ast.AST) -> str:
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif (
            (isinstance(node, ast.Attribute) and node.attr in ("T", "mT"))
            or (isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant))
            or (
                isinstance(node, ast.Subscript)
                and isinstance(node.slice, ast.Constant)
                and node.slice.value in (None, ...)
            )
        ):
            node = node.value
        else:
            return ast.dump(node)[:500]


def basis_tangents(whole: ProgramSlice) -> Iterator[ast.AST]:
    """Basis vectors, one per element of a value, from which a chain of named values follows within the loop."""
    names: set[tuple[int, str]] = set()
    for node, scope in [*whole.nodes.values()]:
        if isinstance(node, ast.Name):
            key = id(scope.owner(node.id)), node.id
            if key in names or len(names) > _MAX_NAMES:
                continue
            names.add(key)
            for binding in whole.program.bindings(node.id, scope)[:_MAX_NAMES]:
                if _is_unit(binding, node.id, scope, whole) and _chain(node.id, scope, whole) >= _CHAIN:
                    yield binding.node
        elif (
            isinstance(node, ast.Call)
            and last_name(node.func) in _UNITS
            and node.args
            and _counts_elements(node.args[0], scope, whole)
            and _of_many(node, scope, whole)
        ):
            yield node


def _is_unit(binding: Binding, name: str, scope: Scope, whole: ProgramSlice) -> bool:
    """`e[i, j] = 1` in a loop over i and j, in a tensor of zeros; a row of `torch.eye`; `one_hot` of a loop's index."""
    match binding.kind, binding.node, binding.value:
        case "store", ast.Assign(targets=[ast.Subscript(slice=index), *_], value=number), _ if _is_one(number):
            values = [d.value for d in whole.program.bindings(name, scope) if d.kind == "value"]
            is_zeros = any(isinstance(v, ast.Call) and last_name(v.func) in _ZEROS for v in values)
            return is_zeros and _loop_names(index, binding.scope, whole)
        case "iter", _, ast.AST() as value:
            return any(_makes_units(part) for part in all_nodes(value))
        case "value", _, ast.AST() as value:
            return any(_is_unit_row(part, binding.scope, whole) for part in all_nodes(value))
        case "param", node, _:
            return any(_makes_units(argument) for argument, _ in whole.arguments.get((id(node), name), ()))
    return False


def _makes_units(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _UNITS


def _is_unit_row(node: ast.AST, scope: Scope, whole: ProgramSlice) -> bool:
    """`torch.eye(n)[i]` or `one_hot(i)`, for the index of a loop."""
    match node:
        case ast.Subscript(value=matrix, slice=index) if _makes_units(matrix):
            return _loop_names(index, scope, whole)
        case ast.Call(func=function, args=[ast.Call(args=[index, *_]) | index, *_]) if last_name(function) == "one_hot":
            return isinstance(index, ast.Name) and _loop_names(index, scope, whole)
    return False


def _is_one(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value == 1


def _loop_names(index: ast.AST, scope: Scope, whole: ProgramSlice, depth: int = 0) -> bool:
    """Whether all of an index are variables of loops over `range` or `ndindex`, or parameters that are given such."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    parts = [part for part in parts if not isinstance(part, ast.Slice | ast.Constant)]
    return bool(parts) and all(_is_loop_name(part, scope, whole, depth) for part in parts)


def _is_loop_name(node: ast.AST, scope: Scope, whole: ProgramSlice, depth: int) -> bool:
    if not isinstance(node, ast.Name) or depth > _INLINED:
        return False
    for binding in whole.program.bindings(node.id, scope):
        value = binding.value
        if binding.kind == "iter" and isinstance(value, ast.Call) and last_name(value.func) in _COUNTERS:
            return True
        if binding.kind == "param":
            given = whole.arguments.get((id(binding.node), node.id), ())
            if given and all(_loop_names(argument, there, whole, depth + 1) for argument, there in given):
                return True
    return False


def _chain(name: str, scope: Scope, whole: ProgramSlice) -> int:
    """How many names get a value that depends on this one, also in functions that it is passed to."""
    owner = scope.owner(name)
    return _followers({(id(owner), name)}, whole) if owner is not None else 0


def _followers(reached: set[tuple[int, str]], whole: ProgramSlice) -> int:
    edges = _uses(whole)
    first, waiting = len(reached), [*reached]
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return len(reached) - first


def _uses(whole: ProgramSlice) -> dict[tuple[int, str], set[tuple[int, str]]]:
    """{a name: the names whose values are made from it}, of all names in the slice."""
    if whole.uses is None:
        edges: dict[tuple[int, str], set[tuple[int, str]]] = {}
        places = {id(scope): scope for _, scope in whole.nodes.values()}
        for scope in places.values():
            for name, bindings in scope.names.items():
                for binding in bindings:
                    value = binding.value
                    if binding.kind in ("value", "part") and value is not None and id(value) in whole.nodes:
                        _add_uses(edges, value, binding.scope, (id(scope), name))
        for (function, parameter), given in whole.arguments.items():
            inner = whole.program.scopes.get(function)
            for argument, scope in given:
                if inner is not None:
                    _add_uses(edges, argument, scope, (id(inner), parameter))
        whole.uses = edges
    return whole.uses


def _add_uses(
    edges: dict[tuple[int, str], set[tuple[int, str]]], value: ast.AST, scope: Scope, target: tuple[int, str]
) -> None:
    for node in all_nodes(value):
        if isinstance(node, ast.Name):
            owner = scope.owner(node.id)
            edges.setdefault((id(owner), node.id), set()).add(target)


def _counts_elements(node: ast.AST, scope: Scope, whole: ProgramSlice) -> bool:
    """`x.numel()`, `x.size`, or a name for it."""
    if isinstance(node, ast.Name):
        values = [d.value for d in whole.program.bindings(node.id, scope) if d.kind == "value"]
        return len(values) == 1 and values[0] is not None and _counts_elements(values[0], scope, whole)
    if isinstance(node, ast.Call):
        return last_name(node.func) in ("numel", "nelement")
    return isinstance(node, ast.Attribute) and node.attr == "size"


def _of_many(node: ast.AST, scope: Scope, whole: ProgramSlice) -> bool:
    """Whether a chain of named values follows from it."""
    for name, bindings in scope.names.items():
        values = [d.value for d in bindings if d.kind in ("value", "iter") and d.value is not None]
        if any(part is node for value in values for part in all_nodes(value)):
            return _chain(name, scope, whole) >= _CHAIN
    return False
