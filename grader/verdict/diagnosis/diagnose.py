"""Naming the mistake: which wrong formula gives exactly this answer?

The lesson's known mistakes come first, in their author's words (two, where two fit); then what can be read off the
graph, from the simplest slip to the oddest. How one is found to hold: grader/verdict/diagnosis/evidence.py; what
contradicts the code is left out: grader/verdict/diagnosis/claims.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from grader.calling.answer import Answer
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import run_formula
from grader.reference.problem import Problem
from grader.verdict.diagnosis.claims import Contents, is_borne_out
from grader.verdict.diagnosis.evidence import Cases, Explanation, Wrong, equal, kept, wrong
from grader.verdict.diagnosis.ratios import coefficients, ratio, some_multiple
from grader.verdict.diagnosis.readings.differences import differences
from grader.verdict.diagnosis.readings.factors import factors
from grader.verdict.diagnosis.readings.forms import arithmetic, constants, upside_down
from grader.verdict.diagnosis.readings.inner_lines import inner_lines
from grader.verdict.diagnosis.readings.lines import factor_of_a_line, term_of_a_line
from grader.verdict.diagnosis.readings.paths import each_way, held_constant, one_way, several_ways
from grader.verdict.diagnosis.readings.places import repeated_index, zero_elsewhere
from grader.verdict.diagnosis.readings.reductions import extra_sums, not_broadcast, sums
from grader.verdict.diagnosis.readings.shapes import keepdim, shuffled, transposed
from grader.verdict.diagnosis.readings.substitutes import (
    other_gradient,
    unchanged_upstream,
    upstream_forgotten,
    upstream_with_a_factor,
    wrong_upstream,
    wrong_value,
)
from grader.verdict.diagnosis.readings.sums_inside import sums_inside
from grader.verdict.diagnosis.time_allowance import check_time

Reading = Callable[[Wrong], Iterator[Explanation]]

MOST_TOLD = 2


def explain(
    name: str, cases: Cases, mistakes: Iterable[Mistake], contents: Contents | None = None
) -> Explanation | None:
    """What holds on all `cases`, or None. `name` is the forward value (`probs` for `dprobs`).

    `contents` is what the student's function is made of: an explanation that contradicts it is left out.
    """
    known = known_mistake("d" + name, cases, mistakes, contents)
    if known is not None:
        return known
    changed = changed_argument(name, cases)
    if changed is not None:
        return changed
    failed = wrong(name, cases)
    if failed is None:
        return zeros(name, cases)
    return zeros(name, cases) or next((e for e in readings(failed) if is_borne_out(e.message, contents)), None)


def together(explanations: Iterable[Explanation]) -> Explanation | None:
    """Several explanations as one, under the first one's id."""
    all_of_them = list(explanations)
    if not all_of_them:
        return None
    sentences = dict.fromkeys(explanation.message for explanation in all_of_them)
    return Explanation(all_of_them[0].id, " It is also true that: ".join(sentences), all_of_them[0].known)


TIERS: tuple[tuple[Reading, ...], ...] = (
    (sums, ratio, coefficients, keepdim, not_broadcast, transposed, other_gradient),
    (held_constant, unchanged_upstream, extra_sums, wrong_upstream, wrong_value, upstream_forgotten, factors),
    (differences, inner_lines, repeated_index),
    (one_way, upstream_with_a_factor, sums_inside),
    (several_ways,),
    (some_multiple,),
    (zero_elsewhere, factor_of_a_line, term_of_a_line),
    (constants, upside_down, shuffled),
    (arithmetic,),
)
"""Readings in the order of trust: a later tier is asked only where an earlier one has nothing to say."""

OF_A_BRANCH: dict[int, tuple[Reading, ...]] = {1: (factors,), 3: (sums_inside,), 8: (arithmetic,)}
"""What is asked of each branch alone, where all of a tier has nothing to say of the whole."""

OF_A_WAY: dict[int, tuple[Reading, ...]] = {3: (factors, sums_inside), 8: (arithmetic,)}
"""The same for each way through a step of several operations."""


def readings(failed: Wrong) -> Iterator[Explanation]:
    """What holds of the first tier in which anything does, each mistake once."""
    for number, tier in enumerate(TIERS):
        said: set[str] = set()
        for explanation in asked(number, tier, failed, said):
            if explanation.id not in said:
                said.add(explanation.id)
                yield explanation
                if number > 0:  # the odder ones say the same thing in several ways
                    return
        if said:
            return


def asked(number: int, tier: Sequence[Reading], failed: Wrong, said: Collection[str]) -> Iterator[Explanation]:
    for reading in tier:
        check_time()
        yield from reading(failed)
    for parts, readings in ((failed.branches, OF_A_BRANCH), (partial(each_way, failed), OF_A_WAY)):
        if number in readings and not said:
            for part in parts():
                for reading in readings[number]:
                    check_time()
                    yield from reading(part)


def known_mistake(
    step: str, cases: Cases, mistakes: Iterable[Mistake], contents: Contents | None = None
) -> Explanation | None:
    """The lesson's own wrong formulas, run on the same problems: all that give just these answers."""
    own = (m for m in mistakes if m.gradient == step and is_borne_out(m.message, contents))
    found = [m for m in own if all(repeats(m, *case) for case in cases)]
    return together(Explanation(m.id, m.message, known=True) for m in found[:MOST_TOLD])


def repeats(mistake: Mistake, problem: Problem, answer: Answer) -> bool:
    def run() -> Answer:
        return run_formula(mistake.function, mistake.gradient, problem)

    given = kept(problem, ("mistake", mistake), run)
    if given.outcome != "returned" or set(given.changed) != set(answer.changed):
        return False
    if given.tensor is None:
        return answer.tensor is None and given.kind == answer.kind
    return equal(answer, given.tensor)


def changed_argument(name: str, cases: Cases) -> Explanation | None:
    changed = sorted({argument for _, answer in cases for argument in answer.changed})
    if not changed:
        return None
    what = " and ".join(f"`{argument}`" for argument in changed)
    return Explanation(
        "changed_argument",
        f"Your `d{name}` changed {what} in place: whoever reads it afterwards gets other numbers. "
        f"`a = b` makes a second name, not a copy; start from `{changed[0]}.clone()`, or write `a = a + ...` "
        "instead of `a += ...`.",
    )


def zeros(name: str, cases: Cases) -> Explanation | None:
    if not all(a.tensor is not None and a.tensor.numel() and not bool(a.tensor.any()) for _, a in cases):
        return None
    return Explanation(
        "zeros",
        f"Every element of your `d{name}` is zero. Where `{name}` is read, which of its elements change the result?",
    )
