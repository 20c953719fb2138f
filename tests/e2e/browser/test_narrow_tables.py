"""The reports of lessons 03, 15 and 16, whose graphs and tables must fit a telephone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made_results as made
import pytest
from playwright import sync_api as playwright
from windows import Window, serious

from grader.gradebook.grading.graded import GradedSubmission
from grader.lesson.lesson import Course, Lesson
from grader.publish.report.pages import Reporter

OUT_OF_PLACE = """() => Array.from(document.querySelectorAll("svg.graph .node .box")).filter((box) =>
    box.getBoundingClientRect().left < 0 || box.getBoundingClientRect().right > innerWidth
).length"""
"""How many boxes are outside the window."""


def rows_of(lesson: Lesson) -> list[Any]:
    """One row each of the lesson: right ones, a wrong one, and some that are not written yet."""
    states = ["passed", "passed", "failed", *["todo"] * len(lesson.items)]
    return [made.row(item.name, state) for item, state in zip(lesson.items, states, strict=False)]


def made_report(course: Course) -> str:
    lessons = [course.find(number) for number in ("03", "15", "16")]
    found = made.results("ada", *(made.lesson(lesson.name, *rows_of(lesson)) for lesson in lessons))
    return Reporter(lessons).student_page(GradedSubmission(found))


@pytest.fixture(scope="module")
def window(browser: playwright.Browser, course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    path: Path = tmp_path_factory.mktemp("narrow") / "report.html"
    path.write_text(made_report(course), encoding="utf-8")
    context = browser.new_context()
    yield Window(context, path)
    context.close()


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_a_loop_is_one_box_in_a_graph_that_fits(window: Window, width: int, scheme: str) -> None:
    tab = window.emulate(width, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate(OUT_OF_PLACE) == 0
    assert serious(tab) == []
    assert tab.locator('a.node[href="#16_through_time-dWh"]').count() == 1
    assert window.requests == [] and window.errors == []


def test_no_table_is_wider_than_a_narrow_page(window: Window) -> None:
    tab = window.emulate(360, "light")
    assert tab.locator("table.rows").count() == 3  # of lessons 03, 15 and 16
    wide = """() => Array.from(document.querySelectorAll("table, .scroll:has(> table)"))
        .filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth)
        .map((one) => one.className)"""
    assert tab.evaluate(wide) == []
    shown = tab.evaluate("""() => Array.from(document.querySelectorAll("table.rows tbody tr"), (row) =>
        Array.from(row.cells).filter((one) => one.offsetParent).slice(1).map((one) => one.dataset.label).join())""")
    assert "your line,your chain,exact,approximate,maxdiff,ulps,points" in shown  # a gradient of the right shape
    assert "your line,your chain,points" in shown  # one that was not written has no figures
    row = tab.get_by_role("row").filter(has=tab.get_by_role("rowheader", name="dlogprobs", exact=True)).first
    assert row.get_by_role("cell").first.get_attribute("data-label") == "your line"
    assert tab.get_by_role("columnheader", name="maxdiff").count() == 3
