"""Finds difference quotients in a slice: a value is shifted by a step, and what comes of it is divided by that step.

A *step* is a scalar that a file writes down: a small literal (at most 0.3), a named number, or a product of such. A
*shift* adds a step, or a small multiple of some direction, to something else: `x + h`, `x[i] -= h`, `x + h * e`. The
1e-5 of a batch norm is a shift, too. What no formula of a gradient does is to divide by its own shift.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.sandbox.policy.step_factors import ARRAYS, StepFactor, StepFactors, module_name
from grader.sandbox.policy.symmetric_differences import is_symmetric_difference
from grader.source.program_slice import ProgramSlice
from grader.source.scopes import Scope
from grader.source.syntax import base_of, last_name

MIN_RECIPROCAL_LITERAL = 3.0
"""The least literal that may be the reciprocal of a step."""
MAX_QUOTIENTS = 30
MAX_DIFFERENCES = 150
"""Differences whose two sides are compared."""
_ADDERS = frozenset(
    {"add", "add_", "sub", "sub_", "subtract", "index_add", "index_add_", "scatter_add", "scatter_add_", "at"}
    | {"__add__", "__sub__", "__radd__", "addcmul", "addcdiv", "lerp", "baddbmm", "addr"}
    | {"index_put", "index_put_", "scatter", "scatter_", "index_fill_", "masked_fill", "index_fill"}
)
_DIVIDERS = frozenset({"div", "div_", "divide", "divide_", "true_divide", "truediv", "__truediv__"})
_MULTIPLIERS = frozenset({"mul", "mul_", "multiply", "dot", "matmul", "tensordot", "einsum", "mv", "mm", "inner"})
_SOLVERS = frozenset({"solve", "inv", "pinv", "qr", "svd", "solve_triangular"})
DIFFERENTIATING_FUNCTIONS = frozenset(
    {"polyfit", "vander", "lstsq", "chebfit", "legfit", "polyder", "chebder", "approx_fprime", "approx_derivative"}
    | {"lagrange", "BarycentricInterpolator", "Polynomial", "Chebyshev", "chebinterpolate", "CubicSpline"}
)
"""Functions with no other use in a backward pass than to differentiate from values."""


@dataclass(frozen=True)
class Shift:
    node: ast.AST
    scope: Scope
    factor: StepFactor


class Quotients:
    """Difference quotients of one slice."""

    def __init__(self, whole: ProgramSlice) -> None:
        self.whole, self.program = whole, whole.program
        self.factors = StepFactors(whole)
        self.factor = self.factors.factor
        self._reach: dict[int, set[int]] = {}
        self.shifts = [shift for node, scope in whole.nodes.values() for shift in self._shifts(node, scope)]

    def find(self) -> Iterator[ast.AST]:
        """Nodes of the slice that are difference quotients."""
        nodes = [*self.whole.nodes.values()]
        yield from (node for node, scope in nodes if self._is_named(node, scope))
        if self.shifts:
            yield from self._quotients(nodes)
            yield from (node for node, scope in nodes if self._is_solver_in_a_loop(node, scope))
        subtractions = [
            (node, scope) for node, scope in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        ]
        for node, scope in subtractions[:MAX_DIFFERENCES]:
            if is_symmetric_difference(node, scope, self.whole):
                yield node

    def _is_named(self, node: ast.AST, scope: Scope) -> bool:
        """A function of a library that has no other use, such as `np.polyfit` or `np.gradient`."""
        name = last_name(node)
        is_gradient = name == "gradient" and isinstance(node, ast.Attribute) and module_name(node.value) in ARRAYS
        return is_gradient or (name in DIFFERENTIATING_FUNCTIONS and self._is_imported(node, scope))

    def _quotients(self, nodes: Sequence[tuple[ast.AST, Scope]]) -> Iterator[ast.AST]:
        checked = 0
        for node, scope in nodes:
            for numerator, roots in self._divisions(node, scope):
                checked += 1
                if checked < MAX_QUOTIENTS and self._divides_by_its_shift(numerator, scope, roots):
                    yield node
                    break

    def _is_solver_in_a_loop(self, node: ast.AST, scope: Scope) -> bool:
        """A linear solver that is given what was evaluated at shifted inputs."""
        if not (isinstance(node, ast.Call) and last_name(node.func) in _SOLVERS):
            return False
        reached = set().union(*(self.reach(part, scope) for part in [*node.args, node.func]))
        return any(id(shift.node) in reached and self._is_loop(shift) for shift in self.shifts)

    def _is_imported(self, node: ast.AST, scope: Scope) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and any(d.kind == "import" for d in self.program.bindings(node.id, scope))

    def _is_loop(self, shift: Shift) -> bool:
        return shift.factor.kind in ("step", "scaled") and len(shift.factor.roots) > 0

    # ---- shifts ----

    def _shifts(self, node: ast.AST, scope: Scope) -> Iterator[Shift]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            sides = [(node.right, node.left)] + ([(node.left, node.right)] if isinstance(node.op, ast.Add) else [])
            for term, value in sides:
                factor = self.factor(term, scope)
                if self._is_shift(factor) and self.factor(value, scope).kind in ("other", "scaled"):
                    yield Shift(node, scope, factor)
                relative = self.factor(value, scope).kind == "const" and factor.kind == "step" and factor.small
                if relative:  # x * (1 + h)
                    yield Shift(node, scope, factor)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            factor = self.factor(node.value, scope)
            if self._is_shift(factor):
                yield Shift(node, scope, factor)
        elif isinstance(node, ast.Call) and last_name(node.func) in _ADDERS:
            for part in [*node.args, *(word.value for word in node.keywords)]:
                factor = self.factor(part, scope)
                if self._is_shift(factor):
                    yield Shift(node, scope, factor)

    def _is_shift(self, factor: StepFactor) -> bool:
        return bool(factor.roots) and (factor.kind == "step" or (factor.kind == "scaled" and factor.small))

    # ---- divisions ----

    def _divisions(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, StepFactor]]:
        """(numerator, what it is divided by) where that is a step."""
        pairs: list[tuple[ast.AST, ast.AST, bool]] = []  # numerator, divisor, whether it is multiplied by
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Div):
                pairs.append((node.left, node.right, False))
            elif isinstance(node.op, ast.Mult | ast.MatMult):
                pairs += [(node.left, node.right, True), (node.right, node.left, True)]
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
            times = isinstance(node.op, ast.Mult)
            target = base_of(node.target)
            pairs.append((target, node.value, times))
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            parts: list[ast.AST] = [*node.args]
            if isinstance(node.func, ast.Attribute) and not module_name(node.func.value):
                parts.insert(0, node.func.value)
            if name in _DIVIDERS and len(parts) > 1:
                pairs.append((parts[0], parts[1], False))
            elif name in _MULTIPLIERS:
                pairs += [(one, other, True) for one in parts for other in parts if one is not other]
        for numerator, divisor, times in pairs:
            factor = self.factor(divisor, scope)
            own = ("inverse",) if times else ("step", "scaled")
            if factor.kind in own and factor.roots:
                yield numerator, factor
            elif times and factor.kind in ("const", "step") and isinstance(divisor, ast.Constant):
                value = self.factors.values.get(id(divisor), 0)
                if isinstance(value, float | int) and abs(value) > MIN_RECIPROCAL_LITERAL:
                    yield numerator, StepFactor("inverse", frozenset({id(divisor)}), True)

    def _divides_by_its_shift(self, numerator: ast.AST, scope: Scope, divisor: StepFactor) -> bool:
        candidates = [s for s in self.shifts if s.factor.roots & divisor.roots or self._fits(s.factor, divisor)]
        if not candidates:
            return False
        reached = self.reach(numerator, scope)
        return any(id(shift.node) in reached for shift in candidates)

    def _fits(self, shift: StepFactor, divisor: StepFactor) -> bool:
        """`x + 1e-4` and `/ 2e-4`, or `* 5000`: literals one of which is a multiple of the other."""
        if len(divisor.roots) != 1 or len(shift.roots) != 1 or not (shift.small and divisor.small):
            return False
        (one,), (other,) = shift.roots, divisor.roots
        step, by = self.factors.values.get(one), self.factors.values.get(other)
        if not isinstance(step, float | int) or not isinstance(by, float | int):
            return False
        ratio = abs(1 / (by * step)) if abs(by) > MIN_RECIPROCAL_LITERAL else abs(by / step)
        return 0.99 < ratio <= 1000.5 and abs(ratio - round(ratio)) < 1e-6 * ratio

    def reach(self, node: ast.AST, scope: Scope) -> set[int]:
        """Ids of all that an expression of the slice depends on."""
        if id(node) not in self._reach:
            self._reach[id(node)] = set(ProgramSlice(self.program, [(node, scope)], self.whole.arguments).nodes)
        return self._reach[id(node)]
