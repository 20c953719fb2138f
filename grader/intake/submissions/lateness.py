"""What a platform itself says about lateness, in a file of times: "late", "on time", or "" where it says nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

LATENESS_COLUMNS = ("late", "lateness (h:m:s)")


def late_by_line(header: Sequence[str], cells: Sequence[str]) -> str:
    """What a line says in a column "late", or in Gradescope's "Lateness (H:M:S)"."""
    plain = {name.strip().casefold(): cell.strip().casefold() for name, cell in zip(header, cells, strict=False)}
    says = next((plain[name] for name in LATENESS_COLUMNS if plain.get(name)), "")
    if says in ("no", "false") or re.fullmatch("0+(:0+)*", says):
        return "on time"
    return "late" if says in ("yes", "true") or re.fullmatch("[0-9]+(:[0-9]+)*", says) else ""


def late_by_canvas(entry: Mapping[str, Any]) -> str:
    """The same of an entry of its submissions API: nothing is late for Canvas where it has no due date."""
    late = entry.get("late") if entry.get("cached_due_date", "unknown") is not None else None
    return {True: "late", False: "on time"}[late] if isinstance(late, bool) else ""
