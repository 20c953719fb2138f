"""Reads one piece of a submission's text: the acts in it, and the module-level names whose values it uses."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from grader.policy import names
from grader.policy import scope as scopes

_FOLLOWED = 12  # links of a path and aliases of aliases; a loop among them (`a = b; b = a`) ends here


@dataclass(frozen=True)
class Act:
    """Something that a step may not do, at ``line`` and ``column`` (from 1), and whether it is differentiation."""

    line: int
    column: int
    what: str
    differentiates: bool


class Reader:
    """Reads pieces of one file.

    Args:
        scope: the file's module scope.
        neighbours: module names of the submission's other files.
        owns_backward: whether some class of the student's has a ``backward``; then no call of one is taken for torch's.

    Attributes:
        acts: what was found.
        reached: names used of this file's module scope.
        reached_elsewhere: (module, name) used of neighbours.
    """

    def __init__(self, scope: scopes.Scope, neighbours: Collection[str], owns_backward: bool) -> None:
        self.scope = scope
        self.neighbours = neighbours
        self.owns_backward = owns_backward
        self.acts: list[Act] = []
        self.reached: set[str] = set()
        self.reached_elsewhere: set[tuple[str, str]] = set()

    def read(self, piece: ast.AST) -> None:
        self._read(piece, [self.scope])

    def _read(self, node: ast.AST, around: list[scopes.Scope]) -> None:
        """``around``: the scopes in which the node stands, the module's first."""
        if isinstance(node, scopes.Function):
            self._read_function(node, around)
            return
        if isinstance(node, scopes.Comprehension):
            around = [*around, scopes.comprehension_scope(node)]
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            owner = next((scope for scope in reversed(around) if scope.has(node.id)), self.scope)
            if owner is self.scope:
                self.reached.add(node.id)
        if isinstance(node, ast.expr) and self._is_act(node, around):
            return
        if isinstance(node, ast.Assign | ast.AnnAssign) and self._is_alias(node, around):
            return  # named where the alias is used
        for child in scopes.children(node):
            self._read(child, around)

    def _read_function(self, function: scopes.Function, around: list[scopes.Scope]) -> None:
        outside = [*function.args.defaults, *(value for value in function.args.kw_defaults if value)]
        body: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else [*function.body]
        if not isinstance(function, ast.Lambda):
            outside += function.decorator_list
        for expression in outside:
            self._read(expression, around)
        inside = [*around, scopes.function_scope(function)]
        for part in body:
            self._read(part, inside)

    def _is_alias(self, node: ast.Assign | ast.AnnAssign, around: list[scopes.Scope]) -> bool:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        is_followed = isinstance(target, ast.Name) and target.id in around[-1].assigned
        return is_followed and node.value is not None and self.path(node.value, around) is not None

    # ---- acts ----

    def _is_act(self, node: ast.expr, around: list[scopes.Scope]) -> bool:
        attribute = attribute_of(node)
        if attribute and attribute[1] in names.OTHER_ATTRIBUTES:
            return self._note(node, f".{attribute[1]}", differentiates=False)
        path = self.path(node, around)
        if path is not None:
            module, _, name = path.partition(".")
            if module in self.neighbours:
                self.reached_elsewhere.add((module, name.partition(".")[0]))
            if names.is_autodiff(path):
                return self._note(node, path, differentiates=True)
            if names.is_other_means(path):
                return self._note(node, path.removeprefix("builtins."), differentiates=False)
            return False
        if attribute:
            base, name = attribute
            if name == "backward" and not self.owns_backward:
                return self._note(node, ".backward()", differentiates=True)
            if (inner := attribute_of(base)) and inner[1] == "grad_fn":
                return self._note(node, f".grad_fn.{name}", differentiates=True)
        return isinstance(node, ast.Call) and self._is_act_of_call(node, around)

    def _is_act_of_call(self, node: ast.Call, around: list[scopes.Scope]) -> bool:
        function = self.path(node.func, around)
        if function == "operator.methodcaller" and node.args and literal(node.args[0]) == "backward":
            return not self.owns_backward and self._note(node, ".backward()", differentiates=True)
        if (attribute := attribute_of(node.func)) and attribute[1] == "grad_fn":
            return self._note(node, ".grad_fn(…)", differentiates=True)
        if function == "builtins.open":
            modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
            if any(set(literal(mode) or "") & set("wax+") for mode in modes):
                return self._note(node, "open(…) for writing", differentiates=False)
        return False

    def _note(self, node: ast.expr, what: str, *, differentiates: bool) -> bool:
        line = (node.end_lineno if isinstance(node, ast.Attribute) else None) or node.lineno  # where the name stands
        self.acts.append(Act(line, node.col_offset + 1, what, differentiates))
        return True

    # ---- dotted paths ----

    def path(self, node: ast.expr, around: list[scopes.Scope], depth: int = 0) -> str | None:
        """The dotted path that an expression stands for, through imports and aliases; None where it is none."""
        if depth > _FOLLOWED:
            return None
        if isinstance(node, ast.Name):
            return self._path_of_name(node.id, around, depth)
        if attribute := attribute_of(node):
            path = self.path(attribute[0], around, depth + 1)
            return f"{path}.{attribute[1]}" if path else None
        if isinstance(node, ast.Subscript) and self.path(node.value, around, depth + 1) == "sys.modules":
            return literal(node.slice)
        if isinstance(node, ast.Call) and node.args:
            return self._path_of_call(node, around, depth)
        return None

    def _path_of_name(self, name: str, around: list[scopes.Scope], depth: int) -> str | None:
        for level in range(len(around) - 1, -1, -1):
            scope = around[level]
            if name in scope.bound:
                return None
            if name in scope.assigned:
                return self.path(scope.assigned[name], around[: level + 1], depth + 1)
            if name in scope.imported:
                return scope.imported[name]
        for module in self.scope.star:
            if module in self.neighbours or names.is_autodiff(f"{module}.{name}"):
                return f"{module}.{name}"
        return f"builtins.{name}" if hasattr(builtins, name) else None

    def _path_of_call(self, node: ast.Call, around: list[scopes.Scope], depth: int) -> str | None:
        """``importlib.import_module("m")``, ``__import__("m")`` and ``operator.attrgetter("a.b")(x)``."""
        function = self.path(node.func, around, depth + 1)
        text = literal(node.args[0])
        if text and function == "importlib.import_module":
            return text
        if text and function == "builtins.__import__":  # gives the top package, unless told what is wanted from it
            return text if len(node.args) > 3 or node.keywords else text.partition(".")[0]
        maker = node.func
        if isinstance(maker, ast.Call) and maker.args and (wanted := literal(maker.args[0])):
            base = self.path(node.args[0], around, depth + 1)
            if base and self.path(maker.func, around, depth + 1) == "operator.attrgetter":
                return f"{base}.{wanted}"
        return None


def attribute_of(node: ast.AST) -> tuple[ast.expr, str] | None:
    """(object, name) of ``x.name``, ``getattr(x, "name")``, ``vars(x)["name"]`` and ``x.__dict__["name"]``."""
    if isinstance(node, ast.Attribute):
        return node.value, node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        name = literal(node.args[1]) if len(node.args) > 1 else None
        return (node.args[0], name) if name else None
    if isinstance(node, ast.Subscript) and (name := literal(node.slice)):
        table = node.value
        if isinstance(table, ast.Attribute) and table.attr == "__dict__":
            return table.value, name
        if isinstance(table, ast.Call) and isinstance(table.func, ast.Name) and table.func.id == "vars" and table.args:
            return table.args[0], name
    return None


def literal(node: ast.expr) -> str | None:
    """The text of a string that stands in the source, also in pieces: ``"back" + "ward"``."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = literal(node.left), literal(node.right)
        return left + right if left is not None and right is not None else None
    return None


def owns_backward(tree: ast.Module) -> bool:
    """Whether the file gives some object of its own a ``backward``; then ``thing.backward()`` may well be that one."""
    return any(_gives_backward(node) for node in scopes.all_nodes(tree))


def _gives_backward(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return any("backward" in _names_of_member(member) for member in node.body)
    if isinstance(node, ast.Attribute):
        return node.attr == "backward" and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.keyword):
        return node.arg == "backward"  # SimpleNamespace(backward=…), dataclasses.replace(layer, backward=…)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        texts = (
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        )
        return name in ("namedtuple", "NamedTuple") and any("backward" in text for text in texts)
    return False


def _names_of_member(member: ast.stmt) -> Iterator[str]:
    if isinstance(member, scopes.Definition):
        yield member.name
    elif isinstance(member, ast.Assign | ast.AnnAssign):
        for target in member.targets if isinstance(member, ast.Assign) else [member.target]:
            if isinstance(target, ast.Name):
                yield target.id
