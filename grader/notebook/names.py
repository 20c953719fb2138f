"""Which names a statement reads, binds and changes in place, from its text alone.

A small static analysis for code in the lecture's manner. Where it must guess, it takes a name for read: then a step is
given more than it needs, which does no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

VIEWS = frozenset(
    {"view", "view_as", "reshape", "squeeze", "unsqueeze", "t", "transpose", "permute", "expand", "expand_as"}
    | {"flatten", "contiguous", "detach", "numpy", "requires_grad_", "narrow", "select", "diagonal"}
)
"""Methods whose result may share its numbers with the tensor they are called on."""
SHARING = frozenset({"from_numpy", "as_tensor", "asarray", "squeeze", "unsqueeze", "transpose", "reshape", "flatten"})
CHANGING = frozenset({"append", "extend", "insert", "update", "fill", "sort", "put", "itemset", "pop", "setdefault"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Names:
    """`late` are what a function's body reads when it is called; `shares` are (new name, old name) of one tensor."""

    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    shares: list[tuple[str, str]] = field(default_factory=list)


def root(node: ast.expr | None) -> str | None:
    """The name at the bottom of `x.data[...]`, `x.view(-1)[0]`: what changes when that does."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = node.func
            of_library = isinstance(called.value, ast.Name) and called.value.id in ("torch", "np", "numpy")
            if of_library and called.attr in SHARING and node.args:
                node = node.args[0]
            elif called.attr in VIEWS or called.attr.endswith("_"):
                node = called.value
            else:
                return None
        else:
            return None


def changed_parameters(function: Function) -> frozenset[int]:
    """Places of the parameters that the function's body changes in place."""
    names = Names()
    Walk(names, {}).body(function.body, {a.arg for a in function.args.args})
    return frozenset(n for n, a in enumerate(function.args.args) if a.arg in names.changes)


def free_names(function: Function | ast.Lambda | ast.ClassDef) -> set[str]:
    """Names that its body takes from outside."""
    loaded: set[str] = set()
    own: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else own).add(node.id)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, Function | ast.ClassDef) and node is not function:
            own.add(node.name)
    return loaded - own


class Walk:
    """Goes through code in the order in which it runs. `local` are names bound on the way: reading them is no reading
    from outside. `changers` are the student's own functions that change their parameters: {name: places}."""

    def __init__(self, names: Names, changers: Mapping[str, frozenset[int]]) -> None:
        self.names, self.changers = names, changers

    def body(self, statements: Iterable[ast.stmt], local: set[str]) -> None:
        for statement in statements:
            self.statement(statement, local)

    def statement(self, node: ast.stmt, local: set[str]) -> None:
        if isinstance(node, ast.Assign):
            self.expression(node.value, local)
            for target in node.targets:
                self.target(target, local)
            self.note_shared(node.targets, node.value)
        elif isinstance(node, ast.AugAssign):
            self.expression(node.value, local)
            if isinstance(node.target, ast.Name) and node.target.id not in local:
                self.names.reads.add(node.target.id)
            self.change(node.target, local)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.expression(node.value, local)
                self.target(node.target, local)
                self.note_shared([node.target], node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.expression(node.iter, local)
            self.target(node.target, local)
            self.body([*node.body, *node.orelse], local)
        elif isinstance(node, ast.While):
            self.expression(node.test, local)
            self.body([*node.body, *node.orelse], local)
        elif isinstance(node, ast.If):
            self.expression(node.test, local)
            branches = set(local), set(local)
            self.body(node.body, branches[0])
            self.body(node.orelse, branches[1])
            local |= branches[0] & branches[1]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self.expression(item.context_expr, local)
                if item.optional_vars is not None:
                    self.target(item.optional_vars, local)
            self.body(node.body, local)
        elif isinstance(node, ast.Try):
            handled = [statement for handler in node.handlers for statement in handler.body]
            self.body([*node.body, *handled, *node.orelse, *node.finalbody], local)
        elif isinstance(node, Function | ast.ClassDef):
            for part in [*node.decorator_list, *(node.bases if isinstance(node, ast.ClassDef) else defaults(node))]:
                self.expression(part, local)
            self.names.late |= free_names(node) - local
            self.bind(node.name, local)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self.bind(alias.asname or alias.name.partition(".")[0], local)
        elif not isinstance(node, ast.Delete):
            for child in ast.iter_child_nodes(node):
                self.any(child, local)

    def any(self, node: ast.AST, local: set[str]) -> None:
        if isinstance(node, ast.stmt):
            self.statement(node, local)
        elif isinstance(node, ast.expr):
            self.expression(node, local)
        else:
            for child in ast.iter_child_nodes(node):
                self.any(child, local)

    def expression(self, node: ast.expr, local: set[str]) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and node.id not in local:
                self.names.reads.add(node.id)
        elif isinstance(node, ast.NamedExpr):
            self.expression(node.value, local)
            self.bind(node.target.id, local)
        elif isinstance(node, ast.Lambda):
            self.names.late |= free_names(node) - local
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            inside = set(local)
            for part in node.generators:
                self.expression(part.iter, inside)
                inside |= {n.id for n in ast.walk(part.target) if isinstance(n, ast.Name)}
                for test in part.ifs:
                    self.expression(test, inside)
            for each in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                self.expression(each, inside)
        else:
            if isinstance(node, ast.Call):
                self.call(node, local)
            for child in ast.iter_child_nodes(node):
                self.any(child, local)

    def call(self, node: ast.Call, local: set[str]) -> None:
        """What calling changes: `x.zero_()`, `np.add.at(x, ...)`, `out=x`, a function of the student's own."""
        changed: list[ast.expr] = [word.value for word in node.keywords if word.arg == "out"]
        if isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if (method.endswith("_") and not method.startswith("_")) or method in CHANGING:
                changed.append(node.func.value)
            elif method == "at" and node.args:
                changed.append(node.args[0])
        elif isinstance(node.func, ast.Name):
            places = self.changers.get(node.func.id, frozenset())
            changed += [argument for n, argument in enumerate(node.args) if n in places]
        for each in changed:
            self.change(each, local)

    def target(self, node: ast.expr, local: set[str]) -> None:
        if isinstance(node, ast.Name):
            self.bind(node.id, local)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for element in node.elts:
                self.target(element, local)
        elif isinstance(node, ast.Starred):
            self.target(node.value, local)
        else:
            self.change(node, local)

    def bind(self, name: str, local: set[str]) -> None:
        self.names.binds.add(name)
        local.add(name)

    def change(self, node: ast.expr, local: set[str]) -> None:
        """`node` is a place that gets a new value: `x[...]`, `x.data`, `x` in `x += y`."""
        name = root(node)
        if name is not None:
            self.names.changes.add(name)
        if not isinstance(node, ast.Name):
            for child in ast.iter_child_nodes(node):
                self.any(child, local)

    def note_shared(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        named = [target.id for target in targets if isinstance(target, ast.Name)]
        old = root(value)
        self.names.shares += [(new, old) for new in named if old is not None]
        self.names.shares += [(new, named[0]) for new in named[1:] if old is None]
        for target in targets:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                for each, its in zip(target.elts, value.elts, strict=True):
                    self.note_shared([each], its)


def defaults(function: Function) -> list[ast.expr]:
    return [*function.args.defaults, *(value for value in function.args.kw_defaults if value is not None)]


def names_of(node: ast.stmt, changers: Mapping[str, frozenset[int]]) -> Names:
    names = Names()
    Walk(names, changers).statement(node, set())
    names.reads |= {name for name in names.changes if name not in names.binds}
    return names
