"""Typed values from JSON objects, and back. The type hints of a dataclass or named tuple say what its JSON has.

Fields that the type does not have are ignored.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self, TypeVar

Json = dict[str, Any]
Typed = TypeVar("Typed")
WORDS = {str: "text", float: "number", bool: "true or false", list: "list", dict: "object"}
OPTIONAL = {"is_optional": True}
"""Metadata of a dataclass's field that JSON has only where its value differs from the default. With the metadata
`json_name` a field has another name in JSON; with None as its name, JSON does not have it."""


class JsonObject:
    """A dataclass that is an object in JSON."""

    __slots__ = ()

    def to_json(self) -> Json:
        return object_to_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Raises ValueError, a sentence."""
        return object_from_json(cls, data)


class Expected(NamedTuple):
    """What JSON may have for a type hint: values of `types`. A text is one of `texts`, if there are any; `entries`
    is what a list has, and `kind` the type of an object."""

    types: tuple[type, ...]
    texts: tuple[str, ...] = ()
    entries: Expected | None = None
    kind: type | None = None

    def holds(self, value: Any) -> bool:
        if isinstance(value, str) and self.texts:
            return value in self.texts
        if isinstance(value, list) and self.entries:
            return list in self.types and all(map(self.entries.holds, value))
        return isinstance(value, self.types) and not (isinstance(value, bool) and bool not in self.types)

    def read(self, value: Any) -> Any:
        if isinstance(value, dict) and self.kind:
            return object_from_json(self.kind, value)
        if isinstance(value, list) and self.entries and self.entries.kind:
            return [object_from_json(self.entries.kind, entry) for entry in value]
        return value

    def __str__(self) -> str:
        if self.texts:
            return f"one of {', '.join(self.texts)}"
        words = " or ".join(WORDS[kind] for kind in self.types if kind in WORDS)
        inside = f" of {WORDS[self.entries.types[-1]]}s" if self.entries else ""
        return f"{'' if bool in self.types else 'an ' if dict in self.types else 'a '}{words}{inside}"


def expected(hint: Any) -> Expected:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):  # of None and one other type
        (other,) = (each for each in arguments if each is not NoneType)
        found = expected(other)
        return found._replace(types=(*found.types, NoneType))
    if origin is Literal:
        return Expected((str,), arguments)
    if origin in (list, Sequence):
        return Expected((list,), entries=expected(arguments[0]))
    if hint in (int, float):
        return Expected((int, float))
    return Expected((hint,)) if hint in (str, bool) else Expected((dict,), kind=None if origin else hint)


class JsonField(NamedTuple):
    """A field of a type. `attribute` is its name in Python; `default` is MISSING where JSON must have it."""

    attribute: str
    expected: Expected
    default: Any
    is_optional: bool


@cache
def json_fields(kind: Any) -> dict[str, JsonField]:
    """{name in JSON: field} of a dataclass or named tuple."""
    hints = typing.get_type_hints(kind)
    if not is_dataclass(kind):
        own = kind._field_defaults
        return {name: JsonField(name, expected(hints[name]), own.get(name, MISSING), False) for name in kind._fields}
    found = {}
    for each in fields(kind):
        default = None if each.default_factory is not MISSING else each.default
        if name := each.metadata.get("json_name", each.name):
            found[name] = JsonField(each.name, expected(hints[each.name]), default, "is_optional" in each.metadata)
    return found


def object_from_json(kind: Callable[..., Typed], data: Mapping[str, Any]) -> Typed:
    """The `kind` that a JSON object describes. Raises ValueError, a sentence, for a missing or wrong field."""
    values = {}
    for name, each in json_fields(kind).items():
        if name in data:
            value = data[name]
            if not each.expected.holds(value):
                raise ValueError(f"`{name}` is {str(value)[:40]!r}; expected {each.expected}")
            values[each.attribute] = each.expected.read(value)
        elif each.default is MISSING:
            raise ValueError(f"it has no `{name}` where one is needed")
    return kind(**values)


def object_to_json(value: Any) -> Json:
    """A dataclass or named tuple as a JSON object."""
    found = {}
    for name, each in json_fields(value.__class__).items():
        own = getattr(value, each.attribute)
        if not (each.is_optional and own == each.default):
            found[name] = value_to_json(own)
    return found


def value_to_json(value: Any) -> Any:
    if is_dataclass(value) or hasattr(value, "_fields"):
        return object_to_json(value)
    return [value_to_json(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def clean(value: Any) -> Any:
    """A value that JSON and UTF-8 can hold: infinities become null, half a surrogate pair becomes a question mark."""
    if isinstance(value, dict):
        return {key: clean(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(entry) for entry in value]
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8")
    return None if isinstance(value, float) and not math.isfinite(value) else value
