"""A better explanation of a wrong gradient, from the student's code, where the numbers alone say less."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.problem import Draw, Problem
from grader.verdict.explain.attempts import attempt
from grader.verdict.explain.edits.contents import multiplies_sums
from grader.verdict.explain.edits.inner_gradients import explain_by_inner_gradients, upstream_is_right
from grader.verdict.explain.edits.search import (
    MEAN_OR_SUM,
    READINGS_KEPT,
    Trials,
    explain_by_repair,
    explain_random_numbers,
    surer_slips,
)
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.mismatch import Cases
from grader.verdict.explain.readings.multiples import UNNAMED_MULTIPLE
from grader.verdict.judge.hard_coded import explain_hard_coded_sizes
from grader.verdict.judge.other_explanations import (
    explain_by_properties,
    explain_changed_places,
    explain_other_order,
    targets_that_pass,
)
from grader.verdict.judge.problems import ProblemBook
from grader.verdict.judge.runner import StepRunner, explaining, is_submission
from grader.verdict.judge.traced import with_precision
from grader.verdict.judge.verdicts import Verdict

ERRORS_OF_SHAPES = {"shapes_do_not_fit", "index_out_of_range", "axis_out_of_range"}
"""Meanings of an error for which a change of the code says more."""


def explain_by_the_code(
    student: StepRunner,
    item: Item,
    lesson: Lesson,
    book: ProblemBook,
    verdict: Verdict,
    problems: Sequence[Problem],
    vanishes: bool = False,
) -> None:
    """Replace an explanation that was found in the numbers alone where the student's code gives a better one.

    A gradient that `vanishes` is equal to many things by chance: only its place among the others says something.
    """
    found = explain_other_order(student, item, lesson, verdict.mistake, problems)
    if found is None and not vanishes:
        found = better_explanation(student, item, lesson, book, verdict, problems)
    if found is not None:
        verdict.mistake, verdict.message, verdict.line = found, found.message, found.line or verdict.line


def better_explanation(
    student: StepRunner,
    item: Item,
    lesson: Lesson,
    book: ProblemBook,
    verdict: Verdict,
    problems: Sequence[Problem],
) -> Explanation | None:
    """The explanation by the code, and where there is none, by what a gradient would have; None keeps the verdict's."""
    trials: Trials | None = getattr(student, "trials", None)
    step, mistake, can_run = item.name, verdict.mistake, verdict.status != "error"
    cases = [(problem, student.answers(problem)[step]) for problem in problems if not problem.draw.note]
    is_known = mistake is not None and mistake.known
    if not is_known and not (is_submission(student) and student.terms.sizes is not None):
        hard_coded = sizes_of_the_lecture(student, item, book, lesson, mistake, cases, trials)
        if hard_coded is not None:
            return hard_coded
    contents = trials.contents(item.function) if trials is not None else None
    is_alone = step == item.function
    kinds = surer_slips(contents, mistake, is_alone)
    is_kept = is_known or (mistake is not None and mistake.id in READINGS_KEPT)
    if is_known and any(multiplies_sums_itself(m) for m in lesson.wrong_formulas if mistake and m.id == mistake.id):
        kinds = kinds - {"sums_multiplied"}
    if trials is not None and can_run and (kinds or not is_kept):
        found = by_changes(student, item, lesson, cases, trials, kinds if is_kept else set())
        if found is not None:
            return found
    if is_known:
        return None
    if mistake is not None and mistake.id in ERRORS_OF_SHAPES and trials is not None and is_alone:
        return after_the_error(by_changes(student, item, lesson, cases, trials, set()), verdict, cases)
    if mistake is not None and mistake.id == "other_gradient":
        return explain_changed_places(student, item, lesson.gradients, problems)
    if mistake is not None:
        return None
    if can_run and (random := explain_random_numbers(contents)) is not None:
        return random
    with explaining(student):
        if verdict.status == "failed":
            return attempt(lambda: explain_by_properties(student, item, problems))
    return None


def after_the_error(found: Explanation | None, verdict: Verdict, cases: Cases) -> Explanation | None:
    """The text of the error, and then the change that makes the gradient right, where one was found."""
    raised = next((answer.message.rstrip(".") for _, answer in cases if answer.outcome == "raised"), "")
    if found is None or not raised:
        return None
    before, _, _ = (verdict.message or raised).partition(raised)
    return Explanation(found.id, f"{before}{raised}. {found.message}", line=verdict.line)


def multiplies_sums_itself(mistake: Mistake) -> bool:
    """Whether a known mistake may be that two sums are multiplied: its formula does it, or is not known."""
    return not mistake.formula or multiplies_sums(ast.parse(mistake.formula))


def by_changes(
    student: StepRunner, item: Item, lesson: Lesson, cases: Cases, trials: Trials, kinds: set[str]
) -> Explanation | None:
    """The small change of the code that makes the gradient right; only of these `kinds`, where there are any."""
    step, function, constants = item.name, item.function, lesson.small_numbers
    with explaining(student):
        inside, right, wrong = None, list[str](), ""
        if step != function:  # first, because it takes a few calls and the other hundreds
            right = targets_that_pass(student, lesson.gradients, [problem for problem, _ in cases])
            if not kinds:
                inside = attempt(lambda: explain_by_inner_gradients(step, function, cases, trials, constants, right))
            if inside is not None:
                right, wrong = [*right, *(name[1:] for name in inside.right)], inside.name
        found = attempt(lambda: explain_by_repair(step, function, cases, trials, constants, right, kinds, wrong))
        if inside is not None and (found is None or found.id == MEAN_OR_SUM):
            return inside.explanation  # a wrong gradient on the way gives the factor, which such a change undoes
        return found


def sizes_of_the_lecture(
    student: StepRunner,
    item: Item,
    book: ProblemBook,
    lesson: Lesson,
    mistake: Explanation | None,
    cases: Cases,
    trials: Trials | None,
) -> Explanation | None:
    """An explanation of sizes that are written as numbers, see hard_coded."""
    assert item.target is not None
    published = book.problems(lesson, [Draw()])[0]
    answer = with_precision(student.answers(published)[item.name], student, published, item.name)
    others = [case for case in cases if case[0].draw.sizes] or cases
    contents = trials.contents(item.function) if trials is not None else None
    unnamed = mistake is None or mistake.id == UNNAMED_MULTIPLE
    function = item.function if item.function != item.name else ""
    return explain_hard_coded_sizes(item.target, (published, answer), others, contents, unnamed, function)


def computes_right_upstream(student: StepRunner, item: Item, lesson: Lesson, problems: Sequence[Problem]) -> bool:
    """Whether the gradients that `item` is computed from are right in the student's function for all gradients."""
    trials: Trials | None = getattr(student, "trials", None)
    if trials is None or lesson.joint is None:
        return False
    cases = [(problem, student.answers(problem)[item.name]) for problem in problems if not problem.draw.note]
    right = targets_that_pass(student, lesson.gradients, [problem for problem, _ in cases])
    with explaining(student):
        return bool(
            attempt(lambda: upstream_is_right(item.name, item.function, cases, trials, lesson.small_numbers, right))
        )
