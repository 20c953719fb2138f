"""`grade verify` proves a course, so it has to fail for a course that is not in order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support import ROOT

from grader.authoring.verify import sheets, tally_seeds, verify_lesson
from grader.lesson.lesson import Course, Lesson, LessonError
from grader.lesson.mistakes import Mistake, mistake

MISTAKES = '''"""Two known mistakes."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake


@mistake("The loss is a mean.")
def dlogits__no_one_over_n(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    gradient[range(n), Yb] -= 1
    return gradient


@mistake("Every logit is pushed down and none up.")
def dlogits__no_minus_one(logits, n):
    return F.softmax(logits, 1) / n
'''


@pytest.fixture
def own(tmp_path, warm_zygotes) -> Lesson:
    """Lesson 04 with one variant and two mistakes, to be spoiled."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / "04_cross_entropy", tmp_path / part / "04_cross_entropy")
    lesson = Course(tmp_path).find("04")
    for path in sorted((lesson.solution / "variants").glob("*.py"))[1:]:
        path.unlink()
    (lesson.solution / "mistakes.py").write_text(MISTAKES, encoding="utf-8")
    return lesson


def problems(lesson: Lesson) -> list[str]:
    return verify_lesson(lesson, seed=1).problems


def replace(path: Path, old: str, new: str) -> None:
    source = path.read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new), encoding="utf-8")


def test_a_course_in_order(own):
    report = verify_lesson(own, seed=1)
    assert report.problems == []
    assert report.summary == (
        "solution 3 of 3 (0 of 1 gradients bit-exact, not dlogits), stub 0, 1 variants, 2 known mistakes, "
        "1 public examples"
    )


def test_an_example_that_refuses_what_is_right(own):
    replace(own.exercise / "examples.py", "if not dlogits.passes(far):", "if dlogits.passes(far):")
    assert problems(own)[0] == (
        "examples.py: test_in_one_go refuses what is right, solution: it is failed: The first example's true class "
        "has a probability of exactly 0: your `dlogits` has a wrong value there."
    )


def test_a_wrong_solution(own):
    replace(own.solution / "backward.py", "return gradient / n", "return gradient / (n + 1)")
    found = problems(own)
    assert found[0].startswith("solution: dlogits is failed, chain failed: ")
    assert any(problem.startswith("solution: in_one_go is failed") for problem in found)


def test_a_stub_that_gets_points(own):
    replace(
        own.solution / "backward.py",
        "    # <answer>\n",
        "    if n:\n        return right(logits, Yb, n)\n    # <answer>\n",
    )
    replace(
        own.solution / "backward.py",
        "import torch.nn.functional as F\n",
        "import torch.nn.functional as F\n\n\ndef right(logits, Yb, n):\n"
        "    return (F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n\n",
    )
    assert "stub: dlogits is passed with 2 points" in problems(own)


def test_a_wrong_variant(own):
    (own.solution / "variants" / "careless.py").write_text("def dlogits(logits): return logits\n", encoding="utf-8")
    assert any(problem.startswith("variant careless: dlogits is failed: ") for problem in problems(own))


def test_a_mistake_that_is_none(own):
    replace(own.solution / "mistakes.py", "    return gradient\n", "    return gradient / n\n")
    assert problems(own) == ["mistake dlogits__no_one_over_n passed"]


def test_a_mistake_that_is_told_as_another(own):
    replace(
        own.solution / "mistakes.py",
        "return F.softmax(logits, 1) / n",
        "return dlogits__no_one_over_n_again(logits, n)",
    )
    replace(
        own.solution / "mistakes.py",
        '@mistake("Every logit is',
        "def dlogits__no_one_over_n_again(logits, n):\n    return 2 * F.softmax(logits, 1)\n\n\n"
        '@mistake("The same.")\ndef dlogits__twice(logits, Yb, n):\n    gradient = F.softmax(logits, 1)\n'
        '    gradient[range(n), Yb] -= 1\n    return gradient\n\n\n@mistake("Every logit is',
    )
    assert "mistake dlogits__twice was told as dlogits: no_one_over_n" in problems(own)


def test_seeds_find_a_wrong_variant_and_a_mistake_that_is_none(own):
    (own.solution / "variants" / "careless.py").write_text("def dlogits(logits): return logits\n", encoding="utf-8")
    replace(own.solution / "mistakes.py", "    return gradient\n", "    return gradient / n\n")
    tally = tally_seeds(own.course, own.name, range(5, 7))
    assert tally.judged == 2 * (3 * 2 + 2)  # three files with two rows each, two mistakes
    assert tally.rejected == [
        f"seed {seed}: careless's {row} was rejected" for seed in (5, 6) for row in ("dlogits", "in_one_go")
    ]
    assert tally.accepted == [f"seed {seed}: dlogits__no_one_over_n was accepted" for seed in (5, 6)]


def test_mistakes_are_dealt_onto_as_few_submissions_as_possible():
    def of(gradient: str, identifier: str) -> Mistake:
        return Mistake(gradient, identifier, "", lambda: None)

    a1, a2, a3, b1, b2 = of("a", "1"), of("a", "2"), of("a", "3"), of("b", "1"), of("b", "2")
    assert list(sheets((a1, a2, a3, b1, b2))) == [{"a": a1, "b": b1}, {"a": a2, "b": b2}, {"a": a3}]


def test_draws_of_a_suite(lessons):
    assert len(lessons["04_cross_entropy"].draws) >= 3


# Declaring mistakes --------------------------------------------------------------------------------------------------


def test_a_mistake_is_named_after_its_gradient():
    @mistake("One\n   two.")
    def dW2__transposed(dlogits, h):
        return dlogits.T @ h

    assert (dW2__transposed.gradient, dW2__transposed.id) == ("dW2", "transposed")
    assert dW2__transposed.message == "One two."
    assert dW2__transposed.source() == "def dW2(dlogits, h):\n    return dlogits.T @ h"


@pytest.mark.parametrize("name", ["dW2_transposed", "dW2__", "__transposed", "dW2"])
def test_another_name_is_refused(name):
    def function():
        return None

    function.__name__ = name
    with pytest.raises(ValueError) as caught:
        mistake("Text.")(function)
    assert str(caught.value) == (f"`{name}`: name a mistake `gradient__what_is_wrong`, for example `dW2__transposed`.")


# A course that cannot be read ----------------------------------------------------------------------------------------


def test_a_folder_without_lessons(tmp_path):
    with pytest.raises(LessonError) as caught:
        Course(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} holds no lessons: expected exercises/NN_name/lesson.toml. Give the course's folder with --course."
    )


def test_settings_that_are_no_toml(own):
    (own.exercise / "lesson.toml").write_text("title = \n", encoding="utf-8")
    with pytest.raises(LessonError, match=r"lesson\.toml cannot be read: Invalid value"):
        Course(own.course)


def test_a_forward_pass_that_is_missing_or_does_not_run(own):
    (own.exercise / "forward.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(LessonError, match=r"forward\.py does not run: ZeroDivisionError: division by zero"):
        _ = Course(own.course).find("04").module
    (own.exercise / "forward.py").unlink()
    with pytest.raises(LessonError, match=r"forward\.py is missing: every lesson needs one"):
        _ = Course(own.course).find("04").module


def test_one_hidden_suite(own):
    (own.solution / "test_more.py").write_text("", encoding="utf-8")
    with pytest.raises(LessonError, match=r"must hold exactly one hidden suite test_\*\.py; found 2"):
        _ = own.suite


def test_a_lesson_s_digest_changes_with_its_files(own):
    before = own.digest
    assert Course(own.course).find("04").digest == before
    replace(own.solution / "mistakes.py", "The loss is a mean.", "The loss is a mean!")
    assert Course(own.course).find("04").digest != before


# What an author is told before anything is graded --------------------------------------------------------------------


def test_an_edit_of_a_gradient_is_named(own):
    path = own.solution / "mistakes.py"
    edit = (
        'half = edit("dlogits__halved", "It is half of it.", old="return gradient / n", new="return gradient / n / 2")'
    )
    path.write_text(path.read_text().replace("import mistake", "import edit, mistake") + f"\n\n{edit}\n")
    assert problems(own) == []


SLIPS = {
    "two hints": ("exercises", "lesson.toml", "hints = [", 'hints = ["a"]\nwith = [', "has 1 hints; expected 3"),
    "a gradient of nothing": (
        "exercises",
        "lesson.toml",
        "[gradients.dlogits]",
        "[gradients.dlogit]",
        "lesson.toml asks for dlogit, but forward.py names no value `logit`.",
    ),
    "a row without a test": (
        "solutions",
        "test_cross_entropy.py",
        "def test_in_one_go",
        "def test_in_two_goes",
        "no test_in_one_go(check) for the row [checks.in_one_go]",
    ),
    "a size that is none": (
        "solutions",
        "test_cross_entropy.py",
        '"batch": 5, ',
        '"bacth": 5, ',
        "unexpected keyword argument 'bacth'",
    ),
    "a mistake of nobody's": (
        "solutions",
        "mistakes.py",
        "def dlogits__no_minus_one",
        "def dlogit__no_minus_one",
        "dlogit__no_minus_one: lesson.toml asks for no function `dlogit`.",
    ),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_of_the_author_s_is_a_sentence(own, name):
    part, file, old, new, told = SLIPS[name]
    path = own.course / part / own.name / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    found = problems(Lesson(own.course, own.name))
    assert any(told in problem for problem in found), found


def test_what_is_seldom_meant_is_a_remark(own):
    report = verify_lesson(own, seed=1)
    assert report.problems == [] and report.remarks == ["1 variants; 5 or more show that other styles pass."]


def test_a_wrong_answer_key_is_told_alone(own):
    replace(own.solution / "backward.py", "return gradient / n", "return gradient")
    found = problems(own)
    assert found and all(problem.startswith("solution: ") for problem in found)
