"""The canonical form of code: equal for code that differs only in layout, order, temporaries or spelling.

A temporary variable stands for its value, and `x[i] = v` for a new value of `x`. A loop is one effect. Method: value
numbering, as in optimising compilers.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from grader.source.aliases import ends_in_underscore
from grader.source.canonical_expressions import LIBRARY, CodeValue, ExpressionReader, plain, short
from grader.source.syntax import FunctionDefinition, all_nodes, base_name, children

LIST_CHANGES = frozenset({"append", "extend", "insert", "update"})
EFFECTS = (ast.Return, ast.Raise, ast.Yield, ast.Expr)


class Canonicaliser(ExpressionReader):
    """Gives statements their canonical form; `names` follows the values that they assign.

    `computed` are (the variable that gets it or "", value) for each value that a statement computes.
    """

    def __init__(self, names: Mapping[str, CodeValue] | None = None, modules: Mapping[str, str] = LIBRARY) -> None:
        super().__init__(names, modules)
        self.computed: list[tuple[str, CodeValue]] = []

    def run(self, body: Sequence[ast.stmt]) -> list[str]:
        """The effects of code, in order: what it returns, its loops, and what it calls for an effect.

        The values that it assigns are then in `names`.
        """
        return [effect for statement in body for effect in self._effects(statement)]

    def _effects(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Return(value=None):
                return ["return"]
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
                return self._unassigned(node, value)
            case ast.Assign():
                assigned = self.value(node.value)
                for target in node.targets:
                    self._assign(target, assigned, node.value)
            case ast.AnnAssign(value=ast.expr() as value):
                self._assign(node.target, self.value(value), value)
            case ast.AugAssign():
                self._assign(node.target, self._operation(node.op, self.value(node.target), self.value(node.value)))
            case ast.With() if all("grad" in ast.unparse(item.context_expr) for item in node.items):
                return self.run(node.body)  # torch.no_grad()
            case ast.Import() | ast.ImportFrom():
                self.modules |= imported_modules(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.names[node.name] = self._definition(node)
            case ast.Pass() | ast.Global() | ast.Nonlocal() | ast.Assert() | ast.AnnAssign():
                pass
            case _:
                is_compound = any(isinstance(each, ast.stmt) for each in children(node))
                return self._compound(node) if is_compound else [self.text(node)]
        return []

    def _unassigned(self, node: ast.stmt, expression: ast.expr) -> list[str]:
        if isinstance(expression, ast.Constant) and isinstance(node, ast.Expr):
            return []  # a docstring
        value = self.value(expression)
        self.computed.append(("", value))
        if isinstance(node, ast.Return):
            return [f"return {value}"]
        match expression:
            case ast.Call(func=ast.Name(id="print")):
                return []
            case ast.Call(func=ast.Attribute(value=ast.Name() as holder, attr=method)) if ends_in_underscore(method):
                function = ast.Attribute(holder, method.rstrip("_"), ast.Load())
                self._set(holder.id, self.value(ast.Call(function, expression.args, expression.keywords)))
                return []
        return [str(value)]

    def _set(self, name: str, value: CodeValue) -> None:
        self.names[name] = value
        self.computed.append((name, value))

    def _assign(self, target: ast.expr, value: CodeValue, node: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            self._set(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(target.elts):
                values = [self.value(each) for each in node.elts]
            else:
                values = [plain(f"{value}[{place}]") for place in range(len(target.elts))]
            for each, part in zip(target.elts, values, strict=True):
                self._assign(each, part)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value)
        elif name := base_name(target):
            before = self.names.get(name) or plain(name)
            self._set(name, plain(f"set({before};{self._place(target, name)};{value})"))

    def _place(self, target: ast.expr, name: str) -> str:
        """Where in the variable `name` a target is: `x` has no part in the place of `x[0]`."""
        return Canonicaliser(self.names | {name: plain("")}, self.modules).text(target)

    def _compound(self, node: ast.stmt) -> list[str]:
        """A loop, an `if` or so: one effect, after which the names that it changes have new values."""
        changed = changed_names(node)
        before = "|".join(str(self.names.get(name, "")) for name in changed)
        text = short(f"{self.inside(changed)._other(node)}|{before}")
        for place, name in enumerate(changed):
            self._set(name, plain(f"after({place};{text})"))
        return [text] if not changed or any(isinstance(each, EFFECTS) for each in all_nodes(node)) else []

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> CodeValue:
        if isinstance(node, ast.ClassDef):
            return plain(f"class({','.join(sorted(self.text(each) for each in node.body))})")
        arguments = argument_names(node)
        return plain(f"def({len(arguments)};{';'.join(self.inside(arguments).run(node.body))})")

    _FunctionDef = _AsyncFunctionDef = _ClassDef = _definition

    def _AugAssign(self, node: ast.AugAssign) -> CodeValue:
        return self._other(ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value)))

    def _AnnAssign(self, node: ast.AnnAssign) -> CodeValue:
        return self._other(ast.Assign([node.target], node.value)) if node.value else plain("")


def argument_names(node: FunctionDefinition | ast.Lambda) -> list[str]:
    """The names of all parameters of a function, in the order of its definition."""
    return [each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)]


def changed_names(node: ast.AST) -> list[str]:
    """Names that a statement assigns, or whose objects it changes."""
    found: dict[str, None] = {}
    for each in all_nodes(node):
        if isinstance(each, ast.Name | ast.Subscript | ast.Attribute):
            changes = not isinstance(each.ctx, ast.Load)
        else:
            method = each.func.attr if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) else ""
            changes = ends_in_underscore(method) or method in LIST_CHANGES
        if changes and (name := base_name(each.func if isinstance(each, ast.Call) else each)):
            found.setdefault(name)
    return list(found)


def imported_modules(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """{name: what it stands for} of torch and numpy; a function that is imported by name is "torch:exp"."""
    found = {}
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top in ("torch", "numpy"):
                found[alias.asname or top] = LIBRARY[top]
    elif (node.module or "").partition(".")[0] == "torch":
        for alias in node.names:
            is_module = alias.name in ("nn", "functional")
            found[alias.asname or alias.name] = "torch" if is_module else f"torch:{alias.name}"
    return found
