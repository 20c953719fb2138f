"""Scopes of a program, and the ways in which each gives its names a value.

Flow-insensitive: a name stands for all values that its scope gives it. program.py reads them from syntax trees.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from grader.source.syntax import Comprehension


@dataclass(frozen=True, eq=False)
class Binding:
    """One way in which a name gets a value or a part of one.

    Attributes:
        kind: "value" (`x = v`), "part" (`x, y = v`: the whole of v), "iter" (`for x in v`), "store" (`x[i] = v`,
            `x += v`, `x.add_(v)`), "passed" (`fill(x)`: the call), "param", "function", "class", "import".
        value: the expression; None for a parameter without default.
        scope: where the expression is evaluated.
        node: the statement, or the function of a parameter.
        key: of `x["key"] = v`; of an import the name that is imported.
        path: the target's indices within nested tuples, for "iter" and "part".
    """

    kind: str
    value: ast.AST | None
    scope: Scope
    node: ast.AST
    key: str | None = None
    path: tuple[int, ...] = ()

    @property
    def gives_all(self) -> bool:
        """Whether it is an assignment of a whole expression to one name, as in `x = v`."""
        whole = isinstance(self.node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and self.node.value is self.value
        return self.kind == "value" and whole

    @property
    def is_partial(self) -> bool:
        """Whether it changes an object that the name already has: `x[i] = v` and `fill(x)`, but not `x += v`."""
        return self.kind == "passed" or (
            self.kind == "store"
            and not (isinstance(self.node, ast.AugAssign) and isinstance(self.node.target, ast.Name))
        )


@dataclass(eq=False)
class Scope:
    """A module, function, class or comprehension.

    Attributes:
        names: {name: its bindings}, in the order of the file.
        unfollowed: names that get a value which is not followed: `except E as x`, `case x`, `del x`, `x: int`.
        elsewhere: {name: "global" or "nonlocal"}.
        imports: {name: dotted path}, for `import torch as t` and `from torch import autograd`.
        star: the modules of `from ... import *`, each once.
        returns: expressions of return and yield.
        loops: first and last lines of the loops.
    """

    node: ast.AST
    parent: Scope | None
    file: str
    names: dict[str, list[Binding]] = field(default_factory=lambda: defaultdict(list))
    unfollowed: set[str] = field(default_factory=set)
    elsewhere: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    star: dict[str, None] = field(default_factory=dict)
    returns: list[ast.AST] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)

    def runs_before(self, binding: Binding, use: ast.AST) -> bool:
        """Whether a binding of this scope may have run when one of its expressions is evaluated."""
        line, own = getattr(binding.node, "lineno", 0), getattr(use, "lineno", 0)
        return line <= own or any(first <= own and line <= last for first, last in self.loops)

    @property
    def function(self) -> Scope:
        """The scope whose statements run in order: that around a comprehension."""
        scope = self
        while isinstance(scope.node, Comprehension) and scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def module(self) -> Scope:
        return [self, *self.parents][-1]

    @property
    def parents(self) -> Iterator[Scope]:
        """The scopes around it, from the innermost to the module's."""
        scope = self.parent
        while scope is not None:
            yield scope
            scope = scope.parent

    def owner(self, name: str) -> Scope | None:
        """The scope that binds the name, as Python looks it up."""
        if self.elsewhere.get(name) == "global":
            return self.module if name in self.module.names else None
        if name in self.names:
            return self
        return next((s for s in self.parents if name in s.names and not isinstance(s.node, ast.ClassDef)), None)

    # ---- names that stand for one thing wherever the scope uses them ----

    @cached_property
    def bound_names(self) -> set[str]:
        """Names to which the scope itself gives a value other than an import."""
        bound = {
            name
            for name, bindings in self.names.items()
            if any(each.kind != "import" and self.is_own(each) for each in bindings)
        }
        return (bound | self.unfollowed) - self.elsewhere.keys()

    @cached_property
    def aliases(self) -> dict[str, ast.expr]:
        """{name: expression} of names that are assigned exactly once, as in `g = torch.autograd.grad`."""
        found: dict[str, ast.expr] = {}
        for name in self.bound_names - self.unfollowed:
            whole = [each for each in self.names[name] if each.kind != "import" and self.is_own(each)]
            if len(whole) == 1 and whole[0].gives_all and isinstance(whole[0].value, ast.expr):
                found[name] = whole[0].value
        return found

    def is_own(self, binding: Binding) -> bool:
        """Whether a binding of one of this scope's names is in this scope, and not in a function that declares it."""
        return not binding.is_partial and (binding.kind == "param" or binding.scope.function is self.function)
