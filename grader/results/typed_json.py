"""Typed values from plain data (JSON, TOML), and back: results.json, the gradebook, settings files, a student's state.

The type hints of a dataclass or named tuple say what its data have. Fields that the type does not have are ignored. A
named tuple may also be a list.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self
from zoneinfo import ZoneInfo

Json = dict[str, Any]
COLLECTIONS: dict[Any, type] = {list: list, Sequence: list, tuple: tuple, set: set, frozenset: frozenset}
WORDS = {bool: "true or false", int: "a whole number", float: "a number", timedelta: "a number"}
WORDS |= dict.fromkeys((str, bytes, datetime, Path), "a text")
OPTIONAL = {"is_optional": True}
"""Metadata of a dataclass's field that JSON has only where its value differs from the default. With the metadata
`json_name` a field has another name in JSON; with None as its name, JSON does not have it."""


class JsonObject:
    """A dataclass that is an object in JSON."""

    __slots__ = ()

    def to_json(self) -> Json:
        found: Json = to_json(self)
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Raises ValueError, a sentence."""
        found: Self = from_json(cls, data)
        return found


class JsonField(NamedTuple):
    """A field of a type. `attribute` is its name in Python; `default` is MISSING where JSON must have it."""

    attribute: str
    hint: Any
    default: Any
    is_optional: bool = False


@cache
def json_fields(kind: Any) -> dict[str, JsonField]:
    """{name in JSON: field} of a dataclass or named tuple."""
    hints = typing.get_type_hints(kind)
    if not is_dataclass(kind):
        return {name: JsonField(name, hints[name], kind._field_defaults.get(name, MISSING)) for name in kind._fields}
    found = {}
    for each in fields(kind):
        default = None if each.default_factory is not MISSING else each.default
        if name := each.metadata.get("json_name", each.name):
            found[name] = JsonField(each.name, hints[each.name], default, "is_optional" in each.metadata)
    return found


class OtherType(ValueError):
    """A value that is not of the type that a hint names."""


def from_json(hint: Any, data: Any, load: Callable[[str], bytes] = bytes.fromhex) -> Any:
    """The value of the type `hint` that JSON describes; `load` returns the bytes that a text stands for.

    Raises ValueError, a sentence, where it describes none.
    """
    try:
        return reader_of(hint)(data, load)
    except OtherType:
        raise ValueError(f"it is {str(data)[:40]!r}; expected {in_words(hint)}") from None


def object_from_json(kind: Callable[..., Any], data: Any, load: Callable[[str], bytes]) -> Any:
    known, values = json_fields(kind), {}
    if isinstance(data, list) and not is_dataclass(kind):
        data = dict(zip(known, data, strict=False))
    require(data, dict)
    for name, each in known.items():
        if name in data:
            try:
                values[each.attribute] = reader_of(each.hint)(data[name], load)
            except OtherType:
                value = str(data[name])[:40]
                raise ValueError(f"`{name}` is {value!r}; expected {in_words(each.hint)}") from None
        elif each.default is MISSING:
            raise ValueError(f"it has no `{name}` where one is needed")
    return kind(**values)


@cache
def reader_of(hint: Any) -> Callable[[Any, Any], Any]:
    """A function that gives plain data the type that `hint` names; its second argument loads bytes.

    The function raises OtherType, or ValueError for a field.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        if (only := without_none(hint)) == hint:  # of values that JSON has, too
            return lambda value, load: value
        inner = reader_of(only)
        return lambda value, load: None if value is None else inner(value, load)
    if origin is Literal:
        return lambda value, load: require(value if value in arguments else None, str)
    if origin is tuple and arguments[-1] is not ...:
        readers = [reader_of(each) for each in arguments]
        return lambda value, load: tuple(
            read(each, load) for read, each in zip(readers, require(value, list), strict=True)
        )
    if origin in COLLECTIONS:
        collection, read_entry = COLLECTIONS[origin], reader_of(arguments[0])
        return lambda value, load: collection(read_entry(each, load) for each in require(value, list))
    if origin in (dict, Mapping):
        key, read_value = int if arguments[0] is int else str, reader_of(arguments[1])
        return lambda value, load: {key(name): read_value(each, load) for name, each in require(value, dict).items()}
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        return partial(object_from_json, hint)
    others: dict[Any, Callable[[Any, Any], Any]] = {
        Any: lambda value, load: value,
        bytes: lambda value, load: load(require(value, str)),
        datetime: lambda value, load: time_from_text(require(value, str)),
        Path: lambda value, load: Path(require(value, str)),
        timedelta: lambda value, load: timedelta(seconds=require(value, float)),
    }
    return others.get(hint, lambda value, load: require(value, hint))


def require(value: Any, kind: Any) -> Any:
    """The value, if it is of this type. Raises OtherType."""
    is_other = not isinstance(value, (int, float) if kind is float else kind)
    if is_other or (isinstance(value, bool) and kind is not bool):
        raise OtherType
    return value


def without_none(hint: Any) -> Any:
    """`int` for `int | None`; a union of more types, and any other hint, as it is."""
    kinds = [each for each in typing.get_args(hint) if each is not NoneType]
    return kinds[0] if typing.get_origin(hint) in (typing.Union, UnionType) and len(kinds) == 1 else hint


def in_words(hint: Any) -> str:
    """What data must have for a type: "a list of numbers"."""
    origin, arguments = typing.get_origin(hint := without_none(hint)), typing.get_args(hint)
    if origin is Literal:
        return " or ".join(f'"{each}"' for each in arguments)
    if origin in COLLECTIONS:
        return f"a list of {in_words(arguments[0]).partition(' ')[2]}s"
    return WORDS.get(hint, "an object")


def to_json(value: Any, store: Callable[[bytes], str] = bytes.hex) -> Any:
    """A value in what JSON and UTF-8 can hold; `store` keeps bytes and returns the text that stands for them.

    Infinities become None, half a surrogate pair becomes a question mark. Raises TypeError for a value of another type.
    """
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8")
    if value is None or isinstance(value, (bool, int, float)):
        return None if isinstance(value, float) and not math.isfinite(value) else value
    if is_dataclass(value) or hasattr(value, "_fields"):
        known = ((name, each, getattr(value, each.attribute)) for name, each in json_fields(value.__class__).items())
        return {name: to_json(own, store) for name, each, own in known if not each.is_optional or own != each.default}
    if isinstance(value, Mapping):
        return {str(key): to_json(entry, store) for key, entry in value.items()}
    if isinstance(value, bytes):
        return store(value)
    if isinstance(value, datetime):
        return time_to_text(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (Sequence, set, frozenset)):
        return [to_json(entry, store) for entry in value]
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be stored")


def time_to_text(time: datetime) -> str:
    """ISO 8601, and the name of the time zone if it has one: 2026-12-01T23:59:00+01:00[Europe/Berlin] (RFC 9557)."""
    return time.isoformat() + (f"[{time.tzinfo.key}]" if isinstance(time.tzinfo, ZoneInfo) else "")


def time_from_text(text: str) -> datetime:
    """The time that `time_to_text` wrote."""
    moment, _, zone = text.partition("[")
    time = datetime.fromisoformat(moment)
    return time.astimezone(ZoneInfo(zone.removesuffix("]"))) if zone else time
