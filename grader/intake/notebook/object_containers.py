"""Classes, dictionaries, lists and namespaces of a notebook: how they are made, and their own methods."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.intake.notebook.object_expressions import NAMESPACES, PLAIN_BASES
from grader.intake.notebook.object_operations import OperationReader
from grader.intake.notebook.object_values import (
    LIST_KINDS,
    NOTHING,
    Arguments,
    Constant,
    Key,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    constant_of,
    entries_of,
    is_name,
    list_record,
    same_keys,
)
from grader.source.parsing import PARSE_ERRORS
from grader.source.syntax import last_name

OF_RECORDS = frozenset(
    {"list", "tuple", "reversed", "enumerate", "zip", "len", "range", "vars", "getattr", "setattr", "hasattr"}
    | {"isinstance", "field"}
)
"""Functions of Python that are evaluated where they are called with records."""


class ContainerReader(OperationReader):
    """Evaluates what makes and changes records. `file` is the one that is read."""

    file = ""

    def open(self, function: OpenFunction, given: Arguments) -> Value:
        """What a call returns, after the statements of the function's body. Raises NotPlain."""
        raise NotImplementedError

    def arguments(self, node: ast.Call, scope: NameScope) -> Arguments:
        raise NotImplementedError

    def rebuilt_call(self, node: ast.Call, scope: NameScope) -> ast.expr:
        raise NotImplementedError

    def set_part(self, record: Record, key: Key, value: Value) -> None:
        """Gives a part of a record a value."""
        raise NotImplementedError

    def construct(self, made_from: Record, given: Arguments) -> Record:
        assert made_from.node is not None
        record = Record("object", made_from=made_from)
        record.belongs(None, made_from.node.name)
        for each in self.classes(made_from):
            if "__init__" in each.fields:
                found = each.fields["__init__"]
                assert isinstance(found, OpenFunction)
                self.open(OpenFunction(found.node, found.scope, found.file, record), given)
                return record
        self.fill(record, self.annotated(made_from), given)
        return record

    def annotated(self, made_from: Record) -> list[str]:
        """The fields of a dataclass or a named tuple, in their order."""
        found: dict[str, None] = {}
        for each in reversed(self.classes(made_from)):
            body = each.node.body if each.node else []
            found |= {
                n.target.id: None for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
            }
            found |= {str(key): None for key, value in each.fields.items() if value is NOTHING and not each.node}
        return list(found)

    def fill(self, record: Record, names: Sequence[str], given: Arguments) -> None:
        if len(given[0]) > len(names):
            raise NotPlain("too many arguments")
        for key, value in (*zip(names, given[0], strict=False), *given[1].items()):
            self.set_part(record, key, value)
        for name in names:
            for each in self.classes(record):
                default = each.fields.get(name)
                if name not in record.fields and isinstance(default, Record):
                    record.fields[name] = Record(default.kind, dict(default.fields), default.made_from, default.default)

    def built_in(self, name: str, node: ast.Call, scope: NameScope) -> Value | None:
        """What a function of Python makes of records; None where it has to do with none."""
        if name in NAMESPACES | {"dict", "OrderedDict"}:
            places, words = self.arguments(node, scope)
            record = Record("object" if name in NAMESPACES else "dict")
            for each in places:
                record.fields |= same_keys(each).fields
            record.fields |= words
            return record
        if name == "eval" and len(node.args) == 1:
            text = self.value(node.args[0], scope)
            if isinstance(text, Constant) and is_name(text.value):
                return self.value(ast.Name(text.value, ast.Load()), scope)
        if name == "defaultdict":
            made = last_name(node.args[0]) if node.args else ""
            if made in ("int", "float"):
                return Record("dict", default=lambda: Constant(0))
            kinds = {"list": "list", "dict": "dict", "SimpleNamespace": "object"}
            return Record("dict", default=(lambda: Record(kinds[made])) if made in kinds else None)
        if name == "namedtuple" and len(node.args) == 2:
            fields = self.value(node.args[1], scope)
            names = [constant_of(e) for e in entries_of(fields)] if isinstance(fields, Record) else constant_of(fields)
            names = names if isinstance(names, list) else str(names).replace(",", " ").split()
            title = str(constant_of(self.value(node.args[0], scope)))
            body = "".join(f"    {each}: object\n" for each in names) or "    pass"
            return self.class_of(definition(f"class {title}:\n{body}"), scope)
        if name == "type" and len(node.args) == 3:
            title = str(constant_of(self.value(node.args[0], scope)))
            return self.class_of(definition(f"class {title}: pass"), scope)
        if name in OF_RECORDS:
            return self.of_records(name, node, scope)
        return None

    def of_records(self, name: str, node: ast.Call, scope: NameScope) -> Value | None:
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
                found = self.attribute(first, key)
            except NotPlain:
                if name == "getattr" and len(places) < 3:
                    raise
                return Constant(False) if name == "hasattr" else places[2]
            return Constant(True) if name == "hasattr" else found
        if name == "vars":
            return first if isinstance(first, Record) else None
        if name == "isinstance":
            known = isinstance(first, Record) and len(places) == 2 and isinstance(places[1], Record)
            return Constant(places[1] in self.classes(first)) if known and isinstance(first, Record) else None
        if name == "range":
            bounds = [each.value for each in places if isinstance(each, Constant) and isinstance(each.value, int)]
            return Constant(range(*bounds)) if len(bounds) == len(places) else None
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

    def of_container(self, base: Record, name: str, node: ast.Call, scope: NameScope) -> Value | None:
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
                for each in (*places, Record("dict", words)):
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
        record = Record("class", node=node, scope=scope, file=self.file, bases=bases)
        record.belongs(None, node.name)
        inner = NameScope({}, scope, frozenset(), scope.call)
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                record.fields[each.name] = OpenFunction(each, scope, self.file)
            elif isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self.set_part(record, target.id, self.value(each.value, inner))
        return record


def definition(text: str) -> ast.ClassDef:
    """A class from its text. Raises NotPlain."""
    try:
        found = ast.parse(text).body[0]
    except PARSE_ERRORS:
        raise NotPlain("no name of a class") from None
    assert isinstance(found, ast.ClassDef)
    return found
