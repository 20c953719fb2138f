"""docs/curriculum.md: the rows, links and tests it names exist; its numbers of parameters are the lessons' own."""

from __future__ import annotations

import inspect
import re

import pytest
from support import ROOT, solution_of

from grader.lesson.lesson import Course

TEXT = (ROOT / "docs" / "curriculum.md").read_text(encoding="utf-8")
LESSONS = Course(ROOT).lessons
NAMED = sorted(set(re.findall(r"`(\d\d)\.(\w+)`", TEXT)))


@pytest.mark.parametrize(("number", "row"), NAMED, ids=".".join)
def test_each_row_it_names_exists(number, row):
    lesson = next(lesson for lesson in LESSONS.values() if lesson.number == number)
    assert row in {item.name for item in lesson.items}


def test_it_names_every_lesson_and_each_gradient_of_lesson_03():
    assert {number for number, _ in NAMED} == {lesson.number for lesson in LESSONS.values()}
    steps = {item.name for item in LESSONS["03_makemore_steps"].items}
    assert steps == {row for number, row in NAMED if number == "03"}


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", TEXT))))
def test_each_test_it_names_exists(name):
    files = set(re.findall(r"`(tests/[\w/]+\.py)`", TEXT))
    assert any(f"def {name}(" in (ROOT / file).read_text(encoding="utf-8") for file in files)


def test_links_lead_somewhere():
    links = re.findall(r"\]\((\.\./[^)#]+)\)", TEXT)
    assert len(links) >= 10
    for link in links:
        assert (ROOT / "docs" / link).is_file(), link


@pytest.mark.parametrize(
    ("name", "expected"), [("03_makemore_steps", 4137), ("06_embedding_net", 4137), ("07_training", 12297)]
)
def test_parameter_counts(name, expected):
    problem = LESSONS[name].public
    parameters = [n for n in problem.graph.inputs if n in problem.graph.names]
    assert sum(problem.values[n].numel() for n in parameters) == expected
    assert f"{expected:,}" in TEXT


def test_what_lesson_03_says_about_rounding():
    """In the whole chain two gradients are zero but for rounding; the README gives their size, to one digit."""
    lesson = LESSONS["03_makemore_steps"]
    answers: dict[str, object] = {}
    exec(solution_of(lesson), answers)
    values = dict(lesson.public.values)
    for item in lesson.gradients:
        function = answers[item.name]
        values[item.name] = function(*(values[name] for name in inspect.signature(function).parameters))
    largest = {name: values[name].abs().max().item() for name in ("dlogit_maxes", "db1", "dlogits")}
    assert 1e-9 < largest["dlogit_maxes"] < 2e-8 and 5e-10 < largest["db1"] < 1e-8
    assert round(largest["dlogits"], 2) == 0.03
    readme = (lesson.exercise / "README.md").read_text(encoding="utf-8")
    assert "their largest elements are 6e-9 and 2e-9, and the largest element of `dlogits` is 0.03" in readme
