"""Reading the settings files of a course (TOML): each value by its key and type, each slip of the author a sentence."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from datetime import date, time
from pathlib import Path
from typing import Any

from grader.errors import LessonError
from grader.source.similar_names import close_name

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
MAX_TOML_VALUE_CHARACTERS = 80
"""Characters of a value or a key that a sentence shows."""


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
        for key in values if keys is not None else ():
            if key not in (keys or ()):
                meant = close_name(key, keys or ())
                hint = f"did you mean {meant!r}?" if meant else f"the keys are: {', '.join(keys or ())}."
                place = f" in [{header}]" if header else ""
                raise LessonError(f"{path}: there is no setting {toml_value_text(key)}{place}; {hint}")

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

    def all_texts(self) -> dict[str, str]:
        """Return {key: text} for everything in this table."""
        return {key: self.text(key) for key in self._values}

    def all_numbers(self) -> dict[str, int | float]:
        """Return {key: number} for everything in this table."""
        return {key: self.value(key, 0, is_number, "a number") for key in self._values}

    def choice(self, key: str, choices: Collection[str], default: str | None = None) -> Any:
        allowed = " or ".join(f'"{choice}"' for choice in choices)
        return self.value(key, default, lambda value: is_string(value) and value in choices, allowed)

    def table(self, key: str, keys: Collection[str] | None = None) -> Table:
        """Return the table of that key; an empty one where there is none."""
        header = f"{self._header}.{in_header(key)}" if self._header else in_header(key)
        return Table(self.path, self._values.get(key, {}), keys, header)

    def tables(self, keys: Collection[str]) -> dict[str, Table]:
        """Return {key: its table} for everything in this table, in the file's order."""
        return {key: self.table(key, keys) for key in self._values}


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


def in_header(key: str) -> str:
    """Return a key as it is written in the header of a table, with quotes where it needs them."""
    return clip(key if BARE_KEY.fullmatch(key) else json.dumps(key))


def toml_value_text(value: object) -> str:
    try:
        return clip(str(value) if isinstance(value, date | time) else repr(value))
    except ValueError:  # a whole number of more digits than Python prints
        return "a number that is too long to print"


def clip(text: str) -> str:
    return text if len(text) <= MAX_TOML_VALUE_CHARACTERS else text[:MAX_TOML_VALUE_CHARACTERS] + "..."
