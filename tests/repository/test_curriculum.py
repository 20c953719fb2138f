"""docs/curriculum.md: the rows, questions and lessons that it names exist; figures of READMEs are the lessons' own."""

from __future__ import annotations

import inspect
import re

import pytest
from support import ROOT, solution_of

from grader.lesson.lesson import Course
from grader.questions.question import questions_of

TEXT = (ROOT / "docs" / "curriculum.md").read_text(encoding="utf-8")
LESSONS = Course(ROOT).lessons
NAMED = set(re.findall(r"`(\d\d)\.(\w+)`", TEXT))
ASKED = set(re.findall(r"`(\d\d)\.q:(\w+)`", TEXT))


def test_each_row_and_question_that_it_names_exists():
    rows = {(lesson.number, item.name) for lesson in LESSONS.values() for item in lesson.items}
    questions = {(lesson.number, name) for lesson in LESSONS.values() for name in questions_of(lesson)}
    assert NAMED and NAMED - rows == set()
    assert ASKED and ASKED - questions == set()


def test_its_map_has_each_lesson_and_what_it_builds_on_comes_before_it():
    lines = re.findall(r"^\| \[(\d\d) .*\]\(\.\./exercises/(\w+)/README\.md\) \| .* \| (.*) \|$", TEXT, re.MULTILINE)
    assert [name for _, name, _ in lines] == list(LESSONS)
    for number, name, needed in lines:
        assert name.startswith(number)
        assert all(each < number for each in re.findall(r"\d\d", needed)), name


@pytest.mark.parametrize(
    ("name", "expected"), [("03_makemore_steps", 4137), ("06_embedding_net", 4137), ("07_training", 12297)]
)
def test_parameter_counts(name, expected):
    problem = LESSONS[name].public
    parameters = [n for n in problem.graph.inputs if n in problem.graph.names]
    assert sum(problem.values[n].numel() for n in parameters) == expected
    assert f"{expected:,}" in (LESSONS[name].exercise / "README.md").read_text(encoding="utf-8")


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
    assert 2e-9 < largest["dlogit_maxes"] < 2e-8 and 1e-9 < largest["db1"] < 1e-8  # other processors round otherwise
    assert round(largest["dlogits"], 2) == 0.03
    readme = (lesson.exercise / "README.md").read_text(encoding="utf-8")
    assert "their largest elements are 7e-9 and 4e-9, and the largest element of `dlogits` is 0.03" in readme


@pytest.mark.parametrize(
    ("name", "gradient", "smallest", "largest"),
    [("04_cross_entropy", "dlogits", 5e-10, 1e-8), ("05_batch_norm", "dhprebn", 5e-8, 2e-6)],
)
def test_maxdiff_of_the_single_expressions(name, gradient, smallest, largest, grade):
    """Not exact, and so near: 2e-9 and 4e-7, by how the processor rounds a little more or less."""
    row = grade(name[:2], solution_of(LESSONS[name]))[gradient]
    assert row["exact"] is False
    assert smallest < row["maxdiff"] < largest
