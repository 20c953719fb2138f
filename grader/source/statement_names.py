"""Which names a statement reads, binds and changes in place, from its text alone.

A small static analysis for code in the lecture's manner. Where it must guess, it takes a name for read: then a step is
given more than it needs, which does no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.source.aliases import ARRAY_LIBRARIES, VIEW_ATTRIBUTES, SharedNames, changes_numbers
from grader.source.syntax import Comprehension, FunctionDefinition, all_nodes, children, evaluated_outside, stored_names

CHANGING = frozenset({"append", "extend", "insert", "update", "fill", "sort", "put", "itemset", "pop", "setdefault"})


@dataclass
class StatementNames:
    """What one statement does with names.

    Attributes:
        reads: names whose value it reads where it is.
        binds: names to which it gives a value.
        changes: names whose object it changes in place.
        late: names that the body of a function reads when it is called.
        shares: (new name, old name) of one tensor.
    """

    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    shares: list[tuple[str, str]] = field(default_factory=list)


class LocalNames(dict[str, None]):
    """Names bound so far within a statement, in order. Those of code that may not run can be removed again."""

    def add(self, name: str) -> None:
        self.setdefault(name)

    def remove_after(self, count: int) -> set[str]:
        """Removes all except the first `count` names, and returns them."""
        return {self.popitem()[0] for _ in range(len(self) - count)}

    def without(self, names: Iterable[str]) -> set[str]:
        """Those of `names` that are not bound."""
        return {name for name in names if name not in self}


def changed_parameters(function: FunctionDefinition) -> frozenset[int]:
    """Places of the parameters that the function's body changes in place."""
    names = StatementNames()
    Walk(names, {}).body(function.body, LocalNames(dict.fromkeys(a.arg for a in function.args.args)))
    return frozenset(n for n, a in enumerate(function.args.args) if a.arg in names.changes)


def free_names(function: FunctionDefinition | ast.Lambda | ast.ClassDef) -> set[str]:
    """Names that its body takes from outside."""
    loaded: set[str] = set()
    own: set[str] = set()
    for node in all_nodes(function):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else own).add(node.id)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, FunctionDefinition | ast.ClassDef) and node is not function:
            own.add(node.name)
    return loaded - own


class Walk:
    """Visits code in the order in which it runs. `local` are the names bound so far: reading them is not counted.

    `changers` are the student's own functions that change their parameters: {name: places}.
    """

    def __init__(self, names: StatementNames, changers: Mapping[str, frozenset[int]]) -> None:
        self.names, self.changers = names, changers
        self.root, self.viewed = SharedNames().name_of, SharedNames(VIEW_ATTRIBUTES).name_of

    def body(self, statements: Iterable[ast.stmt], local: LocalNames) -> None:
        for statement in statements:
            self.statement(statement, local)

    def statement(self, node: ast.stmt, local: LocalNames) -> None:
        match node:
            case ast.Assign():
                self.assign(node.targets, node.value, local)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign([node.target], value, local)
            case ast.AugAssign():
                self.expression(node.value, local)
                if isinstance(node.target, ast.Name) and node.target.id not in local:
                    self.names.reads.add(node.target.id)
                self.change(node.target, local)
            case ast.For() | ast.AsyncFor():
                self.expression(node.iter, local)
                self.target(node.target, local)
                self.body([*node.body, *node.orelse], local)
            case ast.If():
                self.branches(node, local)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.expression(item.context_expr, local)
                    if item.optional_vars is not None:
                        self.target(item.optional_vars, local)
                self.body(node.body, local)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                for part in evaluated_outside(node):
                    self.expression(part, local)
                self.names.late |= local.without(free_names(node))
                self.bind(node.name, local)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    self.bind(alias.asname or alias.name.partition(".")[0], local)
            case ast.AnnAssign() | ast.Delete():
                pass
            case _:  # its parts, in the order of the text
                for child in children(node):
                    self.any(child, local)

    def assign(self, targets: Sequence[ast.expr], value: ast.expr, local: LocalNames) -> None:
        self.expression(value, local)
        for target in targets:
            self.target(target, local)
        self.note_shared(targets, value)

    def branches(self, node: ast.If, local: LocalNames) -> None:
        """Only what both branches bind is bound afterwards."""
        self.expression(node.test, local)
        mark = len(local)
        self.body(node.body, local)
        first = local.remove_after(mark)
        self.body(node.orelse, local)
        for name in first & local.remove_after(mark):
            local.add(name)

    def any(self, node: ast.AST, local: LocalNames) -> None:
        if isinstance(node, ast.stmt):
            self.statement(node, local)
        elif isinstance(node, ast.expr):
            self.expression(node, local)
        else:
            for child in children(node):
                self.any(child, local)

    def expression(self, node: ast.expr, local: LocalNames) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and node.id not in local:
                self.names.reads.add(node.id)
        elif isinstance(node, ast.NamedExpr):
            self.expression(node.value, local)
            self.bind(node.target.id, local)
        elif isinstance(node, ast.Lambda):
            self.names.late |= local.without(free_names(node))
        elif isinstance(node, Comprehension):
            mark = len(local)
            for part in node.generators:
                self.expression(part.iter, local)
                for name in stored_names(part.target):
                    local.add(name)
                for test in part.ifs:
                    self.expression(test, local)
            for each in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                self.expression(each, local)
            local.remove_after(mark)
        else:
            if isinstance(node, ast.Call):
                self.call(node)
            for child in children(node):
                self.any(child, local)

    def call(self, node: ast.Call) -> None:
        """What calling changes: `x.zero_()`, `np.add.at(x, ...)`, `out=x`, a function of the student's own. What the
        call reads is for its caller: each part of a text is visited once."""
        changed: list[ast.expr] = [word.value for word in node.keywords if word.arg == "out"]
        if isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if changes_numbers(method) or method in CHANGING:
                of_library = isinstance(node.func.value, ast.Name) and node.func.value.id in ARRAY_LIBRARIES
                changed += node.args[:1] if of_library else [node.func.value]  # torch.relu_(x), x.relu_()
            elif method == "at" and node.args:
                changed.append(node.args[0])
        elif isinstance(node.func, ast.Name):
            places = self.changers.get(node.func.id, frozenset())
            changed += [argument for n, argument in enumerate(node.args) if n in places]
        for each in changed:
            self.note_changed(each)

    def note_changed(self, node: ast.expr) -> None:
        name = self.root(node)
        if name is not None:
            self.names.changes.add(name)

    def target(self, node: ast.expr, local: LocalNames) -> None:
        if isinstance(node, ast.Name):
            self.bind(node.id, local)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for element in node.elts:
                self.target(element, local)
        elif isinstance(node, ast.Starred):
            self.target(node.value, local)
        else:
            self.change(node, local)

    def bind(self, name: str, local: LocalNames) -> None:
        self.names.binds.add(name)
        local.add(name)

    def change(self, node: ast.expr, local: LocalNames) -> None:
        """`node` is a place that gets a new value: `x[...]`, `x.data`, `x` in `x += y`."""
        self.note_changed(node)
        if not isinstance(node, ast.Name):
            for child in children(node):
                self.any(child, local)

    def note_shared(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        named = [target.id for target in targets if isinstance(target, ast.Name)]
        old = self.viewed(value)
        self.names.shares += [(new, old) for new in named if old is not None]
        self.names.shares += [(new, named[0]) for new in named[1:] if old is None]
        for target in targets:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                for each, its in zip(target.elts, value.elts, strict=True):
                    self.note_shared([each], its)


def names_of_statement(node: ast.stmt, changers: Mapping[str, frozenset[int]]) -> StatementNames:
    """What a statement reads, binds and changes.

    `changers` maps the name of a function to the indices of the arguments that it changes in place.
    """
    names = StatementNames()
    Walk(names, changers).statement(node, LocalNames())
    names.reads |= {name for name in names.changes if name not in names.binds}
    return names
