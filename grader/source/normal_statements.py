"""The normal form of statements: straight-line code becomes the expression that it computes.

A temporary variable stands for its value, and `x[i] = v` for a new value of `x`. A loop is one effect, with labels for
what it changes. Method: value numbering, as in optimising compilers.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from grader.source.aliases import ends_in_underscore
from grader.source.normal_form import LIBRARY, ExpressionReader, dotted_path
from grader.source.normal_values import NormalValue, plain, short
from grader.source.syntax import all_nodes, base_name, children

COMPOUND = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.Try, ast.Match, ast.With, ast.AsyncWith)
DEFINITION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def changed_names(node: ast.AST) -> set[str]:
    """Names that a statement assigns, or whose objects it changes."""
    found: set[str] = set()
    for each in all_nodes(node):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            found.add(each.id)
        elif isinstance(each, (ast.Subscript, ast.Attribute)) and isinstance(each.ctx, (ast.Store, ast.Del)):
            found.add(base_name(each) or "")
        elif isinstance(each, ast.Call) and changes_object(each.func):
            found.add(base_name(each.func))
    return found - {""}


def changes_object(function: ast.expr) -> bool:
    """Whether it is a method that changes its object: `x.add_`, `found.append`."""
    if not isinstance(function, ast.Attribute):
        return False
    return ends_in_underscore(function.attr) or function.attr in ("append", "extend", "insert", "update")


class Normaliser(ExpressionReader):
    """Gives statements their normal form; `names` follows the values that they assign."""

    def run(self, body: Sequence[ast.stmt]) -> list[str]:
        """The effects of straight-line code, in order: what it returns, its loops, and what it calls for an effect.

        The values that it assigns are then in `names`.
        """
        effects: list[str] = []
        for statement in body:
            effects += self._statement(statement)
        return effects

    def _statement(self, node: ast.stmt) -> list[str]:
        if isinstance(node, ast.Return):
            return [f"return {self.value(node.value) if node.value else ''}"]
        if isinstance(node, ast.Expr):
            return self._expression_statement(node.value)
        if isinstance(node, ast.Assign):
            value = self.value(node.value)
            for target in node.targets:
                self._assign(target, value, node.value)
            return []
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign(node.target, self.value(node.value), node.value)
            return []
        if isinstance(node, ast.AugAssign):
            self._assign(node.target, self._operation(node.op, self.value(node.target), self.value(node.value)))
            return []
        if isinstance(node, ast.With) and all("grad" in dotted_call(item.context_expr) for item in node.items):
            return self.run(node.body)
        if isinstance(node, COMPOUND):
            return self._compound(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.modules |= imported_modules(node)
            return []
        if isinstance(node, DEFINITION_NODES):
            self.names[node.name] = plain(self._definition(node))
            return []
        if isinstance(node, ast.Pass | ast.Global | ast.Nonlocal | ast.Assert):
            return []
        return [self.text(node)]

    def _expression_statement(self, node: ast.expr) -> list[str]:
        if isinstance(node, ast.Constant):
            return []
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "print":
                return []
            if isinstance(node.func, ast.Attribute) and ends_in_underscore(node.func.attr):
                name = base_name(node.func)
                plain_call = ast.Call(
                    ast.Attribute(node.func.value, node.func.attr.rstrip("_"), ast.Load()), node.args, node.keywords
                )
                if name and isinstance(node.func.value, ast.Name):
                    self.names[name] = self.value(plain_call)
                    return []
        return [self.text(node)]

    def _assign(self, target: ast.expr, value: NormalValue, node: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(target.elts):
                values = [self.value(each) for each in node.elts]
            else:
                values = [plain(f"{value}[{place}]") for place in range(len(target.elts))]
            for each, part in zip(target.elts, values, strict=True):
                self._assign(each, part)
        elif isinstance(target, ast.Subscript | ast.Attribute):
            where = self.text(target.slice) if isinstance(target, ast.Subscript) else target.attr
            holder = target.value
            if isinstance(holder, ast.Name):
                before = self.value(holder)
                self.names[holder.id] = plain(f"set({before};{where};{value})")
            elif name := base_name(holder):
                before = self.names.get(name) or plain(name)
                self.names[name] = plain(f"set({before};{self.text(holder)};{where};{value})")
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value)

    def _compound(self, node: ast.stmt) -> list[str]:
        """A loop, an `if` or so: one effect, after which the names that it changes have new values."""
        changed = sorted(changed_names(node))
        inner = _Labelling(self.names, self.modules, changed)
        parts = inner.block(node)
        self.mass += inner.mass
        order = [*inner.used, *(name for name in changed if name not in inner.used)]
        before = [f"{self.names.get(name) or ''}" for name in order]
        text = short(f"{type(node).__name__}({'|'.join(parts)};{'|'.join(before)})")
        for place, name in enumerate(order):
            self.names[name] = plain(f"after({place};{text})")
        returns = any(isinstance(each, ast.Return | ast.Raise | ast.Yield | ast.Expr) for each in all_nodes(node))
        return [text] if returns or not changed else []

    def _definition(self, node: ast.stmt) -> str:
        if isinstance(node, ast.ClassDef):
            methods = [
                f"{each.name}:{self._definition(each)}" for each in node.body if isinstance(each, DEFINITION_NODES)
            ]
            return f"class({','.join(sorted(methods))})"
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        arguments = [each.arg for each in all_nodes(node.args) if isinstance(each, ast.arg)]
        inner = self._within(arguments)
        text = short(f"def({len(arguments)};{';'.join(inner.run(node.body))})")
        self.mass += inner.mass
        return text


class _Labelling(Normaliser):
    """Reads the inside of a loop: what it changes has labels there, in the order in which the loop mentions them."""

    def __init__(self, names: Mapping[str, NormalValue], modules: Mapping[str, str], changed: Collection[str]) -> None:
        super().__init__(names, modules)
        self.changed = set(changed)
        self.used: list[str] = []

    def _Name(self, node: ast.Name) -> NormalValue:
        if node.id not in self.changed or ((own := self.names.get(node.id)) and own.key.startswith("_b")):
            return super()._Name(node)
        if node.id not in self.used:
            self.used.append(node.id)
        return plain(f"_w{self.used.index(node.id)}")

    def block(self, node: ast.AST) -> list[str]:
        """The parts of a compound statement: its heads as expressions, its statements one after another."""
        found: list[str] = []
        for each in children(node):
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                continue
            if isinstance(each, ast.stmt | ast.ExceptHandler | ast.match_case) and any(
                isinstance(inner, ast.stmt) for inner in children(each)
            ):
                found.append(f"{type(each).__name__}({'|'.join(self.block(each))})")
            elif isinstance(each, ast.Assign):
                found.append(f"{'='.join(map(self.text, each.targets))}={self.text(each.value)}")
            elif isinstance(each, ast.AugAssign):
                before = self.value(each.target)
                found.append(f"{before}={self._operation(each.op, before, self.value(each.value))}")
            elif isinstance(each, ast.AnnAssign):
                found.append(f"{self.text(each.target)}={self.text(each.value) if each.value else ''}")
            elif not isinstance(each, ast.Pass):
                found.append(self.text(each))
        return found


def dotted_call(node: ast.expr) -> str:
    """`torch.no_grad` of `torch.no_grad()`."""
    return dotted_path(node.func) if isinstance(node, ast.Call) else ""


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
