"""Running the tests of a suite without pytest: how each ends, and which small change of the code would make it hold."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from grader.calling.protocol import CallFailed
from grader.results.wording import listed_as_code
from grader.verdict.explain.attempts import attempt, check_interrupt
from grader.verdict.explain.edits.changes import INNER_GRADIENT, Edit
from grader.verdict.explain.edits.known import Known
from grader.verdict.explain.edits.search import (
    MAX_OPERATORS,
    OPERATORS_OF_A_CALL,
    Trials,
    explain_edit,
    explain_random_numbers,
)
from grader.verdict.explain.explanation import Explanation
from grader.verdict.judge.check_endings import OURS, CheckFailed
from grader.verdict.judge.checks import Check
from grader.verdict.judge.runner import explaining

MAX_FUNCTIONS_CHANGED = 200
"""Changed functions on which a check is run again."""
MIN_BITS = 20
"""Of the right answers, in which a change must make the check pass: fewer come out right by chance."""


def explained_by_the_code(test: Callable[[Check], None], check: Check, failed: CheckFailed) -> CheckFailed:
    """The same end of a check, explained by a small change of the student's function with which the check passes.

    Only where nothing else explains it.
    """
    for name, parameters in check.on.left_out.items():
        text = f"{failed} Your `{name}` has no parameter {listed_as_code(parameters)}."
        failed = CheckFailed(text, failed.status, failed.mistake, failed.line)
    trials: Trials | None = getattr(check.student, "trials", None)
    if trials is None or failed.mistake is not None or failed.status not in ("failed", "shape"):
        return failed

    def find() -> Explanation | None:
        function = check.item.function
        if (random := explain_random_numbers(trials.contents(function))) is not None:
            return random
        if not check.on.calls:  # it is about gradients, which have rows of their own
            return None
        edits = enumerate(trials.edits(function, Known()))
        own = [(n, edit) for n, edit in edits if edit.function == function and edit.kind != INNER_GRADIENT]
        partly: Explanation | None = None
        work = 0
        for number, edit in own[:MAX_FUNCTIONS_CHANGED]:
            check_interrupt()
            target = trials.target(function, number)
            if target is None or work > MAX_OPERATORS:
                break
            again = check.again_on(target)
            end = end_of(test, again)
            if end is None:
                of_all = check.lesson.joint is not None and function == check.lesson.joint.name
                is_by_chance = 0 < again.compared_bits < MIN_BITS
                return None if is_by_chance else explain_edit(edit, f"`{check.item.name if of_all else function}`")
            if isinstance(end, CheckFailed) and end.status == "timeout":
                break  # each of them takes as long as a function may
            if partly is None and is_less_wrong(end, failed):
                partly = explained_in_part(edit, failed, end_of(test, check.again_on(target, on_every_draw=True)))
            work += target.operators + OPERATORS_OF_A_CALL * len(again.on.calls)
        return partly

    with explaining(check.student):
        found = attempt(find)
    return failed if found is None else CheckFailed(found.message, failed.status, found.id, found.line)


def end_of(test: Callable[[Check], None], check: Check) -> Exception | None:
    """How a test ends: None where the check holds."""
    try:
        test(check)
    except OURS:
        raise
    except Exception as error:
        return error
    return None


def is_less_wrong(end: Exception | None, before: CheckFailed) -> bool:
    """Whether some of the parts that were wrong are right, and no other one is wrong."""
    return isinstance(end, CheckFailed) and bool(end.wrong) and set(end.wrong) < set(before.wrong)


def explained_in_part(edit: Edit, before: CheckFailed, after: Exception | None) -> Explanation | None:
    """The message about a change that makes some parts of a result right; None where it does so on some draws only."""
    if not (isinstance(after, CheckFailed) and is_less_wrong(after, before)):
        return None
    right = [name for name in before.wrong if name not in after.wrong and name.isidentifier()]
    if not right:
        return None
    explained = explain_edit(edit, f"`{right[0]}`")
    are = "is" if len(after.wrong) == 1 else "are"
    more = f"For another reason, {listed_as_code(after.wrong)} {are} wrong as well."
    return Explanation(explained.id, f"{explained.message} {more}", line=explained.line)


def run_check(test: Callable[..., None], check: Check) -> CheckFailed | None:
    """How one test of a hidden suite ends, run without pytest: None when the check holds."""
    try:
        test(check)
    except CheckFailed as failed:
        return explained_by_the_code(test, check, failed)
    except CallFailed as failed:
        return check.failed_call(failed)
    except OURS:
        raise
    except Exception:
        if not check.is_sound(test):
            raise
        return check.unusable()
    return None


def tests_of(suite: Any) -> dict[str, Callable[..., None]]:
    """{row's name: its test}, of a hidden suite's tests with the `check` fixture."""
    return {
        name.removeprefix("test_"): value
        for name, value in vars(suite).items()
        if name.startswith("test_") and callable(value) and "check" in inspect.signature(value).parameters
    }
