"""A changed line in a class that is checked as a whole: which rows turn red, or which of four changes turns one red?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.class_lines import ClassChange
from grader.defence.families.red_rows import MIN_RED_ROWS, rows_of_both
from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion, shuffled
from grader.defence.recorded import RecordedMaterial
from grader.results.wording import listed_as_code

MAX_CLASSES_TRIED, CHANGES_PER_QUESTION, MAX_OTHER_ROWS = 6, 4, 2


def revealing_changes(material: RecordedMaterial, chance: random.Random) -> list[tuple[ClassChange, dict[str, bool]]]:
    """(change, {row: whether its example holds}) of changes in one class that turn some rows red.

    The rows are those of the class, and at most MAX_OTHER_ROWS others. They are run once for a defence, because the
    examples of a class take longer than a line. The order differs each time.
    """
    if not material.tried:
        owner = chance.choice(sorted({each.owner for each in material.changes}))
        of = {item.name: item.function for item in material.lesson.checks if item.name in material.ran}
        rest = [row for row in of if of[row] != owner]
        rows = [row for row in of if of[row] == owner] + chance.sample(rest, min(MAX_OTHER_ROWS, len(rest)))
        changes = [each for each in material.changes if each.owner == owner]
        chance.shuffle(changes)
        of_lines = {(each.method, each.before): each for each in changes}
        for change in list(of_lines.values())[:MAX_CLASSES_TRIED]:
            holding = material.holding_with(change, rows)
            if len(holding) == len(rows) and not all(holding.values()) and any(holding.values()):
                material.tried.append((change, holding))
    return chance.sample(material.tried, len(material.tried))


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """Which of these rows turn red?"""
    if not isinstance(material, RecordedMaterial) or len(material.ran) < MIN_RED_ROWS:
        return None
    for change, holding in revealing_changes(material, chance):
        red, green = ([row for row, holds in holding.items() if holds is is_green] for is_green in (False, True))
        rows = rows_of_both(red, green, chance)
        if len(rows) < MIN_RED_ROWS:
            continue
        key = tuple(row for row in rows if row in red)
        text = (
            f"In your class `{change.owner}`, one line of `{change.method}` is changed. Before and after:\n\n"
            f"    {change.before}\n    {change.after}\n\n"
            "Nothing else in your file changes. Which of these rows of `dojo check` turn red?"
        )
        why = {row: "Its example gives the same with this change." for row in rows if row not in key}
        model = f"Red: {listed_as_code(key)}. The change: {change.words}."
        listen = (
            "They say whether the line belongs to the forward pass or to the way back, and which examples reach it."
        )
        claim = {"changes": {"": claim_of_change(change)}, "asked": rows}
        choices = shuffled({row: f"`{row}`" for row in rows}, chance)
        return DefenceQuestion("changed_class", key[0], "multiple", text, key, choices, why, model, listen, claim)
    return None


def pose_which(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """Which of four changes turns this row red?"""
    if not isinstance(material, RecordedMaterial):
        return None
    found = revealing_changes(material, chance)
    rows = list(found[0][1]) if found else []
    chance.shuffle(rows)
    for row in rows:
        reds, greens = ([each for each, holding in found if holding[row] is holds] for holds in (False, True))
        if not reds or len(greens) < CHANGES_PER_QUESTION - 1:
            continue
        change = reds[0]
        four = {"c0": change} | {
            f"c{n}": each for n, each in enumerate(chance.sample(greens, CHANGES_PER_QUESTION - 1), 1)
        }
        shown = {
            name: f"`{each.owner}.{each.method}`: `{each.after}` for `{each.before}`" for name, each in four.items()
        }
        text = (
            "Each of these is a change of one line of yours, and nothing else in your file changes. "
            f"Which one turns the row `{row}` of `dojo check` red?"
        )
        why = {name: f"The example of `{row}` gives the same with this change." for name in four if name != "c0"}
        model = f"`{change.after}` in `{change.owner}.{change.method}`: {change.words}."
        listen = "They say which operations the row's example uses, and what each of the other changes would break."
        claim = {"changes": {name: claim_of_change(each) for name, each in four.items()}, "asked": [row]}
        choices = shuffled(shown, chance)
        return DefenceQuestion("which_change", row, "choice", text, "c0", choices, why, model, listen, claim)
    return None


def claim_of_change(change: ClassChange) -> tuple[str, str, str, str]:
    return change.owner, change.method, change.before, change.after
