"""`grade new-lesson` writes lessons that are in order from the first moment, and nothing where something is."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner
from support import ROOT

from grader.authoring.lesson_review import unwritten_places
from grader.authoring.verify import verify_lesson
from grader.commands.grade import main
from grader.lesson.lesson import Course


def invoke(course, *arguments: str):
    return CliRunner().invoke(main, ["new-lesson", *arguments, "--course", str(course)])


@pytest.mark.full
def test_a_new_lesson_passes_verify_but_for_its_readme(tmp_path, warm_zygotes):
    for number, kind in (("11", []), ("12", ["--functions"])):
        result = invoke(tmp_path, f"{number}_layer_norm", *kind)
        assert result.exit_code == 0, result.output
        lesson = Course(tmp_path).find(number)
        assert lesson.title == "Layer norm"
        report = verify_lesson(lesson, seed=1)
        assert report.problems == list(unwritten_places(lesson)) and len(report.problems) == 1
        assert "1 variant, 2 known mistakes" in report.summary


def test_a_name_that_does_not_do_is_one_sentence(tmp_path):
    assert invoke(tmp_path, "11_layer_norm").exit_code == 0
    assert Course(tmp_path).find("11").title == "Layer norm"
    before = sorted(tmp_path.rglob("*"))
    for name, sentence in (
        ("layer_norm", "'layer_norm' is no lesson's name: expected two digits and words, such as 11_layer_norm."),
        ("../11_x", "is no lesson's name"),
        ("11_layer_norm", "11_layer_norm has the number 11. Choose another number and name."),
        ("11_other", "11_layer_norm has the number 11. Choose another number and name."),
    ):
        result = invoke(tmp_path, name)
        assert result.exit_code == 2
        assert sentence in result.stderr and len(result.stderr.splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert "does not exist" in invoke(tmp_path / "nowhere", "11_layer_norm").stderr


def test_the_documents_name_new_lessons_that_this_course_does_not_have():
    """A command of a document can be typed as it is: `grade new-lesson` refuses a number that is in use."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "grader" / "commands").glob("*.py")]
    named = [name for page in pages for name in re.findall(r"grade new-lesson (\d\d_\w+)", page.read_text("utf-8"))]
    taken = {path.name[:2] for path in (ROOT / "exercises").glob("*_*")}
    assert len(named) >= 4 and [name for name in named if name[:2] in taken] == []
