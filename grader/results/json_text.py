"""JSON as results.json has it: a line for each entry, and values that UTF-8 and every JSON reader can hold."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

Json = dict[str, Any]
encode_json = json.JSONEncoder(ensure_ascii=False).encode


def lines(data: Json, name: str, entries: Iterable[str], margin: str) -> str:
    """The fields of a JSON object, one a line, and then the list `name` of `entries`."""
    listed = [f'{margin} "{key}": {encode_json(value)}' for key, value in data.items()]
    inside = f",\n{margin}  ".join(entries)
    return ",\n".join([*listed, f'{margin} "{name}": ' + (f"[\n{margin}  {inside}\n{margin} ]" if inside else "[]")])


def known_and_other(data: Mapping[str, Any], known: frozenset[str]) -> Json:
    """The fields that are known, and the others in `other`."""
    if data.keys() <= known:
        return dict(data)
    found = {name: value for name, value in data.items() if name in known}
    return found | {"other": {name: value for name, value in data.items() if name not in known}}


def is_clean(value: Any) -> bool:
    """Whether `clean` would change nothing."""
    if value is None or isinstance(value, int):
        return True
    if isinstance(value, str):
        return value.isascii()
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, (list, tuple)) and all(map(is_clean, value))


def clean(value: Any) -> Any:
    """A value that JSON and UTF-8 can hold: infinities become null, half a surrogate pair becomes a question mark."""
    if isinstance(value, dict):
        return {key: clean(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(entry) for entry in value]
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", errors="replace").decode("utf-8")
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
