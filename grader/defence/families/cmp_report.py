"""A wrong version of the student's line: what does the lecture's `cmp` report?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.families.compared import CmpLine
from grader.defence.families.lecture_values import lecture_arguments, reports, with_an_effect
from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion
from grader.results.wording import format_shape

CMP_CHOICES: dict[str, str] = {
    "exact": "exact: True. It does not notice the mistake",
    "approximate": "exact: False, approximate: True",
    "neither": "exact: False, approximate: False",
    "raises": "an error: the line fails, or the shapes cannot be compared",
}


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    wanted: list[CmpLine] = ["exact", "approximate", "neither", "raises"]
    chance.shuffle(wanted)
    if wanted[0] == "approximate":  # seldom there, so it would make another one likelier than its share
        wanted.append(wanted.pop(0))
    best, offered = None, set[CmpLine]()
    for line in lines:
        variants = with_an_effect(material, line)
        chance.shuffle(variants)
        found = reports(material, line, [each.code for each in variants])
        for variant, (report, shape) in zip(variants, found or [], strict=False):
            if report is None:
                continue
            offered.add(report)
            if best and wanted.index(report) >= wanted.index(best[2]):
                continue
            best = line, variant, report, shape
        if best and best[2] == wanted[0] and len(offered) > 1:
            break
    if best is None or len(offered) < 2:  # the whole class would have one answer
        return None
    line, variant, report, shape = best
    arguments = lecture_arguments(material, line) or {}
    shapes = ", ".join(
        f"`{name}` {format_shape(value.shape) if hasattr(value, 'shape') else value}"
        for name, value in arguments.items()
    )
    text = (
        f"You change your line for `{line.shown}` to:\n\n    {variant.code}\n\nOn the lecture's own problem ({shapes}; "
        f"`{line.target}` is {format_shape(material.lesson.public.values[line.target].shape)}) you call the lecture's "
        "`cmp`, which computes `torch.all(dt == t.grad)` for exact and `torch.allclose(dt, t.grad)` for approximate. "
        "What does it report?"
    )
    reason = CMP_REASONS[report]
    if report == "exact" and shape == str(tuple(material.lesson.public.values[line.target].shape)):
        reason = "At these sizes the change has no effect."
    why = {name: reason for name in CMP_CHOICES if name != report}
    end = f", whose result has the shape {shape}" if shape else ""
    model = f"The change: {variant.words}{end}. `cmp` reports {CMP_CHOICES[report]}. {reason}"
    listen = "They compare the two shapes from the right, and know that `==` and `allclose` broadcast."
    claim = {"code": variant.code, "names": line.at.names, "target": line.target}
    return DefenceQuestion("cmp_report", line.row, "choice", text, report, CMP_CHOICES, why, model, listen, claim)


CMP_REASONS = {
    "exact": "Its `==` broadcasts: two shapes are compared that are not the same, and every pair is equal.",
    "approximate": "The difference is below the tolerances of allclose: 1e-5 of the value, and 1e-8.",
    "neither": "The shapes can be compared, and the numbers are far apart.",
    "raises": "Write the shapes below each other, from the right: one pair of sizes does not fit.",
}
