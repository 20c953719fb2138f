"""Names that may be confused with each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.verdict.diagnosis.repairs.known import Known

MAX_NAMES_OF_UNKNOWN_SHAPE = 4
"""Variables of unknown shape up to which each may be confused with any other."""


def alternative_names(
    name: str, parameters: Sequence[str], local: Sequence[str], known: Known, step: str | None
) -> Iterable[str]:
    """What may be confused with a name: similar names, and values of its shape, or unknown ones for an unknown one.

    `step` is None in a function that the step calls: any of its names may be confused with any other.
    """
    if name not in parameters and name not in local:
        return ()
    if step is None:
        return [n for n in dict.fromkeys((*parameters, *local)) if n != name]
    shape = shape_of_name(name, known, local)
    stem = name.split("_")[0]
    similar = [n for n in (*parameters, *known.shapes) if n != name and n.split("_")[0] == stem]  # h and h_before
    if shape is None:
        unknown = [n for n in local if shape_of_name(n, known, local) is None and n != name]
        return [*similar, *(unknown if len(unknown) <= MAX_NAMES_OF_UNKNOWN_SHAPE else ())]
    found = [*similar, *(n for n in local if shape_of_name(n, known, local) == shape)]
    found += [n for n, s in known.shapes.items() if list(s) == list(shape) and n not in local]
    return [n for n in found if n not in (name, step) and (n in known.masks) == (name in known.masks)]


def shape_of_name(name: str, known: Known, local: Sequence[str]) -> Sequence[int] | None:
    """The shape of a value by its name; a variable `dh` has the shape of `h`."""
    if name in known.shapes and name not in local:
        return known.shapes[name]
    return known.shapes.get(name[1:]) if name.startswith("d") else known.shapes.get(name)
