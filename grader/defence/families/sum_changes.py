"""The student's sum with keepdim changed, along another axis, left out, or as a mean: shapes, and what `cmp` misses."""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.changed_lines import Variant
from grader.defence.families.draws import different_sizes, shapes_given, sizes_of
from grader.defence.families.lecture_values import reports, with_an_effect
from grader.defence.families.which_line import claim_of
from grader.defence.lines import Line
from grader.defence.material import Material, Raised
from grader.defence.question import DefenceQuestion, shuffled
from grader.results.wording import format_shape

SUM_CHANGES = ("keepdim", "wrong_axis", "reduction_too_many", "mean_or_sum")
NO_CHANGE = "none_of_them"


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    order = [misses, shape]
    chance.shuffle(order)
    for line in lines:
        changed = {each.kind: each for each in with_an_effect(material, line) if each.kind in SUM_CHANGES}
        if "keepdim" not in changed:
            continue
        for ask in order:
            question = ask(material, line, list(changed.values()), chance)
            if question is not None:
                return question
    return None


def misses(material: Material, line: Line, changed: Sequence[Variant], chance: random.Random) -> DefenceQuestion | None:
    """Which of these changes does the lecture's `cmp` not notice?"""
    found = reports(material, line, [each.code for each in changed])
    if found is None or any(report is None for report, _ in found):
        return None
    missed = [each.kind for each, (report, _) in zip(changed, found, strict=True) if report in ("exact", "approximate")]
    choices = shuffled({each.kind: f"`{each.code}`" for each in changed}, chance) | {NO_CHANGE: "none of them"}
    names = lecture_shapes(material, line)
    text = (
        f"Your line for `{line.shown}` contains a sum or a mean. Here it is changed in {len(changed)} ways. Which of "
        "these changes does the lecture's `cmp` NOT notice on the lecture's problem: exact or approximate is still "
        f"True? Its `==` and `allclose` broadcast. {names}"
    )
    key = tuple(missed) or (NO_CHANGE,)
    results = "; ".join(
        f"`{each.code}`: {report}{f', shape {shape}' if shape else ''}"
        for each, (report, shape) in zip(changed, found, strict=True)
    )
    why = {name: "`cmp` notices it, or it raises an error." for name in choices if name not in key}
    if NO_CHANGE not in key:
        why[NO_CHANGE] = (
            "One of them is not noticed: which result can be broadcast against the right one, with equal numbers?"
        )
    claim = {"codes": {each.kind: each.code for each in changed}, "names": line.at.names, "target": line.target}
    return DefenceQuestion(
        "sum_changes", line.row, "multiple", text, key, choices, why, f"What `cmp` says: {results}.", claim
    )


def lecture_shapes(material: Material, line: Line) -> str:
    values = material.lesson.public.given | {f"d{n}": v for n, v in material.lesson.public.upstream.items()}
    return " ".join(
        f"`{name}` is {format_shape(values[name].shape)}." for name in line.at.names if hasattr(values[name], "shape")
    )


def shape(material: Material, line: Line, changed: Sequence[Variant], chance: random.Random) -> DefenceQuestion | None:
    """Which shape has the result with one of these changes?"""
    if line.others:
        return None
    variant = chance.choice(list(changed))
    sizes = different_sizes(line, chance)
    own, found = material.run([(code, line, line.draw(sizes, chance)) for code in (line.at.code, variant.code)])
    if isinstance(found, Raised) or isinstance(own, Raised) or found.shape == own.shape:
        return None
    text = (
        f"You change your line for `{line.shown}` to:\n\n    {variant.code}\n\n"
        f"{shapes_given(line, sizes_of(line, sizes)).replace('For example, ', 'Here ')} Which shape has the result?"
    )
    key = format_shape(found.shape)
    why = {format_shape(own.shape): "That is the shape of your own line's result."} if own.shape != found.shape else {}
    model = f"The shape is {key}: {variant.words}. The right gradient has the shape {format_shape(own.shape)}."
    claim = {"code": variant.code, "names": line.at.names, "sizes": list(sizes.items()), **claim_of(line)}
    return DefenceQuestion("sum_changes", line.row, "shape", text, key, {}, why, model, claim)
