"""Reads one piece of a submission's text: the acts in it, and the module-level names whose values it uses."""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.sandbox.policy import names
from grader.source import scopes as scopes

_FOLLOWED = 12  # links of a path and aliases of aliases; a loop among them (`a = b; b = a`) ends here
_LONGEST = 500  # characters of a path or of a name in quotes; what differentiates is named in fewer
_PIECES = 200  # of which a name in quotes is put together
_STARS = 20  # modules of `from ... import *` in which a name is looked for


@dataclass(frozen=True)
class Act:
    """Something that a step may not do, at ``line`` and ``column`` (from 1), and whether it is differentiation."""

    line: int
    column: int
    what: str
    differentiates: bool


@dataclass(frozen=True)
class Contents:
    """What was read in one piece of text.

    Attributes:
        acts: what was found.
        reached: names used of this file's module scope, in order of the alphabet.
        reached_elsewhere: (module, name) used of neighbours.
    """

    acts: Sequence[Act]
    reached: Sequence[str]
    reached_elsewhere: Sequence[tuple[str, str]]


_LEFT = object()  # among nodes that wait: the innermost scope ends here


class Reader:
    """Reads pieces of one file, each once. The time is linear in the length of the text, however it is nested.

    Args:
        scope: the file's module scope.
        neighbours: module names of the submission's other files.
        owns_backward: whether some class of the student's has a ``backward``; then no call of one is taken for torch's.
    """

    def __init__(self, scope: scopes.Scope, neighbours: Collection[str], owns_backward: bool) -> None:
        self.scope = scope
        self.neighbours = neighbours
        self.owns_backward = owns_backward
        stars = [module for module in scope.star if module in neighbours or names.may_hold_autodiff(module)]
        self._stars = stars[:_STARS]
        self._contents: dict[scopes.Piece, Contents] = {}
        self._around: list[scopes.Scope] = [scope]  # the scopes in which a node stands, the module's first
        self._levels: dict[str, list[int]] = {}  # name -> places in `_around` of the scopes that have it, but the first
        self._paths: dict[tuple[int, int], str | None] = {}  # of calls: (id of the node, depth) -> path
        self._begin()

    def _begin(self) -> None:
        self._acts: list[Act] = []
        self._reached: set[str] = set()
        self._reached_elsewhere: set[tuple[str, str]] = set()

    def read(self, piece: scopes.Piece) -> Contents:
        if piece not in self._contents:
            self._begin()
            self._read(piece.nodes)
            self._contents[piece] = Contents(self._acts, sorted(self._reached), sorted(self._reached_elsewhere))
        return self._contents[piece]

    def _read(self, nodes: Sequence[ast.AST]) -> None:
        """With a list of its own instead of recursion: a text may be nested deeper than Python's stack."""
        waiting: list[Any] = [*reversed(nodes)]
        while waiting:
            node = waiting.pop()
            if node is _LEFT:
                self._leave()
                continue
            if isinstance(node, scopes.Scope):
                self._enter(node)
                continue
            if isinstance(node, scopes.Function):
                waiting += reversed(self._parts_of_function(node))
                continue
            inside = []
            if isinstance(node, scopes.Comprehension):
                self._enter(scopes.comprehension_scope(node))
                inside = [_LEFT]
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not self._levels.get(node.id):
                self._reached.add(node.id)
            leaf = isinstance(node, ast.expr) and self._is_act(node)
            if not leaf and isinstance(node, ast.Assign | ast.AnnAssign):
                leaf = self._is_alias(node)  # named where the alias is used
            if not leaf:
                inside += reversed(scopes.children(node))
            waiting += inside

    def _enter(self, scope: scopes.Scope) -> None:
        for name in scope.names:
            self._levels.setdefault(name, []).append(len(self._around))
        self._around.append(scope)

    def _leave(self) -> None:
        for name in self._around.pop().names:
            self._levels[name].pop()

    def _parts_of_function(self, function: scopes.Function) -> list[Any]:
        """What is evaluated outside of it, then its scope, its body and the scope's end."""
        outside = [*function.args.defaults, *(value for value in function.args.kw_defaults if value)]
        body: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else [*function.body]
        if not isinstance(function, ast.Lambda):
            outside += function.decorator_list
        return [*outside, scopes.function_scope(function), *body, _LEFT]

    def _is_alias(self, node: ast.Assign | ast.AnnAssign) -> bool:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        is_followed = isinstance(target, ast.Name) and target.id in self._around[-1].assigned
        return is_followed and node.value is not None and self.path(node.value) is not None

    # ---- acts ----

    def _is_act(self, node: ast.expr) -> bool:
        attribute = attribute_of(node)
        if attribute and attribute[1] in names.OTHER_ATTRIBUTES:
            return self._note(node, f".{attribute[1]}", differentiates=False)
        path = self.path(node)
        if path is not None:
            module, _, name = path.partition(".")
            if module in self.neighbours:
                self._reached_elsewhere.add((module, name.partition(".")[0]))
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
        return isinstance(node, ast.Call) and self._is_act_of_call(node)

    def _is_act_of_call(self, node: ast.Call) -> bool:
        function = self.path(node.func)
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
        self._acts.append(Act(line, node.col_offset + 1, what, differentiates))
        return True

    # ---- dotted paths ----

    def path(self, node: ast.expr) -> str | None:
        """The dotted path that an expression stands for, through imports and aliases; None where it is none."""
        return self._path(node, len(self._around) - 1, 0)

    def _path(self, node: ast.expr, level: int, depth: int) -> str | None:
        """`level`: the place in `_around` of the innermost scope in which the expression stands."""
        if depth > _FOLLOWED:
            return None
        if isinstance(node, ast.Name):
            return self._path_of_name(node.id, level, depth)
        if attribute := attribute_of(node):
            path = self._path(attribute[0], level, depth + 1)
            return f"{path}.{attribute[1]}"[:_LONGEST] if path else None
        if isinstance(node, ast.Subscript) and self._path(node.value, level, depth + 1) == "sys.modules":
            return literal(node.slice)
        if isinstance(node, ast.Call) and node.args:
            key = id(node), depth  # several paths lead to a call within a call: without this, twice as many per call
            if key not in self._paths:
                self._paths[key] = self._path_of_call(node, level, depth)
            return self._paths[key]
        return None

    def _path_of_name(self, name: str, level: int, depth: int) -> str | None:
        levels = self._levels.get(name, ())
        place = bisect_right(levels, level) if levels else 0
        own = levels[place - 1] if place else 0
        scope = self._around[own]
        if name in scope.bound:
            return None
        if name in scope.assigned:
            return self._path(scope.assigned[name], own, depth + 1)
        if name in scope.imported:
            return scope.imported[name][:_LONGEST]
        for module in self._stars:
            if module in self.neighbours or names.is_autodiff(f"{module}.{name}"):
                return f"{module}.{name}"[:_LONGEST]
        return f"builtins.{name}" if hasattr(builtins, name) else None

    def _path_of_call(self, node: ast.Call, level: int, depth: int) -> str | None:
        """``importlib.import_module("m")``, ``__import__("m")`` and ``operator.attrgetter("a.b")(x)``."""
        function = self._path(node.func, level, depth + 1)
        text = literal(node.args[0])
        if text and function == "importlib.import_module":
            return text
        if text and function == "builtins.__import__":  # gives the top package, unless told what is wanted from it
            return text if len(node.args) > 3 or node.keywords else text.partition(".")[0]
        maker = node.func
        if isinstance(maker, ast.Call) and maker.args and (wanted := literal(maker.args[0])):
            base = self._path(node.args[0], level, depth + 1)
            if base and self._path(maker.func, level, depth + 1) == "operator.attrgetter":
                return f"{base}.{wanted}"[:_LONGEST]
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
    """The text of a string that stands in the source, also in pieces: ``"back" + "ward"``. None for a long one."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) and len(node.value) <= _LONGEST else None
    if not isinstance(node, ast.BinOp):
        return None
    found: list[str] = []
    waiting: list[ast.expr] = [node]
    for _ in range(_PIECES):
        part = waiting.pop()
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            waiting += [part.left, part.right]
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.append(part.value)
        else:
            return None
        if not waiting:
            break
    length = sum(map(len, found))
    return "".join(reversed(found)) if not waiting and length <= _LONGEST else None


def owns_backward(tree: ast.Module) -> bool:
    """Whether the file gives some object of its own a ``backward``; then ``thing.backward()`` may well be that one."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]  # with whether it is part of a `namedtuple(...)`
    while waiting:
        node, named = waiting.pop()
        if _gives_backward(node, named):
            return True
        named = named or _is_named_tuple(node)
        waiting += [(child, named) for child in scopes.children(node)]
    return False


def _gives_backward(node: ast.AST, in_named_tuple: bool) -> bool:
    if isinstance(node, ast.ClassDef):
        return any("backward" in _names_of_member(member) for member in node.body)
    if isinstance(node, ast.Attribute):
        return node.attr == "backward" and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.keyword):
        return node.arg == "backward"  # SimpleNamespace(backward=…), dataclasses.replace(layer, backward=…)
    if in_named_tuple and isinstance(node, ast.Constant):
        return isinstance(node.value, str) and "backward" in node.value
    return False


def _is_named_tuple(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return False
    name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
    return name in ("namedtuple", "NamedTuple")


def _names_of_member(member: ast.stmt) -> Iterator[str]:
    if isinstance(member, scopes.Definition):
        yield member.name
    elif isinstance(member, ast.Assign | ast.AnnAssign):
        for target in member.targets if isinstance(member, ast.Assign) else [member.target]:
            if isinstance(target, ast.Name):
                yield target.id
