"""Right work gets its points or a line in intake.csv, however it is packed: the corpus in tests/helpers/packaged.py.

pytest tests/unit/intake/submissions/test_packaging.py
"""

from __future__ import annotations

import html
from typing import Any

import pytest
from packaged import CASES, GRADED, lay_out_class
from support import sampled

from grader.intake.submissions.finding import find
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
