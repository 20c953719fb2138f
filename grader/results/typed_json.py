"""Typed values from JSON, and back. The type hints of a dataclass or named tuple say what its JSON has.

Fields that the type does not have are ignored. A named tuple may also be a list.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self, TypeVar

Json = dict[str, Any]
Typed = TypeVar("Typed")
WORDS = {str: "a text", int: "a number", float: "a number", bool: "true or false"}
COLLECTIONS: dict[Any, type] = {list: list, Sequence: list, tuple: tuple, frozenset: frozenset}
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


class JsonField(NamedTuple):
    """A field of a type. `attribute` is its name in Python; `default` is MISSING where JSON must have it."""

    attribute: str
    hint: Any
    default: Any
    is_optional: bool


@cache
def json_fields(kind: Any) -> dict[str, JsonField]:
    """{name in JSON: field} of a dataclass or named tuple."""
    hints = typing.get_type_hints(kind)
    if not is_dataclass(kind):
        own = kind._field_defaults
        return {name: JsonField(name, hints[name], own.get(name, MISSING), False) for name in kind._fields}
    found = {}
    for each in fields(kind):
        default = None if each.default_factory is not MISSING else each.default
        if name := each.metadata.get("json_name", each.name):
            found[name] = JsonField(each.name, hints[each.name], default, "is_optional" in each.metadata)
    return found


class OtherType(ValueError):
    """A value that is not of the type that a hint names."""


def object_from_json(kind: Callable[..., Typed], data: Any) -> Typed:
    """The `kind` that a JSON object describes. Raises ValueError, a sentence, for a missing or wrong field."""
    known = json_fields(kind)
    if isinstance(data, list) and not is_dataclass(kind):
        data = dict(zip(known, data, strict=False))
    require(data, dict)
    values = {}
    for name, each in known.items():
        if name in data:
            try:
                values[each.attribute] = reader_of(each.hint)(data[name])
            except OtherType:
                value = str(data[name])[:40]
                raise ValueError(f"`{name}` is {value!r}; expected {in_words(each.hint)}") from None
        elif each.default is MISSING:
            raise ValueError(f"it has no `{name}` where one is needed")
    return kind(**values)


@cache
def reader_of(hint: Any) -> Callable[[Any], Any]:
    """A function that gives a JSON value the type that `hint` names. It raises OtherType, or ValueError for a field."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):  # of None and one other type
        inner = reader_of(next(each for each in arguments if each is not NoneType))
        return lambda value: None if value is None else inner(value)
    if origin is Literal:
        return lambda value: require(value, str, arguments)
    if origin is tuple and arguments[-1] is not ...:
        return lambda value: tuple(
            reader_of(kind)(each) for kind, each in zip(arguments, require(value, list), strict=True)
        )
    if origin in COLLECTIONS:
        return lambda value: COLLECTIONS[origin](map(reader_of(arguments[0]), require(value, list)))
    if origin in (dict, Mapping):
        key, entry = arguments[0], reader_of(arguments[1])
        return lambda value: {key(name): entry(each) for name, each in require(value, dict).items()}
    if hint is Any:
        return lambda value: value
    if hint is bytes:
        return lambda value: require(value, str).encode("utf-8", "surrogatepass")
    if hint in WORDS:
        return partial(require, kind=(int, float) if hint in (int, float) else hint)
    return partial(object_from_json, hint)


def require(value: Any, kind: Any, texts: Sequence[str] = ()) -> Any:
    """The value, if it is of this type and one of the `texts`, if there are any. Raises OtherType."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool) or (texts and value not in texts):
        raise OtherType
    return value


def in_words(hint: Any) -> str:
    """What JSON must have for a type: "a list of numbers"."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return in_words(next(each for each in arguments if each is not NoneType))
    if origin is Literal:
        return f"one of {', '.join(arguments)}"
    if origin in COLLECTIONS:
        return f"a list of {in_words(arguments[0]).partition(' ')[2]}s"
    return WORDS.get(hint, "an object")


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
