"""Predictions: questions about what code will do, here about a lesson's backward pass, from forward.py alone.

They are about sizes, shapes, and what a wrong row spoils.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.defence.question import Chance, DefenceQuestion, shuffled
from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Lesson
from grader.reference.tape import Graph, is_floating, record_forward, total
from grader.results.wording import format_shape, listed_as_code

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Prediction(DefenceQuestion):
    """One question, with the answer that running the code gave; `row` is what it is about, in a few words.

    `code` are lines of code that the text is about. `model` is what the run showed, in sentences, and why.
    """

    code: Sequence[str] = ()


NO_ROW = "none_of_them"
MAX_ROWS_NAMED = 6


def rows_question(
    title: str, text: str, code: Sequence[str], red: Sequence[str], green: Sequence[str], why: str, chance: Chance
) -> Prediction:
    """Which of up to six rows turn red? `red` are those that did, `green` rows that did not."""
    some = chance.sample(list(red), min(len(red), 3)), chance.sample(list(green), min(len(green), 3))
    choices = shuffled({row: f"`{row}`" for row in (*some[0], *some[1])}, chance) | {NO_ROW: "none of them"}
    key = tuple(row for row in choices if row in red) or (NO_ROW,)
    shown = f"Red: {listed_as_code(red, MAX_ROWS_NAMED)}." if red else "No other row turned red."
    whys = dict.fromkeys(choices, "")
    return Prediction("", title, "multiple", text, key, choices, whys, model=f"{shown} {why}", code=code)


ROUNDED_TO_ZERO = 1e-12
"""Below this share of the upstream gradients' size, a gradient in float64 is zero apart from rounding."""
CHANGE_FACTOR = 1.1
CHANGE_STEP = 1e-4
APART = 2
"""Decades between two sizes that are offered."""


def size_prediction(lesson: Lesson, chance: Chance) -> Prediction | None:
    """How large is a parameter's gradient in the whole network? Shown by changing the parameter a little."""
    problem = lesson.public_chain
    graph = problem.graph
    names = [item.target for item in lesson.gradients if item.target and item.target in graph.inputs]
    sizes = {name: float(problem.chain[name].abs().max()) for name in names if name in problem.chain}
    zeros = [name for name, size in sizes.items() if size <= ROUNDED_TO_ZERO * max(sizes.values())]
    if not sizes or (len(zeros) == len(sizes)):
        return None
    name = chance.choice(zeros if zeros and chance.random() < 0.6 else list(sizes))
    largest = max(size for each, size in sizes.items() if each != name) if len(sizes) > 1 else sizes[name]
    decade = round(math.log10(largest if name in zeros else sizes[name]))
    below = chance.randrange(3)  # so many of the other sizes are smaller
    decades = [decade + APART * (place - below) for place in range(3)]
    choices = {f"size_{place}": f"about {10.0**each:g}" for place, each in enumerate(decades)} | {
        "is_zero": "zero, except for rounding"
    }
    right = "is_zero" if name in zeros else f"size_{decades.index(decade)}"
    text = f"How large is the largest element of `d{name}` in the whole network, on the published problem? And why?"
    change = f"changes by {loss_change(lesson, name, everywhere=name in zeros):.2g}"
    end = f"`{graph.sinks[0]}`" if len(graph.sinks) == 1 else "the result"
    why = (
        f"Add {CHANGE_STEP:g} to every element of `{name}`, and {end} {change}. "
        "Which later line removes what was added?"
        if name in zeros
        else f"Add {CHANGE_STEP:g} to this one element of `{name}`, and {end} {change}: {CHANGE_STEP:g} times as much."
    )
    shown = f"The largest element of `d{name}` is {sizes[name]:.2g}. {why}"
    title, code = f"The size of d{name}", lines_that_read(lesson, name)
    return Prediction("", title, "choice", text, right, choices, model=shown, code=code)


def loss_change(lesson: Lesson, name: str, everywhere: bool) -> float:
    """How much the loss changes with CHANGE_STEP added to `name`, everywhere or at the largest element of its gradient.

    Without a loss, it is the sum of all results times their upstream gradients.
    """
    problem = lesson.public_chain

    def result(graph: Graph) -> float:
        return float(sum((graph.values[end] * upstream).sum() for end, upstream in problem.ends.items()))

    inputs, gradient = problem.inputs, problem.chain[name]
    places = (gradient.abs() == gradient.abs().max()) | everywhere
    before, after = inputs[name], inputs[name].clone()
    after.view(-1)[places.view(-1).nonzero()[slice(None if everywhere else 1)]] += CHANGE_STEP
    moved = record_forward(lesson.module.forward, {**inputs, name: after.view_as(before)})
    return result(moved) - result(problem.graph)


def spoiled_prediction(lesson: Lesson, chance: Chance) -> Prediction | None:
    """Which rows turn red in the chain if one gradient is too large?"""
    problem = lesson.public_chain
    graph = problem.graph
    rows = {item.target: item.name for item in lesson.gradients if item.target}
    candidates = []
    for name in rows:
        spoiled = spoiled_chain(graph, problem.ends, name)
        changed = {each for each in rows if each != name and differs(spoiled.get(each), problem.chain.get(each))}
        if changed and len(changed) < len(rows) - 1:
            candidates.append((name, changed))
    if not candidates:
        return None
    name, changed = chance.choice(candidates)
    red = [rows[each] for each in rows if each in changed]
    green = [rows[each] for each in rows if each != name and each not in changed]
    text = (
        f"Somebody's `{rows[name]}` comes out 10 % too large; all other lines are right. Which of these rows turn red "
        "in the whole chain?"
    )
    readers = [rows[each] for each in rows if name in graph.consumers.get(each, ())]
    why = f"Directly below `{rows[name]}`: {listed_as_code(readers, MAX_ROWS_NAMED)}." if readers else ""
    zero = [rows[each] for each in rows if each in graph.above(name)]
    are = "is" if len(zero) == 1 else "are"
    why += f" {listed_as_code(zero, MAX_ROWS_NAMED)} {are} computed before it." if zero else ""
    return rows_question(f"A wrong {rows[name]}", text, lines_that_read(lesson, name), red, green, why.strip(), chance)


def spoiled_chain(graph: Graph, ends: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    """Every gradient of the whole pass, where that of `name` is CHANGE_FACTOR times as large."""
    found: dict[str, Tensor] = dict(ends)
    for each in reversed(graph.names):
        shares = [graph.vjp(consumer, found[consumer])[each] for consumer in reversed(graph.consumers[each])]
        if shares:
            found[each] = total(shares)
        if each == name:
            found[each] = found[each] * CHANGE_FACTOR
    return found


def differs(found: Tensor | None, usual: Tensor | None) -> bool:
    """Whether a gradient has changed by more than rounding."""
    if found is None or usual is None:
        return False
    return bool((found - usual).abs().max() > 1e-6 * usual.abs().max()) and bool(usual.abs().max() > ROUNDED_TO_ZERO)


def shape_prediction(lesson: Lesson, chance: Chance) -> Prediction | None:
    """Which shape does a gradient have without the sum that undoes a broadcast?"""
    problem = lesson.public_chain
    candidates = list(broadcasts(lesson))
    if not candidates:
        return None
    name, consumer, shape = chance.choice(candidates)
    own = format_shape(problem.values[name].shape)
    text = (
        f"`{name}` has the shape {own}; `{consumer}` is computed from it by broadcasting. Somebody forgets the sum in "
        f"`d{name}`. Which shape comes out?"
    )
    shown = (
        f"It is {shape}, that of `{consumer}`: each of its elements has read an element of `{name}`. The gradient has "
        f"to be {own} again, so their contributions are added."
    )
    return Prediction(
        "", f"The shape of d{name}", "shape", text, shape, model=shown, code=lines_that_read(lesson, name)
    )


def broadcasts(lesson: Lesson) -> Iterator[tuple[str, str, str]]:
    """(name, the value that it is broadcast to, the shape of its gradient before the sum)"""
    problem = lesson.public_chain
    for item in lesson.gradients:
        if item.target and len(problem.graph.consumers[item.target]) == 1:
            for consumer, share in problem.unreduced(item.target).items():
                if is_floating(share) and share.shape == problem.values[consumer].shape:
                    yield item.target, consumer, format_shape(share.shape)


def lines_that_read(lesson: Lesson, name: str) -> list[str]:
    """The forward lines that read a value."""
    return [line.partition("  # ")[0] for line in forward_lines(lesson, name)[:3]]
