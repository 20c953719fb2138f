"""What lines give on the lecture's own problem, in float32, and what the lecture's `cmp` reports of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from grader.defence.changed_lines import Variant
from grader.defence.families.compared import CmpLine, are_equal, lecture_bits
from grader.defence.lines import Line
from grader.defence.material import Material, Raised
from grader.defence.small_problems import arguments_on

FORWARD_ROUNDING = 1e-3


def lecture_arguments(material: Material, line: Line) -> dict[str, Any] | None:
    """What the line reads on the published problem; None where the line is not a whole step of the student's."""
    if not (line.target and line.at.is_whole and line.at.is_returned):
        return None
    return arguments_on(material.lesson.public, line.at.names)


def reports(material: Material, line: Line, codes: Sequence[str]) -> list[tuple[CmpLine | None, str]] | None:
    """For each line what `cmp` reports, and its shape; None where the student's own line is not right there.

    A report is None where rounding could decide it: it must be the same for the exact values, in float64.
    """
    lesson, arguments = material.lesson, lecture_arguments(material, line)
    precise = arguments and arguments_on(lesson.public_chain, line.at.names)
    if not arguments or not precise:
        return None
    reference, exact = lesson.public.reference(line.target), lesson.public_chain.reference(line.target)
    if not is_well_known(reference, exact):
        return None
    of = (line.at.code, *codes)
    values = material.run([(code, line, given) for given in (arguments, precise) for code in of])
    own, values, exact_values = values[0], values[1 : len(of)], values[len(of) + 1 :]
    of_own = lecture_bits(own, reference)
    if isinstance(own, Raised) or of_own not in ("exact", "approximate") or own.shape != reference.shape:
        return None
    found = []
    for value, exact_value in zip(values, exact_values, strict=True):
        reported, precisely = lecture_bits(value, reference), lecture_bits(exact_value, exact)
        if reported in ("exact", "approximate"):
            is_real = precisely in ("exact", "approximate") and of_own == "exact"
            if not is_real or (reported == "approximate" and are_equal(exact_value, exact)):
                reported = None
        elif reported != precisely:
            reported = None
        found.append((reported, "" if isinstance(value, Raised) else str(tuple(value.shape))))
    return found


def is_well_known(reference: Tensor, exact: Tensor) -> bool:
    """Whether a reference in float32 is more than rounding, as that of a bias before a batch norm is, which is zero."""
    return bool((reference - exact).abs().max() <= FORWARD_ROUNDING * exact.abs().max())


def with_an_effect(material: Material, line: Line) -> list[Variant]:
    """The changed lines that differ from the student's on a small problem. Without `.T`, a vector is the same."""
    codes = [line.at.code, *(each.code for each in line.wrong)]
    values = material.run([(code, line, given) for given in line.values for code in codes])
    rows = [values[i * len(codes) : (i + 1) * len(codes)] for i in range(len(line.values))]
    return [
        variant
        for place, variant in enumerate(line.wrong, 1)
        if any(are_equal(row[place], row[0]) is False for row in rows)
    ]
