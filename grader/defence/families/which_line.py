"""Four ways to write one line, and one of them is wrong. None of them is the student's own text."""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.changed_lines import Variant
from grader.defence.families.compared import are_equal
from grader.defence.families.draws import different_sizes, shapes_given, sizes_of
from grader.defence.families.looks import RIGHT_LINES_SHOWN, chosen_alike
from grader.defence.lines import Line
from grader.defence.material import LineResult, Material, Raised
from grader.defence.question import DefenceQuestion, shuffled

WHICH_LINE_DRAWS = 3
MAX_RIGHT_LINES, MAX_WRONG_LINES = 10, 20


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    for line in lines:
        if line.others or not line.shapes or len(line.equal) < RIGHT_LINES_SHOWN:
            continue
        equal, wrong = list(line.equal), [*line.wrong_rewritten, *line.wrong_alike]
        chance.shuffle(equal)
        chance.shuffle(wrong)
        wrong.sort(key=lambda each: each.kind in ("ratio", "twice", "sign"))
        equal, wrong = equal[:MAX_RIGHT_LINES], wrong[:MAX_WRONG_LINES]
        draws = [line.draw(different_sizes(line, chance), chance) for _ in range(WHICH_LINE_DRAWS)]
        codes = [line.at.code, *(each.code for each in (*equal, *wrong))]
        table = material.table(line, codes, draws)
        own = [row[0] for row in table]
        if any(isinstance(value, Raised) for value in own):
            continue
        same = {
            code: [are_equal(row[place], value) for row, value in zip(table, own, strict=True)]
            for place, code in enumerate(codes)
        }
        shaped = {code: all(has_shape(row[place], row[0]) for row in table) for place, code in enumerate(codes)}
        rights = [each for each in equal if all(same[each.code])]
        wrongs = [each for each in wrong if all(found is False for found in same[each.code])]
        wrongs = [each for each in wrongs if shaped[each.code]] or wrongs
        if len(rights) >= RIGHT_LINES_SHOWN and wrongs:
            return question_about(line, *chosen_alike(rights, wrongs, line.at.code, chance), chance)
    return None


def has_shape(value: LineResult, own: LineResult) -> bool:
    return not isinstance(value, Raised) and not isinstance(own, Raised) and value.shape == own.shape


def question_about(line: Line, rights: Sequence[Variant], wrong: Variant, chance: random.Random) -> DefenceQuestion:
    given = shapes_given(line, sizes_of(line, different_sizes(line, chance)))
    codes = {"wrong": f"`{wrong.code}`"} | {f"right{n}": f"`{each.code}`" for n, each in enumerate(rights)}
    text = (
        f"Three of these lines compute the same as your line for `{line.shown}`, whatever the values are. "
        f"One does not. Which one? {given}"
    )
    why = {
        name: "This line computes the same: the sizes and the numbers agree on every problem that was tried."
        for name in codes
        if name != "wrong"
    }
    model = f"The wrong line is `{wrong.code}`: {wrong.words}."
    claim = {"line": line.at.code, "names": line.at.names, "wrong": wrong.code, "right": [r.code for r in rights]}
    return DefenceQuestion(
        "which_line",
        line.row,
        "choice",
        text,
        "wrong",
        shuffled(codes, chance),
        why,
        model,
        claim | claim_of(line),
    )


def claim_of(line: Line) -> dict[str, object]:
    """What a second computation needs in order to draw values for the line."""
    kinds = {"numbers": line.numbers, "arrays": line.arrays}
    return {"shapes": line.shapes, "size_names": line.sizes, "positive": line.positive, **kinds}
