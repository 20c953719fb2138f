"""Reading the settings files of a course (TOML): a dataclass says what a file has, each slip is a sentence.

Values get their types as those of results.json do (typed_json.py).
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from dataclasses import field
from pathlib import Path
from typing import Any

from grader.errors import LessonError
from grader.source.similar_names import close_name
from grader.typed_json import MAX_DATA_CHARACTERS, ValueCheck, WrongData, data_text, from_json

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
NOT_IN_THE_FILE = {"json_name": None}
"""Metadata of a field that no key of the file gives."""
FROM_ZERO: ValueCheck = (lambda value: 0 <= value < math.inf, "a number from 0 up")
ABOVE_ZERO: ValueCheck = (lambda value: 0 < value < math.inf, "a number above 0")


def setting(default: Any, key: str = "", check: ValueCheck | None = None) -> Any:
    """A field of a dataclass: `key` is its name in the file, if it is another one.

    `check` is for a value that has more conditions than its type.
    """
    return field(default=default, metadata={"check": check} | ({"json_name": key} if key else {}))


def read_toml(path: Path, kind: Any) -> Any:
    """The file at `path` as a value of the type `kind`. Raises LessonError, also if it cannot be read."""
    return parse_toml(read_lesson_text(path), path, kind)


def read_lesson_text(path: Path) -> str:
    """The text of a file. Raises LessonError where it cannot be read, or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = f"{error.strerror}." if isinstance(error, OSError) else error
        raise LessonError(f"{path} cannot be read: {reason}") from error


def parse_toml(text: str, path: Path, kind: Any) -> Any:
    """The text of the file at `path` as a value of the type `kind`. Raises LessonError, in one sentence."""
    try:
        return from_json(kind, tomllib.loads(text), by_hand=True)
    except WrongData as error:
        raise LessonError(f"{path}: {sentence_about(error)}") from error
    except (ValueError, RecursionError) as error:  # ValueError: no TOML, or a number of 5,000 digits
        raise LessonError(f"{path} cannot be read: {error}") from error


def sentence_about(error: WrongData) -> str:
    """ "[gradients.dW] points is '1'; expected a number from 0 up.", or that there is no such setting."""
    *tables, key = map(key_text, error.path)
    header = ".".join(tables).replace(".entry ", ", entry ")
    if not error.known:
        return f"{f'[{header}] ' if header else ''}{key} {error.reason}."
    meant = close_name(str(error.path[-1]), error.known)
    hint = f"did you mean {meant!r}?" if meant else f"the keys are: {', '.join(error.known)}."
    return f"there is no setting {data_text(error.path[-1])}{f' in [{header}]' if header else ''}; {hint}"


def key_text(place: str | int) -> str:
    """A key as TOML has it in a header, or the number of a list's entry."""
    if isinstance(place, int):
        return f"entry {place}"
    text = place if BARE_KEY.fullmatch(place) else json.dumps(place)
    return text if len(text) <= MAX_DATA_CHARACTERS else text[:MAX_DATA_CHARACTERS] + "..."
