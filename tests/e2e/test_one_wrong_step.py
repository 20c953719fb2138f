"""One wrong step turns one row red: its own. What comes of it further down is said by `chain` and `because_of`."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from support import ROOT, sampled, solution_of

from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Course

GRADIENTS = [item.name for item in Course(ROOT).find("03").gradients]

WRONG = """

_right_{step} = {step}


def {step}({parameters}):
    result = _right_{step}({parameters}).clone()
    result.view(-1)[0] += 1.0
    return result
"""


def parameters_of(function: Any) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


@pytest.fixture(scope="module")
def solution(lesson) -> dict[str, Any]:
    """The solution's functions, run in this process: the chain once more, by hand."""
    return vars(load_module(lesson.solution / "backward.py", "solution_of_03_for_the_chain"))


def chain_by_hand(lesson: Any, solution: dict[str, Any], wrong: str | None) -> dict[str, torch.Tensor]:
    """Every gradient, each function fed what those above it returned; one of them adds 1 to its first element."""
    values = dict(lesson.public_chain.values) | {"dloss": torch.ones((), dtype=torch.float64)}
    for step in GRADIENTS:
        gradient = solution[step](*(values[name] for name in parameters_of(solution[step])))
        if step == wrong:
            gradient = gradient.clone(memory_format=torch.contiguous_format)
            gradient.view(-1)[0] += 1.0
        values[step] = gradient
    return {step: values[step] for step in GRADIENTS}


def spoiled(lesson: Any, solution: dict[str, Any], wrong: str) -> set[str]:
    """The gradients of that chain which are not autograd's."""
    found = set()
    for step, gradient in chain_by_hand(lesson, solution, wrong).items():
        expected = lesson.public_chain.chain[step[1:]]
        size = max(float(expected.norm()), 1e-3 * lesson.public_chain.scale(step[1:]))
        if float((gradient - expected).norm()) > 1e-6 * size:
            found.add(step)
    return found


def test_the_chain_by_hand_is_autograd_s_where_nothing_is_wrong(lesson, solution):
    assert spoiled(lesson, solution, "nothing") == set()


@sampled("step", GRADIENTS, keep=1)
def test_one_wrong_step(grade, lesson, solution, step):
    source = solution_of(lesson) + WRONG.format(step=step, parameters=", ".join(parameters_of(solution[step])))
    rows = grade("03", source)
    assert [name for name, row in rows.items() if row["status"] != "passed"] == [step]
    assert rows[step]["status"] == "failed" and rows[step]["points"] == 0
    assert all(row["points"] == row["max_points"] for name, row in rows.items() if name != step)

    below = {name for name in rows if step[1:] in lesson.public_chain.graph.above(name[1:])}
    expected = spoiled(lesson, solution, step)
    assert step in expected and expected <= below | {step}
    for name, row in rows.items():
        because_of = [step] if name in expected - {step} else []
        assert (row["chain"], row["because_of"]) == ("failed" if name in expected else "passed", because_of), name


def test_what_is_below_most_of_them():
    """So that the test above is about something: a wrong dlogits spoils nearly all that follows it."""
    course = Course(ROOT)
    lesson = course.find("03")
    functions = vars(load_module(lesson.solution / "backward.py", "solution_of_03_for_the_count"))
    below_dlogits = spoiled(lesson, functions, "dlogits")
    assert {"dh", "dW2", "db2", "dhpreact", "dC", "dW1"} <= below_dlogits
    assert "db1" not in below_dlogits  # batch norm takes out whatever a bias adds, also of a wrong gradient
    assert "dlogprobs" not in below_dlogits


def test_two_wrong_steps_are_named_nearest_first(grade, lesson, solution):
    source = solution_of(lesson)
    for step in ("dlogprobs", "dlogits"):
        source += WRONG.format(step=step, parameters=", ".join(parameters_of(solution[step])))
    rows = grade("03", source)
    assert [name for name, row in rows.items() if row["status"] != "passed"] == ["dlogprobs", "dlogits"]
    assert rows["dh"]["because_of"] == ["dlogits", "dlogprobs"]
    assert rows["dprobs"]["because_of"] == ["dlogprobs"]


def test_a_step_without_a_gradient_leaves_those_below_out_of_the_chain(grade, lesson):
    for body, status, chain in [
        ("raise NotImplementedError", "todo", "skipped"),
        ("1 / 0", "error", "failed"),
        ("return None", "shape", "failed"),
    ]:
        rows = grade("03", solution_of(lesson) + f"\n\ndef dh(dlogits):\n    {body}\n")
        assert [name for name, row in rows.items() if row["status"] != "passed"] == ["dh"]
        assert (rows["dh"]["status"], rows["dh"]["chain"]) == (status, chain)
        below = [name for name in rows if "h" in lesson.public_chain.graph.above(name[1:])]
        assert "dC" in below and "dW2" not in below
        for name, row in rows.items():
            if name != "dh":
                expected = ("skipped", ["dh"]) if name in below else ("passed", [])
                assert (row["chain"], row["because_of"]) == expected, name


def test_a_changed_argument_is_named(grade, lesson):
    body = "def dhprebn(dbndiff, dbnmeani, n):\n    mine = dbndiff\n    mine += dbnmeani / n\n    return mine\n"
    row = grade("03", solution_of(lesson) + "\n\n" + body)["dhprebn"]
    assert (row["status"], row["mistake"]["id"]) == ("failed", "changed_argument")
    assert row["message"] == row["mistake"]["message"] and "`dbndiff`" in row["message"]
