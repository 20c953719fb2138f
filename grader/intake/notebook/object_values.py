"""Values of a notebook's objects, as far as its text decides them: records, constants, functions and variables."""

from __future__ import annotations

import ast
import copy
import keyword
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard, TypeVar

MAX_UNROLLED = 64
"""Rounds of a loop that is written out."""
MAX_LIST_ENTRIES = 1_000
"""Entries of a list."""
MAX_VALUE_SIZE = 200  # characters, or the largest number, that is computed here
LIST_KINDS = frozenset({"list", "tuple"})
ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
Key = str | int | None
SyntaxNode = TypeVar("SyntaxNode", bound=ast.AST)


class NotPlain(Exception):
    """Code whose objects the text does not decide; it stays as it is."""


@dataclass(eq=False)
class Record:
    """An object, dictionary, list, tuple or class of the notebook, with what its parts are.

    Attributes:
        kind: "object", "dict", "list", "tuple" or "class".
        fields: attributes and entries alike; the entries of a list have their places as keys.
        bases: the class of an object, or the base classes of a class.
        default: makes an entry that a `defaultdict` does not have.
        node: a class's definition.
        variable: the plain variable that has the same value; None after a change.
        owner: the record and the key, or the name, under which it was stored.
        called: all names that it had.
        number: tells its parts' variables from other records'; 0 until it has such.
    """

    kind: str
    fields: dict[Key, Value] = field(default_factory=dict)
    bases: Sequence[Record] = ()
    default: Callable[[], Value] | None = None
    node: ast.ClassDef | None = None
    variable: str | None = None
    owner: tuple[Record | None, Key] | None = None
    called: set[str] = field(default_factory=set)
    number: int = 0

    def belongs(self, to: Record | None, key: Key) -> None:
        """Notes under what it is stored. A place in a record counts more than a name."""
        self.called.add(str(key))
        if self.owner is None or self.owner[0] is None:
            self.owner = to, key

    @property
    def entries(self) -> list[Value]:
        return [self.fields[key] for key in self.fields if isinstance(key, int)]

    @property
    def classes(self) -> list[Record]:
        """The record, its class and their bases, in the order in which Python looks for an attribute."""
        found: list[Record] = [self]
        for each in found:
            found += each.bases if len(found) < 20 else ()
        return found

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


@dataclass
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

    def is_global(self, name: str) -> bool:
        return self.holder(name).outer is None

    def value(self, name: str) -> Value | None:
        """None for a plain variable of the notebook."""
        return self.holder(name).values.get(name)

    def set(self, name: str, value: Value) -> None:
        self.holder(name).values[name] = value


Value = Record | Variable | Constant | OpenFunction | ast.expr
Arguments = tuple[list[Value], dict[Key, Value]]
"""Those without a name, and {name: value}"""
NONE_VALUE = Constant(None)


def remade(node: SyntaxNode, **fields: Any) -> SyntaxNode:
    """A copy of a node with other fields."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


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


def list_record(values: Iterable[Value], kind: str = "list") -> Record:
    """Raises NotPlain where there are too many."""
    fields: dict[Key, Value] = dict(enumerate(values))
    if len(fields) > MAX_LIST_ENTRIES:
        raise NotPlain("too many entries")
    return Record(kind, fields)


def as_value(found: Any) -> Value:
    """The result of one of Python's own functions of lists and dictionaries, whose elements are values."""
    if isinstance(found, Value):
        return found
    if isinstance(found, dict):
        return Record("dict", found)
    if isinstance(found, Iterable) and not isinstance(found, str | range):
        return list_record(map(as_value, found), "tuple" if isinstance(found, tuple) else "list")
    return Constant(found)


def entries_of(value: Value) -> list[Value]:
    """What a loop over it goes through. Raises NotPlain."""
    found: list[Value]
    if isinstance(value, Record) and value.kind in (*LIST_KINDS, "dict"):
        found = value.entries if value.kind in LIST_KINDS else [Constant(key) for key in value.fields]
    elif isinstance(value, Constant) and isinstance(value.value, range | str):
        found = [Constant(each) for each in value.value[: MAX_UNROLLED + 1]]
    else:
        raise NotPlain("it is no list that the text contains")
    if len(found) > MAX_UNROLLED:
        raise NotPlain("too many rounds")
    return found


def same_keys(value: Value) -> Record:
    """A dictionary's record. Raises NotPlain."""
    if isinstance(value, Record) and value.kind not in LIST_KINDS:
        return value
    raise NotPlain("it is no dictionary that the text contains")


def result_of(operation: ast.AST, left: Value, right: Value) -> Value | None:
    """What an operation gives, whose operand is `left` where there is only one. None where the text does not decide it.

    Raises NotPlain.
    """
    is_negated = isinstance(operation, ast.IsNot | ast.NotEq | ast.NotIn)
    match operation, left, right:
        case ast.Not(), _, _ if (known := truth(left)) is not None:
            return Constant(not known)
        case ast.USub(), Constant(value=int() as number), _:
            return Constant(-number)
        case ast.Is() | ast.IsNot(), _, Constant(value=None):
            return Constant((left == NONE_VALUE) != is_negated)
        case ast.Eq() | ast.NotEq(), Constant(), Constant():
            return Constant((left.value == right.value) != is_negated)
        case ast.In() | ast.NotIn(), Constant(), Record():
            keys = [*right.fields] if right.kind not in LIST_KINDS else [constant_of(e) for e in right.entries]
            return Constant((left.value in keys) != is_negated)
        case ast.Add(), Record(kind="list"), Record(kind="list"):
            return list_record([*left.entries, *right.entries])
        case ast.Mult(), Record(kind="list"), Constant() | Variable():
            return list_record(left.entries * min(constant_of(right), MAX_VALUE_SIZE))
    texts = [each for each in (left, right) if isinstance(each, Variable) and isinstance(each.constant, str)]
    is_known = all(isinstance(each, Constant) or each in texts for each in (left, right))
    if type(operation) in ARITHMETIC and is_known:  # a number's variable stays in the code
        return Constant(arithmetic(operation, constant_of(left), constant_of(right)))
    return None


def arithmetic(kind: ast.AST, left: Any, right: Any) -> Any:
    """Raises NotPlain."""
    try:
        found = ARITHMETIC[type(kind)](left, right)  # type: ignore[index]
        if len(found) < MAX_VALUE_SIZE if isinstance(found, str) else abs(found) < 10**9:
            return found
    except (TypeError, ValueError, ArithmeticError):
        pass
    raise NotPlain("no result")
