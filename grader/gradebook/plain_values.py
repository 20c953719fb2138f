"""Typed values as JSON and back: dataclasses, named tuples, sequences, mappings, dates, bytes, None."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any
from zoneinfo import ZoneInfo

StoreBytes = Callable[[bytes], str]
LoadBytes = Callable[[str], bytes]


def to_plain(value: Any, store: StoreBytes) -> Any:
    """`value` in what JSON can hold. `store` keeps bytes and returns the key under which `from_plain` finds them.

    Raises TypeError for a value of another type.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return store(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, datetime):
        return time_to_text(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if is_dataclass(value):
        return {each.name: to_plain(getattr(value, each.name), store) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(entry, store) for key, entry in value.items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [to_plain(entry, store) for entry in value]
    raise TypeError(f"{type(value).__name__} cannot be stored")


def from_plain(kind: Any, data: Any, load: LoadBytes) -> Any:
    """The value of type `kind` that `to_plain` made `data` of. A field that `kind` does not know is left out.

    Raises KeyError, TypeError or ValueError where `data` is something else.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return data
    if origin in (typing.Union, UnionType):
        kinds = [each for each in arguments if each is not NoneType]
        return from_plain(kinds[0], data, load) if len(kinds) == 1 and data is not None else data
    if isinstance(origin or kind, type) and not isinstance(data, plain_types(kind, origin or kind)):
        raise TypeError(f"{type(data).__name__} where {kind} was stored")
    if kind is bytes:
        return load(data)
    if kind is datetime:
        return time_from_text(data)
    if kind is timedelta:
        return timedelta(seconds=data)
    if kind is Path:
        return Path(data)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        types = field_types(kind)
        if isinstance(data, list):
            return kind(*(from_plain(each, entry, load) for each, entry in zip(types.values(), data, strict=True)))
        return kind(
            **{name: from_plain(types[name], entry, load) for name, entry in dict(data).items() if name in types}
        )
    if isinstance(origin, type) and issubclass(origin, Mapping):
        of_key, of_value = arguments
        found = {key: from_plain(of_value, entry, load) for key, entry in dict(data).items()}
        return {int(key): value for key, value in found.items()} if of_key is int else found
    if origin is tuple and arguments[-1] is not Ellipsis:
        return tuple(from_plain(each, entry, load) for each, entry in zip(arguments, data, strict=True))
    if isinstance(origin, type) and issubclass(origin, (Sequence, set, frozenset)):
        collection = tuple if issubclass(origin, tuple) else origin if origin in (set, frozenset) else list
        return collection(from_plain(arguments[0], entry, load) for entry in data)
    return data


def plain_types(kind: Any, origin: type) -> tuple[type, ...]:
    """What JSON has for a value of type `kind`."""
    if kind is float or kind is timedelta:
        return (int, float)
    if issubclass(origin, Mapping) or is_dataclass(origin):
        return (dict,)
    if hasattr(origin, "_fields"):
        return (list, dict)
    if issubclass(origin, (Sequence, set, frozenset)) and origin not in (str, bytes):
        return (list,)
    return (str,) if kind in (bytes, datetime, Path) else (origin,)


def time_to_text(time: datetime) -> str:
    """ISO 8601, and the name of the time zone if it has one: 2026-12-01T23:59:00+01:00[Europe/Berlin] (RFC 9557)."""
    return time.isoformat() + (f"[{time.tzinfo.key}]" if isinstance(time.tzinfo, ZoneInfo) else "")


def time_from_text(text: str) -> datetime:
    """The time that `time_to_text` wrote."""
    moment, _, zone = text.partition("[")
    time = datetime.fromisoformat(moment)
    return time.astimezone(ZoneInfo(zone.removesuffix("]"))) if zone else time


@cache
def field_types(kind: Any) -> dict[str, Any]:
    """{field: its type}, in order."""
    hints = typing.get_type_hints(kind)
    names = kind._fields if hasattr(kind, "_fields") else [each.name for each in fields(kind)]
    return {name: hints[name] for name in names}
