"""Reading the settings files of a course (TOML): each value by its key and type, each slip of the author a sentence.

A dataclass says what a table has: a key for each field, with the field's type and default. `setting` adds what the type
does not say.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import Field, field, fields, is_dataclass
from datetime import date, time
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar

from grader.errors import LessonError
from grader.source.similar_names import close_name

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
MAX_TOML_VALUE_CHARACTERS = 80
"""Characters of a value or a key that a sentence shows."""


Record = TypeVar("Record")
ValueCheck = tuple[Callable[[Any], bool], str]
"""Whether a value is right, and what a right value is, in words."""


def setting(
    default: Any, key: str = "", check: ValueCheck | None = None, read: Callable[[Table], Any] | None = None
) -> Any:
    """A field of a dataclass that `Table.record` reads.

    Args:
        key: the field's name in the file, if it is another one.
        check: for a value that has more conditions than its type.
        read: reads the field from the table, for a value of a form of its own.
    """
    return field(default=default, metadata={"key": key, "check": check, "read": read})


class Table:
    """A table of a TOML file. Every method raises LessonError for a value of another type.

    `path` is the file, `header` the name of the table in messages ("" for the whole file). `keys` are the keys that it
    may have, None where any may occur.
    """

    def __init__(self, path: Path, values: object, keys: Collection[str] | None = None, header: str = "") -> None:
        self.path, self._header = path, header
        if not isinstance(values, dict):
            raise LessonError(f"{path}: [{header}] is {toml_value_text(values)}; expected a table.")
        self._values: dict[str, Any] = values
        if keys is not None:
            self._refuse_others(keys)

    def _refuse_others(self, keys: Collection[str]) -> None:
        for key in self._values:
            if key not in keys:
                meant = close_name(key, keys)
                hint = f"did you mean {meant!r}?" if meant else f"the keys are: {', '.join(keys)}."
                place = f" in [{self._header}]" if self._header else ""
                raise LessonError(f"{self.path}: there is no setting {toml_value_text(key)}{place}; {hint}")

    def record(self, kind: Callable[..., Record], **given: Any) -> Record:
        """The dataclass `kind` that this table describes. What is `given` is not a key of the table."""
        own = {key: each for key, each in settings_of(kind).items() if each[0].name not in given}
        self._refuse_others(own)
        values = {}
        for key, (each, hint) in own.items():
            if read := each.metadata.get("read"):
                values[each.name] = read(self)
            elif key in self:
                values[each.name] = self._of_type(key, hint, each.metadata.get("check"))
        return kind(**given, **values)

    def _of_type(self, key: str, hint: Any, check: ValueCheck | None = None) -> Any:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, UnionType):  # of None and one other type
            return self._of_type(key, next(each for each in arguments if each is not NoneType), check)
        if origin is Literal:
            return self.choice(key, arguments)
        if origin is Mapping:
            inside = self.table(key)
            return {each: inside._of_type(each, arguments[1]) for each in inside}
        if is_dataclass(hint):
            return self.table(key).record(typing.cast(Callable[..., Any], hint))
        return self.texts(key) if origin is tuple else self.value(key, None, *(check or CHECKS[hint]))

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def value(self, key: str, default: Any, is_right: Callable[[Any], bool], expected: str) -> Any:
        """Return the value of `key`, or `default` where the table lacks it. `expected` describes a right value."""
        if key not in self._values:
            return default
        value = self._values[key]
        if not is_right(value):
            place = f"[{self._header}] " if self._header else ""
            raise LessonError(f"{self.path}: {place}{key} is {toml_value_text(value)}; expected {expected}.")
        return value

    def text(self, key: str, default: str = "") -> str:
        found: str = self.value(key, default, is_string, "a text")
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; empty where the table lacks it."""
        return tuple(self.value(key, (), lambda v: isinstance(v, list) and all(map(is_string, v)), "a list of texts"))

    def choice(self, key: str, choices: Collection[str], default: str | None = None) -> Any:
        allowed = " or ".join(f'"{choice}"' for choice in choices)
        return self.value(key, default, lambda value: is_string(value) and value in choices, allowed)

    def table(self, key: str, keys: Collection[str] | None = None) -> Table:
        """Return the table of that key, which has these keys (None: any); an empty one where there is none."""
        header = f"{self._header}.{in_header(key)}" if self._header else in_header(key)
        return Table(self.path, self._values.get(key, {}), keys, header)

    def tables(self) -> dict[str, Table]:
        """Return {key: its table} for everything in this table, in the file's order."""
        return {key: self.table(key) for key in self._values}


@cache
def settings_of(kind: Callable[..., Any]) -> dict[str, tuple[Field[Any], Any]]:
    """{key: (field, type)} of a dataclass."""
    hints = typing.get_type_hints(kind)
    return {each.metadata.get("key") or each.name: (each, hints[each.name]) for each in fields(kind)}  # type: ignore[arg-type]


def read_toml(path: Path, keys: Collection[str] | None) -> Table:
    """Return the file at `path` as one table with these keys (None: any). Raises LessonError if it cannot be read."""
    return parse_toml(read_lesson_text(path), path, keys)


def read_lesson_text(path: Path) -> str:
    """Return the text of a file. Raises LessonError where it cannot be read, or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise LessonError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise LessonError(f"{path} cannot be read: {error}") from error


def parse_toml(text: str, path: Path, keys: Collection[str] | None) -> Table:
    """Return the text of the file at `path` as one table with these keys. Raises LessonError where it is not TOML."""
    try:
        return Table(path, tomllib.loads(text), keys)
    except (ValueError, RecursionError) as error:  # ValueError: no TOML, or a number of 5,000 digits
        raise LessonError(f"{path} cannot be read: {error}") from error


def is_string(value: object) -> bool:
    return isinstance(value, str)


def is_number(value: object) -> bool:
    """Whether it is a whole number or a finite decimal one."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def is_whole(value: object) -> bool:
    return type(value) is int


CHECKS: dict[Any, ValueCheck] = {
    str: (is_string, "a text"),
    int: (is_whole, "a whole number"),
    float: (is_number, "a number"),
}


def in_header(key: str) -> str:
    """Return a key as it is written in the header of a table, with quotes where it needs them."""
    return clip(key if BARE_KEY.fullmatch(key) else json.dumps(key))


def toml_value_text(value: object) -> str:
    """A value from a TOML file as a message quotes it, cut after MAX_CHARACTERS characters."""
    try:
        return clip(str(value) if isinstance(value, date | time) else repr(value))
    except ValueError:  # a whole number of more digits than Python prints
        return "a number that is too long to print"


def clip(text: str) -> str:
    return text if len(text) <= MAX_TOML_VALUE_CHARACTERS else text[:MAX_TOML_VALUE_CHARACTERS] + "..."
