"""Which names a statement reads, binds and changes in place, and which names share memory: from the text alone.

A small static analysis for code in the lecture's manner. Where it must guess, it takes a name for read: then a step is
given more than it needs, which does no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.source.syntax import (
    Comprehension,
    DefinitionNode,
    FunctionDefinition,
    all_nodes,
    children,
    evaluated_outside,
    stored_names,
)

VIEW_ATTRIBUTES = frozenset({"T", "mT", "data"})
VIEW_METHODS = frozenset(
    {"view", "view_as", "reshape", "squeeze", "unsqueeze", "t", "transpose", "permute", "expand", "expand_as"}
    | {"flatten", "ravel", "contiguous", "detach", "numpy", "narrow", "select", "diagonal", "swapaxes", "movedim"}
)
"""Methods whose result may share its memory with the tensor that they are called on."""
VIEW_FUNCTIONS = frozenset(
    {"from_numpy", "as_tensor", "asarray", "squeeze", "unsqueeze", "transpose", "reshape", "flatten"}
)
"""Functions of torch and numpy whose result may share its memory with their first argument."""
ARRAY_LIBRARIES = frozenset({"torch", "np", "numpy"})
CHANGING = frozenset({"append", "extend", "insert", "update", "fill", "sort", "put", "itemset", "pop", "setdefault"})
CHANGE_NO_NUMBERS = frozenset({"requires_grad_", "retain_grad_"})


def ends_in_underscore(method: str) -> bool:
    """Whether it is PyTorch's name for a method that changes its object and returns it: `add_`, `requires_grad_`."""
    return method.endswith("_") and not method.startswith("_")


def is_of_library(function: ast.Attribute) -> bool:
    """Whether it is `torch.name` or `np.name`."""
    return isinstance(function.value, ast.Name) and function.value.id in ARRAY_LIBRARIES


def shared_object(node: ast.expr, attributes: Collection[str] | None) -> ast.expr | None:
    """The object whose memory an expression shares: `x` of `x[0]`, `x.T`, `x.view(-1)` and `x.add_(1)`."""
    match node:
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return value
        case ast.Attribute(value=value, attr=name):
            return value if attributes is None or name in attributes else None
        case ast.Call(func=ast.Attribute() as called):
            if is_of_library(called) and called.attr in VIEW_FUNCTIONS and node.args:
                return node.args[0]
            if called.attr in VIEW_METHODS or called.attr.endswith("_"):
                return called.value
    return None


class SharedNames:
    """Finds the name whose memory an expression shares, through any chain of views.

    Each link of a chain is followed once, however often and from wherever the chain is followed, so that the time
    is linear in the length of the text. `attributes` are those that share memory; None for all.
    """

    def __init__(self, attributes: Collection[str] | None = None) -> None:
        self._attributes = attributes
        self._known: dict[ast.expr, str | None] = {}

    def name_of(self, expression: ast.expr | None) -> str | None:
        """`a` for a, a.T, a[0] and a.view(...); None for an expression that makes an object of its own."""
        links: list[ast.expr] = []
        while expression is not None and expression not in self._known and not isinstance(expression, ast.Name):
            links.append(expression)
            expression = shared_object(expression, self._attributes)
        found: str | None = None
        if isinstance(expression, ast.Name):
            found = expression.id
        elif expression is not None:
            found = self._known[expression]
        self._known.update(dict.fromkeys(links, found))
        return found


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


class Walk:
    """Visits code in the order in which it runs.

    `local` are the names bound so far within the statement, in order: reading them is not counted. `changers` are the
    student's own functions that change their parameters: {name: places}.
    """

    def __init__(self, changers: Mapping[str, frozenset[int]], local: Iterable[str] = ()) -> None:
        self.names, self.changers, self.local = StatementNames(), changers, dict.fromkeys(local)
        self.root, self.viewed = SharedNames().name_of, SharedNames(VIEW_ATTRIBUTES).name_of

    def visit(self, *nodes: ast.AST) -> None:
        for node in nodes:
            self.visit_one(node)

    def visit_one(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                if name not in self.local:
                    self.names.reads.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                self.bind(name)
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                self.change(node)
                self.visit(*children(node))
            case ast.Assign(targets=targets, value=value):
                self.visit(value, *targets)
                self.note_shared(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.visit(value, target)
                self.note_shared([target], value)
            case ast.AugAssign(target=ast.Name(id=name) as target, value=value):
                self.visit(value, ast.Name(name, ast.Load()))
                self.change(target)
            case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                self.visit(value, target)
            case ast.For() | ast.AsyncFor():
                self.visit(node.iter, node.target, *node.body, *node.orelse)
            case ast.If():
                self.branches(node)
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.define(node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self.comprehension(node)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    self.bind(alias.asname or alias.name.partition(".")[0])
            case ast.AnnAssign() | ast.Delete():
                pass
            case _:  # its parts, in the order of the text
                if isinstance(node, ast.Call):
                    self.call(node)
                self.visit(*children(node))

    def bind(self, name: str) -> None:
        self.names.binds.add(name)
        self.local.setdefault(name)

    def change(self, node: ast.expr) -> None:
        if name := self.root(node):
            self.names.changes.add(name)

    def unbind_after(self, count: int) -> set[str]:
        """Removes all local names except the first `count`, and returns them."""
        return {self.local.popitem()[0] for _ in range(len(self.local) - count)}

    def branches(self, node: ast.If) -> None:
        """Only what both branches bind is bound afterwards."""
        self.visit(node.test)
        mark = len(self.local)
        self.visit(*node.body)
        first = self.unbind_after(mark)
        self.visit(*node.orelse)
        self.local |= dict.fromkeys(first & self.unbind_after(mark))

    def define(self, node: DefinitionNode | ast.Lambda) -> None:
        self.visit(*evaluated_outside(node))
        self.names.late |= {name for name in free_names(node) if name not in self.local}
        if not isinstance(node, ast.Lambda):
            self.bind(node.name)

    def comprehension(self, node: Comprehension) -> None:
        mark = len(self.local)
        for part in node.generators:
            self.visit(part.iter)
            self.local |= dict.fromkeys(stored_names(part.target))
            self.visit(*part.ifs)
        self.visit(*([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]))
        self.unbind_after(mark)

    def call(self, node: ast.Call) -> None:
        """What calling changes: `x.zero_()`, `np.add.at(x, ...)`, `out=x`, a function of the student's own."""
        changed: list[ast.expr] = [word.value for word in node.keywords if word.arg == "out"]
        match node.func:
            case ast.Attribute(value=value, attr=method) if method not in CHANGE_NO_NUMBERS and (
                ends_in_underscore(method) or method in CHANGING
            ):
                changed += node.args[:1] if is_of_library(node.func) else [value]  # torch.relu_(x), x.relu_()
            case ast.Attribute(attr="at"):
                changed += node.args[:1]
            case ast.Name(id=name):
                changed += [each for place, each in enumerate(node.args) if place in self.changers.get(name, ())]
        for each in changed:
            self.change(each)

    def note_shared(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        named = [target.id for target in targets if isinstance(target, ast.Name)]
        old = self.viewed(value)
        self.names.shares += [(new, old) for new in named if old is not None]
        self.names.shares += [(new, named[0]) for new in named[1:] if old is None]
        for target in targets:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                for each, its in zip(target.elts, value.elts, strict=True):
                    self.note_shared([each], its)


def free_names(function: DefinitionNode | ast.Lambda) -> set[str]:
    """Names that its body takes from outside."""
    loaded, own, shared = set[str](), set[str](), set[str]()
    for node in all_nodes(function):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else own).add(node.id)
        elif isinstance(node, ast.Global):
            shared.update(node.names)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, DefinitionNode) and node is not function:
            own.add(node.name)
    return loaded - own | shared


def names_of_statement(node: ast.stmt, changers: Mapping[str, frozenset[int]]) -> StatementNames:
    """What a statement reads, binds and changes.

    `changers` maps the name of a function to the indices of the arguments that it changes in place.
    """
    walk = Walk(changers)
    walk.visit(node)
    walk.names.reads |= walk.names.changes - walk.names.binds
    return walk.names


def changed_parameters(function: FunctionDefinition) -> frozenset[int]:
    """Places of the parameters that the function's body changes in place."""
    names = [each.arg for each in function.args.args]
    walk = Walk({}, names)
    walk.visit(*function.body)
    return frozenset(place for place, name in enumerate(names) if name in walk.names.changes)
