"""Classes, dictionaries, lists and namespaces of a notebook: how they are made, and their own methods."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from grader.intake.notebook.object_expressions import PartReader
from grader.intake.notebook.object_values import (
    LIST_KINDS,
    NONE_VALUE,
    Arguments,
    Constant,
    Key,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    as_value,
    constant_of,
    entries_of,
    is_name,
    same_keys,
)
from grader.source.syntax import last_name

NAMESPACE_CLASSES = frozenset({"SimpleNamespace", "Namespace", "Bunch", "EasyDict", "edict"})
PLAIN_BASES = frozenset({"object", "Module", "dict", "ABC", "NamedTuple", "TypedDict", "Generic"})
OF_ENTRIES = {"len": len, "list": list, "tuple": tuple, "reversed": reversed, "enumerate": enumerate, "zip": zip}
"""Functions of Python that are evaluated where they are called with lists that the text contains."""
WITH_KEY = frozenset({"get", "setdefault", "pop", "insert", "__getitem__", "__setitem__"})
"""Methods of lists and dictionaries whose first argument is a place or a key."""


class ObjectMaker(PartReader):
    """Evaluates what makes and changes records."""

    def open(self, function: OpenFunction, given: Arguments) -> Value:
        """What a call returns, after the statements of the function's body. Raises NotPlain."""
        raise NotImplementedError

    def set_part(self, record: Record, key: Key, value: Value) -> None:
        """Gives a part of a record a value."""
        raise NotImplementedError

    def class_of(self, node: ast.ClassDef, scope: NameScope) -> Record | None:
        """None for a class whose base class is not known."""
        bases = []
        for base in node.bases:
            named = base.value if isinstance(base, ast.Subscript) else base
            found = scope.value(named.id) if isinstance(named, ast.Name) else None
            if isinstance(found, Record) and found.kind == "class":
                bases.append(found)
            elif last_name(named) not in PLAIN_BASES:
                return None
        record = Record("class", bases=bases, node=node)
        record.belongs(None, node.name)
        inner = NameScope({}, scope, frozenset(), scope.call)
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                record.fields[each.name] = OpenFunction(each, scope)
            elif isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
                for target in each.targets if isinstance(each, ast.Assign) else [each.target]:
                    if isinstance(target, ast.Name):
                        self.set_part(record, target.id, self.value(each.value, inner))
        return record

    def construct(self, made_from: Record, given: Arguments) -> Record:
        """An object of a class: by its `__init__`, else with the fields of a dataclass or a named tuple."""
        record = Record("object", bases=[made_from])
        record.belongs(None, made_from.node.name if made_from.node else None)
        classes = made_from.classes
        for each in classes:
            found = each.fields.get("__init__")
            if isinstance(found, OpenFunction):
                self.open(OpenFunction(found.node, found.scope, record), given)
                return record
        body = [statement for each in reversed(classes) if each.node for statement in each.node.body]
        annotated = [n.target.id for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
        names = list(dict.fromkeys(annotated))
        if len(given[0]) > len(names):
            raise NotPlain("too many arguments")
        for key, value in (*zip(names, given[0], strict=False), *given[1].items()):
            self.set_part(record, key, value)
        for name in names:
            default = next((each.fields[name] for each in classes if name in each.fields), None)
            if name not in record.fields and isinstance(default, Record):
                record.fields[name] = Record(default.kind, dict(default.fields), default.bases, default.default)
        return record

    def built_in(self, name: str, given: Arguments, scope: NameScope) -> Value | None:
        """What a function of Python makes of records; None where it has to do with none. Raises NotPlain."""
        places, words = given
        made = [last_name(each) if isinstance(each, ast.AST) else "" for each in (*places, *words.values())]
        match name, places:
            case (("dict" | "OrderedDict"), _):
                return Record("dict", merged_fields(given))
            case _, _ if name in NAMESPACE_CLASSES:
                return Record("object", merged_fields(given))
            case "defaultdict", _:
                return default_dict(made[0] if made else "")
            case "field", _:
                return Record(words_made) if (words_made := "".join(made)) in ("list", "dict") else None
            case "eval", [Constant(value=text)] if is_name(text):
                return self.value(ast.Name(text, ast.Load()), scope)
            case "namedtuple", [title, names]:
                parts = names.entries if isinstance(names, Record) else [names]
                own = " ".join(str(constant_of(each)) for each in parts).replace(",", " ").split()
                return self.new_class(constant_of(title), own, scope)
            case "type", [title, _, _]:
                return self.new_class(constant_of(title), [], scope)
            case "setattr", [Record() as record, key, value]:
                self.set_part(record, str(constant_of(key)), value)
                return NONE_VALUE
            case "getattr", [Record() as record, key, *default]:
                found = self.attribute_if_there(record, key)
                if found is None and not default:
                    raise NotPlain("an attribute that is not there")
                return default[0] if found is None else found
            case "hasattr", [Record() as record, key, *_]:
                return Constant(self.attribute_if_there(record, key) is not None)
            case "vars", [Record() as record]:
                return record
            case "isinstance", [Record() as record, Record() as wanted]:
                return Constant(wanted in record.classes)
            case "range", _ if all(isinstance(each, Constant) and isinstance(each.value, int) for each in places):
                return Constant(range(*map(constant_of, places)))
        return of_entries(name, places)

    def attribute_if_there(self, record: Record, key: Value) -> Value | None:
        try:
            return self.attribute(record, str(constant_of(key)))
        except NotPlain:
            return None

    def new_class(self, title: str, names: Sequence[str], scope: NameScope) -> Record | None:
        """A class that a call makes. Raises NotPlain."""
        if not all(map(is_name, (title, *names))):
            raise NotPlain("no name")
        fields = [ast.AnnAssign(ast.Name(name, ast.Store()), ast.Name("object", ast.Load()), None, 1) for name in names]
        return self.class_of(ast.ClassDef(title, [], [], [*fields, ast.Pass()], []), scope)

    def of_container(self, base: Record, name: str, given: Arguments) -> Value | None:
        """What a method of dictionaries and lists returns, after its changes; None for any other. Raises NotPlain."""
        if base.kind == "class" or any(name in each.fields for each in base.classes):
            return None
        if base.kind == "object" and name in ("eval", "train", "to", "cuda", "cpu", "zero_grad"):
            return base
        is_list = base.kind in LIST_KINDS
        changed: Any = base.entries if is_list else dict(base.fields)
        if not hasattr(changed, name) or (name.startswith("__") and name not in WITH_KEY):
            return None
        places: list[Any] = list(given[0])
        if name in WITH_KEY and places:
            places[0] = constant_of(places[0])
        elif name == "extend":
            places = [entries_of(each) for each in places]
        elif name == "update":
            places = [merged_fields(given)]
        try:
            found = getattr(changed, name)(*places)
        except (LookupError, TypeError, ValueError) as error:
            raise NotPlain(str(error)) from None
        after: dict[Key, Value] = dict(enumerate(changed)) if is_list else changed
        places_of = {id(value): key for key, value in base.fields.items()}
        if any(places_of.get(id(value), key) != key for key, value in after.items()):
            base.number, base.fields = 0, {}  # parts have other places: their variables get new names
        if after.keys() != base.fields.keys():
            base.variable = None
        before, base.fields = base.fields, {key: value for key, value in after.items() if key in base.fields}
        for key, value in after.items():
            if before.get(key) is not value:
                self.set_part(base, key, value)
        return as_value(found)


def merged_fields(given: Arguments) -> dict[Key, Value]:
    """The fields of `dict(a, **b, c=1)`. Raises NotPlain."""
    places, words = given
    if None in words:
        raise NotPlain("arguments that are not known")
    return {key: value for each in (*places, Record("dict", words)) for key, value in same_keys(each).fields.items()}


def default_dict(kind: str) -> Record:
    """A `defaultdict` whose new entries are of `kind`; without a default where that is not known."""
    if kind in ("int", "float"):
        return Record("dict", default=lambda: Constant(0))
    made = {"list": "list", "dict": "dict", "SimpleNamespace": "object"}.get(kind)
    return Record("dict", default=(lambda: Record(made)) if made else None)


def of_entries(name: str, places: Sequence[Value]) -> Value | None:
    """What a function of OF_ENTRIES returns for these arguments; None where the call can stay as it is."""
    if name not in OF_ENTRIES or not places or not all(isinstance(e, Record | Constant) for e in places):
        return None
    if name == "len" and isinstance(places[0], Constant):
        return None
    if all(isinstance(each, Record) and each.variable is not None and not each.has_objects for each in places):
        return None  # plain lists: the call can stay
    function: Any = OF_ENTRIES[name]
    return as_value(function(*map(entries_of, places)))
