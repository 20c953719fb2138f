"""Typed values from JSON, and back: what results.json, the gradebook and the state of a student's own checks hold.

The type hints of a dataclass or named tuple say what its JSON has. Fields that the type does not have are ignored. A
named tuple may also be a list.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self
from zoneinfo import ZoneInfo

Json = dict[str, Any]
StoreBytes = Callable[[bytes], str]
"""Keeps bytes and returns the text that stands for them in JSON."""
LoadBytes = Callable[[str], bytes]
"""Returns the bytes that a text stands for."""
NUMBERS = {int: (int, float), float: (int, float), timedelta: (int, float)}
WORDS = {bool: "true or false"} | dict.fromkeys(NUMBERS, "a number")
WORDS |= dict.fromkeys((str, bytes, datetime, Path), "a text")
COLLECTIONS: dict[Any, type] = {list: list, Sequence: list, tuple: tuple, set: set, frozenset: frozenset}
OPTIONAL = {"is_optional": True}
"""Metadata of a dataclass's field that JSON has only where its value differs from the default. With the metadata
`json_name` a field has another name in JSON; with None as its name, JSON does not have it."""


class JsonObject:
    """A dataclass that is an object in JSON."""

    __slots__ = ()

    def to_json(self) -> Json:
        return object_to_json(self, bytes.hex)

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


def from_json(hint: Any, data: Any, load: LoadBytes = bytes.fromhex) -> Any:
    """The value of the type `hint` that JSON describes. Raises ValueError, a sentence, where it describes none."""
    try:
        return reader_of(hint)(data, load)
    except OtherType:
        raise ValueError(f"it is {str(data)[:40]!r}; expected {in_words(hint)}") from None


def object_from_json(kind: Callable[..., Any], data: Any, load: LoadBytes) -> Any:
    known = json_fields(kind)
    if isinstance(data, list) and not is_dataclass(kind):
        data = dict(zip(known, data, strict=False))
    require(data, dict)
    values = {}
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
def reader_of(hint: Any) -> Callable[[Any, LoadBytes], Any]:
    """A function that gives a JSON value the type that `hint` names. It raises OtherType, or ValueError for a field."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        kinds = [each for each in arguments if each is not NoneType]
        if len(kinds) > 1:  # of values that JSON has, too
            return lambda value, load: value
        inner = reader_of(kinds[0])
        return lambda value, load: None if value is None else inner(value, load)
    if origin is Literal:
        return lambda value, load: require(value, object, arguments)
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
    if hint is bytes:
        return lambda value, load: load(require(value, str))
    if hint is datetime:
        return lambda value, load: time_from_text(require(value, str))
    if hint is Path:
        return lambda value, load: Path(require(value, str))
    if hint is timedelta:
        return lambda value, load: timedelta(seconds=require(value, NUMBERS[timedelta]))
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        return partial(object_from_json, hint)
    if hint is Any:
        return lambda value, load: value
    kind = NUMBERS.get(hint, hint)
    return lambda value, load: require(value, kind)


def require(value: Any, kind: Any, choices: Collection[Any] = ()) -> Any:
    """The value, if it is of this type and one of the `choices`, if there are any. Raises OtherType."""
    is_other = not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object))
    if is_other or (choices and value not in choices):
        raise OtherType
    return value


def in_words(hint: Any) -> str:
    """What JSON must have for a type: "a list of numbers"."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return in_words(next(each for each in arguments if each is not NoneType))
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if origin in COLLECTIONS:
        return f"a list of {in_words(arguments[0]).partition(' ')[2]}s"
    return WORDS.get(hint, "an object")


def to_json(value: Any, store: StoreBytes = bytes.hex) -> Any:
    """A value in what JSON can hold. Raises TypeError for a value of another type."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if is_dataclass(value) or hasattr(value, "_fields"):
        return object_to_json(value, store)
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


def object_to_json(value: Any, store: StoreBytes) -> Json:
    """A dataclass or named tuple as a JSON object."""
    found = {}
    for name, each in json_fields(value.__class__).items():
        own = getattr(value, each.attribute)
        if not (each.is_optional and own == each.default):
            found[name] = to_json(own, store)
    return found


def time_to_text(time: datetime) -> str:
    """ISO 8601, and the name of the time zone if it has one: 2026-12-01T23:59:00+01:00[Europe/Berlin] (RFC 9557)."""
    return time.isoformat() + (f"[{time.tzinfo.key}]" if isinstance(time.tzinfo, ZoneInfo) else "")


def time_from_text(text: str) -> datetime:
    """The time that `time_to_text` wrote."""
    moment, _, zone = text.partition("[")
    time = datetime.fromisoformat(moment)
    return time.astimezone(ZoneInfo(zone.removesuffix("]"))) if zone else time


def clean(value: Any) -> Any:
    """A value that JSON and UTF-8 can hold: infinities become None, half a surrogate pair becomes a question mark."""
    if value is None or isinstance(value, (int, datetime)):
        return value
    if is_dataclass(value):
        return value.__class__(**{each.name: clean(getattr(value, each.name)) for each in fields(value)})
    if isinstance(value, dict):
        return {key: clean(entry) for key, entry in value.items()}
    if hasattr(value, "_fields"):  # a named tuple
        return value.__class__(*map(clean, value))
    if isinstance(value, (list, tuple)):
        return [clean(entry) for entry in value]
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8")
    return None if isinstance(value, float) and not math.isfinite(value) else value
