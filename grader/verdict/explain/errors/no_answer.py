"""A gradient without a value: what the error means that its function raised, and on which problems it runs."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.results import NamedMistake
from grader.verdict.explain.attempts import attempt
from grader.verdict.explain.errors.raised import explain_error
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents
from grader.verdict.explain.readings.widths import width_from_the_data
from grader.verdict.judge.line import Verdict
from grader.verdict.judge.messages import smallest_sizes


def explain_no_answer(name: str, verdict: Verdict, contents: FunctionContents | None) -> None:
    """Explain why d`name` has no value: its verdict gets a message, and a mistake where one is known."""
    problem, answer = next(case for case in verdict.cases if case[1].outcome != "returned")
    if answer.outcome == "todo":
        name_mistake(verdict, still_unwritten(contents))
        return
    message = verdict.message or ""
    if answer.outcome == "raised":
        width = attempt(lambda: width_from_the_data(name, verdict.cases, contents))
        if width is not None:
            text = f"With {problem.draw.describe()}: {answer.message}. {width.message}"
            name_mistake(verdict, Explanation(width.id, text))
            return
        explanation = attempt(lambda: explain_error(name, problem, answer, contents))
        if explanation is not None and explanation.id == "none_for_tensor" and (advice := reads_grad(name, contents)):
            explanation = Explanation("reads_grad", advice)
        if explanation is not None:
            about = " ".join((explanation.message, *about_operands(problem, answer, explanation.id, contents)))
            message = f"{answer.message.rstrip('.')}. {about}"
            name_mistake(verdict, Explanation(explanation.id, message))
    right = [other.draw for other, given in verdict.cases if given.outcome == "returned"]
    if message and right:
        verdict.message = f"With {problem.draw.describe()}: {message}"
        failing = [other.draw for other, given in verdict.cases if given.outcome != "returned"]
        if special := smallest_sizes(failing, right, "runs"):
            verdict.message = verdict.message.rstrip(".") + (" " if message.endswith("?") else ". ") + special


def name_mistake(verdict: Verdict, found: Explanation | None) -> None:
    if found is not None:
        verdict.mistake, verdict.message = NamedMistake(found.id, found.message), found.message


def about_operands(problem: Problem, answer: Answer, meaning: str, contents: FunctionContents | None) -> Iterator[str]:
    """What the code does with its arguments that often makes shapes differ: `.T` of three axes, labels as values."""
    if contents is None or meaning != "shapes_do_not_fit" or not problem.random_upstream:
        return  # a function of many lines reads tensors that the line in question has nothing to do with
    used = {each: problem.given[each] for each in sorted(answer.uses) if each in problem.given}
    used |= {f"d{each}": problem.upstream[each] for each in sorted(problem.upstream) if f"d{each}" in answer.uses}
    if "T" in contents["calls"] and any(isinstance(each, torch.Tensor) and each.ndim > 2 for each in used.values()):
        yield "`.T` reverses all axes of a tensor that has more than two; `.transpose(-2, -1)` swaps the last two."
    for each, value in used.items():
        if each in contents["operands"] and isinstance(value, torch.Tensor) and value.dtype == torch.int64:
            yield f"You calculate with `{each}`, which holds whole numbers that are indices: is it meant as a value?"


def reads_grad(name: str, contents: FunctionContents | None) -> str | None:
    """Advice for a function that reads autograd's `.grad`; None for any other."""
    if contents is None or "grad" not in contents["calls"]:
        return None
    return (
        f"Your `d{name}` reads `.grad`, which is None here: autograd has not run. Compute the gradient from the "
        "upstream gradient and the forward values."
    )


def still_unwritten(contents: FunctionContents | None) -> Explanation | None:
    """Why a function that has code counts as not written yet; None for an ordinary stub."""
    if contents is None or not contents["raise_left"]:
        return None
    return Explanation("raise_left", "The function has code, and `raise NotImplementedError` still ends it.")
