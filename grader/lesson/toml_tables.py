"""Reading the settings files of a course (TOML): each value by its key and type, each slip of the author a sentence.

A dataclass says what a table has: a key for each field, with the field's type and default. `setting` adds what the type
does not say. Values get their types as those of results.json do (results/typed_json.py).
"""

from __future__ import annotations

import json
import math
import re
import tomllib
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, field, fields, is_dataclass
from datetime import date, time
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from grader.errors import LessonError
from grader.results.typed_json import OtherType, in_words, reader_of, without_none
from grader.source.similar_names import close_name

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
MAX_TOML_VALUE_CHARACTERS = 80
"""Characters of a value or a key that a sentence shows."""

NOT_IN_THE_FILE = {"is_derived": True}
"""Metadata of a field that no key of the file gives."""
Record = TypeVar("Record")
ValueCheck = tuple[Callable[[Any], bool], str]
"""Whether a value of the right type is right, and what a right value is, in words."""
FROM_ZERO: ValueCheck = (lambda value: value >= 0, "a number from 0 up")
ABOVE_ZERO: ValueCheck = (lambda value: value > 0, "a number above 0")


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

    `path` is the file, `header` the name of the table in messages ("" for the whole file).
    """

    def __init__(self, path: Path, values: object, header: str = "") -> None:
        self.path, self._header = path, header
        if not isinstance(values, dict):
            raise LessonError(f"{path}: [{header}] is {toml_value_text(values)}; expected a table.")
        self._values: dict[str, Any] = values

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def record(self, kind: Callable[..., Record], **given: Any) -> Record:
        """The dataclass `kind` that this table describes. What is `given` is not a key of the table."""
        own = {key: each for key, each in settings_of(kind).items() if each[0].name not in given}
        for key in self._values:
            if key not in own:
                meant = close_name(key, own)
                hint = f"did you mean {meant!r}?" if meant else f"the keys are: {', '.join(own)}."
                place = f" in [{self._header}]" if self._header else ""
                raise LessonError(f"{self.path}: there is no setting {toml_value_text(key)}{place}; {hint}")
        values = {}
        for key, (each, hint) in own.items():
            if read := each.metadata.get("read"):
                values[each.name] = read(self)
            elif key in self:
                values[each.name] = self.value(key, hint, check=each.metadata.get("check"))
        return kind(**given, **values)

    def value(self, key: str, hint: Any, default: Any = None, check: ValueCheck | None = None) -> Any:
        """The value of `key`, of the type `hint`; `default` where the table lacks it."""
        if key not in self._values:
            return default
        hint = without_none(hint)
        if is_dataclass(hint):
            return self.table(key).record(typing.cast(Callable[..., Any], hint))
        if typing.get_origin(hint) is Mapping:
            inside = self.table(key)
            return {each: inside.value(each, typing.get_args(hint)[1]) for each in inside}
        value = self._values[key]
        try:
            found = reader_of(hint)(value, None)
            is_right = (hint is not float or is_number(found)) and (check is None or check[0](found))
        except OtherType:
            is_right = False
        if not is_right:
            place, expected = f"[{self._header}] " if self._header else "", check[1] if check else in_words(hint)
            raise LessonError(f"{self.path}: {place}{key} is {toml_value_text(value)}; expected {expected}.")
        return found

    def table(self, key: str) -> Table:
        """The table of that key; an empty one where there is none."""
        own = clip(key if BARE_KEY.fullmatch(key) else json.dumps(key))
        return Table(self.path, self._values.get(key, {}), f"{self._header}.{own}" if self._header else own)

    def tables(self) -> dict[str, Table]:
        """{key: its table} for everything in this table, in the file's order."""
        return {key: self.table(key) for key in self._values}


@cache
def settings_of(kind: Callable[..., Any]) -> dict[str, tuple[Field[Any], Any]]:
    """{key: (field, type)} of a dataclass."""
    hints = typing.get_type_hints(kind)
    own = [each for each in fields(kind) if "is_derived" not in each.metadata]  # type: ignore[arg-type]
    return {each.metadata.get("key") or each.name: (each, hints[each.name]) for each in own}


def read_toml(path: Path) -> Table:
    """The file at `path` as one table. Raises LessonError if it cannot be read."""
    return parse_toml(read_lesson_text(path), path)


def read_lesson_text(path: Path) -> str:
    """The text of a file. Raises LessonError where it cannot be read, or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = f"{error.strerror}." if isinstance(error, OSError) else error
        raise LessonError(f"{path} cannot be read: {reason}") from error


def parse_toml(text: str, path: Path) -> Table:
    """The text of the file at `path` as one table. Raises LessonError where it is not TOML."""
    try:
        return Table(path, tomllib.loads(text))
    except (ValueError, RecursionError) as error:  # ValueError: no TOML, or a number of 5,000 digits
        raise LessonError(f"{path} cannot be read: {error}") from error


def is_number(value: object) -> bool:
    """Whether it is a whole number or a finite decimal one."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def toml_value_text(value: object) -> str:
    """A value from a TOML file as a message quotes it, cut after MAX_CHARACTERS characters."""
    try:
        return clip(str(value) if isinstance(value, date | time) else repr(value))
    except ValueError:  # a whole number of more digits than Python prints
        return "a number that is too long to print"


def clip(text: str) -> str:
    return text if len(text) <= MAX_TOML_VALUE_CHARACTERS else text[:MAX_TOML_VALUE_CHARACTERS] + "..."
