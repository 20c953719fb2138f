"""Which expressions of a slice are steps of a difference quotient, or contain one as a factor."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from grader.source.program_slice import ProgramSlice
from grader.source.scopes import Binding, Scope
from grader.source.syntax import children, last_name, literal_number

MAX_STEP_LITERAL = 0.3  # the largest literal that is a step
MAX_STEP_DEPTH = 40
MAX_BINDINGS = 200  # of one name
MAX_SHIFTS = 20  # bindings of one name that are searched for shifts, when it is divided by

ARRAYS = frozenset({"np", "numpy", "torch"})
STEP_MODULES = ARRAYS | {"math", "F", "functional", "operator", "cmath"}


def module_name(node: ast.AST) -> str:
    """The name of a library's module, "" for anything else."""
    name = last_name(node)
    return name if name in STEP_MODULES else ""


FactorKind = Literal["const", "step", "scaled", "inverse", "other"]


@dataclass(frozen=True)
class StepFactor:
    """What an expression is as a factor of a product.

    Attributes:
        kind: "const", numbers only; "step", a scalar that may be a step; "scaled", a step times something else;
            "inverse", a number over a step; "other".
        roots: the literals that the step comes from, by id.
        small: whether one of them is small.
        mixed: whether it is one of several values, others of which have no step in them.
    """

    kind: FactorKind
    roots: frozenset[int] = frozenset()
    small: bool = False
    mixed: bool = False


OTHER, CONST = StepFactor("other"), StepFactor("const")
_SAME_NUMBER = frozenset(
    {"float", "abs", "tensor", "as_tensor", "full", "full_like", "float64", "float32", "array", "asarray", "Fraction"}
    | {"Decimal", "sqrt", "cbrt", "pow", "item", "scalar_tensor", "double", "to", "type", "max", "min", "maximum"}
    | {"clone", "ldexp", "linspace", "logspace", "geomspace", "finfo", "longdouble", "power", "unsqueeze"}
    | {"view", "reshape", "cos", "expand", "fromhex"}
)


class StepFactors:
    """What each expression of one slice is as a factor. Each is read once. `values` is {id of a literal: its value}."""

    def __init__(self, whole: ProgramSlice) -> None:
        self.whole, self.program = whole, whole.program
        self.values: dict[int, complex | float] = {}
        self._factors: dict[int, StepFactor] = {}
        self._busy: set[int] = set()
        self._names: dict[tuple[int, str], StepFactor] = {}

    def factor(self, node: ast.AST | None, scope: Scope, depth: int = 0) -> StepFactor:
        if node is None or depth > MAX_STEP_DEPTH or id(node) in self._busy:
            return OTHER
        if id(node) not in self._factors:
            self._busy.add(id(node))
            found = self._factor(node, scope, depth + 1)
            self._busy.discard(id(node))
            self._factors[id(node)] = found
        return self._factors[id(node)]

    def _factor(self, node: ast.AST, scope: Scope, depth: int) -> StepFactor:
        if isinstance(node, ast.Constant):
            return self._literal(node)
        if isinstance(node, ast.BinOp) and (value := literal_number(node)) is not None:
            return self._of_number(node, value)
        if isinstance(node, ast.Name):
            return self._of_name(node.id, scope, depth)
        if isinstance(node, ast.UnaryOp):
            return self.factor(node.operand, scope, depth)
        if isinstance(node, ast.BinOp):
            return self._binary(node, scope, depth)
        if isinstance(node, ast.Call):
            return self._call(node, scope, depth)
        if isinstance(node, ast.Attribute):
            if node.attr in ("eps", "epsilon", "tiny", "resolution", "smallest_normal"):
                text = ast.dump(node.value)
                if "finfo" in text or "float_info" in text:
                    return StepFactor("step", frozenset({id(node)}), True)
            own = [self._of(d, node.attr, depth) for d in self.program.attributes.get(node.attr, ())[:50]]
            found = self._any_of(own, True) if own else OTHER
            return OTHER if found.mixed else found  # the data of a node, which one operation scales by its slope
        if isinstance(node, ast.Subscript):
            return self.factor(node.value, scope, depth)
        if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.IfExp):
            elements = (part for part in children(node) if not (isinstance(node, ast.IfExp) and part is node.test))
            return self._any_of([self.factor(each, scope, depth) for each in islice(elements, 50)], False)
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self.factor(node.elt, self.program.scopes.get(id(node), scope), depth)
        return OTHER

    def _of_name(self, name: str, scope: Scope, depth: int) -> StepFactor:
        key = id(scope.owner(name)), name
        if key not in self._names:
            self._names[key] = OTHER  # while its bindings are read
            bindings = self.program.bindings(name, scope)[:MAX_BINDINGS]
            self._names[key] = self._any_of([self._of(d, name, depth) for d in bindings if d.kind != "passed"], True)
        return self._names[key]

    def _literal(self, node: ast.Constant) -> StepFactor:
        value = node.value
        if isinstance(value, str):  # Decimal("1e-30")
            try:
                value = float(value)
            except ValueError:
                return OTHER
        if isinstance(value, bool) or not isinstance(value, int | float) or value == 0 or value != value:
            return CONST if isinstance(value, int | float) else OTHER
        return self._of_number(node, value)

    def _of_number(self, node: ast.AST, value: float) -> StepFactor:
        self.values[id(node)] = value
        is_step = 0 < abs(value) <= MAX_STEP_LITERAL
        return StepFactor("step" if is_step else "const", frozenset({id(node)}), is_step)

    def _of(self, binding: Binding, name: str, depth: int) -> StepFactor:
        """A name's value is a step where it is written down as a number; what a loop counts is not a step."""
        if binding.kind == "param":
            given = self.whole.arguments.get((id(binding.node), name), ())
            found = [self.factor(argument, scope, depth) for argument, scope in given[:50]]
            found += [self.factor(binding.value, binding.scope, depth)] if binding.value is not None else []
            return self._any_of(found, True)
        if binding.kind == "store":
            value = binding.value
            value = value.value if isinstance(value, ast.AugAssign) else value
            if isinstance(value, ast.Call) and last_name(value.func) in ("append", "add", "insert"):
                return self.factor(value.args[-1] if value.args else None, binding.scope, depth)
            found_one = self.factor(value, binding.scope, depth)
            if found_one.kind == "inverse":
                return found_one
            is_step = found_one.small and found_one.kind == "step"
            return StepFactor("scaled", found_one.roots, True, found_one.mixed) if is_step else OTHER
        if binding.kind == "import":
            others = [self._of(other, name, depth + 1) for other in self.program.imported(binding)]
            return self._any_of(others, True) if others else OTHER
        if binding.kind in ("iter", "part"):
            return self._element(binding.value, binding.scope, binding.path, depth)
        if binding.kind == "value":
            return self.factor(binding.value, binding.scope, depth)
        return OTHER

    def _element(self, node: ast.AST | None, scope: Scope, path: tuple[int, ...], depth: int) -> StepFactor:
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in ("range", "count", "ndindex"):
                return OTHER
            if name == "zip" and path and path[0] < len(node.args):
                return self._element(node.args[path[0]], scope, path[1:], depth + 1)
            if name == "enumerate" and path:
                return OTHER if path[0] == 0 else self._element(node.args[0], scope, path[1:], depth + 1)
            if name == "items" and isinstance(node.func, ast.Attribute) and path:
                return self.factor(node.func.value, scope, depth)
        if path and isinstance(node, ast.Tuple | ast.List):
            rows = [each.elts for each in node.elts if isinstance(each, ast.Tuple | ast.List)]
            parts = [row[path[0]] for row in rows if path[0] < len(row)]
            if parts:
                return self._any_of([self._element(part, scope, path[1:], depth + 1) for part in parts[:50]], True)
        if isinstance(node, ast.Name):
            values = [d for d in self.program.bindings(node.id, scope) if d.kind == "value"]
            if len(values) == 1 and depth < MAX_STEP_DEPTH:
                return self._element(values[0].value, values[0].scope, path, depth + 1)
        return self.factor(node, scope, depth)

    def _any_of(self, found: list[StepFactor], named: bool) -> StepFactor:
        """The most step-like of several values; a constant that has a name may be a step."""
        roots = frozenset().union(*(each.roots for each in found if each.kind != "other"))
        kinds = {each.kind for each in found}
        small = any(each.small for each in found)
        has_name = named and any(each.kind == "const" and each.roots for each in found)
        mixed = any(each.mixed for each in found)
        if "step" in kinds or has_name:
            return StepFactor("step", roots, small, mixed)
        if "scaled" in kinds:
            of_one = named and "other" not in kinds
            return StepFactor("step" if of_one else "scaled", roots, True, mixed or not of_one)
        if "inverse" in kinds:
            return StepFactor("inverse", roots, small)
        return StepFactor("const", roots) if kinds == {"const"} else OTHER

    def _binary(self, node: ast.BinOp, scope: Scope, depth: int) -> StepFactor:
        left, right = self.factor(node.left, scope, depth), self.factor(node.right, scope, depth)
        kinds = (left.kind, right.kind)
        match node.op:
            case ast.Mult() | ast.MatMult():
                return product_factor(left, right)
            case ast.Div():
                return quotient_factor(left, right)
            case ast.Pow():
                negative = isinstance(node.right, ast.UnaryOp) and isinstance(node.right.op, ast.USub)
                if left.kind == "const" and (negative or right.kind == "step"):
                    return StepFactor("step", frozenset({id(node)}), True)
                if left.kind == "step":
                    return StepFactor("inverse" if negative else "step", left.roots, left.small)
                return OTHER
            case ast.Add() | ast.Sub() if kinds == ("step", "step") and left.roots == right.roots:
                return left
            case ast.Sub():  # x1 - x2, two places that are a step apart
                common = self._moved_by(node.left, scope) & self._moved_by(node.right, scope)
                if common:
                    return StepFactor("step", common, True)
        return CONST if kinds == ("const", "const") else OTHER

    def _moved_by(self, node: ast.AST, scope: Scope, depth: int = 0) -> frozenset[int]:
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
            for binding in self.program.bindings(node.id, scope)[:MAX_SHIFTS]:
                value = binding.value
                parts: list[ast.AST] = []
                if binding.kind == "param":
                    given = self.whole.arguments.get((id(binding.node), node.id), ())
                    found = found.union(*(self._moved_by(argument, there, depth + 1) for argument, there in given[:20]))
                if isinstance(value, ast.AugAssign):
                    parts = [value.value]
                elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
                    parts = [value.left, value.right]
                for part in parts:
                    factor = self.factor(part, binding.scope)
                    found |= factor.roots if factor.small else frozenset()
        return found

    def _call(self, node: ast.Call, scope: Scope, depth: int) -> StepFactor:
        name = last_name(node.func)
        if name == "Fraction" and len(node.args) == 2:
            return StepFactor("step", frozenset({id(node)}), True)
        if name == "reciprocal":
            inner = self.factor(node.args[0] if node.args else getattr(node.func, "value", None), scope, depth)
            return StepFactor("inverse", inner.roots, inner.small) if inner.kind == "step" else OTHER
        if name not in _SAME_NUMBER:
            targets = self.whole.callees(node.func, scope)
            found = [self.factor(v, self.program.scopes[id(t)], depth) for t in targets for v in self._returned(t)]
            return self._any_of(found, True) if found else OTHER
        parts: list[ast.AST] = [*node.args]
        parts += (word.value for word in node.keywords if word.arg in ("fill_value", "value"))
        if isinstance(node.func, ast.Attribute) and not module_name(node.func.value):
            parts.append(node.func.value)
        found = [self.factor(part, scope, depth) for part in parts]
        steps = [each for each in found if each.kind == "step"]
        if steps:
            return self._any_of(steps, True)
        if name in ("linspace", "logspace", "geomspace") and any(each.kind == "const" for each in found):
            return StepFactor("step", frozenset({id(node)}), True)
        for kind in ("scaled", "inverse"):
            if any(each.kind == kind for each in found):
                return self._any_of([each for each in found if each.kind == kind], False)
        return CONST if found and all(each.kind == "const" for each in found) else OTHER

    def _returned(self, target: Any) -> list[ast.AST]:
        return [] if isinstance(target, ast.ClassDef) else self.program.scopes[id(target)].returns[:5]


def product_factor(left: StepFactor, right: StepFactor) -> StepFactor:
    kinds, roots, small = {left.kind, right.kind}, left.roots | right.roots, left.small or right.small
    if kinds == {"const"}:
        return StepFactor("const", roots)
    if "inverse" in kinds:
        return StepFactor("inverse", roots, small) if kinds <= {"inverse", "const"} else OTHER
    if kinds <= {"step", "const"}:
        of_steps = [each.roots for each in (left, right) if each.kind == "step"]
        return StepFactor("step", frozenset().union(*of_steps), small)
    return StepFactor("scaled", roots, True) if small else OTHER


def quotient_factor(left: StepFactor, right: StepFactor) -> StepFactor:
    if right.kind == "step" and left.kind in ("const", "step"):
        if left.kind == "step" and not right.small:
            return StepFactor("step", left.roots, left.small)
        return StepFactor("inverse", right.roots, right.small)
    if right.kind == "const" and left.kind in ("const", "step", "scaled", "inverse"):
        return StepFactor(left.kind, left.roots, left.small)
    return StepFactor("scaled", left.roots, True) if left.small else OTHER
