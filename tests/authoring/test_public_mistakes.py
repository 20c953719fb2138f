"""Mistakes that an author marks as public: students have their formulas and messages, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from dojos import judge  # noqa: F401  (a fixture)

from grader.authoring.lesson_review import faults_of
from grader.authoring.release.kit import kit_of
from grader.authoring.release.leaks import leaks, lesson_leaks, secrets_of
from grader.authoring.scaffold import write_lesson
from grader.commands.grade import main
from grader.dojo.file import read_own
from grader.lesson.lesson import Course, LessonError
from grader.lesson.mistakes import PUBLIC_MISTAKES_FILE, edit, mistake, mistake_list

MESSAGE = "This is the gradient of a sum, but the loss is divided by n. How much does one score move it?"
WRONG = "\n\ndef dscores(scores):\n    return 2 * scores\n\n\ndef dw(dscores, x):\n    return -(x.T @ dscores)\n"


@pytest.fixture
def place(tmp_path) -> Path:
    """A new course whose first mistake is public."""
    write_lesson(tmp_path, "11_other", "Other", "steps")
    rewrite(tmp_path / "solutions/11_other/mistakes.py", "no_one_over_n:", "public no_one_over_n:")
    rewrite(tmp_path / "exercises/11_other/README.md", "TODO", "Words")
    return tmp_path


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.full
def test_the_kit_contains_the_public_mistake_alone(place):
    course = Course(place)
    kit = kit_of(list(course.lessons.values()))
    text = kit[f"exercises/11_other/{PUBLIC_MISTAKES_FILE}"].decode()
    assert MESSAGE in text and "def dscores__no_one_over_n(scores):\n    return 2 * scores" in text
    assert "opposite sign" not in text and "dw" not in text
    assert leaks(kit, secrets_of(course)) == []


def test_the_other_mistakes_are_still_secret(place):
    course = Course(place)
    secrets = secrets_of(course)
    other = course.find("11").mistakes[1]
    assert other.id == "sign" and not other.public
    assert leaks({"told.md": f"Beware: {other.message}\n".encode()}, secrets)
    assert leaks({"notes.md": b"    dw = -x.T @ dscores\n"}, secrets)
    assert leaks({"told.md": f"Beware: {MESSAGE}\n".encode()}, secrets) == []


def test_an_answer_in_a_public_formula_is_a_leak(place):
    """The wrong formula of one gradient may be the answer of another one."""
    answer = "(x.T @ dscores) * 0.5 + dscores @ x / 2"
    rewrite(place / "solutions/11_other/backward.py", "return x.T @ dscores", f"return {answer}")
    rewrite(place / "solutions/11_other/mistakes.py", "n: 2 * scores", f"n: {answer}")
    course = Course(place)
    (found,) = lesson_leaks(course, ["11_other"])
    assert any(PUBLIC_MISTAKES_FILE in sentence and "`dw`" in sentence for sentence in found)


@pytest.mark.full
def test_grade_stubs_writes_the_file_and_dojo_names_the_mistake(place, judge):  # noqa: F811
    assert CliRunner().invoke(main, ["stubs", "--check", "--course", str(place)]).exit_code == 1
    assert CliRunner().invoke(main, ["stubs", "--course", str(place)]).exit_code == 0
    assert CliRunner().invoke(main, ["stubs", "--check", "--course", str(place)]).exit_code == 0
    lesson = Course(place, secrets=False).find("11")
    assert [each.name for each in lesson.mistakes] == ["dscores__no_one_over_n"]
    shutil.rmtree(place / "solutions")
    (lesson.exercise / "backward.py").write_text(WRONG)
    rows = {row.name: row for row in judge.judge(lesson, read_own(lesson)).rows}
    assert rows["dscores"].mistake is not None and rows["dscores"].mistake.message == MESSAGE
    assert rows["dw"].mistake is None or rows["dw"].mistake.id != "sign" or "uphill" not in rows["dw"].mistake.message


def test_a_mistake_that_is_public_no_more_leaves_the_file(place):
    CliRunner().invoke(main, ["stubs", "--course", str(place)])
    rewrite(place / "solutions/11_other/mistakes.py", "public no_one_over_n:", "no_one_over_n:")
    assert CliRunner().invoke(main, ["stubs", "--course", str(place)]).exit_code == 0
    assert MESSAGE not in (place / "exercises/11_other" / PUBLIC_MISTAKES_FILE).read_text()
    assert Course(place, secrets=False).find("11").mistakes == ()
    assert f"exercises/11_other/{PUBLIC_MISTAKES_FILE}" not in kit_of(list(Course(place).lessons.values()))


def test_only_a_formula_that_stands_alone_can_be_public(place):
    path = place / "solutions/11_other/mistakes.py"
    rewrite(path, "MISTAKES =", "HALF = 0.5\n\nMISTAKES =")
    rewrite(path, "n: 2 * scores", "n: HALF * scores")
    with pytest.raises(LessonError, match="dscores__no_one_over_n cannot be public: it reads `HALF` of this file"):
        list(faults_of(Course(place).find("11")))


def test_a_function_that_is_no_gradient_cannot_have_a_public_mistake(tmp_path):
    write_lesson(tmp_path, "11_other", "Other", "functions")
    rewrite(tmp_path / "solutions/11_other/mistakes.py", "below:", "public below:")
    with pytest.raises(LessonError, match="share_above__below cannot be public: only a formula of one gradient"):
        list(faults_of(Course(tmp_path).find("11")))


def test_declarations():
    first, second = mistake_list("[dx]\npublic one: x\n    Words.\ntwo: 2 * x\n    Words.\n")
    assert (first.id, first.public, second.public) == ("one", True, False)
    (named_public,) = mistake_list("[dx]\npublic: x\n    Words.\n")
    assert (named_public.id, named_public.public) == ("public", False)
    assert mistake("Words.", public=True)(lambda_named("dx__a")).public
    assert not edit("dx__b", "Words.", "a", "b").public
    with pytest.raises(ValueError, match="dx__one: an edit contains text of the answer key, so it cannot be public"):
        mistake_list("[dx]\n- x + 1\npublic one: x\n    Words.\n")


def lambda_named(name: str):
    def function(x):
        return x

    function.__name__ = name
    return function
