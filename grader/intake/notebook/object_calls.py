"""Calls of a notebook's classes, methods and functions, with the body of the function in the place of the call."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from grader.intake.notebook.object_expressions import NAMESPACES, PLAIN_BASES, ExpressionReader
from grader.intake.notebook.object_values import (
    LIST_KINDS,
    Constant,
    Function,
    NotPlain,
    Record,
    Scope,
    Value,
    Variable,
    constant_of,
    entries_of,
    list_record,
    same_keys,
)
from grader.source.syntax import all_nodes, last_name, parameters, stored_names

MOST_CALLS = 400
DEEPEST = 12
NOTHING = Constant(None)
HARMLESS_MARKS = frozenset({"no_grad", "staticmethod", "classmethod", "property", "cached_property", "inference_mode"})
Arguments = tuple[list[Value], dict[str, Value]]


class CallReader(ExpressionReader):
    """Evaluates calls. `calls` counts those whose body was written out, by the function's definition."""

    def __init__(self) -> None:
        self.calls: dict[int, int] = {}
        self.depth = self.number = 0
        self.in_place = 0  # blocks around the statement that stay
        self.file = ""

    def run(self, body: Sequence[ast.stmt], scope: Scope) -> Value | None:
        """Reads statements; what they return, None where they go on."""
        raise NotImplementedError

    def bind(self, name: str, value: ast.expr, scope: Scope) -> Variable:
        """Adds a statement that gives a new variable of a function a value."""
        raise NotImplementedError

    def read_property(self, function: Function) -> Value:
        return self.open(function, ([], {}))

    def call(self, node: ast.Call, scope: Scope) -> Value:
        name = last_name(node.func)
        if isinstance(node.func, ast.Name):
            known = scope.value(name)
            target = known if known is not None else None
        elif isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Call) and last_name(node.func.value.func) == "super":
                return self.of_base(node, scope)
            base = self.value(node.func.value, scope)
            if isinstance(base, Record):
                found = self.of_container(base, name, node, scope)
                if found is not None:
                    return found
                target = self.attribute(base, name)
            else:
                target = None
        else:
            target = self.value(node.func, scope)
        if isinstance(target, Record) and target.kind == "class":
            return self.construct(target, self.arguments(node, scope))
        if isinstance(target, Record) and target.kind == "object":
            for each in ("__call__", "forward"):
                if any(each in made_from.fields for made_from in self.classes(target)):
                    found = self.attribute(target, each)
                    assert isinstance(found, Function)
                    return self.open(found, self.arguments(node, scope))
        if isinstance(target, Function):
            given = self.arguments(node, scope)
            if target.bound is not None or self.is_about_objects(target, given):
                return self.open(target, given)
        if target is None:
            built_in = self.built_in(name, node, scope)
            if built_in is not None:
                return built_in
        return self.rebuilt_call(node, scope)

    def rebuilt_call(self, node: ast.Call, scope: Scope) -> ast.expr:
        new = copy.copy(node)
        if isinstance(node.func, ast.Attribute):
            new.func = copy.copy(node.func)
            new.func.value = self.code(node.func.value, scope)
        elif isinstance(node.func, ast.Name):
            new.func = node.func if scope.holder(node.func.id).outer is None else self.code(node.func, scope)
        else:
            new.func = self.code(node.func, scope)
        new.args = [
            ast.Starred(self.code(each.value, scope), ast.Load()) if isinstance(each, ast.Starred) else self.code(each, scope)
            for each in node.args
        ]
        new.keywords = [ast.keyword(each.arg, self.code(each.value, scope)) for each in node.keywords]
        return new

    def arguments(self, node: ast.Call, scope: Scope) -> Arguments:
        words: dict[str, Value] = {}
        for word in node.keywords:
            value = self.value(word.value, scope)
            words |= {word.arg: value} if word.arg else {str(k): v for k, v in same_keys(value).fields.items()}
        return self.several(node.args, scope), words

    def of_base(self, node: ast.Call, scope: Scope) -> Value:
        """`super().__init__(...)`: nothing where the base is no class of the notebook."""
        me = scope.values.get(next(iter(scope.values), ""), None)
        if not isinstance(me, Record) or not isinstance(node.func, ast.Attribute):
            raise NotPlain("super")
        for each in self.classes(me)[1:]:
            if node.func.attr in each.fields:
                found = each.fields[node.func.attr]
                assert isinstance(found, Function)
                return self.open(Function(found.node, found.scope, found.file, me), self.arguments(node, scope))
        return NOTHING

    # functions of the notebook

    def is_about_objects(self, function: Function, given: Arguments, depth: int = 0) -> bool:
        """Whether a function reads, makes or receives an object, so that its call cannot stay as it is."""
        values = [*given[0], *given[1].values()]
        if any(isinstance(each, Record) and (each.has_objects or each.kind == "dict") for each in values):
            return True
        nodes = [node for each in function.node.body for node in all_nodes(each)]
        for node in nodes:
            if isinstance(node, ast.Dict) or (isinstance(node, ast.Call) and last_name(node.func) in BUILT_IN_RECORDS):
                return True
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found = function.scope.holder(node.id).values.get(node.id)
                if isinstance(found, Record) and (found.variable is None or found.kind == "dict"):
                    return True
                if isinstance(found, Function) and found.node is not function.node and depth < DEEPEST:
                    if self.is_about_objects(found, ([], {}), depth + 1):
                        return True
        return False

    def open(self, function: Function, given: Arguments) -> Value:
        """What a call returns, after the statements of the function's body. Raises NotPlain."""
        node = function.node
        total = sum(self.calls.values())
        marks = {last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}
        if self.depth >= DEEPEST or total >= MOST_CALLS or not marks <= HARMLESS_MARKS:
            raise NotPlain("too many calls")
        if any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await | ast.Nonlocal) for each in all_nodes(node)):
            raise NotPlain("a generator")
        self.calls[id(node)] = self.calls.get(id(node), 0) + 1
        self.number += 1
        shared = {name for each in all_nodes(node) if isinstance(each, ast.Global) for name in each.names}
        defined = {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
        stored = {name for each in node.body for name in stored_names(each)}
        names = {each.arg for each, _ in parameters(node)} | defined | stored
        scope = Scope({}, function.scope, frozenset(names - shared), self.number, self.in_place)
        self.note_call(self.number, node)
        file, self.file = self.file, function.file
        self.depth += 1
        try:
            self.bind_parameters(function, given, scope)
            found = self.run(node.body, scope)
            return NOTHING if found is None else self.kept(found, "result", scope)
        finally:
            self.depth -= 1
            self.file = file

    def note_call(self, number: int, node: ast.FunctionDef) -> None:
        raise NotImplementedError

    def bind_parameters(self, function: Function, given: Arguments, scope: Scope) -> None:
        node = function.node
        places, words = list(given[0]), dict(given[1])
        if function.bound is not None:
            places.insert(0, function.bound)
        stars = {each.arg: each for each in (node.args.vararg, node.args.kwarg) if each is not None}
        for argument, default in parameters(node):
            name = argument.arg
            if argument in stars.values():
                continue
            if places and argument not in node.args.kwonlyargs:
                value = places.pop(0)
            elif name in words:
                value = words.pop(name)
            elif default is not None:
                value = self.value(default, function.scope)
            else:
                raise NotPlain(f"{name} is not given")
            scope.values[name] = self.kept(value, name, scope)
        if node.args.vararg is not None:
            scope.values[node.args.vararg.arg] = list_record(places, "tuple")
        elif places:
            raise NotPlain("too many arguments")
        if node.args.kwarg is not None:
            scope.values[node.args.kwarg.arg] = Record("dict", {**words})
        elif words:
            raise NotPlain("another argument")

    def kept(self, value: Value, name: str, scope: Scope) -> Value:
        """The value, in a variable of its own if it is computed."""
        if isinstance(value, Record):
            self.keep_parts(value)
            return value
        if isinstance(value, ast.expr):
            return self.bind(name, value, scope)
        return value

    def keep_parts(self, record: Record) -> None:
        """Gives each part that is computed a variable of its own, and parts that are records their owner."""
        waiting = [record]
        while waiting:
            each = waiting.pop()
            for key, value in [*each.fields.items()]:
                if isinstance(value, Record):
                    if value.owner is None or value.owner[0] is None:
                        value.belongs(each, key)
                        waiting.append(value)
                elif isinstance(value, ast.expr) and not isinstance(value, ast.Name):
                    self.set_part(each, key, value)

    # classes and containers

    def construct(self, made_from: Record, given: Arguments) -> Record:
        assert made_from.node is not None
        record = Record("object", made_from=made_from)
        record.belongs(None, made_from.node.name)
        for each in self.classes(made_from):
            if "__init__" in each.fields:
                found = each.fields["__init__"]
                assert isinstance(found, Function)
                self.open(Function(found.node, found.scope, found.file, record), given)
                return record
        self.fill(record, self.annotated(made_from), given)
        return record

    def annotated(self, made_from: Record) -> list[str]:
        """The fields of a dataclass or a named tuple, in their order."""
        found: dict[str, None] = {}
        for each in reversed(self.classes(made_from)):
            body = each.node.body if each.node else []
            found |= {n.target.id: None for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
            found |= {str(key): None for key, value in each.fields.items() if value is NOTHING and not each.node}
        return list(found)

    def fill(self, record: Record, names: Sequence[str], given: Arguments) -> None:
        if len(given[0]) > len(names):
            raise NotPlain("too many arguments")
        for name, value in {**dict(zip(names, given[0], strict=False)), **given[1]}.items():
            self.set_part(record, name, value)
        for name in names:
            for each in self.classes(record):
                default = each.fields.get(name)
                if name not in record.fields and isinstance(default, Record):
                    record.fields[name] = Record(default.kind, dict(default.fields), default.made_from, default.default)

    def set_part(self, record: Record, key: str | int | None, value: Value) -> None:
        raise NotImplementedError

    def built_in(self, name: str, node: ast.Call, scope: Scope) -> Value | None:
        """What a function of Python makes of records; None where it has to do with none."""
        if name in NAMESPACES | {"dict", "OrderedDict", "AttrDict"} and not (name in NAMESPACES and node.args):
            places, words = self.arguments(node, scope)
            record = Record("object" if name in NAMESPACES else "dict")
            for each in places:
                record.fields |= same_keys(each).fields
            record.fields |= words
            return record
        if name in NAMESPACES:
            places, words = self.arguments(node, scope)
            return Record("object", {**same_keys(places[0]).fields, **words})
        if name == "defaultdict":
            made = last_name(node.args[0]) if node.args else ""
            kinds = {"list": "list", "dict": "dict", "SimpleNamespace": "object"}
            return Record("dict", default=(lambda: Record(kinds[made])) if made in kinds else None)
        if name == "namedtuple" and len(node.args) == 2:
            fields = self.value(node.args[1], scope)
            names = [constant_of(e) for e in entries_of(fields)] if isinstance(fields, Record) else constant_of(fields)
            names = names if isinstance(names, list) else str(names).replace(",", " ").split()
            title = str(constant_of(self.value(node.args[0], scope)))
            made = ast.ClassDef(title, [], [], [ast.AnnAssign(ast.Name(n, ast.Store()), ast.Name("object", ast.Load()), None, 1) for n in names], [])
            return Record("class", node=made, scope=scope)
        if name == "type" and len(node.args) == 3:
            title = str(constant_of(self.value(node.args[0], scope)))
            return Record("class", node=ast.ClassDef(title, [], [], [ast.Pass()], []), scope=scope)
        if name in ("list", "tuple", "reversed", "enumerate", "zip", "len", "range", "vars", "getattr", "setattr", "hasattr", "isinstance", "iter", "field"):
            return self.of_records(name, node, scope)
        return None

    def of_records(self, name: str, node: ast.Call, scope: Scope) -> Value | None:
        if name == "field":
            factory = next((last_name(word.value) for word in node.keywords if word.arg == "default_factory"), "")
            return Record(factory) if factory in ("list", "dict") else None
        try:
            places, _ = self.arguments(node, scope)
        except NotPlain:
            return None
        first = places[0] if places else NOTHING
        if name in ("getattr", "setattr", "hasattr"):
            if not isinstance(first, Record):
                return None
            key = str(constant_of(places[1]))
            if name == "setattr":
                self.set_part(first, key, places[2])
                return NOTHING
            try:
                return Constant(True) if name == "hasattr" and self.attribute(first, key) else self.attribute(first, key)
            except NotPlain:
                if name == "getattr" and len(places) == 3:
                    return places[2]
                raise
        if name == "vars":
            return first if isinstance(first, Record) else None
        if name == "isinstance":
            known = isinstance(first, Record) and len(places) == 2 and isinstance(places[1], Record)
            return Constant(places[1] in self.classes(first)) if known and isinstance(first, Record) else None
        if name == "range":
            bounds = [each.value if isinstance(each, Constant) else getattr(each, "constant", None) for each in places]
            return Constant(range(*bounds)) if bounds and all(isinstance(each, int) for each in bounds) else None
        written = [isinstance(each, Record) or (isinstance(each, Constant) and name != "len") for each in places]
        if not written or not all(written):
            return None
        if all(isinstance(each, Record) and each.variable is not None and not each.has_objects for each in places):
            return None  # plain lists: the call can stay
        lists = [entries_of(each) for each in places]
        match name:
            case "len":
                return Constant(len(lists[0]))
            case "reversed":
                return list_record(lists[0][::-1])
            case "enumerate":
                return list_record([list_record([Constant(n), each], "tuple") for n, each in enumerate(lists[0])])
            case "zip":
                return list_record([list_record([*row], "tuple") for row in zip(*lists, strict=False)])
        return list_record(lists[0], "tuple" if name == "tuple" else "list")

    def of_container(self, base: Record, name: str, node: ast.Call, scope: Scope) -> Value | None:
        """A method of dictionaries and lists; None for any other."""
        if base.kind == "class" or name in base.fields or any(name in each.fields for each in self.classes(base)):
            return None
        if base.variable is not None and not base.has_objects and name in ("items", "keys", "values", "copy"):
            return self.rebuilt_call(node, scope) if base.kind != "dict" else self.view(base, name)
        if name in ("items", "keys", "values", "copy"):
            return self.view(base, name)
        places, words = self.arguments(node, scope)
        match name:
            case "append" if base.kind in LIST_KINDS:
                self.set_part(base, len(base.entries), places[0])
                return NOTHING
            case "extend" if base.kind in LIST_KINDS:
                for each in entries_of(places[0]):
                    self.set_part(base, len(base.entries), each)
                return NOTHING
            case "update":
                for each in (*places, Record("dict", {**words})):
                    for key, value in same_keys(each).fields.items():
                        self.set_part(base, key, value)
                return NOTHING
            case "get" | "setdefault" | "__getitem__" | "__setitem__" | "pop" if base.kind not in LIST_KINDS and places:
                key = constant_of(places[0])
                if name == "__setitem__" or (name == "setdefault" and key not in base.fields):
                    self.set_part(base, key, places[1])
                return base.fields[key] if key in base.fields else places[1] if len(places) > 1 else NOTHING
            case "insert" if base.kind == "list" and places[0] == Constant(0):
                found = [places[1], *base.entries]
                base.fields.clear()
                for place, each in enumerate(found):
                    self.set_part(base, place, each)
                return NOTHING
            case "reverse" if base.kind == "list":
                base.fields = dict(enumerate(base.entries[::-1]))
                base.variable = None
                return NOTHING
        if base.made_from is not None and name in ("eval", "train", "to", "cuda", "cpu", "zero_grad"):
            return base
        return None

    def view(self, base: Record, name: str) -> Value:
        pairs = [(Constant(key), value) for key, value in base.fields.items()]
        match name:
            case "keys":
                return list_record([key for key, _ in pairs])
            case "values":
                return list_record([value for _, value in pairs])
            case "items":
                return list_record([list_record([key, value], "tuple") for key, value in pairs])
        return Record(base.kind, dict(base.fields), base.made_from)

    def class_of(self, node: ast.ClassDef, scope: Scope) -> Record | None:
        """None for a class whose base class is not known."""
        bases = []
        for each in node.bases:
            each = each.value if isinstance(each, ast.Subscript) else each
            found = scope.value(each.id) if isinstance(each, ast.Name) else None
            if isinstance(found, Record) and found.kind == "class":
                bases.append(found)
            elif last_name(each) not in PLAIN_BASES:
                return None
        record = Record("class", node=node, scope=scope, file=self.file, bases=bases)
        record.belongs(None, node.name)
        inner = Scope({}, scope, frozenset(), scope.call)
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                record.fields[each.name] = Function(each, scope, self.file)
            elif isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self.set_part(record, target.id, self.value(each.value, inner))
        return record


BUILT_IN_RECORDS = NAMESPACES | {"dict", "defaultdict", "OrderedDict", "setattr", "namedtuple"}
