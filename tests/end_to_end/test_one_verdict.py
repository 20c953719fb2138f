"""`dojo check` and `grade run` give one file one verdict; what a forward.py says to be drawn is drawn for both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support import sampled

from bench.one_verdict import FILES, candidates, differences
from grader.errors import LessonError
from grader.lesson.config import PublicSettings, public_draws
from grader.lesson.course_modules import forward_of
from grader.lesson.toml_tables import Table
from grader.reference.problem import Draw


@sampled("number", ["02", "04"], keep=1)
def test_a_file_has_the_same_verdict_at_home_and_when_it_is_graded(course, number):
    compared, found = differences(course.find(number), [7])
    assert compared > 20 and found == []


@pytest.mark.slow
def test_the_same_in_every_lesson(course):
    for lesson in course.lessons.values():
        if lesson.gradients:
            assert differences(lesson, [7, 8])[1] == [], lesson.name


def test_files_that_leave_a_width_to_the_data_are_among_them(course):
    names = {candidate.name for candidate in candidates(course.find("03"))}
    written = {path.stem for path in FILES.glob("*.py") if "lesson: 03" in path.read_text(encoding="utf-8")}
    assert len(written) >= 5 and written <= names


def test_a_change_of_forward_py_is_drawn_for_the_public_and_by_the_hidden_suite(course):
    for number in ("01", "02", "03", "04", "06", "07"):
        lesson = course.find(number)
        for draws in (lesson.public_draws, lesson.draws):
            changes = [draw.change.__name__ for draw in draws if draw.change is not None]
            assert "without_the_last" in changes, lesson.name
        notes = [{draw.note for draw in draws if draw.note} for draws in (lesson.public_draws, lesson.draws)]
        assert notes[0] == notes[1], lesson.name


def test_the_last_class_never_occurs_where_forward_py_says_so(course):
    lesson = course.find("03")
    draw = next(d for d in lesson.public_draws if d.change is not None and not d.note)
    for seed in range(20):
        values = lesson.problem(draw, seed).values
        classes = values["logits"].shape[1]
        assert int(values["Yb"].max()) < classes - 1 and int(values["Xb"].max()) < classes - 1
        assert int(values["logits"].argmax(1).max()) < classes - 1


@pytest.mark.parametrize("draws", [{"batch": 5}, [5], [{"batch": "5"}], [{"batch": 5, "change": 3}]])
def test_public_draws_that_are_none_are_refused(tmp_path, draws):
    path = tmp_path / "lesson.toml"
    with pytest.raises(LessonError, match="list of tables of numbers"):
        public_draws(Table(path, {"draws": draws}))


def test_a_change_that_forward_py_lacks_is_named(course):
    lesson = type(course.find("04"))(course.root, course.find("04").name)
    draw = replace(lesson.config.public.draws[0], change="no_such")
    lesson.config = replace(lesson.config, public=PublicSettings((draw,)))
    with pytest.raises(LessonError, match=r"forward\.py has no `no_such`"):
        _ = lesson.public_draws


def test_forward_of_finds_the_forward_pass_beside_a_suite(course):
    lesson = course.find("04")
    assert isinstance(lesson.public_draws[0], Draw)
    assert forward_of(str(lesson.suite)).without_the_last.__doc__ == "The last class never occurs."
