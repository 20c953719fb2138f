"""Calls of a notebook's classes, methods and functions, with the body of the function in the place of the call."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence, Set

from grader.intake.notebook.object_classes import NAMESPACE_CLASSES, ObjectMaker
from grader.intake.notebook.object_values import (
    NONE_VALUE,
    Arguments,
    Constant,
    Key,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    Variable,
    entries_of,
    list_record,
    remade,
    same_keys,
)
from grader.intake.notebook.tuple_loops import listed_names
from grader.source.syntax import all_nodes, last_name, parameters, stored_names

MAX_OBJECT_CALLS = 400
MAX_CALL_DEPTH = 12
FEWEST_GRADIENTS = 3
"""Gradients that a function assigns if it is a part of the backward pass."""
FEWEST_PARAMETERS = 3
"""Variables in the list that a function returns if it makes a network's parameters."""
DRAWS_PARAMETERS = frozenset({"rand", "randn", "normal", "normal_", "uniform_", "kaiming_normal_", "xavier_normal_"})
RESULT_NAME = "result"
"""What a function's result is called until somebody names it."""
HARMLESS_MARKS = frozenset({"no_grad", "staticmethod", "classmethod", "property", "cached_property", "inference_mode"})
BUILT_IN_RECORDS = NAMESPACE_CLASSES | {"dict", "defaultdict", "OrderedDict", "setattr", "namedtuple"}


class CallReader(ObjectMaker):
    """Evaluates calls."""

    def __init__(self, gradients: Collection[str]) -> None:
        self.gradients = frozenset(gradients)
        self.depth = self.calls = 0
        self.in_place = 0  # blocks around the statement that stay
        self.line: ast.stmt | None = None  # the statement that is read
        self.functions: dict[int, str] = {}  # {number of a call: the function's name}

    def run(self, body: Sequence[ast.stmt], scope: NameScope) -> Value | None:
        """Reads statements; what they return, None where they go on."""
        raise NotImplementedError

    def bind(self, name: str, value: ast.expr, scope: NameScope) -> Variable:
        """Adds a statement that gives a new variable of a function a value."""
        raise NotImplementedError

    def call(self, node: ast.Call, scope: NameScope) -> Value:
        name = last_name(node.func)
        base: Value | None = None
        target: Value | None = None
        if isinstance(node.func, ast.Name):
            target = scope.value(name)
        elif not isinstance(node.func, ast.Attribute):
            target = self.value(node.func, scope)
        elif isinstance(node.func.value, ast.Call) and last_name(node.func.value.func) == "super":
            target = self.of_base(name, scope)
            if target is NONE_VALUE:
                return NONE_VALUE
        else:
            base = self.value(node.func.value, scope)
        given = self.arguments(node, scope)
        if isinstance(base, Record):
            found = self.of_container(base, name, given)
            if found is not None:
                return found
            target = self.attribute(base, name)
        if isinstance(target, Record) and target.kind == "class":
            return self.construct(target, given)
        if isinstance(target, Record) and target.kind == "object":
            of_class = [each for each in ("__call__", "forward") if any(each in c.fields for c in target.classes[1:])]
            target = self.attribute(target, of_class[0]) if of_class else target
        if isinstance(target, OpenFunction) and (target.bound is not None or self.is_about_objects(target, given)):
            return self.open(target, given)
        found = self.built_in(name, given, scope) if target is None and not isinstance(base, Record) else None
        if found is not None:
            return found
        if isinstance(node.func, ast.Attribute):
            function: ast.expr = self.with_base(node.func, base or NONE_VALUE)
        else:
            is_own = isinstance(node.func, ast.Name) and scope.is_global(name)
            function = node.func if is_own else self.express(target or NONE_VALUE)
        words = [ast.keyword(None if key is None else str(key), self.express(each)) for key, each in given[1].items()]
        return remade(node, func=function, args=[self.express(each) for each in given[0]], keywords=words)

    def arguments(self, node: ast.Call, scope: NameScope) -> Arguments:
        """Raises NotPlain. What is unpacked with stars and not decided stays so, as `ast.Starred` and under None."""
        places: list[Value] = []
        for each in node.args:
            value = self.value(each.value if isinstance(each, ast.Starred) else each, scope)
            if not isinstance(each, ast.Starred):
                places.append(value)
            elif isinstance(value, Record | Constant):
                places += entries_of(value)
            else:
                places.append(remade(each, value=self.express(value)))
        words: dict[Key, Value] = {}
        for word in node.keywords:
            value = self.value(word.value, scope)
            is_known = word.arg is None and isinstance(value, Record)
            words |= same_keys(value).fields if is_known else {word.arg: value}
        return places, words

    def of_base(self, name: str, scope: NameScope) -> Value:
        """The method in `super().__init__(...)`; NONE_VALUE where the base is no class of the notebook."""
        me = next(iter(scope.values.values()), None)
        if not isinstance(me, Record):
            raise NotPlain("super")
        for each in me.classes[2:]:
            found = each.fields.get(name)
            if isinstance(found, OpenFunction):
                return OpenFunction(found.node, found.scope, me)
        return NONE_VALUE

    def may_have_objects(self, node: ast.AST) -> bool:
        """Whether code defines a class, makes a dictionary or a namespace, or is a function that assigns gradients."""
        for each in all_nodes(node):
            if isinstance(each, ast.ClassDef | ast.Dict):
                return True
            if isinstance(each, ast.Call) and last_name(each.func) in BUILT_IN_RECORDS:
                return True
            if assigns_gradients(each, self.gradients):
                return True
        return False

    def is_about_objects(self, function: OpenFunction, given: Arguments, depth: int = 0) -> bool:
        """Whether a function reads, makes or receives an object, or makes a list of parameters, so that its call cannot
        stay as it is."""
        values = [*given[0], *given[1].values()]
        if any(isinstance(each, Record) and (each.has_objects or each.kind == "dict") for each in values):
            return True
        if self.may_have_objects(function.node) or draws_parameters(function.node):
            return True
        for node in (each for statement in function.node.body for each in all_nodes(statement)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found = function.scope.holder(node.id).values.get(node.id)
                if isinstance(found, Record) and (found.variable is None or found.kind == "dict"):
                    return True
                is_other = (
                    isinstance(found, OpenFunction) and found.node is not function.node and depth < MAX_CALL_DEPTH
                )
                if isinstance(found, OpenFunction) and is_other and self.is_about_objects(found, ([], {}), depth + 1):
                    return True
        return False

    def open(self, function: OpenFunction, given: Arguments) -> Value:
        """What a call returns, after the statements of the function's body. Raises NotPlain."""
        node = function.node
        marks = {last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}
        if self.depth >= MAX_CALL_DEPTH or self.calls >= MAX_OBJECT_CALLS or not marks <= HARMLESS_MARKS:
            raise NotPlain("too many calls")
        if any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await | ast.Nonlocal) for each in all_nodes(node)):
            raise NotPlain("a generator")
        self.calls += 1
        self.functions[self.calls] = node.name
        shared = {name for each in all_nodes(node) if isinstance(each, ast.Global) for name in each.names}
        defined = {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
        names = {each.arg for each, _ in parameters(node)} | defined | stored_names_of(node)
        scope = NameScope({}, function.scope, frozenset(names - shared), self.calls, self.in_place)
        line = self.line
        self.depth += 1
        try:
            self.bind_parameters(function, given, scope)
            found = self.run(node.body, scope)
            return NONE_VALUE if found is None else found
        finally:
            self.depth -= 1
            self.line = line

    def bind_parameters(self, function: OpenFunction, given: Arguments, scope: NameScope) -> None:
        arguments, line = function.node.args, self.line
        places, words = [*([function.bound] if function.bound else []), *given[0]], dict(given[1])
        if None in words or any(isinstance(each, ast.Starred) for each in places):
            raise NotPlain("arguments that are not known")
        for argument, default in parameters(function.node):
            name = argument.arg
            if argument in (arguments.vararg, arguments.kwarg):
                continue
            if places and argument not in arguments.kwonlyargs:
                value = places.pop(0)
            elif name in words:
                value = words.pop(name)
            elif default is not None:
                value, self.line = self.value(default, function.scope), function.node
            else:
                raise NotPlain(f"{name} is not given")
            scope.values[name] = self.keep_in_variable(value, name, scope)
            self.line = line
        if arguments.vararg is not None:
            scope.values[arguments.vararg.arg] = list_record(places, "tuple")
        if arguments.kwarg is not None:
            scope.values[arguments.kwarg.arg] = Record("dict", words)
        if (places and arguments.vararg is None) or (words and arguments.kwarg is None):
            raise NotPlain("too many arguments")

    def keep_in_variable(self, value: Value, name: str, scope: NameScope) -> Value:
        """The value, in a variable of its own if it is computed."""
        if isinstance(value, Record):
            self.keep_parts(value)
        return self.bind(name, value, scope) if isinstance(value, ast.expr) else value

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


def stored_names_of(function: ast.FunctionDef) -> set[str]:
    """The names that a function's body assigns."""
    return {name for each in function.body for name in stored_names(each)}


def draws_parameters(function: ast.FunctionDef) -> bool:
    """Whether it draws numbers and returns a list of variables: those of `init()`, which other functions receive."""
    nodes = [node for each in function.body for node in all_nodes(each)]
    if not any(isinstance(each, ast.Call) and last_name(each.func) in DRAWS_PARAMETERS for each in nodes):
        return False
    lists = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    found = [lists.get(each.id, each) if isinstance(each, ast.Name) else each for each in returned]
    return bool(found) and all(len(listed_names(each)) >= FEWEST_PARAMETERS for each in found if each is not None)


def assigns_gradients(node: ast.AST, gradients: Set[str]) -> bool:
    """Whether it is a function that is a part of the backward pass."""
    return isinstance(node, ast.FunctionDef) and len(stored_names_of(node) & gradients) >= FEWEST_GRADIENTS
