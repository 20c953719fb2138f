"""Scenarios of a check: what identifies a draw, which differences count, and the sentence for the first of them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from support import ROOT

from grader.calling.target import ModuleTarget
from grader.comparison.trees import agreement
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Course
from grader.reference.runner import LocalStudent
from grader.verdict.judge import checks
from grader.verdict.judge.checks import (
    Assertion,
    Check,
    CheckFailed,
    draw_identity,
)
from grader.verdict.judge.problems import ProblemBook


def change(inputs):
    inputs["x"] = 0


def test_a_draw_with_a_function_is_the_same_text_in_every_process():
    assert draw_identity({"size": 3, "change": change}) == "[('change', 'change'), ('size', 3)]"
    assert draw_identity({"change": change, "size": 3}) == draw_identity({"size": 3, "change": change})


def test_the_key_of_a_draw_tells_assertions_and_places_apart():
    draws = ({"size": 3}, {"size": 3})
    first, second = (Assertion(change, draws, None, 1e-9, number) for number in (0, 1))
    assert len({first.key(0), first.key(1), second.key(0), second.key(1)}) == 4


def test_parts_of_the_wrong_shape_come_first():
    found = {"a": torch.zeros(2), "b": torch.zeros(3), "c": 1}
    expected = {"a": torch.ones(2), "b": torch.zeros(4), "c": 1}
    assert agreement(found, expected).differing_parts == {"b"}
    assert agreement(found | {"b": torch.zeros(4)}, expected).differing_parts == {"a"}


@pytest.mark.parametrize(
    "sizes, end", [([3], ""), ([2, 3], " It is right on 1 of 2 problems; the first wrong one has size 3.")]
)
def test_the_sentence_names_the_draw_only_where_others_are_right(sizes, end):
    lesson, target = Course(ROOT).find("05"), ModuleTarget(SimpleNamespace(f=lambda n: 2))
    check = Check(lesson, lesson.checks[0], LocalStudent({}, []), target, ProblemBook(1))
    with pytest.raises(CheckFailed) as failed:
        check.agrees(
            lambda on, generator, size: on.call("f", size),
            [{"size": size} for size in sizes],
            reference=SimpleNamespace(f=lambda n: n),
        )
    assert str(failed.value) == f"The result is 2; expected 3.{end}"


@pytest.mark.parametrize("lose_digits, message", [(False, ""), (True, "In float32 the errors of your `O` are ")])
def test_one_draw_on_which_the_straightforward_form_is_very_exact_rejects_no_right_answer(lose_digits, message):
    """On seed 30831 the errors of this right answer's `dQ` are 3.12 times those of the straightforward form."""
    lesson, book = Course(ROOT).find("19"), ProblemBook(30831)
    item = next(item for item in lesson.checks if item.name == "precision")
    right = load_module(lesson.solution / "variants" / "padded.py", "padded")

    def flash_forward(*given):
        return [(each * 2**10).half().float() / 2**10 if lose_digits else each for each in right.flash_forward(*given)]

    functions = SimpleNamespace(flash_forward=flash_forward, flash_backward=right.flash_backward)
    check = Check(lesson, item, LocalStudent(vars(functions), [], None), ModuleTarget(functions), book, False)
    failed = checks.run_check(checks.tests_of(load_module(lesson.suite, "suite"))["precision"], check)
    assert (failed is not None) == lose_digits and str(failed or "").startswith(message)
