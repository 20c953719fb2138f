"""The verdict on one gradient, from its answers to several problems."""

from __future__ import annotations

from collections.abc import Sequence

from grader.calling.answer import Answer
from grader.comparison.tensors import TOLERANCE, TensorComparison, compare, is_float32
from grader.lesson.mistakes import Mistake
from grader.reference.problem import Problem
from grader.verdict.explain.attempts import attempt
from grader.verdict.explain.circumstances import smallest_sizes
from grader.verdict.explain.claims import FunctionContents
from grader.verdict.explain.diagnose import explain
from grader.verdict.explain.errors.raised import explain_error
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.known_mistakes import known_mistake
from grader.verdict.explain.readings.widths import width_from_the_data
from grader.verdict.judge.earlier_gradient import FROM_EARLIER_GRADIENT, computed_from_earlier, upstream_left_out
from grader.verdict.judge.messages import (
    IN_FLOAT32,
    JUDGED_IN_FLOAT32,
    about_operands,
    not_a_tensor,
    reads_grad,
    still_unwritten,
    what_is_wrong,
)
from grader.verdict.judge.verdicts import STATUS_OF, Case, Verdict


def judge_line(
    name: str,
    cases: Sequence[Case],
    mistakes: Sequence[Mistake] = (),
    naming: bool = True,
    contents: FunctionContents | None = None,
) -> Verdict:
    """Judge d`name` by its answers to several problems. An advisory problem never makes it fail.

    Args:
        mistakes: the known mistakes of the lesson.
        naming: whether a wrong answer is explained, which takes most of the time.
        contents: the names, numbers and operations in the step's code, where they are known. No explanation
            contradicts them.
    """
    deciding = [case for case in cases if not case[0].draw.note]
    line = next((answer.line for _, answer in deciding if answer.line is not None), None)
    for problem, answer in deciding:
        if answer.outcome != "returned":
            return no_answer(name, problem, answer, deciding, contents)
    if any(answer.changed for _, answer in deciding):
        mistake = attempt(lambda: explain(name, deciding, mistakes, contents)) if naming else None
        return Verdict("failed", message=mistake.message if mistake else None, mistake=mistake, line=line)
    for _, answer in deciding:
        if answer.tensor is None:
            mistake = attempt(lambda: known_mistake("d" + name, deciding, mistakes, contents))
            return Verdict(
                "shape",
                message=mistake.message if mistake else not_a_tensor(name, answer, contents),
                mistake=mistake,
                line=line,
            )
    comparisons = [compare_answer(name, problem, answer) for problem, answer in deciding]
    verdict = Verdict("passed", worst_error(comparisons), line=line)
    failing = [(case, found) for case, found in zip(deciding, comparisons, strict=True) if not found.passed]
    if not failing:
        verdict.message = remark_on_right(name, cases, verdict)
        return verdict
    from_earlier = computed_from_earlier(name, deciding)
    if from_earlier is not None:
        verdict.relative_error = from_earlier.error
        if not from_earlier.ones:
            in_float32 = any(answer.in_float32 for _, answer in deciding)
            verdict.message = f"{FROM_EARLIER_GRADIENT} {JUDGED_IN_FLOAT32}" if in_float32 else FROM_EARLIER_GRADIENT
            return verdict
        mistake = upstream_left_out(name, from_earlier.ones)
    else:
        mistake = attempt(lambda: explanation_of(name, deciding, mistakes, contents)) if naming else None
    verdict.status = "shape" if any(found.stage == "shape" for _, found in failing) else "failed"
    verdict.mistake = mistake
    verdict.message = mistake.message if mistake else what_is_wrong(name, failing, deciding)
    return verdict


def remark_on_right(name: str, cases: Sequence[Case], verdict: Verdict) -> str | None:
    """What is said of a right answer: that an advisory problem fails, or that it was judged in float32."""
    for problem, answer in reversed(cases):
        if problem.draw.note and (
            answer.tensor is None or answer.changed or not compare_answer(name, problem, answer).passed
        ):
            return problem.draw.note
    if any(answer.in_float32 for problem, answer in cases if not problem.draw.note):
        return JUDGED_IN_FLOAT32
    is_rounded = verdict.relative_error is not None and verdict.relative_error > TOLERANCE
    return IN_FLOAT32 if is_rounded else None


def explanation_of(
    name: str, cases: Sequence[Case], mistakes: Sequence[Mistake], contents: FunctionContents | None = None
) -> Explanation | None:
    known = known_mistake("d" + name, cases, mistakes, contents)
    return known or width_from_the_data(name, cases, contents) or explain(name, cases, (), contents)


def no_answer(
    name: str, problem: Problem, answer: Answer, cases: Sequence[Case], contents: FunctionContents | None = None
) -> Verdict:
    """The verdict on a step that gave no value on `problem`: it raised an error, hung or is missing."""
    message, explanation = answer.message or None, None
    if answer.outcome == "todo":
        left = still_unwritten(contents)
        return Verdict("todo", message=left.message if left else None, mistake=left, line=answer.line)
    width = attempt(lambda: width_from_the_data(name, cases, contents)) if answer.outcome == "raised" else None
    if width is not None:
        message = f"With {problem.draw.describe()}: {answer.message}. {width.message}"
        return Verdict("error", message=message, mistake=Explanation(width.id, message), line=answer.line)
    if answer.outcome == "raised":
        explanation = attempt(lambda: explain_error(name, problem, answer, contents))
        advice = reads_grad(name, contents) if explanation is not None and explanation.id == "none_for_tensor" else None
        if advice is not None:
            explanation = Explanation("reads_grad", advice)
        if explanation is not None:
            about = " ".join((explanation.message, *about_operands(problem, answer, explanation.id, contents)))
            explanation = Explanation(explanation.id, f"{answer.message.rstrip('.')}. {about}")
            message = explanation.message
    right = [other.draw for other, given in cases if given.outcome == "returned"]
    if message and right:
        message = f"With {problem.draw.describe()}: {message}"
        failing = [other.draw for other, given in cases if given.outcome != "returned"]
        if special := smallest_sizes(failing, right, "runs"):
            message = message.rstrip(".") + (" " if message.endswith("?") else ". ") + special
    return Verdict(STATUS_OF[answer.outcome], message=message, mistake=explanation, line=answer.line)


def compare_answer(name: str, problem: Problem, answer: Answer) -> TensorComparison:
    assert answer.tensor is not None
    reference, scale, low = problem.reference(name), problem.scale(name), answer.low_precision
    if not is_float32(answer.tensor, low):
        return compare(answer.tensor, reference, scale, low, problem.size(name))
    return compare(answer.tensor, reference, scale, low, problem.size(name), problem.low_precision_tolerance)


def worst_error(comparisons: Sequence[TensorComparison]) -> float | None:
    errors = [c.relative_error for c in comparisons]
    known = [error for error in errors if error is not None]
    return max(known) if len(known) == len(errors) and known else None
