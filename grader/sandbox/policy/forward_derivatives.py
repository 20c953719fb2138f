"""Finds derivatives that are propagated forward by hand in a slice: dual numbers, and tangents of basis vectors.

A dual number is a pair of a value and its derivative. What gives one away is the product rule in the second component:
`(a.v * b.v, a.v * b.d + a.d * b.v)`. A class for reverse mode keeps parents and local derivatives instead, and is the
student's own backward pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.source import scopes as scopes
from grader.source.dataflow import Callable_, Definition, Place, Slice, last_name

_PRODUCTS = frozenset({"mul", "multiply", "matmul", "mm", "bmm", "einsum", "dot", "mv", "outer", "tensordot", "inner"})
_CHAIN = 4
"""Named values on a tangent's way through the network. One or two are a matrix product with a basis vector, which is
what the sum of a formula for one element looks like, too."""
_INLINED = 6
_MOST_NAMES = 500
_COUNTERS = frozenset({"range", "ndindex", "product"})
_ZEROS = frozenset({"zeros", "zeros_like", "new_zeros"})
_UNITS = frozenset({"eye", "identity"})


def products(whole: Slice) -> Iterator[ast.AST]:
    """Values that a function of the slice returns with the product rule in them: pairs of value and derivative."""
    for node, place in [*whole.nodes.values()]:
        if not isinstance(node, ast.Call | ast.Tuple | ast.List | ast.Dict):
            continue
        if not isinstance(place.node, Callable_) or not any(node is value for value in place.returns):
            continue
        parts: list[ast.expr]
        if isinstance(node, ast.Dict):
            parts = node.values
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            parts = node.args[0].elts  # torch.stack([...])
        elif isinstance(node, ast.Call):
            parts = [*node.args, *(word.value for word in node.keywords)]
            own = [t for t in whole.callees(node.func, place) if isinstance(t, ast.ClassDef)]
            named = last_name(node.func) in ("type", "self", "cls", "__class__") or isinstance(node.func, ast.Call)
            if not own and not named and not _is_record(node.func, place, whole):
                continue
        else:
            parts = node.elts
        if 2 <= len(parts) <= 4 and _is_product_rule(parts, place, whole):
            yield node


def _is_record(function: ast.AST, place: Place, whole: Slice) -> bool:
    """Whether a name is assigned from `namedtuple(...)`."""
    if not isinstance(function, ast.Name):
        return False
    values = [d.value for d in whole.program.definitions(function.id, place) if d.kind == "value"]
    return any(isinstance(v, ast.Call) and last_name(v.func) in ("namedtuple", "NamedTuple") for v in values)


def _is_product_rule(parts: list[ast.expr], place: Place, whole: Slice) -> bool:
    values = [_leaves(_product(_inlined(part, place, whole))) for part in parts]
    for number, part in enumerate(parts):
        total = _inlined(part, place, whole)
        if isinstance(total, ast.BinOp) and isinstance(total.op, ast.Div):  # the quotient rule
            total = _inlined(total.left, place, whole)
        if not (isinstance(total, ast.BinOp) and isinstance(total.op, ast.Add | ast.Sub)):
            continue
        one = _leaves(_product(_inlined(total.left, place, whole)))
        two = _leaves(_product(_inlined(total.right, place, whole)))
        for other, value in enumerate(values):
            if other != number and len(value) == len(one) == len(two) == 2 and _crossed(value, one, two):
                return True
    return False


def _crossed(value: frozenset[str], one: frozenset[str], two: frozenset[str]) -> bool:
    """a·b beside a·db + da·b."""
    shared_one, shared_two = value & one, value & two
    return (
        len(shared_one) == len(shared_two) == 1
        and shared_one != shared_two
        and not (one - value) & (two - value)
        and len(one | two | value) == 4
    )


def _inlined(node: ast.AST, place: Place, whole: Slice, depth: int = 0) -> ast.AST:
    """The value of a name that is assigned once."""
    if isinstance(node, ast.Name) and depth < _INLINED:
        definitions = [d for d in whole.program.definitions(node.id, place) if d.kind != "passed"]
        if len(definitions) == 1 and definitions[0].kind == "value" and definitions[0].value is not None:
            value = definitions[0].value
            if isinstance(value, ast.BinOp | ast.Call | ast.Name):
                return _inlined(value, definitions[0].scope, whole, depth + 1)
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


def basis_tangents(whole: Slice) -> Iterator[ast.AST]:
    """Basis vectors, one per element of a value, from which a chain of named values follows within the loop."""
    names: set[tuple[int, str]] = set()
    for node, place in [*whole.nodes.values()]:
        if isinstance(node, ast.Name):
            key = id(place.owner(node.id)), node.id
            if key in names or len(names) > _MOST_NAMES:
                continue
            names.add(key)
            for definition in whole.program.definitions(node.id, place)[:_MOST_NAMES]:
                if _is_unit(definition, node.id, place, whole) and _chain(node.id, place, whole) >= _CHAIN:
                    yield definition.node
        elif (
            isinstance(node, ast.Call)
            and last_name(node.func) in _UNITS
            and node.args
            and _counts_elements(node.args[0], place, whole)
            and _of_many(node, place, whole)
        ):
            yield node


def _is_unit(definition: Definition, name: str, place: Place, whole: Slice) -> bool:
    """`e[i, j] = 1` in a loop over i and j, in a tensor of zeros; a row of `torch.eye`; `one_hot` of a loop's index."""
    node, value = definition.node, definition.value
    if definition.kind == "store" and isinstance(node, ast.Assign) and _is_one(node.value):
        target = node.targets[0]
        if not isinstance(target, ast.Subscript) or not _loop_names(target.slice, definition.scope, whole):
            return False
        values = [d.value for d in whole.program.definitions(name, place) if d.kind == "value"]
        return any(isinstance(v, ast.Call) and last_name(v.func) in _ZEROS for v in values)
    if definition.kind == "iter" and value is not None:
        return any(isinstance(n, ast.Call) and last_name(n.func) in _UNITS for n in scopes.all_nodes(value))
    if definition.kind == "value" and value is not None:
        for part in scopes.all_nodes(value):
            if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Call):
                if last_name(part.value.func) in _UNITS and _loop_names(part.slice, definition.scope, whole):
                    return True
            elif isinstance(part, ast.Call) and last_name(part.func) == "one_hot" and part.args:
                index = part.args[0]
                index = index.args[0] if isinstance(index, ast.Call) and index.args else index
                if isinstance(index, ast.Name) and _loop_names(index, definition.scope, whole):
                    return True
    if definition.kind == "param":
        given = whole.arguments.get((id(node), name), ())
        return any(isinstance(argument, ast.Call) and last_name(argument.func) in _UNITS for argument, _ in given)
    return False


def _is_one(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value == 1


def _loop_names(index: ast.AST, place: Place, whole: Slice, depth: int = 0) -> bool:
    """Whether all of an index are variables of loops over `range` or `ndindex`, or parameters that are given such."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    parts = [part for part in parts if not isinstance(part, ast.Slice | ast.Constant)]
    return bool(parts) and all(_is_loop_name(part, place, whole, depth) for part in parts)


def _is_loop_name(node: ast.AST, place: Place, whole: Slice, depth: int) -> bool:
    if not isinstance(node, ast.Name) or depth > _INLINED:
        return False
    for definition in whole.program.definitions(node.id, place):
        value = definition.value
        if definition.kind == "iter" and isinstance(value, ast.Call) and last_name(value.func) in _COUNTERS:
            return True
        if definition.kind == "param":
            given = whole.arguments.get((id(definition.node), node.id), ())
            if given and all(_loop_names(argument, there, whole, depth + 1) for argument, there in given):
                return True
    return False


def _chain(name: str, place: Place, whole: Slice) -> int:
    """How many names get a value that depends on this one, also in functions that it is passed to."""
    owner = place.owner(name)
    return _followers({(id(owner), name)}, whole) if owner is not None else 0


def _followers(reached: set[tuple[int, str]], whole: Slice) -> int:
    edges = _uses(whole)
    first, waiting = len(reached), [*reached]
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return len(reached) - first


def _uses(whole: Slice) -> dict[tuple[int, str], set[tuple[int, str]]]:
    """{a name: the names whose values are made from it}, of all names in the slice."""
    if whole.uses is None:
        edges: dict[tuple[int, str], set[tuple[int, str]]] = {}
        places = {id(place): place for _, place in whole.nodes.values()}
        for place in places.values():
            for name, definitions in place.names.items():
                for definition in definitions:
                    value = definition.value
                    if definition.kind in ("value", "part") and value is not None and id(value) in whole.nodes:
                        _add_uses(edges, value, definition.scope, (id(place), name))
        for (function, parameter), given in whole.arguments.items():
            inner = whole.program.places.get(function)
            for argument, place in given:
                if inner is not None:
                    _add_uses(edges, argument, place, (id(inner), parameter))
        whole.uses = edges
    return whole.uses


def _add_uses(
    edges: dict[tuple[int, str], set[tuple[int, str]]], value: ast.AST, place: Place, target: tuple[int, str]
) -> None:
    for node in scopes.all_nodes(value):
        if isinstance(node, ast.Name):
            owner = place.owner(node.id)
            edges.setdefault((id(owner), node.id), set()).add(target)


def _counts_elements(node: ast.AST, place: Place, whole: Slice) -> bool:
    """`x.numel()`, `x.size`, or a name for it."""
    if isinstance(node, ast.Name):
        values = [d.value for d in whole.program.definitions(node.id, place) if d.kind == "value"]
        return len(values) == 1 and values[0] is not None and _counts_elements(values[0], place, whole)
    if isinstance(node, ast.Call):
        return last_name(node.func) in ("numel", "nelement")
    return isinstance(node, ast.Attribute) and node.attr == "size"


def _of_many(node: ast.AST, place: Place, whole: Slice) -> bool:
    """Whether a chain of named values follows from it."""
    for name, definitions in place.names.items():
        values = [d.value for d in definitions if d.kind in ("value", "iter") and d.value is not None]
        if any(part is node for value in values for part in scopes.all_nodes(value)):
            return _chain(name, place, whole) >= _CHAIN
    return False
