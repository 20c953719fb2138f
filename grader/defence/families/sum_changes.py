"""The student's sum with keepdim changed, along another axis, left out, or as a mean: which shape has the result?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.changed_lines import Variant
from grader.defence.families.values import are_equal, claim_of, different_sizes, sizes_given
from grader.defence.lines import Line
from grader.defence.material import Material, Raised
from grader.defence.question import DefenceQuestion
from grader.results.wording import format_shape

SUM_CHANGES = ("keepdim", "wrong_axis", "reduction_too_many", "mean_or_sum")


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    for line in lines:
        changed = [each for each in with_an_effect(material, line) if each.kind in SUM_CHANGES]
        if line.others or not any(each.kind == "keepdim" for each in changed):
            continue
        question = question_about(material, line, chance.choice(changed), chance)
        if question is not None:
            return question
    return None


def with_an_effect(material: Material, line: Line) -> list[Variant]:
    """The changed lines that differ from the student's on a small problem. Without `.T`, a vector is the same."""
    rows = material.table(line, [line.at.code, *(each.code for each in line.wrong)], line.values)
    return [
        variant
        for place, variant in enumerate(line.wrong, 1)
        if any(are_equal(row[place], row[0]) is False for row in rows)
    ]


def question_about(material: Material, line: Line, variant: Variant, chance: random.Random) -> DefenceQuestion | None:
    sizes = different_sizes(line, chance)
    own, found = material.run([(code, line, line.draw(sizes, chance)) for code in (line.at.code, variant.code)])
    if isinstance(found, Raised) or isinstance(own, Raised) or found.shape == own.shape:
        return None
    text = (
        f"You change your line for `{line.shown}` to:\n\n    {variant.code}\n\n{sizes_given(line, sizes)} "
        "Which shape has the result?"
    )
    key, right = format_shape(found.shape), format_shape(own.shape)
    why = {right: "That is the shape of your own line's result."}
    model = f"The shape is {key}: {variant.words}. The right gradient has the shape {right}."
    claim = claim_of(line) | {"code": variant.code, "sizes": list(sizes.items())}
    return DefenceQuestion("sum_changes", line.row, "shape", text, key, {}, why, model, claim)
