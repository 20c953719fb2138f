"""JSON objects as the fields of a type: unknown fields are ignored or kept, and one of a wrong type is named."""

from __future__ import annotations

import typing
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar

Typed = TypeVar("Typed", bound=tuple[Any, ...])
WORDS = {str: "a text", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
JSON_NAMES = {"rows": "gradients"}
"""Fields that have another name in JSON."""


class Expected(NamedTuple):
    """What JSON may have for a field: values of `types`, of which a text is one of `texts` and a list has `entries`."""

    types: tuple[type, ...]
    texts: tuple[str, ...] = ()
    entries: tuple[type, ...] = ()

    def holds(self, value: Any) -> bool:
        if isinstance(value, bool) and bool not in self.types:
            return False
        if isinstance(value, str) and self.texts:
            return value in self.texts
        if isinstance(value, list) and self.entries:
            return all(isinstance(entry, self.entries) for entry in value)
        return isinstance(value, self.types)

    def __str__(self) -> str:
        if self.texts:
            return f"one of {', '.join(self.texts)}"
        inside = [f" of {WORDS[kind].split()[1]}s" for kind in self.entries if kind in WORDS]
        return " or ".join(WORDS[kind] for kind in self.types if kind in WORDS) + "".join(inside[:1])


@cache
def expected_fields(kind: Any) -> dict[str, Expected]:
    """{field of a named tuple or dataclass: what JSON may have for it}"""
    return {JSON_NAMES.get(name, name): expected(hint) for name, hint in typing.get_type_hints(kind).items()}


def expected(hint: Any) -> Expected:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        parts = [expected(each) for each in arguments]
        types, texts, entries = (tuple(chain.from_iterable(each)) for each in zip(*parts, strict=True))
        return Expected(types, texts, entries)
    if origin is Literal:
        return Expected((str,), arguments)
    if hint in (int, float):
        return Expected((int, float))
    if hint in (str, bool, NoneType):
        return Expected((hint,))
    if isinstance(origin, type) and issubclass(origin, Collection) and not issubclass(origin, Mapping):
        return Expected((list,), (), expected(arguments[0]).types)
    return Expected((dict,))


@cache
def required_fields(kind: Any) -> frozenset[str]:
    if not is_dataclass(kind):
        return frozenset(name for name in kind._fields if name not in kind._field_defaults)
    return frozenset(each.name for each in fields(kind) if each.default is each.default_factory is MISSING)


def check_fields(kind: Any, data: Mapping[str, Any]) -> None:
    """Raises ValueError, a sentence, where a field of `kind` is missing or has a value of a wrong type."""
    known = expected_fields(kind)
    for name in sorted(required_fields(kind) - data.keys()):
        raise ValueError(f"it has no `{name}` where one is needed")
    for name, value in data.items():
        if name in known and not known[name].holds(value):
            raise ValueError(f"`{name}` is {str(value)[:40]!r}; expected {known[name]}")


def typed(kind: type[Typed], data: Mapping[str, Any]) -> Typed:
    """The named tuple `kind` of a JSON object, without fields that it does not know. Raises ValueError."""
    check_fields(kind, data)
    return kind(**{name: value for name, value in data.items() if name in expected_fields(kind)})
