"""Typed values from plain data (JSON, TOML), and back: results.json, the gradebook, settings files, a student's state.

The type hints of a dataclass or named tuple say what its data have. Keys that the type does not have are ignored,
except in a file that a person writes: there they are slips. A named tuple may also be a list.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from functools import cache, partial
from itertools import repeat
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self
from zoneinfo import ZoneInfo

Json = dict[str, Any]
COLLECTIONS: dict[Any, type] = {list: list, Sequence: list, tuple: tuple, set: set, frozenset: frozenset}
WORDS = {bool: "true or false", int: "a whole number", float: "a number", timedelta: "a number"}
WORDS |= dict.fromkeys((str, bytes, Path), "a text")
WORDS[datetime] = "a date and time without quotes, such as 2026-11-20T23:59:00+01:00"
MAX_DATA_CHARACTERS = 80
"""Characters of a value that a sentence shows."""
OPTIONAL = {"is_optional": True}
"""Metadata of a dataclass's field that JSON has only where its value differs from the default. With the metadata
`json_name` a field has another name in JSON; with None as its name, JSON does not have it. `check` is a ValueCheck."""
ValueCheck = tuple[Callable[[Any], bool], str]
"""Whether a value of the right type is right, and what a right value is, in words."""


class WrongData(ValueError):
    """Data that do not fit a type.

    `path` leads to the place: the keys, and of a list the number of the entry, from 1. `reason` says what is wrong.
    Where the data have a key that the type does not have, `known` are the keys that it has.
    """

    def __init__(self, path: Sequence[str | int], reason: str, known: Collection[str] = ()) -> None:
        super().__init__(f"{'.'.join(map(str, path)) or 'it'} {reason}")
        self.path, self.reason, self.known = path, reason, known


class Source(NamedTuple):
    """Where data come from: `load` returns the bytes that a text stands for. `by_hand`: a person has written them."""

    load: Callable[[str], bytes]
    by_hand: bool


Reader = Callable[[Any, Source], Any]


class JsonObject:
    """A dataclass that is an object in JSON."""

    __slots__ = ()

    def to_json(self) -> Json:
        found: Json = to_json(self)
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Raises WrongData."""
        found: Self = from_json(cls, data)
        return found


class JsonField(NamedTuple):
    """A field of a type. `attribute` is its name in Python; `default` is MISSING where JSON must have it."""

    attribute: str
    hint: Any
    read: Reader
    default: Any
    is_optional: bool = False


@cache
def json_fields(kind: Any) -> dict[str, JsonField]:
    """{name in JSON: field} of a dataclass or named tuple."""
    hints = typing.get_type_hints(kind)
    readers = {name: reader_of(hint) for name, hint in hints.items()}
    if not is_dataclass(kind):
        defaults = {name: kind._field_defaults.get(name, MISSING) for name in kind._fields}
        return {name: JsonField(name, hints[name], readers[name], value) for name, value in defaults.items()}
    found = {}
    for each in fields(kind):
        default = None if each.default_factory is not MISSING else each.default
        read, check = readers[each.name], each.metadata.get("check")
        if name := each.metadata.get("json_name", each.name):
            read = partial(checked, read, check) if check else read
            found[name] = JsonField(each.name, hints[each.name], read, default, "is_optional" in each.metadata)
    return found


def from_json(hint: Any, data: Any, load: Callable[[str], bytes] = bytes.fromhex, by_hand: bool = False) -> Any:
    """The value of the type `hint` that plain data describe; `load` returns the bytes that a text stands for.

    Raises WrongData, also for a key that no type has in data that were written `by_hand`.
    """
    return reader_of(hint)(data, Source(load, by_hand))


@cache
def reader_of(hint: Any) -> Reader:
    """A function that gives plain data the type that `hint` names. The function raises WrongData."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        readers = [reader_of(each) for each in arguments if each is not NoneType]
        return partial(one_of, hint, readers, NoneType in arguments)
    if origin is Literal:
        return lambda value, source: require(value, hint, str if value in arguments else ())
    if origin in COLLECTIONS:
        is_long = origin is not tuple or arguments[-1] is ...
        parts = repeat(reader_of(arguments[0])) if is_long else [reader_of(each) for each in arguments]
        return partial(list_from_json, hint, COLLECTIONS[origin], parts)
    if origin in (dict, Mapping):
        return partial(table_from_json, int if arguments[0] is int else str, reader_of(arguments[1]))
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        return partial(object_from_json, hint)
    others: dict[Any, Reader] = {
        Any: lambda value, source: value,
        bytes: lambda value, source: source.load(require(value, str)),
        datetime: lambda value, source: (
            require(value, datetime) if source.by_hand else time_from_text(require(value, str))
        ),
        Path: lambda value, source: Path(require(value, str)),
        timedelta: lambda value, source: timedelta(seconds=require(value, float)),
    }
    return others.get(hint, lambda value, source: require(value, hint))


def one_of(hint: Any, readers: Sequence[Reader], takes_none: bool, value: Any, source: Source) -> Any:
    """The value as the first of several types that it fits."""
    if value is None and takes_none:
        return None
    for read in readers:
        try:
            return read(value, source)
        except WrongData as error:
            if error.path:  # it is of this type, and something in it is wrong
                raise
    raise other_type(value, in_words(hint))


def list_from_json(hint: Any, kind: Callable[..., Any], readers: Iterable[Reader], data: Any, source: Source) -> Any:
    parts = enumerate(zip(readers, require(data, hint, list), strict=False), 1)
    return kind([part_from_json(number, read, each, source) for number, (read, each) in parts])


def table_from_json(key: Callable[[str], Any], read: Reader, data: Any, source: Source) -> dict[Any, Any]:
    return {key(name): part_from_json(name, read, each, source) for name, each in require(data, dict).items()}


def object_from_json(kind: Callable[..., Any], data: Any, source: Source) -> Any:
    known = json_fields(kind)
    if isinstance(data, list) and not is_dataclass(kind):
        data = dict(zip(known, data, strict=False))
    if source.by_hand and (unknown := [name for name in require(data, dict) if name not in known]):
        raise WrongData(unknown[:1], "is not a setting", known)
    values = {}
    for name, each in known.items():
        if name in require(data, dict):
            values[each.attribute] = part_from_json(name, each.read, data[name], source)
        elif each.default is MISSING:
            raise WrongData([name], f"is missing; expected {in_words(each.hint)}")
    return kind(**values)


def part_from_json(place: str | int, read: Reader, data: Any, source: Source) -> Any:
    """The value of what is at this place inside of other data."""
    try:
        return read(data, source)
    except WrongData as error:
        raise WrongData([place, *error.path], error.reason, error.known) from None


def checked(read: Reader, check: ValueCheck, data: Any, source: Source) -> Any:
    """What is read, if it is right."""
    is_right, expected = check
    try:
        if is_right(value := read(data, source)):
            return value
    except WrongData:
        pass
    raise other_type(data, expected)


def require(value: Any, hint: Any, kind: Any = None) -> Any:
    """The value, if it is of this `kind`, by default of `hint`. Raises WrongData."""
    kind = hint if kind is None else kind
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise other_type(value, in_words(hint))


def other_type(value: Any, expected: str) -> WrongData:
    return WrongData((), f"is {data_text(value)}; expected {expected}")


def in_words(hint: Any) -> str:
    """What data must have for a type: "a list of numbers"."""
    origin, arguments = typing.get_origin(hint), [each for each in typing.get_args(hint) if each is not NoneType]
    if origin is Literal:
        return " or ".join(f'"{each}"' for each in arguments)
    if origin in (typing.Union, UnionType):
        return " or ".join(map(in_words, arguments))
    if origin in COLLECTIONS:
        return f"a list of {in_words(arguments[0]).partition(' ')[2]}s"
    return WORDS.get(hint, "a table")


def data_text(value: object) -> str:
    """A value as a sentence quotes it, cut after MAX_DATA_CHARACTERS."""
    try:
        text = str(value) if isinstance(value, date | time) else repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        return "a number that is too long to print"
    return text if len(text) <= MAX_DATA_CHARACTERS else text[:MAX_DATA_CHARACTERS] + "..."


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
