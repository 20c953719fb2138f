"""Right work gets its points or a line in intake.csv, however it is packed: the corpus in tests/helpers/packaged.py.

pytest tests/unit/intake/submissions/test_packaging.py
"""

from __future__ import annotations

import ast
import html
from typing import Any

import pytest
from packaged import CASES, GRADED, lay_out_class, notebook, right
from support import sampled

from grader.intake.submissions.finding import find
from grader.lesson.lesson import Lesson
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult


@pytest.fixture(scope="session")
def graded_corpus(course, session_for, tmp_path_factory) -> dict[str, Any]:
    """The whole corpus, graded as one class: {"results": {case: result}, "questions": ..., "page": index.html}."""
    folder = lay_out_class(tmp_path_factory.mktemp("packaging") / "class")
    found = find([folder], [course.find(number) for number in GRADED], list(course.lessons.values()))
    results = [session_for(*GRADED).grade(submission).results for submission in found]
    page = Reporter([*course.lessons.values()]).class_page(results)
    return {"results": {each.student: each for each in results}, "questions": found.questions, "page": page}


@sampled("name", CASES, keep=8)
def test_a_case(graded_corpus: dict[str, Any], name: str) -> None:
    case = CASES[name]
    result: SubmissionResult = graded_corpus["results"][name]
    scores = {each.name[:2]: (each.score, each.max_score) for each in result.lessons}
    assert {number: score for number, (score, _) in scores.items()} == {
        number: scores[number][1] if number in case.full else 0 for number in GRADED
    }
    assert tuple(remark.kind for remark in result.intake or ()) == case.kinds
    assert all(remark.message in (result.message or "") for remark in result.intake or ())
    assert bool(graded_corpus["questions"][name]) == case.is_question
    assert case.full or case.why, "a score of 0 has a reason"
    if case.why:
        lines = [line for line in graded_corpus["page"].splitlines() if f">{html.escape(name)}</a>" in line]
        assert any("has 0" in line and case.why in line for line in lines), lines


def test_the_functions_of_several_lessons_in_one_notebook(course, tmp_path):
    """`dlogits` of lesson 02, 03 or 04 is told by its parameters, as in a Python file, wherever its cell is."""
    cells = ("05", "02", "04", "03")
    file = tmp_path / "class" / "ann" / "hw.ipynb"
    file.parent.mkdir(parents=True)
    file.write_bytes(notebook(*map(right, cells)))
    lessons = [course.find(number) for number in sorted(cells)]
    found = find([tmp_path / "class"], lessons, list(course.lessons.values()))
    (ann,) = found
    assert [remark.kind for remark in ann.remarks] == ["recognised"] * len(cells) and not found.questions["ann"]
    for lesson in lessons:
        text = ann.lessons[lesson.name].files["backward.py"]
        assert parameters_in(text, lesson) == parameters_in(right(lesson.number), lesson)


def parameters_in(text: str | bytes, lesson: Lesson) -> dict[str, list[str]]:
    """{function of the lesson: its parameters}."""
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return {each.name: [arg.arg for arg in each.args.args] for each in functions if each.name in lesson.functions}
