"""The assignments in exercises/assignments: they fit the lessons, the documents, and docs/assignments.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lecture_notebooks import NOTEBOOKS
from support import ROOT

from grader.gradebook.assignment.config import parse_assignment, read_assignment
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course

FOLDER = ROOT / "exercises" / "assignments"
FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))
PAGE = (ROOT / "docs" / "assignments.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def course():
    return Course(ROOT)


def rows_of(name, course):
    found = read_assignment(FOLDER / f"{name}.toml", list(course.lessons.values())).rows
    return {f"{lesson[:2]}.{row}" for lesson, rows in found.items() for row in rows}


@pytest.mark.parametrize("name", FILES)
def test_each_fits_the_lessons_and_keeps_their_points(name, course):
    assignment = read_assignment(FOLDER / f"{name}.toml", list(course.lessons.values()))
    assert assignment.rows
    for lesson, rows in assignment.rows.items():
        usual = {item.name: item.points for item in course.lessons[lesson].items}
        assert rows == {row: usual[row] for row in rows}


def test_the_whole_course_is_every_row(course):
    assert rows_of("whole_course", course) == {
        f"{lesson.number}.{item.name}" for lesson in course.lessons.values() for item in lesson.items
    }


def test_the_lecture_s_notebook_is_everything_that_it_can_contain(course):
    read = read_submission(Arrival("ada", NOTEBOOKS / "colab_as_in_the_lecture.ipynb"), list(course.lessons.values()))
    parts = {name: part.origin for name, part in read.lessons.items() if part.origin is not None and not part.nothing}
    counted = {
        f"{name[:2]}.{item.name}"
        for name, origin in parts.items()
        for item in course.lessons[name].items
        if item.name not in origin.uncounted
    }
    assert rows_of("lecture_notebook", course) == counted


@pytest.mark.parametrize("name", FILES)
def test_the_page_names_each(name):
    assert f"exercises/assignments/{name}.toml" in PAGE


def test_the_page_s_examples_are_read(course):
    examples = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(examples) >= 3
    for text in examples:
        parse_assignment(text, Path("example.toml"), list(course.lessons.values()))
