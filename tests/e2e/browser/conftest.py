"""Pages in headless Chromium. Where there is no browser these tests are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import made
import pytest
from playwright import sync_api as playwright
from windows import NO_BROWSER, Window, find_browser, running

from grader.authoring.release.website import course_page, website_at
from grader.gradebook.grading.session import Session
from grader.lesson.lesson import Course
from grader.publish.report.pages import Reporter


@pytest.fixture(scope="package")
def browser() -> Iterator[playwright.Browser]:
    path = find_browser()
    if path is None:
        pytest.skip(NO_BROWSER)
    with running(path) as browser:
        yield browser


@pytest.fixture(scope="package")
def pages(
    course: Course, session_for: Callable[..., Session], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """{what it is: the page's file}, each made once."""
    folder = tmp_path_factory.mktemp("pages")
    lessons = [course.find(number) for number in ("03", "04")]
    texts = {
        "report": made.report(session_for(*made.LESSONS)),
        "graphs": made.graphs([course.find(number) for number in ("03", "15", "16", "18")]),
        "course": course_page(lessons, None, website_at("https://github.com/ada/course/tree/main")).decode(),
        "class": Reporter(lessons).class_page(made.everyone(lessons, 130)),
    }
    paths = {name: folder / f"{name}.html" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text, encoding="utf-8")
    return paths


@pytest.fixture(scope="package")
def windows(browser: playwright.Browser, pages: dict[str, Path]) -> Iterator[Callable[[str], Window]]:
    """windows(name): the page's tab, opened when it is first asked for."""
    context = browser.new_context()
    opened: dict[str, Window] = {}

    def window(name: str) -> Window:
        if name not in opened:
            opened[name] = Window(context, pages[name].as_uri())
        return opened[name]

    yield window
    context.close()


@pytest.fixture
def window(windows: Callable[[str], Window], name: str) -> Window:
    """The tab of the page `name`, which a test is parametrized with."""
    return windows(name)
