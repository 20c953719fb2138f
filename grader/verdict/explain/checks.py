"""Why a check does not hold: known mistakes of the lesson, what the wrong results have in common, edits of the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.protocol import leaves
from grader.calling.target import Target
from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.comparison.trees import agreement
from grader.results import NamedMistake, Row, Status
from grader.verdict.explain.attempts import attempt, check_interrupt, explaining
from grader.verdict.explain.edits.coded_changes import Known
from grader.verdict.explain.edits.search import (
    MAX_OPERATORS,
    OPERATORS_OF_A_CALL,
    Trials,
    explain_contents,
    explain_edits,
    slips,
)
from grader.verdict.explain.errors import CallContext, explain_error_text, still_unwritten
from grader.verdict.explain.explanation import SURE, Explanation
from grader.verdict.explain.known import MIN_BITS, known_mistake_of_check
from grader.verdict.explain.results import explain_results
from grader.verdict.explain.row_places import computed_with
from grader.verdict.judge.checks import Check, CheckFailed, Test, end_of, run_check

AFTER_THE_CALL = re.compile("afterwards|after the call")  # in the name of a part that is an argument


def row_of_check(
    tests: Mapping[str, Test], check: Check, passed: Status = "passed"
) -> tuple[Row, Callable[[Row], None] | None]:
    """Runs a check: (its row, with the status `passed` if it holds; else what writes the cause into the row).

    `tests` are those of all checks, by their rows' names. Raises what the test raises through no fault of the student's
    code.
    """
    item, failed = check.item, run_check(tests[check.item.name], check)
    row = Row(item.name, passed, item.points, item.points, message=check.remark)
    row.relative_error = check.error
    if failed is None:
        return row, None

    def tell(row: Row, end: CheckFailed) -> None:
        row.message, row.line = str(end) or None, end.line or row.line
        row.mistake = None if end.mistake is None else NamedMistake(end.mistake, str(end))

    row.status, row.points = failed.status, 0
    tell(row, failed)
    return row, lambda row: tell(row, explain_check(tests, check, failed))


def explain_check(tests: Mapping[str, Test], check: Check, failed: CheckFailed) -> CheckFailed:
    """The same end of a check with its cause, where one is found."""
    with explaining(check.student):
        if failed.call is not None:
            return attempt(lambda: of_failed_call(check, failed, *failed.call)) or failed  # type: ignore[misc]
        function = attempt(lambda: wrong_function(check, failed)) or check.item.function
        rows = {item.name for item in check.lesson.items if item.function == function}
        if function != check.item.function and not rows.isdisjoint(check.student.wrong_rows):
            return CheckFailed(computed_with([function]), failed.status)
        found = explanation_of(check, failed)
        is_kept = failed.mistake is not None or (found is not None and (found.known or found.id in SURE))
        if not is_kept and failed.status in ("failed", "shape"):
            found = attempt(lambda: by_edits(tests, check, failed, function)) or found
        text, name = (str(failed), failed.mistake) if found is None else (found.message, found.id)
        line = (found and found.line) or failed.line
        is_elsewhere = function != check.item.function and not line and not (found and found.known)
        text = f"In your `{function}`: {text}" if is_elsewhere else text
        return CheckFailed(text, failed.status, name, line, failed.compared, failed.call)
    return failed


def explanation_of(check: Check, failed: CheckFailed) -> Explanation | None:
    """What the wrong results say, without a look at what the code may be changed to."""
    return attempt(lambda: known_mistake_of_check(check, failed)) or attempt(lambda: of_results(check, failed))


def of_results(check: Check, failed: CheckFailed) -> Explanation | None:
    """What the wrong results are next to the right ones; not those of an example of a few numbers."""
    assertion, results = failed.compared or (None, ())
    if assertion is None:
        return None
    given = [leaf for call in check.on.calls for leaf in leaves(call.arguments) if isinstance(leaf, Tensor)]
    found = [(each.part, each.tensors) for result in results for each in result.agreement.findings if each.tensors]
    for part, (_, right) in found:
        if AFTER_THE_CALL.search(part) and any(map(partial(torch.equal, right), given)):
            return Explanation("changed_argument", f"`{part}`: it has been changed. Start from a `.clone()` of it.")
    sizes = [{name: n for name, n in each.draw.items() if type(n) is int and n > 1} for each in results]
    rtol = max(assertion.tolerance, LOW_PRECISION_TOLERANCE if check.on.low_precision else 0.0)
    return explain_results([each.agreement for each in results], sizes, rtol)


def mistake_of(check: Check, failed: CheckFailed) -> str | None:
    """The id of the mistake that a check has named, or that its wrong results say: for a suite that looks further."""
    found = explanation_of(check, failed) if failed.mistake is None else None
    return failed.mistake if found is None else found.id


def of_failed_call(check: Check, failed: CheckFailed, answer: Answer, where: str) -> CheckFailed:
    """The end of a check whose call gave no value. The message says what the error means, where that is known."""
    trials: Trials | None = check.student.trials
    contents = trials.contents(check.item.function) if trials is not None else None
    if answer.outcome == "todo":
        left = still_unwritten(contents)
        return CheckFailed(left.message, "todo", left.id, answer.line) if left is not None else failed
    if answer.outcome != "raised" or not check.on.calls:
        return failed
    call = check.on.calls[-1]  # the student's code does not see the parameters of the course's own function
    parameters = {k: v for k, v in call.arguments.items() if k.isidentifier() and not call.is_by_course}
    own = {} if "." in call.function else parameters
    context = CallContext(parameters, parameters, own=own, near=parameters, contents=contents or {})
    explained = explain_error_text(answer.message, context)
    if explained is None:
        return failed
    message = f"{where}{answer.message.rstrip('.')}. {explained.message}"
    return CheckFailed(message, failed.status, explained.id, answer.line)


def first_wrong_call(check: Check, failed: CheckFailed) -> tuple[int, Any] | None:
    """(the place of the student's first wrong value among all that were returned, the right one), where one is seen."""
    assertion, results = failed.compared or (None, ())
    if assertion is None:
        return None
    at, result = next((at, result) for at, result in enumerate(results) if not result.agreement.holds)
    own, right = check.on.returned_values[result.first_call :], check.reference(assertion, at)[1].returned_values
    for place, ((_, found), (_, expected)) in enumerate(zip(own, right, strict=False), result.first_call):
        if not returns_right(found, expected):
            return place, expected
    return None


def wrong_function(check: Check, failed: CheckFailed) -> str | None:
    """The function of the student's that gave the first wrong value.

    Where it is not known which value is wrong first, it is one that was called and has a wrong row before this one.
    """
    if failed.compared is None:  # the suite has its own sentence
        return None
    items, called = check.lesson.items, [name.partition(".")[0] for name, _ in check.on.returned_values]
    if (first := first_wrong_call(check, failed)) is not None:
        return called[first[0]] if called[first[0]] in check.lesson.functions else None
    before = items[: items.index(check.item)]
    wrong = {item.function for item in before if item.name in check.student.wrong_rows} - {check.item.function}
    return next((name for name in called if name in wrong), None)


def returns_right(found: Any, expected: Any) -> bool:
    """Whether a call returned what the reference did. Of an answer in words, numbers next to it need not agree."""
    words = [leaf for leaf in leaves(expected) if not isinstance(leaf, (float, numpy.ndarray, Tensor))]
    if not words:
        return agreement(found, expected).holds
    return words == [leaf for leaf in leaves(found) if not isinstance(leaf, (float, numpy.ndarray, Tensor))]


def by_edits(tests: Mapping[str, Test], check: Check, failed: CheckFailed, function: str) -> Explanation | None:
    """The small change of a function of the student's with which the check holds."""
    trials: Trials | None = check.student.trials
    if trials is None:
        return None
    if (drawn := explain_contents(trials.contents(function))) is not None:
        return drawn
    if not check.on.calls:  # it is about gradients, which have rows of their own
        return None
    edits = trials.edits(function, known_of(check, failed, function))
    numbers = [n for n, each in enumerate(edits) if each.function == function]
    found = slips(tried_on_check(tests, check, failed, function, trials, numbers), edits)
    return explain_edits(found, f"`{check.item.name}`")


def tried_on_check(
    tests: Mapping[str, Test], check: Check, failed: CheckFailed, function: str, trials: Trials, numbers: Sequence[int]
) -> Iterator[tuple[int, bool]]:
    """(number, whether the check holds with the changed `function`), one after the other.

    A changed function that is still wrong where the student's own is wrong first is not run any further.
    """
    work, wrong = 0, first_wrong_call(check, failed)
    for number in numbers:
        check_interrupt()
        target = trials.target(function, number)
        if target is None or work > MAX_OPERATORS:
            break

        def still_wrong(values: Sequence[tuple[str, Any]] = target.returned_values) -> None:
            if wrong is not None and len(values) == wrong[0] + 1 and not returns_right(values[-1][1], wrong[1]):
                raise CheckFailed("it is wrong in the same call")

        target.on_return = still_wrong
        again = check.again_on(target)
        end = end_of(tests[check.item.name], again)
        target.on_return = None
        holds = end is None and spoils_no_other(tests, check, target, function)
        if holds and 0 < again.compared_bits < MIN_BITS:
            break  # by chance
        yield number, holds
        if isinstance(end, CheckFailed) and end.status == "timeout":
            break  # each of them takes as long as a function may
        work += target.operators + OPERATORS_OF_A_CALL * len(again.on.calls)


def known_of(check: Check, failed: CheckFailed, function: str) -> Known:
    """What the student's function was given when it was called first, and which parts of the result are right."""
    given = next((call.arguments for call in check.on.calls if call.function == function), {})
    _, results = failed.compared or (None, ())
    whole = results[0].expected if results else None
    parts = [part for part in whole if str(part).isidentifier()] if isinstance(whole, dict) else []
    wrong = {part for result in results for part in result.agreement.differing_parts}
    return Known(
        shapes={name: list(value.shape) for name, value in given.items() if isinstance(value, Tensor)},
        sizes=[name for name, value in given.items() if type(value) is int and value > 1],
        constants=check.lesson.small_numbers,
        returned=parts,
        right=[part for part in parts if part not in wrong],
    )


def spoils_no_other(tests: Mapping[str, Test], check: Check, target: Target, function: str) -> bool:
    """Whether every other check of the changed function holds on the target, or fails as on the student's own."""
    for item in check.lesson.checks:
        if item.function == function and item.name != check.item.name and item.name in tests:
            end = end_of(tests[item.name], check.again_on(target, item))
            if end is not None and str(end) != str(end_of(tests[item.name], check.again_on(check.on, item))):
                return False
    return True
