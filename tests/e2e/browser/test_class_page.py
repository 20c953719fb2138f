"""The class page in use: sorted and searched by keyboard, and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def tab(windows: Callable[[str], Any]) -> Iterator[Any]:
    tab = windows("class").emulate(1280, "light")
    tab.reload()
    yield tab


def column(tab: Any, number: int, table: str = "#students") -> list[str]:
    return tab.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()


@pytest.mark.full
def test_a_hundred_rows_at_first_and_more_on_demand(tab: Any) -> None:
    assert len(column(tab, 1)) == 100
    assert tab.locator("#shown").inner_text() == "130 students, 100 shown"
    tab.get_by_role("button", name="Show more").press("Enter")
    assert len(column(tab, 1)) == 130 and not tab.locator("#more").is_visible()


@pytest.mark.full
def test_sorting_by_keyboard(tab: Any) -> None:
    head = tab.get_by_role("columnheader", name="points")
    head.get_by_role("button").press("Enter")
    points = [int(text) for text in column(tab, 2)]
    assert points == sorted(points, reverse=True) and head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").press("Enter")
    points = [int(text) for text in column(tab, 2)]
    assert points == sorted(points) and head.get_attribute("aria-sort") == "ascending"
    tab.get_by_role("columnheader", name="student").get_by_role("button").press("Enter")
    assert column(tab, 1)[0].endswith(" 00000")


@pytest.mark.full
def test_what_was_not_submitted_is_less_than_zero_points(tab: Any) -> None:
    tab.locator("#students thead th:nth-child(4) button").press("Enter")
    tab.get_by_role("button", name="Show more").click()
    points = column(tab, 4)
    assert "–" in points and points == [
        *sorted(filter("–".__ne__, points), key=int, reverse=True),
        *["–"] * points.count("–"),
    ]


@pytest.mark.full
def test_searching(tab: Any) -> None:
    tab.get_by_label("Search").fill("sato ZOË")
    rows = tab.locator("#students tbody tr").all_inner_texts()
    assert 0 < len(rows) < 15 and all("Sato" in row and "Zoë" in row for row in rows)
    assert tab.locator("#shown").inner_text() == f"{len(rows)} of 130 match"
    tab.get_by_label("Search").press("Escape")
    assert len(column(tab, 1)) == 100
    tab.get_by_label("Search").fill("rejected")
    assert [name[-5:] for name in column(tab, 1)] == ["00005", "00102"] and set(column(tab, 6)) == {"rejected"}


def test_escape_closes_a_list_of_names(tab: Any) -> None:
    names = tab.locator(".who details").first
    names.locator("summary").press("Enter")
    names.locator("a").first.focus()
    tab.keyboard.press("Escape")
    assert names.get_attribute("open") is None
    assert tab.evaluate("document.activeElement.textContent").endswith("students")


def test_the_other_tables_are_sorted_as_well(tab: Any) -> None:
    tab.get_by_role("columnheader", name="to do").first.get_by_role("button").press("Enter")
    found = [float(text.removesuffix(" %")) for text in column(tab, 6, "section > .scroll .hard")]
    assert found == sorted(found, reverse=True) and len(found) > 3


@pytest.mark.full
def test_without_javascript_it_is_a_plain_table(browser: Any, pages: dict[str, Path]) -> None:
    tab = browser.new_context(java_script_enabled=False).new_page()
    tab.goto(pages["class"].as_uri())
    assert tab.locator("#students tbody tr:visible").count() == 130
    assert not tab.locator("#tools").is_visible()
    tab.context.close()
