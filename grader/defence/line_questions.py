"""Families of questions about one line: what other lines compute, and what the line does with swapped values.

Each returns a question about the first of the `lines` that has one, or None. Every key comes from a run.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

from grader.defence.lines import Line, Sizes, Symbol
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion, shuffled
from grader.defence.versions import Variant
from grader.defence.worker import LineResult, NotNumbers, Raised, are_equal
from grader.results.wording import format_shape

WHICH_LINE_DRAWS, REVEALING_DRAWS = 3, 2
RIGHT_LINES_SHOWN = 3
MAX_RIGHT_LINES, MAX_WRONG_LINES, MAX_CHOICES_TRIED = 10, 20, 100
RATIOS = 0.32
"""How often a mistake in sizes comes first, which only the square problem hides: so each problem is as likely a key."""
SUM_CHANGES = ("keepdim", "wrong_axis", "reduction_too_many", "mean_or_sum")
SWAP_CHOICES = {
    "raises": "it raises an error",
    "shape": "it returns a result of another shape, without an error",
    "silent": "it returns the right shape with wrong numbers, without an error",
    "same": "it returns the right result all the same",
}
SWAP_REASONS = {
    "raises": "An operation of the line cannot combine these shapes.",
    "shape": "Every operation runs, and the result has another shape.",
    "silent": "Every operation runs, and the result has the right shape: only the numbers are wrong.",
    "same": "The line treats both values alike.",
}


def usable(lines: Sequence[Line]) -> list[Line]:
    """Those for which every value can be drawn and decides the result."""
    return [line for line in lines if line.is_known and all(read.kind != "other" for read in line.reads.values())]


def which_line(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """Four ways to write one line, and one of them is wrong. None of them is the student's own text."""
    for line in usable(lines):
        equal, wrong = (
            chance.sample(every, len(every)) for every in (line.versions["equal"], line.versions["disguised"])
        )
        tried = [*equal[:MAX_RIGHT_LINES], *wrong[:MAX_WRONG_LINES]]
        if len(equal) < RIGHT_LINES_SHOWN or not line.symbols:
            continue
        draws = [line.draw(line.different_sizes(chance), chance) for _ in range(WHICH_LINE_DRAWS)]
        table = material.table(line, [line.at.code, *(each.code for each in tried)], draws)
        own, *columns = zip(*table, strict=True)
        rights, wrongs = list[Variant](), list[Variant]()
        for variant, column in zip(tried, columns, strict=True):
            same = [are_equal(found, right) for found, right in zip(column, own, strict=True)]
            if variant in equal and all(same):
                rights.append(variant)
            elif variant in wrong and same == [False] * WHICH_LINE_DRAWS:
                wrongs.append(variant)
        if len(rights) >= RIGHT_LINES_SHOWN and wrongs:
            return which_line_question(line, *chosen_alike(rights, wrongs, chance), chance)
    return None


def chosen_alike(
    rights: Sequence[Variant], wrongs: Sequence[Variant], chance: random.Random
) -> tuple[list[Variant], Variant]:
    """Three right lines and a wrong one that has a random place among them by length.

    Rewriting makes a line longer, and most mistakes leave something out: the shortest would often be the wrong one.
    """
    wanted = chance.randrange(RIGHT_LINES_SHOWN + 1)
    tried = [(chance.sample(rights, RIGHT_LINES_SHOWN), chance.choice(wrongs)) for _ in range(MAX_CHOICES_TRIED)]
    return min(tried, key=lambda each: abs(sum(len(right.code) < len(each[1].code) for right in each[0]) - wanted))


def which_line_question(
    line: Line, rights: Sequence[Variant], wrong: Variant, chance: random.Random
) -> DefenceQuestion:
    codes = {"wrong": f"`{wrong.code}`"} | {f"right{n}": f"`{each.code}`" for n, each in enumerate(rights)}
    text = (
        f"Three of these lines compute the same as your line for `{line.shown}`, whatever the values are. "
        f"One does not. Which one? For example, {line.sizes_given(line.different_sizes(chance))}"
    )
    reason = "This line computes the same: the sizes and the numbers agree on every problem that was tried."
    why = {name: reason for name in codes if name != "wrong"}
    model = f"The wrong line is `{wrong.code}`: {wrong.words}."
    claim = {"line": line, "wrong": wrong.code, "right": [each.code for each in rights]}
    return DefenceQuestion("which_line", line.row, "choice", text, "wrong", shuffled(codes, chance), why, model, claim)


def revealing(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """A wrong version of the line, and four problems: on which one does the mistake show, or not show?"""
    with_ratio = chance.random() < RATIOS
    for line in usable(lines):
        if len(line.symbols) < 2:
            continue
        wrong = [each for each in line.versions["wrong"] if each.kind not in ("sign", "twice")]
        wrong = [each for each in chance.sample(wrong, len(wrong)) if with_ratio or each.kind != "ratio"]
        wrong = sorted(wrong, key=lambda each: each.kind != "ratio")[:10]
        problems = problems_of(line, chance)
        draws = [line.draw(sizes, chance) for sizes in problems for _ in range(REVEALING_DRAWS)]
        table = material.table(line, [line.at.code, *(each.code for each in wrong)], draws)
        own, *columns = zip(*table, strict=True)
        for variant, column in zip(wrong, columns, strict=True):
            same = [are_equal(found, right) for found, right in zip(column, own, strict=True)]
            hidden = same[::REVEALING_DRAWS]
            is_decided = None not in same and hidden == same[1::REVEALING_DRAWS]
            if is_decided and sum(map(bool, hidden)) in (1, len(hidden) - 1):
                return revealing_question(line, variant, problems, list(map(bool, hidden)), chance)
    return None


def problems_of(line: Line, chance: random.Random) -> list[dict[Symbol, int]]:
    """Four problems of different sizes: square, and with a size of 1; a usual one, which shows all, for two sizes."""
    symbols = chance.sample(line.symbols, min(3, len(line.symbols)))
    found = [line.equal_sizes(), *({**line.different_sizes(chance), symbol: 1} for symbol in symbols)]
    return found if len(found) == 4 else [*found, line.different_sizes(chance)]


def revealing_question(
    line: Line, variant: Variant, problems: Sequence[Sizes], hidden: Sequence[bool], chance: random.Random
) -> DefenceQuestion:
    is_hidden_once = sum(hidden) == 1
    key, choices = f"p{hidden.index(is_hidden_once)}", dict[str, str]()
    for number, sizes in enumerate(problems):
        texts = [f"{name} {read.text(sizes)}" for name, read in line.reads.items() if read.kind != "number"]
        choices[f"p{number}"] = ", ".join(texts)
    what = "does the mistake NOT show: both lines give the same result" if is_hidden_once else "does the mistake show"
    text = (
        f"Somebody writes, in place of your line for `{line.shown}`:\n\n    {variant.code}\n\n"
        f"On which of these problems, with ordinary numbers in the tensors, {what}? A result of another shape and an "
        "error count as showing."
    )
    reason = "On this problem the two lines differ." if is_hidden_once else "On this problem both give the same."
    why = {name: reason for name in choices if name != key}
    where = "is hidden" if is_hidden_once else "shows"
    model = f"The mistake: {variant.words}. It {where} only with {choices[key]}."
    claim = {"line": line, "other": variant.code, "problems": problems, "hidden_once": is_hidden_once}
    claim["is_ratio"] = variant.kind == "ratio"
    return DefenceQuestion("revealing", line.row, "choice", text, key, shuffled(choices, chance), why, model, claim)


def sum_changes(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """The line's sum with keepdim changed, along another axis, left out, or as a mean: which shape has the result?"""
    for line in usable(lines):
        sizes = line.different_sizes(chance)
        changes = [each for each in line.versions["wrong"] if each.kind in SUM_CHANGES]
        ((own, *results),) = material.table(
            line, [line.at.code, *(each.code for each in changes)], [line.draw(sizes, chance)]
        )
        if isinstance(own, Raised):
            continue
        shapes = {
            variant: result.shape
            for variant, result in zip(changes, results, strict=True)
            if not isinstance(result, Raised) and result.shape != own.shape
        }
        if not any(each.kind == "keepdim" for each in shapes):
            continue
        variant = chance.choice(list(shapes))
        text = (
            f"You change your line for `{line.shown}` to:\n\n    {variant.code}\n\nHere {line.sizes_given(sizes)} "
            "Which shape has the result?"
        )
        key, right = format_shape(shapes[variant]), format_shape(own.shape)
        why = {right: "That is the shape of your own line's result."}
        model = f"The shape is {key}: {variant.words}. The right gradient has the shape {right}."
        claim = {"line": line, "code": variant.code, "sizes": sizes}
        return DefenceQuestion("sum_changes", line.row, "shape", text, key, {}, why, model, claim)
    return None


def swapped(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """Two values of the line change places: does it raise, give another shape, or wrong numbers silently?"""
    wanted = chance.sample(list(SWAP_CHOICES), len(SWAP_CHOICES))
    best: tuple[int, Line, tuple[str, str], Sizes] | None = None
    for line in usable(lines):
        names = [name for name, read in line.reads.items() if read.kind in ("tensor", "array")]
        for pair in itertools.combinations(names, 2):
            for sizes in (line.different_sizes(chance), line.equal_sizes()):
                answer = effect_of_swap(material, line, pair, sizes, chance)
                if answer and (best is None or wanted.index(answer) < best[0]):
                    best = wanted.index(answer), line, pair, sizes
        if best and best[0] == 0:
            break
    if best is None:
        return None
    place, line, (one, other), chosen = best
    answer = wanted[place]
    text = (
        f"In your line for `{line.shown}`, `{one}` and `{other}` change places by mistake: each takes the other's "
        f"place wherever it is read. Here {line.sizes_given(chosen)} What happens?"
    )
    why = {name: SWAP_REASONS[answer] for name in SWAP_CHOICES if name != answer}
    model = f"{SWAP_CHOICES[answer].capitalize()}. {SWAP_REASONS[answer]}"
    claim = {"line": line, "swapped": (one, other), "sizes": chosen}
    return DefenceQuestion("swapped", line.row, "choice", text, answer, SWAP_CHOICES, why, model, claim)


def effect_of_swap(
    material: Material, line: Line, names: tuple[str, str], sizes: Sizes, chance: random.Random
) -> str | None:
    """What happens with two values swapped, the same on two draws; None where it is not decided."""
    one, other = names
    draws: list[Mapping[str, object]] = []
    for _ in range(2):
        drawn = line.draw(sizes, chance)
        draws += [drawn, {**drawn, one: drawn[other], other: drawn[one]}]
    results = [result for (result,) in material.table(line, [line.at.code], draws)]
    found = {what_happens(*results[:2]), what_happens(*results[2:])}
    return found.pop() if len(found) == 1 else None


def what_happens(own: LineResult, swapped: LineResult) -> str | None:
    if isinstance(own, Raised) or isinstance(swapped, NotNumbers):
        return None
    if isinstance(swapped, Raised):
        return "raises"
    if swapped.shape != own.shape:
        return "shape"
    same = are_equal(swapped, own)
    return None if same is None else "same" if same else "silent"
