"""The assignments in exercises/assignments: they fit the lessons, the documents, and docs/assignments.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lecture_notebooks import NOTEBOOKS
from support import ROOT

from grader.gradebook.assignment.config import parse_assignment, read_assignment
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course

FOLDER = ROOT / "exercises" / "assignments"
FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))
DOCUMENTS = [name for name in FILES if name[0].isdigit()]
SECTIONS = re.split(r"^## ", (ROOT / "docs" / "curriculum.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
PAGE = (ROOT / "docs" / "assignments.md").read_text(encoding="utf-8")
RELATED = {
    "1_day_13_notebook": {"01.dleft", "01.dright"},
    "3_chapter_4": {"06.demb", "06.dC"},
    "4_annotated_notes": {"02.dh"},
    "5_article": {"01.dright", "02.dW2", "02.db2", "06.db"},
}
"""Rows that the curriculum names next to a document's own: the same formula in another lesson."""


@pytest.fixture(scope="module")
def course():
    return Course(ROOT)


def rows_of(name, course):
    found = read_assignment(FOLDER / f"{name}.toml", list(course.lessons.values())).rows
    return {f"{lesson[:2]}.{row}" for lesson, rows in found.items() for row in rows}


@pytest.mark.parametrize("name", FILES)
def test_each_fits_the_lessons_and_keeps_their_points(name, course):
    assignment = read_assignment(FOLDER / f"{name}.toml", list(course.lessons.values()))
    for lesson, rows in assignment.rows.items():
        usual = {item.name: item.points for item in course.lessons[lesson].items}
        assert rows == {row: usual[row] for row in rows}


def test_the_whole_course_is_every_row(course):
    assert rows_of("whole_course", course) == {
        f"{lesson.number}.{item.name}" for lesson in course.lessons.values() for item in lesson.items
    }


def test_the_lecture_s_notebook_is_everything_that_it_can_contain(course):
    read = read_submission(NOTEBOOKS / "colab_as_in_the_lecture.ipynb", "ada", list(course.lessons.values()))
    parts = {name: part.origin for name, part in read.lessons.items() if part.origin is not None and not part.nothing}
    counted = {
        f"{name[:2]}.{item.name}"
        for name, origin in parts.items()
        for item in course.lessons[name].items
        if item.name not in origin.uncounted
    }
    assert rows_of("lecture_notebook", course) == counted


def test_every_document_has_an_assignment():
    titles = [section for section in SECTIONS if re.match(r"\d\. ", section)]
    assert [name[0] for name in DOCUMENTS] == [title[0] for title in titles]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_s_assignment_has_its_rows_and_no_others(name, course):
    section = SECTIONS[int(name[0])]
    assert section.startswith(f"{name[0]}. ")
    named = set(re.findall(r"`(\d\d\.\w+)`", section))
    whole = {number for each in re.findall(r"[Ll]essons? (\d\d(?:, \d\d)*)", section) for number in each.split(", ")}
    rows = rows_of(name, course)
    assert named - rows == RELATED.get(name, set())
    assert {row for row in rows - named if row[:2] not in whole} == set()


@pytest.mark.parametrize("name", FILES)
def test_the_page_names_each(name):
    assert f"exercises/assignments/{name}.toml" in PAGE


def test_the_page_s_examples_are_read(course):
    examples = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(examples) >= 3
    for text in examples:
        parse_assignment(text, Path("example.toml"), list(course.lessons.values()))
