"""Values of a notebook's objects, as far as its text decides them: records, constants, functions and variables."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeGuard

MOST_UNROLLED = 64
"""Rounds of a loop that is written out."""
MOST_ENTRIES = 1_000
"""Entries of a list."""
LIST_KINDS = frozenset({"list", "tuple"})
Key = str | int | None


class NotPlain(Exception):
    """Code whose objects the text does not decide; it stays as it is."""


@dataclass(eq=False)
class Record:
    """An object, dictionary, list, tuple or class of the notebook, with what its parts are.

    Attributes:
        kind: "object", "dict", "list", "tuple" or "class".
        fields: attributes and entries alike; the entries of a list have their places as keys.
        made_from: the class of an object.
        default: makes an entry that a `defaultdict` does not have.
        node, scope, file: a class's definition.
        bases: a class's own base classes.
        variable: the plain variable that has the same value; None after a change.
        owner: the record and the key, or the name, under which it was stored.
        called: all names that it had.
    """

    kind: str
    fields: dict[Key, Value] = field(default_factory=dict)
    made_from: Record | None = None
    default: Callable[[], Value] | None = None
    node: ast.ClassDef | None = None
    scope: NameScope | None = None
    file: str = ""
    bases: list[Record] = field(default_factory=list)
    variable: str | None = None
    owner: tuple[Record | None, Key] | None = None
    called: set[str] = field(default_factory=set)

    def belongs(self, to: Record | None, key: Key) -> None:
        """Notes under what it is stored. A place in a record counts more than a name."""
        self.called.add(str(key))
        if self.owner is None or self.owner[0] is None:
            self.owner = to, key

    @property
    def entries(self) -> list[Value]:
        return [self.fields[key] for key in self.fields if isinstance(key, int)]

    @property
    def has_objects(self) -> bool:
        """Whether it is or contains what no expression can be written for."""
        waiting: list[Value] = [self]
        seen: set[int] = set()
        while waiting:
            each = waiting.pop()
            if isinstance(each, OpenFunction) or (isinstance(each, Record) and each.kind in ("object", "class")):
                return True
            if isinstance(each, Record) and id(each) not in seen:
                seen.add(id(each))
                waiting += each.fields.values()
        return False


@dataclass(frozen=True)
class Variable:
    """A value that statements bind to a name; `constant` is what it is, if the text says so."""

    name: str
    constant: Any = None


@dataclass(frozen=True)
class Constant:
    value: Any


@dataclass(frozen=True, eq=False)
class OpenFunction:
    """A function of the notebook, and the object whose method it is."""

    node: ast.FunctionDef
    scope: NameScope
    file: str
    bound: Record | None = None


@dataclass(eq=False)
class NameScope:
    """Names and their values; those of `local` belong to it.

    `call` numbers the call of a function, 0 outside of them; `level` counts the blocks around the call that stay.
    """

    values: dict[str, Value] = field(default_factory=dict)
    outer: NameScope | None = None
    local: frozenset[str] = frozenset()
    call: int = 0
    level: int = 0

    def holder(self, name: str) -> NameScope:
        """The scope to which a name belongs."""
        scope = self
        while scope.outer is not None and name not in scope.local:
            scope = scope.outer
        return scope

    def value(self, name: str) -> Value | None:
        """None for a plain variable of the notebook. Raises NotPlain."""
        holder = self.holder(name)
        if name in holder.values:
            return holder.values[name]
        if holder.outer is not None:
            raise NotPlain(f"{name} is read before it is assigned")
        return None


Value = Record | Variable | Constant | OpenFunction | ast.expr
Arguments = tuple[list[Value], dict[Key, Value]]
"""Those without a name, and {name: value}"""
NOTHING = Constant(None)


def is_name(value: object) -> TypeGuard[str]:
    """Whether it is a text that can be a variable's name."""
    return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)


def truth(value: Value) -> bool | None:
    """None where the text does not say."""
    match value:
        case Constant(value=known):
            return bool(known)
        case Variable(constant=known) if known is not None:
            return bool(known)
        case Record(kind="object" | "class") | OpenFunction():
            return True
        case Record():
            return bool(value.fields)
    return None


def constant_of(value: Value) -> Any:
    """A string, number or None that the text decides. Raises NotPlain."""
    match value:
        case Constant(value=known):
            return known
        case Variable(constant=known) if known is not None:
            return known
    raise NotPlain("it is no constant")


def list_record(values: list[Value], kind: str = "list") -> Record:
    """Raises NotPlain where there are too many."""
    if len(values) > MOST_ENTRIES:
        raise NotPlain("too many entries")
    return Record(kind, dict(enumerate(values)))


def entries_of(value: Value) -> list[Value]:
    """What a loop over it goes through. Raises NotPlain."""
    found: list[Value]
    if isinstance(value, Record) and value.kind in (*LIST_KINDS, "dict"):
        found = value.entries if value.kind in LIST_KINDS else [Constant(key) for key in value.fields]
    elif isinstance(value, Constant) and isinstance(value.value, range | str):
        found = [Constant(each) for each in value.value[: MOST_UNROLLED + 1]]
    else:
        raise NotPlain("it is no list that the text contains")
    if len(found) > MOST_UNROLLED:
        raise NotPlain("too many rounds")
    return found


def same_keys(value: Value) -> Record:
    """A dictionary's record. Raises NotPlain."""
    if isinstance(value, Record) and value.kind not in LIST_KINDS:
        return value
    raise NotPlain("it is no dictionary that the text contains")
