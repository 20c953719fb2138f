"""Calls of a notebook's classes, methods and functions, with the body of the function in the place of the call."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from grader.intake.notebook.object_containers import ContainerReader
from grader.intake.notebook.object_expressions import NAMESPACES
from grader.intake.notebook.object_values import (
    NOTHING,
    Arguments,
    Key,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    Variable,
    list_record,
    same_keys,
)
from grader.source.syntax import all_nodes, last_name, parameters, stored_names

MOST_CALLS = 400
DEEPEST = 12
RESULT = "result"
"""What a function's result is called until somebody names it."""
HARMLESS_MARKS = frozenset({"no_grad", "staticmethod", "classmethod", "property", "cached_property", "inference_mode"})


class CallReader(ContainerReader):
    """Evaluates calls. `calls` counts those whose body was written out, by the function's definition."""

    def __init__(self) -> None:
        self.calls: dict[int, int] = {}
        self.depth = self.number = 0
        self.in_place = 0  # blocks around the statement that stay
        self.file = ""

    def run(self, body: Sequence[ast.stmt], scope: NameScope) -> Value | None:
        """Reads statements; what they return, None where they go on."""
        raise NotImplementedError

    def bind(self, name: str, value: ast.expr, scope: NameScope) -> Variable:
        """Adds a statement that gives a new variable of a function a value."""
        raise NotImplementedError

    def read_property(self, function: OpenFunction) -> Value:
        return self.open(function, ([], {}))

    def call(self, node: ast.Call, scope: NameScope) -> Value:
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
                    assert isinstance(found, OpenFunction)
                    return self.open(found, self.arguments(node, scope))
        if isinstance(target, OpenFunction):
            given = self.arguments(node, scope)
            if target.bound is not None or self.is_about_objects(target, given):
                return self.open(target, given)
        if target is None:
            built_in = self.built_in(name, node, scope)
            if built_in is not None:
                return built_in
        return self.rebuilt_call(node, scope)

    def rebuilt_call(self, node: ast.Call, scope: NameScope) -> ast.expr:
        new = copy.copy(node)
        if isinstance(node.func, ast.Attribute):
            new.func = copy.copy(node.func)
            new.func.value = self.code(node.func.value, scope)
        elif isinstance(node.func, ast.Name):
            new.func = node.func if scope.holder(node.func.id).outer is None else self.code(node.func, scope)
        else:
            new.func = self.code(node.func, scope)
        new.args = [
            ast.Starred(self.code(each.value, scope), ast.Load())
            if isinstance(each, ast.Starred)
            else self.code(each, scope)
            for each in node.args
        ]
        new.keywords = [ast.keyword(each.arg, self.code(each.value, scope)) for each in node.keywords]
        return new

    def arguments(self, node: ast.Call, scope: NameScope) -> Arguments:
        words: dict[Key, Value] = {}
        for word in node.keywords:
            value = self.value(word.value, scope)
            words |= {word.arg: value} if word.arg else same_keys(value).fields
        return self.values_of(node.args, scope), words

    def of_base(self, node: ast.Call, scope: NameScope) -> Value:
        """`super().__init__(...)`: nothing where the base is no class of the notebook."""
        me = scope.values.get(next(iter(scope.values), ""), None)
        if not isinstance(me, Record) or not isinstance(node.func, ast.Attribute):
            raise NotPlain("super")
        for each in self.classes(me)[1:]:
            if node.func.attr in each.fields:
                found = each.fields[node.func.attr]
                assert isinstance(found, OpenFunction)
                return self.open(OpenFunction(found.node, found.scope, found.file, me), self.arguments(node, scope))
        return NOTHING

    def is_about_objects(self, function: OpenFunction, given: Arguments, depth: int = 0) -> bool:
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
                is_other = isinstance(found, OpenFunction) and found.node is not function.node and depth < DEEPEST
                if isinstance(found, OpenFunction) and is_other and self.is_about_objects(found, ([], {}), depth + 1):
                    return True
        return False

    def open(self, function: OpenFunction, given: Arguments) -> Value:
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
        scope = NameScope({}, function.scope, frozenset(names - shared), self.number, self.in_place)
        self.note_call(self.number, node)
        file, self.file = self.file, function.file
        self.depth += 1
        try:
            self.bind_parameters(function, given, scope)
            found = self.run(node.body, scope)
            return NOTHING if found is None else self.kept(found, RESULT, scope)
        finally:
            self.depth -= 1
            self.file = file

    def note_call(self, number: int, node: ast.FunctionDef) -> None:
        raise NotImplementedError

    def bind_parameters(self, function: OpenFunction, given: Arguments, scope: NameScope) -> None:
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
            scope.values[node.args.kwarg.arg] = Record("dict", words)
        elif words:
            raise NotPlain("another argument")

    def kept(self, value: Value, name: str, scope: NameScope) -> Value:
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


BUILT_IN_RECORDS = NAMESPACES | {"dict", "defaultdict", "OrderedDict", "setattr", "namedtuple"}
