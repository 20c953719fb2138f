"""A wrong version of the student's line, and four problems: on which one does the mistake show, or not show?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.changed_lines import Variant
from grader.defence.families.values import are_equal, claim_of, different_sizes, equal_sizes, size_texts
from grader.defence.lines import Line, Symbol
from grader.defence.material import Material, Raised
from grader.defence.question import DefenceQuestion, shuffled

REVEALING_DRAWS = 2
RATIOS = 0.32
"""How often a mistake in sizes comes first, which only the square problem hides: so each problem is as likely a key."""


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    with_ratio = chance.random() < RATIOS
    for line in lines:
        if line.others or len(line.symbols) < 2:
            continue
        wrong = list(line.wrong)
        chance.shuffle(wrong)
        wrong = [each for each in wrong if each.kind not in ("sign", "twice") and (with_ratio or each.kind != "ratio")]
        wrong.sort(key=lambda each: each.kind != "ratio")
        wrong = wrong[:10]
        settings = problems(line, chance)
        draws = [line.draw(sizes, chance) for sizes in settings for _ in range(REVEALING_DRAWS)]
        codes = [line.at.code, *(each.code for each in wrong)]
        table = material.table(line, codes, draws)
        if any(isinstance(row[0], Raised) for row in table):
            continue
        for place, variant in enumerate(wrong, 1):
            same = [are_equal(row[place], row[0]) for row in table]
            pairs = [same[i * REVEALING_DRAWS : (i + 1) * REVEALING_DRAWS] for i in range(len(settings))]
            if any(pair[0] is None or len(set(pair)) > 1 for pair in pairs):
                continue
            hidden = [bool(pair[0]) for pair in pairs]
            if sum(hidden) in (1, len(hidden) - 1):
                return question_about(line, variant, settings, hidden, chance)
    return None


def problems(line: Line, chance: random.Random) -> list[dict[Symbol, int]]:
    """Four problems of different sizes: square, and with a size of 1; a usual one, which shows all, for two sizes."""
    symbols = chance.sample(line.symbols, min(3, len(line.symbols)))
    found = [equal_sizes(line), *({**different_sizes(line, chance), symbol: 1} for symbol in symbols)]
    return found if len(found) == 4 else [*found, different_sizes(line, chance)]


def question_about(
    line: Line, variant: Variant, settings: Sequence[dict[Symbol, int]], hidden: Sequence[bool], chance: random.Random
) -> DefenceQuestion:
    is_hidden_once = sum(hidden) == 1
    key = f"p{hidden.index(is_hidden_once)}"
    choices = {f"p{n}": sizes_text(line, sizes) for n, sizes in enumerate(settings)}
    what = "does the mistake NOT show: both lines give the same result" if is_hidden_once else "does the mistake show"
    text = (
        f"Somebody writes, in place of your line for `{line.shown}`:\n\n    {variant.code}\n\n"
        f"On which of these problems, with ordinary numbers in the tensors, {what}? A result of another shape and an "
        "error count as showing."
    )
    why = {
        name: "On this problem the two lines differ." if is_hidden_once else "On this problem both give the same."
        for name in choices
        if name != key
    }
    where = "is hidden" if is_hidden_once else "shows"
    model = f"The mistake: {variant.words}. It {where} only with {choices[key]}."
    claim = claim_of(line) | {
        "other": variant.code,
        "settings": {f"p{n}": list(sizes.items()) for n, sizes in enumerate(settings)},
        "hidden_once": is_hidden_once,
    }
    return DefenceQuestion("revealing", line.row, "choice", text, key, shuffled(choices, chance), why, model, claim)


def sizes_text(line: Line, sizes: dict[Symbol, int]) -> str:
    texts = size_texts(line, sizes).items()
    return ", ".join(f"{name} {text}" for name, text in texts if name not in line.numbers)
