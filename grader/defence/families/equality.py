"""Is the student's expression equal to another one for every input, for square inputs, for n = 1, or never?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.changed_lines import Variant
from grader.defence.families.compared import are_equal
from grader.defence.families.draws import different_sizes, equal_sizes, shapes_given, sizes_of
from grader.defence.families.which_line import claim_of
from grader.defence.lines import Line
from grader.defence.material import LineResult, Material, Raised
from grader.defence.question import DefenceQuestion

MAX_EQUALITIES_TRIED = 4
EQUALITY_CHOICES = {
    "every": "for every input",
    "one": "only where one of the sizes is 1",
    "square": "only where all sizes are equal (square inputs)",
    "never": "never, apart from special values such as zeros",
}
EQUALITY_REASONS = {
    "every": "There is a size or a value for which they differ: try a problem with two different sizes.",
    "one": "Try it with a size of 1: is it equal there, and nowhere else?",
    "square": "Try it with equal sizes and with different ones.",
    "never": "Look for a size at which they agree: 1, or all sizes equal.",
}


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    wanted = list(EQUALITY_CHOICES)
    chance.shuffle(wanted)
    found: dict[str, tuple[Line, Variant]] = {}
    for line in lines[:MAX_EQUALITIES_TRIED]:
        symbols = line.symbols
        if line.others or len(symbols) < 2:
            continue
        variants = [*line.equal, *line.wrong, *line.wrong_rewritten]
        chance.shuffle(variants)
        variants = variants[:14]
        settings = [different_sizes(line, chance) for _ in range(2)]
        settings += [equal_sizes(line), equal_sizes(line, 4)]
        settings += [{**different_sizes(line, chance), symbol: 1} for symbol in symbols]
        settings.append(equal_sizes(line, 1))
        draws = [line.draw(sizes, chance) for sizes in settings]
        codes = [line.at.code, *(each.code for each in variants)]
        table = material.table(line, codes, draws)
        if any(isinstance(row[0], Raised) for row in table):
            continue
        for place, variant in enumerate(variants, 1):
            answer = right_choice(table, place)
            if answer and answer not in found:
                found[answer] = line, variant
        if wanted[0] in found:
            break
    for answer in wanted:
        if answer in found:
            line, variant = found[answer]
            return question_about(line, variant, answer, chance)
    return None


def right_choice(table: Sequence[Sequence[LineResult]], place: int) -> str | None:
    """The choice that is right; None where none is. Rows: see `pose`."""
    same = [are_equal(row[place], row[0]) for row in table]
    if None in same:
        return None
    different, square, one, only_ones = any(same[:2]), same[2:4], same[4:-1], same[-1]
    if all(same):
        return "every"
    if different:
        return None
    if all(square) and only_ones and not any(one):
        return "square"
    if not any(square) and only_ones == any(one):
        return "one" if any(one) else "never"
    return None


def question_about(line: Line, variant: Variant, answer: str, chance: random.Random) -> DefenceQuestion:
    given = shapes_given(line, sizes_of(line, different_sizes(line, chance)))
    text = (
        f"Your line for `{line.shown}` and another one:\n\n    {line.at.code}\n    {variant.code}\n\n"
        "For which values of the tensors in them do both have the same result, in shape and numbers (apart from "
        f"rounding)? {given}"
    )
    what = f" ({variant.words})" if variant.words else ""
    model = f"They are equal {EQUALITY_CHOICES[answer]}{what}."
    listen = "They try different sizes, equal sizes and a size of 1, and say which axis the difference is about."
    claim = {"line": line.at.code, "names": line.at.names, "other": variant.code, **claim_of(line)}
    why = {name: EQUALITY_REASONS[name] for name in EQUALITY_CHOICES if name != answer}
    return DefenceQuestion("equality", line.row, "choice", text, answer, EQUALITY_CHOICES, why, model, listen, claim)
