"""What the value that a function returns depends on, read from the text: definitions of names, and slices of them.

Flow-insensitive: a name stands for all values that its scope gives it. A slice follows values only. What a step prints,
asserts or tests in an `if` is not part of what it returns, so a comparison that a student prints is in no slice.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.source import scopes as scopes

Callable_ = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Target = Callable_ | ast.ClassDef
MOST_NODES = 60_000
"""Nodes of one slice: a lesson's file has a few thousand."""
ROUNDS = 6  # of finding out which functions are passed as arguments
DEPTH = 12  # of expressions that lead to a function
MOST_LOOKED_AT = 500  # of them
MOST_COMPARED = 50  # definitions of a name whose order is looked at
_CALLERS = frozenset({"partial", "map", "starmap", "submit", "apply_along_axis"})
VIEWS = 3
_VIEW_METHODS = frozenset({"view", "view_as", "reshape", "flatten", "ravel", "squeeze", "unsqueeze", "detach", "numpy"})
MUTATORS = frozenset({"append", "extend", "insert", "update", "add", "setdefault", "copyto", "at", "fill", "put"})


@dataclass(frozen=True, eq=False)
class Definition:
    """One way in which a name gets a value or a part of one.

    Attributes:
        kind: "value" (`x = v`), "part" (`x, y = v`: the whole of v), "iter" (`for x in v`), "store" (`x[i] = v`,
            `x += v`, `x.add_(v)`), "passed" (`fill(x)`: the call), "param", "function", "class", "import".
        value: the expression; None for a parameter without default.
        scope: where the expression is evaluated.
        node: the statement, or the function of a parameter.
        key: of `x["key"] = v`.
        path: places of the target within nested tuples, for "iter" and "part".
    """

    kind: str
    value: ast.AST | None
    scope: Place
    node: ast.AST
    key: str | None = None
    path: tuple[int, ...] = ()


@dataclass(eq=False)
class Place:
    """A scope: a module, function, class or comprehension."""

    node: ast.AST
    parent: Place | None
    file: str
    names: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    elsewhere: dict[str, str] = field(default_factory=dict)  # declared global or nonlocal
    returns: list[ast.AST] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)  # first and last lines

    def runs_before(self, definition: Definition, use: ast.AST) -> bool:
        """Whether a definition of this scope may have run when one of its expressions is evaluated."""
        line, own = getattr(definition.node, "lineno", 0), getattr(use, "lineno", 0)
        return line <= own or any(first <= own and line <= last for first, last in self.loops)

    @property
    def function(self) -> Place:
        """The scope whose statements run in order: a comprehension runs where it is."""
        place = self
        while isinstance(place.node, scopes.Comprehension) and place.parent is not None:
            place = place.parent
        return place

    def owner(self, name: str) -> Place | None:
        """The scope that binds the name, as Python looks it up."""
        if self.elsewhere.get(name) == "global":
            return self.module if name in self.module.names else None
        place: Place | None = self
        while place is not None:
            skipped = place is not self and isinstance(place.node, ast.ClassDef)
            if not skipped and name in place.names:
                return place
            place = place.parent
        return None

    @property
    def module(self) -> Place:
        place = self
        while place.parent is not None:
            place = place.parent
        return place


class Program:
    """All definitions of a submission's files. `files` is {module name: tree}, the graded file's first."""

    def __init__(self, files: Mapping[str, tuple[str, ast.Module]]) -> None:
        self.modules: dict[str, Place] = {}
        self.attributes: dict[str, list[Definition]] = defaultdict(list)  # `thing.name = value`
        self.methods: dict[str, list[Callable_]] = defaultdict(list)
        self.places: dict[int, Place] = {}  # of each function, class, lambda and comprehension
        for name, (file, tree) in files.items():
            self.modules[name] = self._read(tree, file)

    # ---- reading ----

    def _read(self, tree: ast.Module, file: str) -> Place:
        module = Place(tree, None, file)
        later: list[tuple[Place, str, Definition]] = []  # stores, whose owner is known when all names are
        waiting: list[tuple[ast.AST, Place]] = [(statement, module) for statement in reversed(tree.body)]
        while waiting:
            node, place = waiting.pop()
            inner = place
            if isinstance(node, ast.For | ast.AsyncFor | ast.While):
                place.loops.append((node.lineno, node.end_lineno or node.lineno))
            if isinstance(node, ast.If) and scopes.is_main_guard(node.test):
                waiting += [(statement, place) for statement in reversed(node.orelse)]
                continue
            if isinstance(node, scopes.Definition | ast.Lambda):
                inner = self.places[id(node)] = Place(node, place, file)
                waiting += [(part, place) for part in _outside(node)]
                if isinstance(node, ast.ClassDef):
                    place.names[node.name].append(Definition("class", node, place, node))
                    waiting += [(statement, inner) for statement in reversed(node.body)]
                    continue
                if not isinstance(node, ast.Lambda):
                    place.names[node.name].append(Definition("function", node, place, node))
                    if isinstance(place.node, ast.ClassDef):
                        self.methods[node.name].append(node)
                self._parameters(node, inner, place)
                body = [node.body] if isinstance(node, ast.Lambda) else node.body
                if isinstance(node, ast.Lambda):
                    inner.returns.append(node.body)
                waiting += [(part, inner) for part in reversed(body)]
                continue
            if isinstance(node, scopes.Comprehension):
                inner = self.places[id(node)] = Place(node, place, file)
            self._take(node, inner, later)
            waiting += [(child, inner) for child in reversed(scopes.children(node))]
        for place, name, definition in later:
            owner = place.owner(name)
            if owner is None:
                continue
            owner.names[name].append(definition)
            for _ in range(VIEWS):  # what is stored in a view is stored in what it is a view of
                base = viewed(owner.names[name][:MOST_COMPARED]) if definition.kind == "store" else ""
                owner = owner.owner(base) if base else None
                if owner is None:
                    break
                name = base
                owner.names[name].append(definition)
        return module

    def _parameters(self, node: Callable_, inner: Place, outer: Place) -> None:
        given = node.args
        names = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(names) - len(given.defaults)) + list(given.defaults)
        pairs: list[tuple[ast.arg, ast.expr | None]] = [*zip(names, defaults, strict=True)]
        pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
        pairs += [(each, None) for each in (given.vararg, given.kwarg) if each is not None]
        for parameter, default in pairs:
            inner.names[parameter.arg].append(Definition("param", default, outer, node))

    def _take(self, node: ast.AST, place: Place, later: list[tuple[Place, str, Definition]]) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value, place, node, later)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            where = place
            while isinstance(node, ast.NamedExpr) and isinstance(where.node, scopes.Comprehension) and where.parent:
                where = where.parent
            self._bind(node.target, node.value, where, node, later)
        elif isinstance(node, ast.AugAssign):
            self._store(node.target, node, place, node, later)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._bind(node.target, node.iter, place, node, later, kind="iter")
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr, place, node, later)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                place.elsewhere[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                place.names[alias.asname or alias.name.partition(".")[0]].append(
                    Definition("import", None, place, node, key=alias.name)
                )
        elif isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            place.function.returns.append(node.value)
        elif isinstance(node, ast.Call):  # also within an expression: out=, and methods that end in an underscore
            if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_") and node.func.attr[:2] != "__":
                self._mutated(node.func.value, node, place, later)
            for word in node.keywords:
                if word.arg == "out":
                    self._mutated(word.value, node, place, later)
            self._called(node, place, later)

    def _bind(
        self,
        target: ast.AST,
        value: ast.AST,
        place: Place,
        node: ast.AST,
        later: list[tuple[Place, str, Definition]],
        kind: str = "value",
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
                found = "part" if path and kind == "value" else kind
                definition = Definition(found, value, place, node, path=path)
                if isinstance(place.node, ast.ClassDef):
                    self.attributes[target.id].append(definition)
                if target.id in place.elsewhere:
                    later.append((place.parent or place, target.id, definition))
                else:
                    place.names[target.id].append(definition)
            else:
                self._store(target, value, place, node, later)

    def _store(
        self,
        target: ast.AST,
        value: ast.AST,
        place: Place,
        node: ast.AST,
        later: list[tuple[Place, str, Definition]],
    ) -> None:
        """`x[i] = v`, `x.view(-1)[i] += v`, `x.data = v`, `x += v`."""
        key = None
        while True:
            if isinstance(target, ast.Attribute):
                self.attributes[target.attr].append(Definition("store", value, place, node))
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
            later.append((place, target.id, Definition("store", value, place, node, key)))

    def _mutated(
        self, target: ast.AST, call: ast.Call, place: Place, later: list[tuple[Place, str, Definition]]
    ) -> None:
        self._store(target, call, place, call, later)

    def _called(self, call: ast.Call, place: Place, later: list[tuple[Place, str, Definition]]) -> None:
        """A call may change its arguments, or the object whose method it is."""
        if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
            self._mutated(call.func.value, call, place, later)
        for argument in [*call.args, *(word.value for word in call.keywords)]:
            name = base_name(argument)
            if name:
                later.append((place, name, Definition("passed", call, place, call)))

    # ---- names ----

    def definitions(self, name: str, place: Place) -> Sequence[Definition]:
        owner = place.owner(name)
        return owner.names[name] if owner is not None else ()

    def neighbour(self, definition: Definition) -> Iterator[Definition]:
        """What an import gives, where it is of another file of the submission."""
        node, name = definition.node, definition.key or ""
        if isinstance(node, ast.ImportFrom):
            module = self.modules.get(node.module or "")
            if module is not None:
                yield from module.names.get(name, ())

    def entry(self, name: str, method: str = "") -> tuple[ast.AST, Place] | None:
        """What gives a function of the graded file its value: its definition, a method's, or an assigned expression."""
        main = next(iter(self.modules.values()))
        for definition in reversed(main.names.get(name, [])):
            node, place = definition.node, main
            if definition.kind == "import":
                other = next(iter(self.neighbour(definition)), definition)
                definition, node, place = other, other.node, other.scope
            if isinstance(node, ast.ClassDef):
                found = (m for m in node.body if isinstance(m, Callable_) and m.name == method)
                return next(((m, self.places[id(m)]) for m in found), None)
            if isinstance(node, Callable_):
                return node, self.places[id(node)]
            if definition.kind == "value" and definition.value is not None:
                return definition.value, place
        return None


def _outside(node: ast.AST) -> list[ast.AST]:
    """What of a definition is evaluated in the scope around it."""
    found: list[ast.AST] = []
    if isinstance(node, Callable_):
        found += [*node.args.defaults, *(value for value in node.args.kw_defaults if value is not None)]
    if isinstance(node, scopes.Definition):
        found += node.decorator_list
    if isinstance(node, ast.ClassDef):
        found += node.bases
    return found


class Slice:
    """All expressions and statements on which some expressions' values depend.

    Attributes:
        nodes: {id: (node, its scope)}.
        arguments: {(id of a function, parameter): the arguments that calls in slices give it}; shared by the slices of
            a program, as a part of a slice needs what the whole slice found out.
    """

    def __init__(
        self,
        program: Program,
        begin: Iterable[tuple[ast.AST, Place]],
        arguments: dict[tuple[int, str], list[tuple[ast.AST, Place]]] | None = None,
        changes: Iterable[tuple[Definition, str]] = (),
    ) -> None:
        """`changes` are calls that may change what is returned, with its name in them."""
        self.program = program
        self.nodes: dict[int, tuple[ast.AST, Place]] = {}
        self.arguments = {} if arguments is None else arguments
        self._waiting: list[tuple[ast.AST, Place]] = list(begin)
        self._calls: list[tuple[ast.Call, Place]] = []
        self._parameters: set[tuple[int, str]] = set()  # that were met
        self._seen: set[int] = set()  # definitions
        self.uses: dict[tuple[int, str], set[tuple[int, str]]] | None = None  # of forward_derivatives
        self._inner: dict[int, ast.Call] = {}
        self._complete: set[tuple[int, str]] = set()  # names of which all definitions were met
        for change, name in changes:
            self._define(change, name)
        for _ in range(ROUNDS):
            self._follow()
            before = len(self.nodes)
            for call, place in self._calls:
                self._bind(call, place)
            self._follow()
            if len(self.nodes) == before:
                break

    def _follow(self) -> None:
        while self._waiting and len(self.nodes) < MOST_NODES:
            node, place = self._waiting.pop()
            if id(node) not in self.nodes:
                self.nodes[id(node)] = node, place
                self._visit(node, place)

    def _push(self, node: ast.AST | None, place: Place) -> None:
        if node is not None:
            self._waiting.append((node, place))

    def _visit(self, node: ast.AST, place: Place) -> None:
        if isinstance(node, ast.Name):
            self._name(node, place)
        elif isinstance(node, ast.Attribute):
            self._push(node.value, place)
            for definition in self.program.attributes.get(node.attr, ()):
                self._define(definition, node.attr)
        elif isinstance(node, ast.Call):
            self._calls.append((node, place))
            for argument in [*node.args, *(word.value for word in node.keywords)]:
                self._push(argument, place)
            self._push(node.func, place)
            self._bind(node, place)
        elif isinstance(node, ast.IfExp):
            self._push(node.body, place)
            self._push(node.orelse, place)
        elif isinstance(node, Target):
            self._enter(node)
        elif isinstance(node, scopes.Comprehension):
            inner = self.program.places[id(node)]
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            for part in [*parts, *(generator.iter for generator in node.generators)]:
                self._push(part, inner)
        elif isinstance(node, ast.AugAssign | ast.Starred):
            self._push(node.value, place)
        elif isinstance(node, ast.stmt):
            return
        else:
            for child in scopes.children(node):
                self._push(child, place)

    def _name(self, node: ast.Name, place: Place) -> None:
        owner, here = place.owner(node.id), place.function
        key = id(owner), node.id
        if owner is None or key in self._complete:
            return
        definitions = owner.names[node.id]
        if owner is not here or len(definitions) > MOST_COMPARED:
            self._complete.add(key)
            for definition in definitions:
                self._define(definition, node.id)
            return
        for definition in definitions:
            if owner.runs_before(definition, node):
                self._define(definition, node.id)

    def _enter(self, target: Target) -> None:
        """A function that is used: what it returns; a class: all its methods."""
        place = self.program.places[id(target)]
        if isinstance(target, ast.ClassDef):
            for statement in target.body:
                if isinstance(statement, Callable_):
                    self._push(statement, place)
            return
        for value in place.returns:
            self._push(value, place)
        for decorator in () if isinstance(target, ast.Lambda) else target.decorator_list:
            self._push(decorator, place.parent or place)
            for other in self.callees(decorator, place.parent or place):
                function = _function_of(other)
                if function is not None and function.args.args:
                    key = id(function), function.args.args[-1].arg
                    self.arguments.setdefault(key, []).append((target, place))
                    if key in self._parameters:
                        self._push(target, place)

    def _define(self, definition: Definition, name: str) -> None:
        if id(definition) in self._seen:
            return
        self._seen.add(id(definition))
        if definition.kind == "param":
            key = id(definition.node), name
            self._parameters.add(key)
            self._push(definition.value, definition.scope)
            for argument, place in self.arguments.get(key, ()):
                self._push(argument, place)
        elif definition.kind == "passed":
            self._changed_by(definition, name)
        elif definition.kind == "import":
            for other in self.program.neighbour(definition):
                self._define(other, definition.key or name)
        else:
            if definition.kind == "store" and definition.node is not definition.value:
                self.nodes.setdefault(id(definition.node), (definition.node, definition.scope))
            self._push(definition.value, definition.scope)
            if isinstance(definition.value, ast.AugAssign):
                self._push(definition.value.value, definition.scope)

    def _changed_by(self, definition: Definition, name: str) -> None:
        """A call that gets the object: what the function stores in its parameter."""
        call, place = definition.value, definition.scope
        assert isinstance(call, ast.Call)
        targets = self.callees(call.func, place)
        for target in targets:
            for parameter, argument in parameters_of_call(target, call):
                if base_name(argument) == name:
                    inner = self.program.places[id(_function_of(target) or target)]
                    for stored in inner.names.get(parameter, ()):
                        if stored.kind in ("store", "passed"):
                            self._bind(call, place)
                            self._define(stored, parameter)
        if not targets and isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
            self._push(call, place)

    def _bind(self, call: ast.Call, place: Place) -> None:
        """Gives the parameters of the functions that a call may be about their arguments."""
        if last_name(call.func) in _CALLERS and call.args:  # map(f, xs) calls f
            inner = self._inner.get(id(call))
            if inner is None:
                inner = self._inner[id(call)] = ast.Call(call.args[0], call.args[1:], call.keywords)
            call = inner
        for target in self.callees(call.func, place):
            self._push(target, place)
            function = _function_of(target)
            if function is None:
                continue
            for parameter, argument in parameters_of_call(target, call):
                key = id(function), parameter
                known = self.arguments.setdefault(key, [])
                if all(argument is not other for other, _ in known):
                    known.append((argument, place))
                if key in self._parameters:
                    self._push(argument, place)

    # ---- functions ----

    def callees(self, node: ast.AST, place: Place) -> list[Target]:
        """The functions, lambdas and classes of the submission that an expression may stand for."""
        if isinstance(node, ast.Attribute) and not (
            node.attr in self.program.methods or node.attr in self.program.attributes or self._is_neighbour(node, place)
        ):
            return []
        found = self._callees(node, place, 0, set())
        return list({id(each): each for each in found}.values())

    def _is_neighbour(self, node: ast.Attribute, place: Place) -> bool:
        return len(self.program.modules) > 1 and isinstance(node.value, ast.Name)

    def _callees(self, node: ast.AST, place: Place, depth: int, seen: set[int]) -> list[Target]:
        """`seen` are nodes that were looked at already: each is looked at once, however they lead to each other."""
        if depth > DEPTH or id(node) in seen or len(seen) > MOST_LOOKED_AT:
            return []
        seen.add(id(node))
        if isinstance(node, Target):
            return [node]
        found: list[Target] = []
        if isinstance(node, ast.Name):
            for definition in self.program.definitions(node.id, place):
                found += self._of_definition(definition, node.id, depth, seen)
        elif isinstance(node, ast.Attribute):
            base = node.value
            if isinstance(base, ast.Name):
                for definition in self.program.definitions(base.id, place):
                    if definition.kind == "import" and isinstance(definition.node, ast.Import):
                        module = self.program.modules.get(definition.key or "")
                        for other in module.names.get(node.attr, ()) if module else ():
                            found += self._of_definition(other, node.attr, depth, seen)
            found += self.program.methods.get(node.attr, ())
            for definition in self.program.attributes.get(node.attr, ())[:20]:
                found += self._callees(definition.value, definition.scope, depth + 1, seen) if definition.value else []
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in ("partial", "vmap", "vectorize", "lru_cache", "cache", "jit", "no_grad") and node.args:
                return self._callees(node.args[0], place, depth + 1, seen)
            for target in self._callees(node.func, place, depth + 1, seen):
                if isinstance(target, ast.ClassDef):
                    found += [m for m in target.body if isinstance(m, Callable_) and m.name == "__call__"]
                    continue
                inner = self.program.places[id(target)]
                for value in inner.returns[:20]:
                    found += self._callees(value, inner, depth + 1, seen)
        elif isinstance(node, ast.IfExp):
            found = self._callees(node.body, place, depth + 1, seen) + self._callees(
                node.orelse, place, depth + 1, seen
            )
        elif isinstance(node, ast.BoolOp | ast.List | ast.Tuple | ast.Dict | ast.Subscript | ast.Starred):
            parts = [node.value] if isinstance(node, ast.Subscript | ast.Starred) else scopes.children(node)
            for part in parts[:50]:
                found += self._callees(part, place, depth + 1, seen)
        return found

    def _of_definition(self, definition: Definition, name: str, depth: int, seen: set[int]) -> list[Target]:
        if definition.kind in ("function", "class"):
            return [definition.node]  # type: ignore[list-item]
        if definition.kind == "import":
            others = self.program.neighbour(definition)
            return [t for other in others for t in self._of_definition(other, definition.key or name, depth + 1, seen)]
        found = (
            self._callees(definition.value, definition.scope, depth + 1, seen) if definition.value is not None else []
        )
        if definition.kind == "param":
            for argument, place in self.arguments.get((id(definition.node), name), ())[:20]:
                found += self._callees(argument, place, depth + 1, seen)
        return found


def _function_of(target: Target) -> Callable_ | None:
    """A class is called by its `__init__`."""
    if not isinstance(target, ast.ClassDef):
        return target
    return next((m for m in target.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)


def parameters_of_call(target: Target, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """(parameter, argument) of a call; what arrives as `*args` counts for the parameter of that name."""
    function = _function_of(target)
    if function is None:
        return
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    bound = bool(names) and names[0] in ("self", "cls") and isinstance(call.func, ast.Attribute)
    if bound or isinstance(target, ast.ClassDef):
        names = names[1:]
    for number, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            for name in names[number:]:
                yield name, argument.value
            break
        if number < len(names):
            yield names[number], argument
        elif given.vararg is not None:
            yield given.vararg.arg, argument
    own = {*names, *(each.arg for each in given.kwonlyargs)}
    for word in call.keywords:
        if word.arg in own:
            yield word.arg, word.value
        elif given.kwarg is not None:
            yield given.kwarg.arg, word.value


def base_name(node: ast.AST) -> str:
    """`x` of `x`, `x[i]` and `x.part`; "" for anything else."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def viewed(definitions: Sequence[Definition]) -> str:
    """The name whose memory a name shares: `flat = x.view(-1)`."""
    for definition in definitions:
        value = definition.value
        if definition.kind == "iter" and value is not None:  # an element is a part of what is looped over
            return base_name(_looped_over(value, definition.path))
        if definition.kind != "value":
            continue
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _VIEW_METHODS:
            return base_name(value.func.value)
        if isinstance(value, ast.Attribute) and value.attr in ("T", "data", "mT"):
            return base_name(value)
    return ""


def _looped_over(node: ast.AST, path: tuple[int, ...]) -> ast.AST:
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


def last_name(node: ast.AST) -> str:
    """`full` of `torch.full`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
