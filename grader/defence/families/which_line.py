"""Four ways to write one line, and one of them is wrong. None of them is the student's own text."""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.changed_lines import Variant
from grader.defence.families.values import are_equal, claim_of, different_sizes, sizes_given
from grader.defence.lines import Line
from grader.defence.material import LineResult, Material, Raised
from grader.defence.question import DefenceQuestion, shuffled

WHICH_LINE_DRAWS = 3
RIGHT_LINES_SHOWN = 3
MAX_RIGHT_LINES, MAX_WRONG_LINES, MAX_CHOICES_TRIED = 10, 20, 100


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    for line in lines:
        if line.others or not line.shapes or len(line.equal) < RIGHT_LINES_SHOWN:
            continue
        equal, wrong = list(line.equal), list(line.disguised)
        chance.shuffle(equal)
        chance.shuffle(wrong)
        equal, wrong = equal[:MAX_RIGHT_LINES], wrong[:MAX_WRONG_LINES]
        draws = [line.draw(different_sizes(line, chance), chance) for _ in range(WHICH_LINE_DRAWS)]
        table = material.table(line, [line.at.code, *(each.code for each in (*equal, *wrong))], draws)
        if any(isinstance(row[0], Raised) for row in table):
            continue
        columns = dict(zip([*equal, *wrong], list(zip(*table, strict=True))[1:], strict=True))
        own = [row[0] for row in table]
        same = {each: [are_equal(*pair) for pair in zip(found, own, strict=True)] for each, found in columns.items()}
        rights = [each for each in equal if all(same[each])]
        wrongs = [each for each in wrong if all(found is False for found in same[each])]
        wrongs = [each for each in wrongs if all(map(has_shape, columns[each], own))] or wrongs
        if len(rights) >= RIGHT_LINES_SHOWN and wrongs:
            return question_about(line, *chosen_alike(rights, wrongs, chance), chance)
    return None


def has_shape(value: LineResult, own: LineResult) -> bool:
    return not isinstance(value, Raised) and not isinstance(own, Raised) and value.shape == own.shape


def chosen_alike(
    rights: Sequence[Variant], wrongs: Sequence[Variant], chance: random.Random
) -> tuple[list[Variant], Variant]:
    """Three right lines and a wrong one that has a random place among them by length.

    Rewriting makes a line longer, and most mistakes leave something out: the shortest would often be the wrong one.
    """
    wanted, best = chance.randrange(RIGHT_LINES_SHOWN + 1), None
    for _ in range(MAX_CHOICES_TRIED):
        three, wrong = chance.sample(list(rights), RIGHT_LINES_SHOWN), chance.choice(list(wrongs))
        distance = abs(sum(len(each.code) < len(wrong.code) for each in three) - wanted)
        if best is None or distance < best[0]:
            best = distance, three, wrong
    assert best is not None
    return best[1], best[2]


def question_about(line: Line, rights: Sequence[Variant], wrong: Variant, chance: random.Random) -> DefenceQuestion:
    codes = {"wrong": f"`{wrong.code}`"} | {f"right{n}": f"`{each.code}`" for n, each in enumerate(rights)}
    given = sizes_given(line, different_sizes(line, chance)).replace("Here ", "For example, ")
    text = (
        f"Three of these lines compute the same as your line for `{line.shown}`, whatever the values are. "
        f"One does not. Which one? {given}"
    )
    reason = "This line computes the same: the sizes and the numbers agree on every problem that was tried."
    why = {name: reason for name in codes if name != "wrong"}
    model = f"The wrong line is `{wrong.code}`: {wrong.words}."
    claim = claim_of(line) | {"wrong": wrong.code, "right": [each.code for each in rights]}
    choices = shuffled(codes, chance)
    return DefenceQuestion("which_line", line.row, "choice", text, "wrong", choices, why, model, claim)
