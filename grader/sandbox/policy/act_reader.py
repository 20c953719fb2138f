"""Reads pieces of a submission's text: the acts in them, and the module-level names whose values they use."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.sandbox.policy import names
from grader.source.module_pieces import Piece
from grader.source.program import Program
from grader.source.scopes import Scope
from grader.source.syntax import (
    MAX_STRING_CHARACTERS,
    DefinitionNode,
    FunctionNode,
    children,
    evaluated_outside,
    last_name,
    literal_string,
)

_FOLLOWED = 12  # links of a path and aliases of aliases; a loop among them (`a = b; b = a`) ends here
_STARS = 20  # modules of `from ... import *` in which a name is searched


@dataclass(frozen=True)
class Act:
    """Something that a step may not do, at ``line`` and ``column`` (from 1), and whether it is differentiation."""

    line: int
    column: int
    what: str
    differentiates: bool


@dataclass(frozen=True)
class TextContents:
    """What was read in one piece of text.

    Attributes:
        acts: what was found.
        reached: names used of this file's module scope, in order of the alphabet.
        reached_elsewhere: (module, name) used of neighbours.
    """

    acts: Sequence[Act]
    reached: Sequence[str]
    reached_elsewhere: Sequence[tuple[str, str]]


class ActReader:
    """Reads pieces of one file, each once. The time is linear in the length of the text, however it is nested.

    Args:
        module: the file's module scope.
        program: the submission's files; all except this one are the neighbours.
        owns_backward: whether some class of the student's has a `backward`; then no call of one is taken for torch's.
    """

    def __init__(self, module: Scope, program: Program, owns_backward: bool) -> None:
        self._module, self._scopes = module, program.scopes
        self.neighbours = program.modules.keys() - {name for name, scope in program.modules.items() if scope is module}
        self.owns_backward = owns_backward
        stars = [name for name in module.star if name in self.neighbours or names.may_hold_autodiff(name)]
        self._stars = stars[:_STARS]
        self._contents: dict[Piece, TextContents] = {}
        self._paths: dict[tuple[int, int], str | None] = {}  # of calls: (id of the node, depth) -> path
        self._begin()

    def _begin(self) -> None:
        self._acts: list[Act] = []
        self._reached: set[str] = set()
        self._reached_elsewhere: set[tuple[str, str]] = set()

    def read(self, piece: Piece) -> TextContents:
        if piece not in self._contents:
            self._begin()
            self._read(piece.nodes)
            self._contents[piece] = TextContents(self._acts, sorted(self._reached), sorted(self._reached_elsewhere))
        return self._contents[piece]

    def _read(self, nodes: Sequence[ast.AST]) -> None:
        """With a list of its own instead of recursion: a text may be nested deeper than Python's stack."""
        waiting: list[tuple[ast.AST, Scope]] = [(node, self._module) for node in reversed(nodes)]
        while waiting:
            node, scope = waiting.pop()
            inner = scope if type(node) is ast.ClassDef else self._scopes.get(id(node), scope)
            if inner is not scope and isinstance(node, FunctionNode):
                body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
                waiting += [(part, inner) for part in reversed(body)]
                waiting += [(part, scope) for part in reversed(evaluated_outside(node))]
                continue
            is_leaf = False
            if isinstance(node, ast.expr):
                if isinstance(node, ast.Name) and self._reads_module_name(node, scope):
                    self._reached.add(node.id)
                is_leaf = self._is_act(node, inner)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                is_leaf = self._is_alias(node, scope)  # named where the alias is used
            if not is_leaf:
                waiting += [(child, inner) for child in reversed(children(node))]

    def _reads_module_name(self, node: ast.Name, scope: Scope) -> bool:
        return isinstance(node.ctx, ast.Load) and self._owner(node.id, scope) is self._module

    def _owner(self, name: str, scope: Scope) -> Scope:
        """The scope that gives the name its value, else the module's. Class bodies belong to the scope around them."""
        while scope is not self._module and scope.parent is not None:
            if not isinstance(scope.node, ast.ClassDef) and (name in scope.bound_names or name in scope.imports):
                return scope
            scope = scope.parent
        return scope

    def _is_alias(self, node: ast.Assign | ast.AnnAssign, scope: Scope) -> bool:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        is_followed = isinstance(target, ast.Name) and target.id in scope.aliases
        return is_followed and node.value is not None and self._path(node.value, scope) is not None

    # ---- acts ----

    def _is_act(self, node: ast.expr, scope: Scope) -> bool:
        attribute = attribute_of(node)
        if attribute and attribute[1] in names.OTHER_ATTRIBUTES:
            return self._note(node, f".{attribute[1]}", differentiates=False)
        path = self._path(node, scope)
        if path is not None:
            for module in self.neighbours:
                if path.startswith(f"{module}."):
                    self._reached_elsewhere.add((module, path.removeprefix(f"{module}.").partition(".")[0]))
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
        return isinstance(node, ast.Call) and self._is_act_of_call(node, scope)

    def _is_act_of_call(self, node: ast.Call, scope: Scope) -> bool:
        function = self._path(node.func, scope)
        if function == "operator.methodcaller" and node.args and literal_string(node.args[0]) == "backward":
            return not self.owns_backward and self._note(node, ".backward()", differentiates=True)
        if (attribute := attribute_of(node.func)) and attribute[1] == "grad_fn":
            return self._note(node, ".grad_fn(…)", differentiates=True)
        if function == "builtins.open":
            modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
            if any(set(literal_string(mode) or "") & set("wax+") for mode in modes):
                return self._note(node, "open(…) for writing", differentiates=False)
        return False

    def _note(self, node: ast.expr, what: str, *, differentiates: bool) -> bool:
        line = (node.end_lineno if isinstance(node, ast.Attribute) else None) or node.lineno  # where the name is
        self._acts.append(Act(line, node.col_offset + 1, what, differentiates))
        return True

    # ---- dotted paths ----

    def _path(self, node: ast.expr, scope: Scope, depth: int = 0) -> str | None:
        """The dotted path that an expression in `scope` stands for, through imports and aliases; None without one."""
        if depth > _FOLLOWED:
            return None
        if isinstance(node, ast.Name):
            return self._path_of_name(node.id, scope, depth)
        if attribute := attribute_of(node):
            path = self._path(attribute[0], scope, depth + 1)
            return f"{path}.{attribute[1]}"[:MAX_STRING_CHARACTERS] if path else None
        if isinstance(node, ast.Subscript) and self._path(node.value, scope, depth + 1) == "sys.modules":
            return literal_string(node.slice)
        if isinstance(node, ast.Call) and node.args:
            key = id(node), depth  # several paths lead to a call within a call: without this, twice as many per call
            if key not in self._paths:
                self._paths[key] = self._path_of_call(node, scope, depth)
            return self._paths[key]
        return None

    def _path_of_name(self, name: str, scope: Scope, depth: int) -> str | None:
        owner = self._owner(name, scope)
        if name in owner.aliases:
            return self._path(owner.aliases[name], owner, depth + 1)
        if name in owner.bound_names:
            return None
        if name in owner.imports:
            return owner.imports[name][:MAX_STRING_CHARACTERS]
        for module in self._stars:
            if module in self.neighbours or names.is_autodiff(f"{module}.{name}"):
                return f"{module}.{name}"[:MAX_STRING_CHARACTERS]
        return f"builtins.{name}" if hasattr(builtins, name) else None

    def _path_of_call(self, node: ast.Call, scope: Scope, depth: int) -> str | None:
        """``importlib.import_module("m")``, ``__import__("m")`` and ``operator.attrgetter("a.b")(x)``."""
        function = self._path(node.func, scope, depth + 1)
        text = literal_string(node.args[0])
        if text and function == "importlib.import_module":
            return text
        if text and function == "builtins.__import__":  # returns the top package, unless `fromlist` is given
            return text if len(node.args) > 3 or node.keywords else text.partition(".")[0]
        maker = node.func
        if isinstance(maker, ast.Call) and maker.args and (attribute := literal_string(maker.args[0])):
            base = self._path(node.args[0], scope, depth + 1)
            if base and self._path(maker.func, scope, depth + 1) == "operator.attrgetter":
                return f"{base}.{attribute}"[:MAX_STRING_CHARACTERS]
        return None


def attribute_of(node: ast.AST) -> tuple[ast.expr, str] | None:
    """(object, name) of ``x.name``, ``getattr(x, "name")``, ``vars(x)["name"]`` and ``x.__dict__["name"]``."""
    if isinstance(node, ast.Attribute):
        return node.value, node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        name = literal_string(node.args[1]) if len(node.args) > 1 else None
        return (node.args[0], name) if name else None
    if isinstance(node, ast.Subscript) and (name := literal_string(node.slice)):
        table = node.value
        if isinstance(table, ast.Attribute) and table.attr == "__dict__":
            return table.value, name
        if isinstance(table, ast.Call) and isinstance(table.func, ast.Name) and table.func.id == "vars" and table.args:
            return table.args[0], name
    return None


def owns_backward(tree: ast.Module) -> bool:
    """Whether the file gives some object of its own a ``backward``; then ``thing.backward()`` may well be that one."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]  # with whether it is part of a `namedtuple(...)`
    while waiting:
        node, named = waiting.pop()
        if _gives_backward(node, named):
            return True
        named = named or _is_named_tuple(node)
        waiting += [(child, named) for child in children(node)]
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
    return isinstance(node, ast.Call) and last_name(node.func) in ("namedtuple", "NamedTuple")


def _names_of_member(member: ast.stmt) -> Iterator[str]:
    if isinstance(member, DefinitionNode):
        yield member.name
    elif isinstance(member, ast.Assign | ast.AnnAssign):
        for target in member.targets if isinstance(member, ast.Assign) else [member.target]:
            if isinstance(target, ast.Name):
                yield target.id
