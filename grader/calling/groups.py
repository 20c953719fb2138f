"""Values that a function gets together under one name: `parameters`, as a list or a dict of forward values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Groups = Mapping[str, Sequence[str] | Mapping[str, str]]
"""{name: the names of its values}, for a list; {name: {key: the name of its value}}, for a dict."""


def grouped(values: Mapping[str, Any], groups: Groups) -> dict[str, Any]:
    """{name of a group: its values}, as a list or a dict."""
    return {
        name: {key: values[member] for key, member in members.items()}
        if isinstance(members, Mapping)
        else [values[member] for member in members]
        for name, members in groups.items()
    }
