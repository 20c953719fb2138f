"""Reads the scopes of a submission's files, and answers what a name or an attribute may stand for."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from grader.source.aliases import VIEW_ATTRIBUTES, shared_object
from grader.source.scopes import Binding, Scope
from grader.source.syntax import (
    Comprehension,
    DefinitionNode,
    FunctionNode,
    base_name,
    children,
    evaluated_outside,
    is_main_guard,
    last_name,
    parameters,
)

MAX_BINDINGS_COMPARED = 50
"""Bindings of a name whose order is compared."""
MAX_VIEWS_FOLLOWED = 3
"""Views of views that are followed to the object whose memory they share."""
PLAIN_NODES = frozenset(
    {ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.Subscript, ast.UnaryOp, ast.Compare, ast.Tuple, ast.Expr}
    | {ast.arguments, ast.arg, ast.keyword, ast.Slice}
)
"""Kinds of node that neither open a scope nor bind a name by themselves: most of a file."""
UNFOLLOWED = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.AnnAssign, ast.Delete)
MUTATORS = frozenset({"append", "extend", "insert", "update", "add", "setdefault", "copyto", "at", "fill", "put"})
Later = list[tuple[Scope, str, Binding]]
"""Bindings whose owner is known when all names are: (scope of the statement, name, binding)."""


class Program:
    """All bindings of a submission's files. `files` is {module name: (file name, tree)}, the graded file's first.

    The block `if __name__ == "__main__":` is left out.

    Attributes:
        modules: {module name: its scope}.
        attributes: {name: the bindings of `thing.name = value`}.
        methods: {name: the methods of that name}.
        scopes: {id of a function, class, lambda or comprehension: its scope}.
    """

    def __init__(self, files: Mapping[str, tuple[str, ast.Module]]) -> None:
        self.modules: dict[str, Scope] = {}
        self.attributes: dict[str, list[Binding]] = defaultdict(list)
        self.methods: dict[str, list[FunctionNode]] = defaultdict(list)
        self.scopes: dict[int, Scope] = {}
        for name, (file, tree) in files.items():
            self.modules[name] = self._read(tree, file)

    # ---- reading ----

    def _read(self, tree: ast.Module, file: str) -> Scope:
        module = Scope(tree, None, file)
        later: Later = []
        waiting: list[tuple[ast.AST, Scope]] = [(statement, module) for statement in reversed(tree.body)]
        while waiting:
            node, scope = waiting.pop()
            if type(node) in PLAIN_NODES:
                waiting += [(child, scope) for child in reversed(children(node))]
                continue
            if isinstance(node, ast.For | ast.AsyncFor | ast.While):
                scope.loops.append((node.lineno, node.end_lineno or node.lineno))
            if isinstance(node, ast.If) and is_main_guard(node.test):
                waiting += [(statement, scope) for statement in reversed(node.orelse)]
                continue
            inner = scope
            if isinstance(node, DefinitionNode | ast.Lambda | Comprehension):
                inner = self.scopes[id(node)] = Scope(node, scope, file)
            if isinstance(node, DefinitionNode | ast.Lambda):
                waiting += [(part, scope) for part in evaluated_outside(node)]
                waiting += [(part, inner) for part in reversed(self._define(node, scope, inner))]
                continue
            self._read_node(node, inner, later)
            waiting += [(child, inner) for child in reversed(children(node))]
        self._bind_later(later)
        return module

    def _define(self, node: DefinitionNode | ast.Lambda, outer: Scope, inner: Scope) -> Sequence[ast.AST]:
        """Binds a definition's name and its parameters, and returns its body."""
        if isinstance(node, DefinitionNode):
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            outer.names[node.name].append(Binding(kind, node, outer, node))
        if isinstance(node, ast.ClassDef):
            return node.body
        if not isinstance(node, ast.Lambda) and isinstance(outer.node, ast.ClassDef):
            self.methods[node.name].append(node)
        for parameter, default in parameters(node):
            inner.names[parameter.arg].append(Binding("param", default, outer, node))
        if isinstance(node, ast.Lambda):
            inner.returns.append(node.body)
            return [node.body]
        return node.body

    def _bind_later(self, later: Later) -> None:
        for scope, name, binding in later:
            owner = scope.owner(name)
            if owner is None:
                continue
            owner.names[name].append(binding)
            for _ in range(MAX_VIEWS_FOLLOWED):  # what is stored in a view is stored in the object that it is a view of
                base = viewed_name(owner.names[name][:MAX_BINDINGS_COMPARED]) if binding.kind == "store" else ""
                owner = owner.owner(base) if base else None
                if owner is None:
                    break
                name = base
                owner.names[name].append(binding)

    def _read_node(self, node: ast.AST, scope: Scope, later: Later) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value, scope, node, later)
        elif isinstance(node, ast.NamedExpr):
            self._bind(node.target, node.value, scope.function, node, later)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._bind(node.target, node.value, scope, node, later)
        elif isinstance(node, ast.AugAssign):
            self._store(node.target, node, scope, node, later)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._bind(node.target, node.iter, scope, node, later, kind="iter")
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr, scope, node, later)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            kind = "global" if isinstance(node, ast.Global) else "nonlocal"
            scope.elsewhere.update(dict.fromkeys(node.names, kind))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        elif isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            scope.function.returns.append(node.value)
        elif isinstance(node, ast.Call):
            self._read_call(node, scope, later)
        elif isinstance(node, UNFOLLOWED):
            scope.unfollowed |= unfollowed_names(node)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            scope.names[name].append(Binding("import", None, scope, node, key=alias.name))
            if isinstance(node, ast.Import):
                scope.imports[name] = alias.name if alias.asname else name
            elif alias.name == "*":
                scope.star[node.module or ""] = None
            else:
                scope.imports[name] = f"{node.module}.{alias.name}" if node.module else alias.name

    def _read_call(self, call: ast.Call, scope: Scope, later: Later) -> None:
        """A call may change its arguments, or the object whose method it is, also within an expression."""
        changed = [word.value for word in call.keywords if word.arg == "out"]
        if isinstance(call.func, ast.Attribute):
            method = call.func.attr
            if (method.endswith("_") and method[:2] != "__") or method in MUTATORS:
                changed.insert(0, call.func.value)
        for each in changed:
            self._store(each, call, scope, call, later)
        for argument in [*call.args, *(word.value for word in call.keywords)]:
            name = base_name(argument)
            if name:
                later.append((scope, name, Binding("passed", call, scope, call)))

    def _bind(
        self, target: ast.AST, value: ast.AST, scope: Scope, node: ast.AST, later: Later, kind: str = "value"
    ) -> None:
        waiting: list[tuple[ast.AST, ast.AST, tuple[int, ...]]] = [(target, value, ())]
        while waiting:
            target, value, path = waiting.pop()
            if isinstance(target, ast.Tuple | ast.List):
                same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
                same = same and kind == "value" and not any(isinstance(e, ast.Starred) for e in target.elts)
                for number, element in enumerate(target.elts):
                    own = value.elts[number] if same and isinstance(value, ast.Tuple | ast.List) else value
                    waiting.append((element, own, () if same else (*path, number)))
            elif isinstance(target, ast.Starred):
                waiting.append((target.value, value, path))
            elif isinstance(target, ast.Name):
                binding = Binding("part" if path and kind == "value" else kind, value, scope, node, path=path)
                if isinstance(scope.node, ast.ClassDef):
                    self.attributes[target.id].append(binding)
                if target.id in scope.elsewhere:
                    later.append((scope.parent or scope, target.id, binding))
                else:
                    scope.names[target.id].append(binding)
            else:
                self._store(target, value, scope, node, later)

    def _store(self, target: ast.AST, value: ast.AST, scope: Scope, node: ast.AST, later: Later) -> None:
        """`x[i] = v`, `x.view(-1)[i] += v`, `x.data = v`, `x += v`."""
        key = None
        while True:
            if isinstance(target, ast.Attribute):
                self.attributes[target.attr].append(Binding("store", value, scope, node))
                target = target.value
            elif isinstance(target, ast.Subscript):
                index = target.slice.value if isinstance(target.slice, ast.Constant) else None
                key = index if isinstance(index, str) else None
                target = target.value
            elif isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
                target = target.func.value
            else:
                break
        if isinstance(target, ast.Name):
            later.append((scope, target.id, Binding("store", value, scope, node, key)))

    # ---- names ----

    def bindings(self, name: str, scope: Scope) -> Sequence[Binding]:
        """All bindings of the name that an expression in `scope` reads."""
        owner = scope.owner(name)
        return owner.names[name] if owner is not None else ()

    def imported(self, binding: Binding) -> Iterator[Binding]:
        """The bindings of what `from neighbour import name` imports; none for a file that was not submitted."""
        if isinstance(binding.node, ast.ImportFrom):
            module = self.modules.get(binding.node.module or "")
            if module is not None:
                yield from module.names.get(binding.key or "", ())

    def entry(self, name: str, method: str = "") -> tuple[ast.AST, Scope] | None:
        """What a function of the graded file is, with its scope: its definition, a method's, or an expression."""
        main = next(iter(self.modules.values()))
        for binding in reversed(main.names.get(name, [])):
            node, scope = binding.node, main
            if binding.kind == "import":
                binding = next(iter(self.imported(binding)), binding)
                node, scope = binding.node, binding.scope
            if isinstance(node, ast.ClassDef):
                found = (m for m in node.body if isinstance(m, FunctionNode) and m.name == method)
                return next(((m, self.scopes[id(m)]) for m in found), None)
            if isinstance(node, FunctionNode):
                return node, self.scopes[id(node)]
            if binding.kind == "value" and binding.value is not None:
                return binding.value, scope
        return None


def unfollowed_names(node: ast.AST) -> set[str]:
    """Names that a node itself binds or removes without a value that can be followed."""
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        return {node.name}
    if isinstance(node, ast.MatchMapping) and node.rest:
        return {node.rest}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    if isinstance(node, ast.Delete):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def viewed_name(bindings: Sequence[Binding]) -> str:
    """The name whose memory a name shares, as in `flat = x.view(-1)`; "" where it has an object of its own."""
    for binding in bindings:
        value = binding.value
        if binding.kind == "iter" and value is not None:  # an element is a part of what is looped over
            return base_name(looped_over(value, binding.path))
        if binding.kind == "value" and isinstance(value, ast.expr):
            shared = shared_object(value, VIEW_ATTRIBUTES)
            if shared is not None:
                return base_name(shared)
    return ""


def looped_over(node: ast.AST, path: tuple[int, ...]) -> ast.AST:
    """`x` of `enumerate(x)`, `zip(y, x)`, `x.values()`: where the target's element comes from."""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name == "zip" and path and path[0] < len(node.args):
            return node.args[path[0]]
        if name in ("enumerate", "reversed", "iter", "list") and node.args:
            return node.args[0]
        if name in ("values", "items", "unbind", "flatten", "view") and isinstance(node.func, ast.Attribute):
            return node.func.value
    return node
