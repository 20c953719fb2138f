"""Finds difference quotients in a slice: a value is shifted by a step, and what comes of it is divided by that step.

A *step* is a scalar that a file writes down: a small literal (at most 0.3), a named number, or a product of such. A
*shift* adds a step, or a small multiple of some direction, to something else: `x + h`, `x[i] -= h`, `x + h * e`. The
1e-5 of a batch norm is a shift, too. What no formula of a gradient does is to divide by its own shift.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from grader.source import scopes as scopes
from grader.source.dataflow import Definition, Place, Slice, last_name

SMALL = 0.3
LARGE = 3.0  # a literal that may be the reciprocal of a step
DEPTH = 40
MOST_TOKENS = 300
INLINED = 8  # names within names, when two expressions are compared
MOST_DEFINITIONS = 200  # of a name
MOST_SHIFTS = 20  # of a name, when it is divided by
MOST_QUOTIENTS = 30
MOST_DIFFERENCES = 150  # that are compared for their two sides

Kind = Literal["const", "step", "scaled", "inverse", "other"]


@dataclass(frozen=True)
class Factor:
    """What an expression is as a factor of a product.

    Attributes:
        kind: "const", numbers only; "step", a scalar that may be a step; "scaled", a step times something else;
            "inverse", a number over a step; "other".
        roots: the literals that the step comes from, by id.
        small: whether one of them is small.
    """

    kind: Kind
    roots: frozenset[int] = frozenset()
    small: bool = False


OTHER = Factor("other")
CONST = Factor("const")
_SAME_NUMBER = frozenset(
    {"float", "abs", "tensor", "as_tensor", "full", "full_like", "float64", "float32", "array", "asarray", "Fraction"}
    | {"Decimal", "sqrt", "cbrt", "pow", "item", "scalar_tensor", "double", "to", "type", "max", "min", "maximum"}
    | {"clone", "ldexp", "linspace", "logspace", "geomspace", "finfo", "longdouble", "arange", "power", "unsqueeze"}
    | {"view", "reshape", "cos", "expand", "fromhex"}
)
_ADDERS = frozenset(
    {"add", "add_", "sub", "sub_", "subtract", "index_add", "index_add_", "scatter_add", "scatter_add_", "at"}
    | {"__add__", "__sub__", "__radd__", "addcmul", "addcdiv", "lerp", "baddbmm", "addr"}
    | {"index_put", "index_put_", "scatter", "scatter_", "index_fill_", "masked_fill", "index_fill"}
)
_DIVIDERS = frozenset({"div", "div_", "divide", "divide_", "true_divide", "truediv", "__truediv__"})
_MULTIPLIERS = frozenset({"mul", "mul_", "multiply", "dot", "matmul", "tensordot", "einsum", "mv", "mm", "inner"})
_SOLVERS = frozenset({"solve", "inv", "pinv", "qr", "svd", "solve_triangular"})
NAMED = frozenset(
    {"polyfit", "vander", "lstsq", "chebfit", "legfit", "polyder", "chebder", "approx_fprime", "approx_derivative"}
    | {"lagrange", "BarycentricInterpolator", "Polynomial", "Chebyshev", "chebinterpolate", "CubicSpline"}
)
"""Functions with no other use in a backward pass than to differentiate from values."""


@dataclass(frozen=True)
class Shift:
    node: ast.AST
    place: Place
    factor: Factor


class Quotients:
    """Difference quotients of one slice."""

    def __init__(self, whole: Slice) -> None:
        self.whole, self.program = whole, whole.program
        self._factors: dict[int, Factor] = {}
        self._busy: set[int] = set()
        self._names: dict[tuple[int, str], Factor] = {}
        self._values: dict[int, complex | float] = {}  # of literals
        self._reach: dict[int, set[int]] = {}
        self.shifts = [shift for node, place in whole.nodes.values() for shift in self._shifts(node, place)]

    def find(self) -> Iterator[ast.AST]:
        """Nodes of the slice that are difference quotients."""
        nodes = [*self.whole.nodes.values()]
        for node, place in nodes:
            name = last_name(node)
            if name in NAMED and self._is_imported(node, place):
                yield node
            if name == "gradient" and isinstance(node, ast.Attribute) and _module(node.value) in _ARRAYS:
                yield node
        if self.shifts:
            checked = 0
            for node, place in nodes:
                for numerator, roots in self._divisions(node, place):
                    checked += 1
                    if checked < MOST_QUOTIENTS and self._divides_by_its_shift(numerator, place, roots):
                        yield node
                        break
            for node, place in nodes:
                if isinstance(node, ast.Call) and last_name(node.func) in _SOLVERS:
                    reached = set().union(*(self.reach(part, place) for part in [*node.args, node.func]))
                    if any(id(s.node) in reached and self._is_loop(s) for s in self.shifts):
                        yield node
        subtractions = [
            entry for entry in nodes if isinstance(entry[0], ast.BinOp) and isinstance(entry[0].op, ast.Sub)
        ]
        for node, place in subtractions[:MOST_DIFFERENCES]:
            if isinstance(node, ast.BinOp) and self._antisymmetric(node, place):
                yield node

    def _is_imported(self, node: ast.AST, place: Place) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and any(d.kind == "import" for d in self.program.definitions(node.id, place))

    def _is_loop(self, shift: Shift) -> bool:
        return shift.factor.kind in ("step", "scaled") and len(shift.factor.roots) > 0

    # ---- factors ----

    def factor(self, node: ast.AST | None, place: Place, depth: int = 0) -> Factor:
        if node is None or depth > DEPTH or id(node) in self._busy:
            return OTHER
        if id(node) not in self._factors:
            self._busy.add(id(node))
            found = self._factor(node, place, depth + 1)
            self._busy.discard(id(node))
            self._factors[id(node)] = found
        return self._factors[id(node)]

    def _factor(self, node: ast.AST, place: Place, depth: int) -> Factor:
        if isinstance(node, ast.Constant):
            return self._literal(node)
        if isinstance(node, ast.BinOp) and (value := number(node)) is not None:
            self._values[id(node)] = value
            return (
                Factor("step", frozenset({id(node)}), True)
                if 0 < abs(value) <= SMALL
                else Factor("const", frozenset({id(node)}))
            )
        if isinstance(node, ast.Name):
            return self._of_name(node.id, place, depth)
        if isinstance(node, ast.UnaryOp):
            return self.factor(node.operand, place, depth)
        if isinstance(node, ast.BinOp):
            return self._binary(node, place, depth)
        if isinstance(node, ast.Call):
            return self._call(node, place, depth)
        if isinstance(node, ast.Attribute):
            if node.attr in ("eps", "epsilon", "tiny", "resolution", "smallest_normal"):
                text = ast.dump(node.value)
                if "finfo" in text or "float_info" in text:
                    return Factor("step", frozenset({id(node)}), True)
            own = [self._of(d, node.attr, depth) for d in self.program.attributes.get(node.attr, ())[:50]]
            return self._any_of(own, True) if own else OTHER
        if isinstance(node, ast.Subscript):
            return self.factor(node.value, place, depth)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return self._any_of([self.factor(each, place, depth) for each in node.elts[:50]], False)
        if isinstance(node, ast.Dict):
            parts = [*node.keys, *node.values]
            return self._any_of([self.factor(each, place, depth) for each in parts[:50]], False)
        if isinstance(node, ast.IfExp):
            return self._any_of([self.factor(node.body, place, depth), self.factor(node.orelse, place, depth)], False)
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self.factor(node.elt, self.program.places.get(id(node), place), depth)
        return OTHER

    def _of_name(self, name: str, place: Place, depth: int) -> Factor:
        key = id(place.owner(name)), name
        if key not in self._names:
            self._names[key] = OTHER  # while it is looked at
            definitions = self.program.definitions(name, place)[:MOST_DEFINITIONS]
            self._names[key] = self._any_of([self._of(d, name, depth) for d in definitions if d.kind != "passed"], True)
        return self._names[key]

    def _literal(self, node: ast.Constant) -> Factor:
        value = node.value
        if isinstance(value, str):  # Decimal("1e-30")
            try:
                value = float(value)
            except ValueError:
                return OTHER
        if isinstance(value, bool) or not isinstance(value, int | float) or value == 0 or value != value:
            return CONST if isinstance(value, int | float) else OTHER
        self._values[id(node)] = value
        if abs(value) <= SMALL:
            return Factor("step", frozenset({id(node)}), True)
        return Factor("const", frozenset({id(node)}))

    def _of(self, definition: Definition, name: str, depth: int) -> Factor:
        """A name's value is a step where it is written down as a number; what a loop counts is none."""
        if definition.kind == "param":
            given = self.whole.arguments.get((id(definition.node), name), ())
            found = [self.factor(argument, place, depth) for argument, place in given[:50]]
            found += [self.factor(definition.value, definition.scope, depth)] if definition.value is not None else []
            return self._any_of(found, True)
        if definition.kind == "store":
            value = definition.value
            value = value.value if isinstance(value, ast.AugAssign) else value
            if isinstance(value, ast.Call) and last_name(value.func) in ("append", "add", "insert"):
                return self.factor(value.args[-1] if value.args else None, definition.scope, depth)
            found_one = self.factor(value, definition.scope, depth)
            if found_one.kind == "inverse":
                return found_one
            return Factor("scaled", found_one.roots, True) if found_one.small and found_one.kind == "step" else OTHER
        if definition.kind == "import":
            others = [self._of(other, name, depth + 1) for other in self.program.neighbour(definition)]
            return self._any_of(others, True) if others else OTHER
        if definition.kind in ("iter", "part"):
            return self._element(definition.value, definition.scope, definition.path, depth)
        if definition.kind == "value":
            return self.factor(definition.value, definition.scope, depth)
        return OTHER

    def _element(self, node: ast.AST | None, place: Place, path: tuple[int, ...], depth: int) -> Factor:
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in ("range", "count", "ndindex"):
                return OTHER
            if name == "zip" and path and path[0] < len(node.args):
                return self._element(node.args[path[0]], place, path[1:], depth + 1)
            if name == "enumerate" and path:
                return OTHER if path[0] == 0 else self._element(node.args[0], place, path[1:], depth + 1)
            if name == "items" and isinstance(node.func, ast.Attribute) and path:
                return self.factor(node.func.value, place, depth)
        if path and isinstance(node, ast.Tuple | ast.List):
            parts = [
                e.elts[path[0]] for e in node.elts if isinstance(e, ast.Tuple | ast.List) and path[0] < len(e.elts)
            ]
            if parts:
                return self._any_of([self._element(part, place, path[1:], depth + 1) for part in parts[:50]], True)
        if isinstance(node, ast.Name):
            values = [d for d in self.program.definitions(node.id, place) if d.kind == "value"]
            if len(values) == 1 and depth < DEPTH:
                return self._element(values[0].value, values[0].scope, path, depth + 1)
        return self.factor(node, place, depth)

    def _any_of(self, found: list[Factor], named: bool) -> Factor:
        """The most step-like of several values; a constant that has a name may be a step."""
        roots = frozenset().union(*(each.roots for each in found if each.kind != "other"))
        kinds = {each.kind for each in found}
        small = any(each.small for each in found)
        has_name = named and any(each.kind == "const" and each.roots for each in found)
        if "step" in kinds or has_name:
            return Factor("step", roots, small)
        if "scaled" in kinds:
            return Factor("step" if named and "other" not in kinds else "scaled", roots, True)
        if "inverse" in kinds:
            return Factor("inverse", roots, small)
        return Factor("const", roots) if kinds == {"const"} else OTHER

    def _binary(self, node: ast.BinOp, place: Place, depth: int) -> Factor:
        left, right = self.factor(node.left, place, depth), self.factor(node.right, place, depth)
        roots, small = left.roots | right.roots, left.small or right.small
        kinds = (left.kind, right.kind)
        if isinstance(node.op, ast.Mult | ast.MatMult):
            if kinds == ("const", "const"):
                return Factor("const", roots)
            if "inverse" in kinds:
                only = kinds in (("inverse", "const"), ("const", "inverse"), ("inverse", "inverse"))
                return Factor("inverse", roots, small) if only else OTHER
            if set(kinds) <= {"step", "const"}:
                own = (left.roots if left.kind == "step" else frozenset()) | (
                    right.roots if right.kind == "step" else frozenset()
                )
                return Factor("step", own, small)
            return Factor("scaled", roots, True) if small else OTHER
        if isinstance(node.op, ast.Div):
            if right.kind == "step" and left.kind in ("const", "step"):
                if left.kind == "step" and not right.small:
                    return Factor("step", left.roots, left.small)
                return Factor("inverse", right.roots, right.small)
            if right.kind == "const" and left.kind in ("const", "step", "scaled", "inverse"):
                return Factor(left.kind, left.roots, left.small)
            return Factor("scaled", left.roots, True) if left.small else OTHER
        if isinstance(node.op, ast.Pow):
            negative = isinstance(node.right, ast.UnaryOp) and isinstance(node.right.op, ast.USub)
            if left.kind == "const" and (negative or right.kind == "step"):
                return Factor("step", frozenset({id(node)}), True)
            if left.kind == "step":
                return Factor("inverse" if negative else "step", left.roots, left.small)
            return OTHER
        if isinstance(node.op, ast.Add | ast.Sub) and kinds == ("step", "step") and left.roots == right.roots:
            return left
        if isinstance(node.op, ast.Sub):  # x1 - x2, two places that are a step apart
            common = self._moved_by(node.left, place) & self._moved_by(node.right, place)
            if common:
                return Factor("step", common, True)
        return CONST if kinds == ("const", "const") else OTHER

    def _moved_by(self, node: ast.AST, place: Place, depth: int = 0) -> frozenset[int]:
        """The roots of the small steps by which a name's value, or one element of it, is shifted."""
        if depth > 4:
            return frozenset()
        while isinstance(node, ast.Subscript | ast.Call | ast.Attribute):
            if not isinstance(node, ast.Call):
                node = node.value
            elif isinstance(node.func, ast.Attribute):
                node = node.func
            elif node.args:
                node = node.args[0]
            else:
                return frozenset()
        found: frozenset[int] = frozenset()
        if isinstance(node, ast.Name):
            for definition in self.program.definitions(node.id, place)[:MOST_SHIFTS]:
                value = definition.value
                parts: list[ast.AST] = []
                if definition.kind == "param":
                    given = self.whole.arguments.get((id(definition.node), node.id), ())
                    found = found.union(*(self._moved_by(argument, there, depth + 1) for argument, there in given[:20]))
                if isinstance(value, ast.AugAssign):
                    parts = [value.value]
                elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
                    parts = [value.left, value.right]
                for part in parts:
                    factor = self.factor(part, definition.scope)
                    found |= factor.roots if factor.small else frozenset()
        return found

    def _call(self, node: ast.Call, place: Place, depth: int) -> Factor:
        name = last_name(node.func)
        if name == "Fraction" and len(node.args) == 2:
            return Factor("step", frozenset({id(node)}), True)
        if name == "reciprocal":
            inner = self.factor(node.args[0] if node.args else getattr(node.func, "value", None), place, depth)
            return Factor("inverse", inner.roots, inner.small) if inner.kind == "step" else OTHER
        if name not in _SAME_NUMBER or (name == "arange"):
            found = [
                self.factor(v, self.program.places[id(t)], depth)
                for t in self.whole.callees(node.func, place)
                for v in self._returned(t)
            ]
            return self._any_of(found, True) if found else OTHER
        parts: list[ast.AST] = [
            *node.args,
            *(word.value for word in node.keywords if word.arg in ("fill_value", "value")),
        ]
        if isinstance(node.func, ast.Attribute) and not _module(node.func.value):
            parts.append(node.func.value)
        found = [self.factor(part, place, depth) for part in parts]
        steps = [each for each in found if each.kind == "step"]
        if steps:
            return self._any_of(steps, True)
        if name in ("linspace", "logspace", "geomspace") and any(each.kind == "const" for each in found):
            return Factor("step", frozenset({id(node)}), True)
        for kind in ("scaled", "inverse"):
            if any(each.kind == kind for each in found):
                return self._any_of([each for each in found if each.kind == kind], False)
        return CONST if found and all(each.kind == "const" for each in found) else OTHER

    def _returned(self, target: Any) -> list[ast.AST]:
        return [] if isinstance(target, ast.ClassDef) else self.program.places[id(target)].returns[:5]

    # ---- shifts ----

    def _shifts(self, node: ast.AST, place: Place) -> Iterator[Shift]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            sides = [(node.right, node.left)] + ([(node.left, node.right)] if isinstance(node.op, ast.Add) else [])
            for term, value in sides:
                factor = self.factor(term, place)
                if self._is_shift(factor) and self.factor(value, place).kind in ("other", "scaled"):
                    yield Shift(node, place, factor)
                relative = self.factor(value, place).kind == "const" and factor.kind == "step" and factor.small
                if relative:  # x * (1 + h)
                    yield Shift(node, place, factor)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            factor = self.factor(node.value, place)
            if self._is_shift(factor):
                yield Shift(node, place, factor)
        elif isinstance(node, ast.Call) and last_name(node.func) in _ADDERS:
            for part in [*node.args, *(word.value for word in node.keywords)]:
                factor = self.factor(part, place)
                if self._is_shift(factor):
                    yield Shift(node, place, factor)

    def _is_shift(self, factor: Factor) -> bool:
        return bool(factor.roots) and (factor.kind == "step" or (factor.kind == "scaled" and factor.small))

    # ---- divisions ----

    def _divisions(self, node: ast.AST, place: Place) -> Iterator[tuple[ast.AST, Factor]]:
        """(numerator, what it is divided by) where that is a step."""
        pairs: list[tuple[ast.AST, ast.AST, bool]] = []  # numerator, divisor, whether it is multiplied by
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Div):
                pairs.append((node.left, node.right, False))
            elif isinstance(node.op, ast.Mult | ast.MatMult):
                pairs += [(node.left, node.right, True), (node.right, node.left, True)]
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
            times = isinstance(node.op, ast.Mult)
            target = _base(node.target)
            pairs.append((target, node.value, times))
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            parts: list[ast.AST] = [*node.args]
            if isinstance(node.func, ast.Attribute) and not _module(node.func.value):
                parts.insert(0, node.func.value)
            if name in _DIVIDERS and len(parts) > 1:
                pairs.append((parts[0], parts[1], False))
            elif name in _MULTIPLIERS:
                pairs += [(one, other, True) for one in parts for other in parts if one is not other]
        for numerator, divisor, times in pairs:
            factor = self.factor(divisor, place)
            own = ("inverse",) if times else ("step", "scaled")
            if factor.kind in own and factor.roots:
                yield numerator, factor
            elif times and factor.kind in ("const", "step") and isinstance(divisor, ast.Constant):
                value = self._values.get(id(divisor), 0)
                if isinstance(value, float | int) and abs(value) > LARGE:
                    yield numerator, Factor("inverse", frozenset({id(divisor)}), True)

    def _divides_by_its_shift(self, numerator: ast.AST, place: Place, divisor: Factor) -> bool:
        candidates = [s for s in self.shifts if s.factor.roots & divisor.roots or self._fits(s.factor, divisor)]
        if not candidates:
            return False
        reached = self.reach(numerator, place)
        return any(id(shift.node) in reached for shift in candidates)

    def _fits(self, shift: Factor, divisor: Factor) -> bool:
        """`x + 1e-4` and `/ 2e-4`, or `* 5000`: literals one of which is a multiple of the other."""
        if len(divisor.roots) != 1 or len(shift.roots) != 1 or not (shift.small and divisor.small):
            return False
        (one,), (other,) = shift.roots, divisor.roots
        step, by = self._values.get(one), self._values.get(other)
        if not isinstance(step, float | int) or not isinstance(by, float | int):
            return False
        ratio = abs(1 / (by * step)) if abs(by) > LARGE else abs(by / step)
        return 0.99 < ratio <= 1000.5 and abs(ratio - round(ratio)) < 1e-6 * ratio

    def reach(self, node: ast.AST, place: Place) -> set[int]:
        """Ids of all that an expression of the slice depends on."""
        if id(node) not in self._reach:
            self._reach[id(node)] = set(Slice(self.program, [(node, place)], self.whole.arguments).nodes)
        return self._reach[id(node)]

    # ---- the same expression at two places ----

    def _antisymmetric(self, node: ast.BinOp, place: Place) -> bool:
        """`f(x + d) - f(x - d)`, or `f(x + d) - f(x)` for a function of the file's own."""
        left, right = self._tokens(node.left, place), self._tokens(node.right, place)
        if left is None or right is None or not any(token in ("call", "MatMult", "Pow") for token in left):
            return False
        if len(left) == len(right):
            different = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
            return bool(different) and all({a, b} == {"Add", "Sub"} for a, b in different)
        if not (self._is_own_call(node.left, place) and self._is_own_call(node.right, place)):
            return False
        longer, shorter = (left, right) if len(left) > len(right) else (right, left)
        same = 0
        while same < len(shorter) and longer[same] == shorter[same]:
            same += 1
        rest = len(shorter) - same
        inserted = longer[same : len(longer) - rest]
        return longer[len(longer) - rest :] == shorter[same:] and inserted[-1] in ("Add", "Sub")

    def _is_own_call(self, node: ast.AST, place: Place, depth: int = 0) -> bool:
        if isinstance(node, ast.Name) and depth < INLINED:
            values = [d for d in self.program.definitions(node.id, place) if d.kind == "value"]
            return len(values) == 1 and self._is_own_call(values[0].value or node, values[0].scope, depth + 1)
        return isinstance(node, ast.Call) and bool(self.whole.callees(node.func, place))

    def _tokens(self, node: ast.AST, place: Place) -> list[str] | None:
        """The expression in postfix order, names that are assigned once replaced by their values; None if too long."""
        found: list[str] = []
        waiting: list[Any] = [(node, place, 0)]
        while waiting:
            entry = waiting.pop()
            if isinstance(entry, str):
                found.append(entry)
                continue
            if len(found) + len(waiting) > MOST_TOKENS:
                return None
            node, place, depth = entry
            parts: list[Any] = []
            if isinstance(node, ast.Name):
                definitions = [d for d in self.program.definitions(node.id, place) if d.kind != "passed"]
                values = [d for d in definitions if d.kind in ("value", "store")]
                plain = [d for d in values if d.kind == "value"]
                if len(plain) == 1 and len(values) == len(definitions) <= 3 and depth < INLINED:
                    waiting += [(d.value, d.scope, depth + 1) for d in reversed(values)]
                else:
                    found.append(node.id)
            elif isinstance(node, ast.BinOp):
                parts = [(node.left, place, depth), (node.right, place, depth), type(node.op).__name__]
            elif isinstance(node, ast.AugAssign):
                parts = [(node.value, place, depth), type(node.op).__name__]
            elif isinstance(node, ast.Call):
                arguments = [*node.args, *(word.value for word in node.keywords)]
                parts = [(node.func, place, INLINED), *((each, place, depth) for each in arguments), "call"]
            elif isinstance(node, ast.Attribute):
                parts = [(node.value, place, depth), "." + node.attr]
            elif isinstance(node, ast.Constant):
                found.append(repr(node.value)[:50])
            elif isinstance(node, scopes.Comprehension | ast.Lambda):
                return None
            else:
                parts = [*((child, place, depth) for child in scopes.children(node)), type(node).__name__]
            waiting += reversed(parts)
        return found


def number(node: ast.AST, depth: int = 0) -> float | None:
    """The value of an expression of literals, such as `1 / 2**10`; None for anything else."""
    if isinstance(node, ast.Constant):
        value = node.value
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return float(value) if abs(value) < 1e300 else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and depth < 8:
        inner = number(node.operand, depth + 1)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp) or depth > 8:
        return None
    left, right = number(node.left, depth + 1), number(node.right, depth + 1)
    if left is None or right is None:
        return None
    try:
        if isinstance(node.op, ast.Pow):
            return float(left**right) if left > 0 else None
        if isinstance(node.op, ast.Div):
            return left / right
        if isinstance(node.op, ast.LShift):
            return float(left * 2.0**right)
        return left * right if isinstance(node.op, ast.Mult) else None
    except (OverflowError, ZeroDivisionError):
        return None


_ARRAYS = frozenset({"np", "numpy", "torch"})
_MODULES = _ARRAYS | {"math", "F", "functional", "operator", "cmath"}


def _module(node: ast.AST) -> str:
    """The name of a library's module, "" for anything else."""
    name = last_name(node)
    return name if name in _MODULES else ""


def _base(target: ast.AST) -> ast.AST:
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    return target
