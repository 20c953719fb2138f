"""Known mistakes of the lesson: with one of them, the answer key gives just what the student's code gives.

Results are compared by digests. A student's own check has no mistakes.py: there, the digests of what each mistake gives
on public problems come from exercises/NN_name/.known, which `grade stubs` writes, and which shows no formula.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.target import ModuleTarget
from grader.comparison.tensors import compare
from grader.comparison.trees import bits_of
from grader.lesson.definitions import definitions_of
from grader.lesson.lesson import Lesson
from grader.lesson.mistakes import Mistake
from grader.lesson.paths import KNOWN
from grader.reference.problem import Problem
from grader.reference.runner import LocalStudent
from grader.verdict.explain.edits.source_file import SourceFile
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents, is_borne_out, needs_of_formula
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.wrong_answer import Cases
from grader.verdict.judge.checks import Assertion, Check, CheckFailed, end_of
from grader.verdict.judge.examples import PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.problems import ProblemBook

Digests = Mapping[str, Sequence[str]]
"""{row: the digests of its results, in order}"""


class KnownMistake(NamedTuple):
    """On some problems: the digests that a mistake `gives` for a row, one per problem; rows that it surely `spoils`."""

    id: str
    message: str
    needs: Collection[str]
    gives: Callable[[str], Iterable[str]]
    spoils: Collection[str] = ()

    def fits(self, row: str, own: Sequence[str]) -> bool:
        """Whether it gives just the results for the row that have these digests."""
        return bool(own) and all(a == b != "" for a, b in zip_longest(self.gives(row), own))


@lru_cache(64)
def known_at_home(path: Path) -> Sequence[KnownMistake]:
    """Those of a file `.known`, on the public problems; none where there is no such file."""

    def known(results: Digests, spoils: Sequence[str] | None = None, **texts: Any) -> KnownMistake:
        return KnownMistake(
            gives=lambda row: results.get(row, ()), spoils=results if spoils is None else spoils, **texts
        )

    try:
        return [known(**entry) for entry in json.loads(path.read_bytes())]
    except (OSError, ValueError, TypeError):
        return []


# Digests --------------------------------------------------------------------------------------------------------------

STEPS = 2**26 * 0.9137254873
"""Numbers are rounded to so many steps of the largest one next to them. None, such as 1/2, is half-way between two."""
AS_INFINITE = 1e37
"""Larger numbers are as good as infinite."""


def result_digest(found: Any) -> str:
    """The same text for equal results, up to rounding."""
    return hashlib.sha256(b"\0".join(pieces(found))).hexdigest()[:10]


def pieces(found: Any) -> Iterator[bytes]:
    """A result as bytes: its texts and keys, and its rounded numbers."""
    if isinstance(found, Mapping):
        for key in sorted(found, key=str):
            yield repr(key).encode()
            yield from pieces(found[key])
    elif isinstance(found, (list, tuple)):
        yield str(len(found)).encode()
        for each in found:
            yield from pieces(each)
    elif isinstance(found, (int, float, Tensor, numpy.ndarray)) and not isinstance(found, bool):
        numbers = torch.as_tensor(found, dtype=torch.float64).detach().nan_to_num(AS_INFINITE)
        values = numbers.clamp(-AS_INFINITE, AS_INFINITE).numpy()
        largest = abs(values[abs(values) < AS_INFINITE]).max(initial=0.0)
        yield f"{values.shape} {largest * STEPS:.8g}".encode()
        with numpy.errstate(over="ignore"):  # an infinite one next to tiny ones: it is clipped
            steps = (values / (largest or 1.0) * STEPS).clip(-(2**40), 2**40)
        yield steps.round().astype(numpy.int64).tobytes()
    else:
        yield repr(found).encode()


def answer_digest(answer: Answer) -> str:
    """Of a gradient and the arguments that were changed in place; "" where nothing was returned."""
    if answer.outcome != "returned":
        return ""
    return result_digest((answer.kind if answer.tensor is None else answer.tensor, sorted(answer.changed)))


# In a gradient --------------------------------------------------------------------------------------------------------


def known_mistake(
    step: str, cases: Mapping[str, Cases], mistakes: Iterable[KnownMistake], contents: FunctionContents | None = None
) -> Explanation | None:
    """The known mistake that gives exactly the answers to `step` (such as `dprobs`), and that the code bears out.

    `cases` are the answers to all gradients of the function, by step. Of several mistakes that fit, it is the first of
    those that fit most of these. None makes a right gradient wrong: an attention that gets `dout` for `dmid` has
    gradients as if `dmid` lacked a term.
    """
    own = {name: [answer_digest(answer) for _, answer in answers] for name, answers in cases.items()}
    if own[step] == [result_digest((problem.reference(step[1:]), [])) for problem, _ in cases[step]]:
        return None  # nearly right: what is wrong is less than a digest shows
    fitting = list[tuple[int, KnownMistake]]()
    for each in mistakes:
        if each.fits(step, own[step]) and is_borne_out(each.needs, contents):
            others = [name for name in cases if not each.fits(name, own[name])]
            if not any(are_right(name[1:], cases[name]) for name in others):
                fitting.append((len(others), each))
    _, found = min(fitting, key=lambda pair: pair[0], default=(0, None))
    return Explanation(found.id, found.message, known=True) if found is not None else None


def mistakes_of_gradients(lesson: Lesson, function: str, problems: Sequence[Problem]) -> Iterator[KnownMistake]:
    """The known mistakes of a function that returns gradients."""
    for mistake in lesson.mistakes:
        if mistake.gradient == function:
            gives = partial(digests_of_gradient, lesson, mistake, problems)
            yield KnownMistake(mistake.id, mistake.message, needs_of_formula(mistake.formula), gives)
    if not lesson.mistakes:
        yield from known_at_home(lesson.exercise / KNOWN)


def digests_of_gradient(lesson: Lesson, mistake: Mistake, problems: Sequence[Problem], step: str) -> Iterator[str]:
    """What the answer key with a mistake gives for a step on each problem, computed once for all students."""

    def compute(problem: Problem) -> Mapping[str, str]:
        steps = [item.name for item in lesson.gradients if item.function == mistake.gradient]
        answers = LocalStudent(vars(lesson.wrong(mistake)), steps, lesson.joint).answers(problem)
        return {name: answer_digest(answer) for name, answer in answers.items()}

    for problem in problems:
        yield computed_once(problem, ("mistake", mistake), partial(compute, problem)).get(step, "")


def are_right(name: str, cases: Cases) -> bool:
    """Whether all answers equal the gradient with respect to `name`."""

    def is_right(problem: Problem, found: torch.Tensor | None) -> bool:
        if found is None or not found.is_floating_point():
            return False
        return compare(found, problem.reference(name), problem.scale(name)).passed

    return all(is_right(problem, answer.tensor) for problem, answer in cases)


# In what a check's scenario gives ------------------------------------------------------------------------------------


def known_mistake_of_check(check: Check, failed: CheckFailed) -> Explanation | None:
    """The known mistake that gives just these results, that the code bears out, and that spoils no right row.

    It is the first one. Of a few numbers at home, it may be either of two.
    """
    row, trials = check.item, check.student.trials
    # of the same function: a student's other functions may not call this one, as the answer key's do
    right = {item.name for item in check.lesson.checks if item.function == row.function} & check.student.right_rows
    contents = trials.contents(row.function) if trials is not None else None
    assertion, results = failed.compared or (None, ())
    own = [result_digest(result.found) for result in results]
    if own == [result_digest(result.expected) for result in results]:
        return None  # nearly right: what is wrong is less than a digest shows
    fitting = (
        each
        for each in mistakes_of_check(check, assertion)
        if each.fits(row.name, own) and is_borne_out(each.needs, contents) and right.isdisjoint(each.spoils)
    )
    found = [*islice(fitting, 1 if check.lesson.mistakes else None)]
    messages = dict.fromkeys(each.message for each in found)
    return Explanation(found[0].id, " Or: ".join(messages), known=True) if 0 < len(messages) < 3 else None


def mistakes_of_check(check: Check, assertion: Assertion | None) -> Iterator[KnownMistake]:
    """Those of the check's function, of others that the scenario calls, or of one that the answer key's calls.

    A student may have written the last two out.
    """
    lesson = check.lesson
    if not lesson.mistakes:
        yield from known_at_home(lesson.exercise / KNOWN)
    elif assertion is not None:
        calls = (call for at in range(len(assertion.draws)) for call in check.reference(assertion, at)[1].calls)
        called = {call.function.partition(".")[0] for call in calls} | in_reach(lesson, check.item.function)
        own_calls = {call.function for call in check.on.calls}
        possible = [each for each in lesson.mistakes if each.gradient in called]
        for mistake in sorted(possible, key=lambda each: each.gradient != check.item.function):
            if (rows := rows_of_method(lesson, mistake)) and check.student.right_rows.issuperset(rows):
                continue
            gives = partial(digests_of_scenario, check, assertion, mistake)
            is_here = mistake.gradient == check.item.function or mistake.gradient not in own_calls
            message = mistake.message if is_here else f"In your `{mistake.gradient}`: {mistake.message}"
            yield KnownMistake(mistake.id, message, needs_of_formula(mistake.formula), gives)


def rows_of_method(lesson: Lesson, mistake: Mistake) -> set[str]:
    """The rows about the method of a class in which the mistake is; none where it is elsewhere."""
    key, first = lesson.answer_key, mistake.old.partition("\n")[0]
    line = key[: key.find(first)].count("\n") + 1 if first else 0
    methods = [(i.name, each) for i in lesson.checks if i.method for each in definitions_of(i, key.encode())[-1:]]
    return {name for name, method in methods if method.lineno <= line <= (method.end_lineno or 0)}


def in_reach(lesson: Lesson, function: str) -> set[str]:
    """The function, and those that it calls in the answer key."""
    return {function, *(each.name for each in SourceFile(lesson.answer_key).reached_from(function))}


def digests_of_scenario(check: Check, assertion: Assertion, mistake: Mistake, _: str) -> Iterator[str]:
    """What the scenario gives on each draw, when the answer key has the mistake; computed once for all students."""
    target = ModuleTarget(check.lesson.wrong(mistake), traced=False)

    def compute(at: int) -> str:
        try:
            return result_digest(assertion.scenario(target, check.generator(*assertion.key(at)), **assertion.draws[at]))
        except Exception:  # the mistake raises, or gives something that a scenario should not
            return ""

    for at in range(len(assertion.draws)):
        key = check.lesson.name, check.item.name, *assertion.key(at), mistake.name
        yield check.book.value(key, partial(compute, at))


# Written by `grade stubs` ---------------------------------------------------------------------------------------------

MIN_BITS = 40
"""Of results that name a cause: shorter ones come out of many causes, and are right by chance."""


def known_file(lesson: Lesson) -> dict[Path, str]:
    """{`.known`: its text}; empty for a lesson without known mistakes."""
    draws = [draw for draw in lesson.public_draws if not draw.note] if lesson.gradients else []
    book, results = ProblemBook(PUBLIC_SEED), defaultdict[Mistake, dict[str, Sequence[str]]](dict)
    problems = book.problems(lesson, draws)
    for item in lesson.items:
        reached = in_reach(lesson, item.function)
        mistakes = [each for each in lesson.mistakes if each.gradient in reached]
        if item in lesson.gradients:
            own = [each for each in mistakes if each.gradient == item.function and not item.earned_with]
            for mistake in own:
                results[mistake][item.name] = [*digests_of_gradient(lesson, mistake, problems, item.name)]
        elif item.name in examples_of(lesson):
            for each in mistakes:
                if found := digests_of_example(lesson, item.name, each, book):
                    results[each][item.name] = found
    entries = [known_entry(lesson, each, results[each]) for each in lesson.mistakes if each in results]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return {lesson.exercise / KNOWN: f"[\n{lines}\n]\n"} if entries else {}


def known_entry(lesson: Lesson, mistake: Mistake, results: Digests) -> dict[str, Any]:
    needs, rows = sorted(needs_of_formula(mistake.formula)), rows_of_method(lesson, mistake)
    entry = {"id": mistake.id, "message": mistake.message, "needs": needs, "results": results}
    # a student's other methods may not call this one, as the answer key's do
    return {**entry, "spoils": [row for row in results if row in rows]} if rows else entry


def digests_of_example(lesson: Lesson, row: str, mistake: Mistake, book: ProblemBook) -> Sequence[str]:
    """What a row's example compares at its end, with the mistake in the answer key; nothing where it measures."""
    functions = lesson.wrong(mistake)
    student = LocalStudent(vars(functions), [item.name for item in lesson.gradients], lesson.joint)
    check = Example(lesson, lesson.item_for(row), student, ModuleTarget(functions, traced=False), book)
    failed = end_of(examples_of(lesson)[row], check)
    if not isinstance(failed, CheckFailed) or failed.compared is None:
        return ()
    found = [result.found for result in failed.compared[1]]
    return [*map(result_digest, found)] if bits_of(found) >= MIN_BITS else [mistake.name]  # which no result equals
