"""The reports of lessons 03, 15 and 16: what a loop repeats is folded, and unfolds by keyboard, at any width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made_results as made
import pytest
from playwright import sync_api as playwright
from support import sampled
from windows import Window, serious

from grader.gradebook.grading.graded import GradedSubmission
from grader.lesson.lesson import Course, Lesson
from grader.publish.report.pages import Reporter

OUT_OF_PLACE = """() => Array.from(document.querySelectorAll("svg.graph")).filter((one) => one.checkVisibility())
    .flatMap((svg) => Array.from(svg.querySelectorAll(".node"))).filter((node) => {
        const box = node.querySelector(".box").getBoundingClientRect();
        return box.left < 0 || box.right > innerWidth || Array.from(node.querySelectorAll(".name, .shape")).some(
            (text) => {
                const own = text.getBoundingClientRect();
                return own.right > box.right || own.left < box.left || own.height < 9;
            });
    }).map((node) => node.textContent.trim())"""
"""Boxes outside the window, and texts that are outside their box or too small to read."""


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
    path: Path = tmp_path_factory.mktemp("repeats") / "report.html"
    path.write_text(made_report(course), encoding="utf-8")
    context = browser.new_context()
    yield Window(context, path)
    context.close()


@pytest.mark.full
@sampled(("width", "scheme"), [(360, "light"), (1280, "dark")], keep=1)
def test_repeated_blocks_and_time_steps_unfold_by_keyboard(window: Window, width: int, scheme: str) -> None:
    tab = window.emulate(width, scheme)
    sections = tab.locator("details.repeats")
    assert sections.count() == 2  # the blocks of the GPT, the steps of the recurrent network
    for section, times, last in ((sections.nth(0), 3, "x[3]"), (sections.nth(1), 6, "h[6]")):
        assert not section.locator("svg").first.is_visible()
        section.locator("summary").focus()
        tab.keyboard.press("Enter")
        drawings = section.locator("svg.graph")
        assert drawings.count() == times and drawings.last.is_visible()
        assert drawings.last.locator(".name").all_text_contents()[-1] == last
        assert drawings.last.get_attribute("aria-label") == f"Repetition {times} of {times}"
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate(OUT_OF_PLACE) == []
    assert serious(tab) == []
    weight = sections.nth(1).locator('a.node[href="#16_through_time-dWh"]')
    assert weight.count() == 6 and weight.first.get_attribute("aria-label").startswith("dWh: ")
    for section in sections.all():
        section.locator("summary").focus()
        tab.keyboard.press("Enter")
        assert not section.locator("svg").first.is_visible()
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


@pytest.mark.full
def test_an_unfolded_graph_is_printed_whole(window: Window) -> None:
    tab = window.emulate(680, "light")
    tab.locator("details.repeats summary").last.click()
    tab.emulate_media(media="print")
    last = tab.locator("details.repeats svg.graph").last
    assert last.is_visible() and last.bounding_box()["width"] <= 680
    assert not tab.locator("details.repeats").first.is_visible()
    tab.emulate_media(media="screen")
    tab.locator("details.repeats summary").last.click()
