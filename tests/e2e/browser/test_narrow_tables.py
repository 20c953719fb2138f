"""The reports of lessons 03, 15, 16 and 18, whose graphs and tables must fit a telephone and a desktop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

OUT_OF_PLACE = """() => Array.from(document.querySelectorAll("svg.graph .node .box")).filter((box) =>
    box.getBoundingClientRect().left < 0 || box.getBoundingClientRect().right > innerWidth
).length"""
"""How many boxes are outside the window."""


@pytest.fixture
def tab(windows: Callable[[str], Any]) -> Any:
    return windows("graphs").emulate(360, "light")


@pytest.mark.full
def test_a_loop_is_one_box_in_a_graph_that_fits(tab: Any) -> None:
    assert tab.evaluate(OUT_OF_PLACE) == 0
    assert tab.locator('a.node[href="#16_through_time-dWh"]').count() == 1


def test_no_table_is_wider_than_a_narrow_page(tab: Any) -> None:
    assert tab.locator("table.rows").count() == 4  # of lessons 03, 15, 16 and 18
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
    tab.set_viewport_size({"width": 1280, "height": 900})  # where the table of lesson 18 has no graph at its side
    assert all(table.bounding_box()["width"] > 400 for table in tab.locator("table.rows").all())
