"""What grading one submission gives. Without torch, which takes seconds to load: the coordinator does without it."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from functools import cache
from typing import Any

VERSION = 1


@dataclass
class Graded:
    """`results` is results.json; for the report: `pictures` {lesson: {row: heat map}}, `printed` {lesson: text},
    `shown` {lesson: lines of it, each labelled with the function that printed it}, and `texts` {a row's file: its
    text}, for files that are not graded as they were handed in."""

    results: dict[str, Any]
    pictures: dict[str, dict[str, Any]] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)
    shown: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


@cache
def environment() -> dict[str, str]:
    """What figures come from, as results.json tells it."""
    import torch

    return {
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "platform": platform.platform(),
    }


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
