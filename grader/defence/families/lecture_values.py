"""What lines give on the lecture's own problem, in float32, and what the lecture's `cmp` reports of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.defence.families.compared import Bits, lecture_bits
from grader.defence.lines import Line
from grader.defence.material import Material, Raised, arguments_on


def lecture_arguments(material: Material, line: Line) -> dict[str, Any] | None:
    """What the line reads on the published problem; None where the line is not a whole step of the student's."""
    if not (line.target and line.at.is_whole and line.at.is_returned):
        return None
    return arguments_on(material.lesson.public, line.at.names)


def reports(material: Material, line: Line, codes: Sequence[str]) -> list[tuple[Bits | None, str]] | None:
    """For each line what `cmp` reports, and its shape; None where the student's own line is not right there."""
    arguments = lecture_arguments(material, line)
    if arguments is None:
        return None
    reference = material.lesson.public.reference(line.target)
    own, *values = material.run([(code, line, arguments) for code in (line.at.code, *codes)])
    if isinstance(own, Raised) or lecture_bits(own, reference) not in ("exact", "approximate"):
        return None
    if own.shape != reference.shape:
        return None
    found = []
    for value in values:
        reported = lecture_bits(value, reference)
        if reported == "approximate" and lecture_bits(own, reference) == "approximate":
            reported = None  # the rounding of the student's line, perhaps of this machine only
        shape = "" if isinstance(value, Raised) else str(tuple(value.shape))
        found.append((reported, shape))
    return found
