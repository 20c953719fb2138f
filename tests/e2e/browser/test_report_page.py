"""The report in use: from a box of the graph to its row and its explanation, hints, pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def tab(windows: Callable[[str], Any]) -> Any:
    tab = windows("report").emulate(1280, "light")
    tab.evaluate("location.hash = ''; document.activeElement.blur()")
    tab.mouse.move(2, 2)
    return tab


def box(tab: Any, gradient: str) -> Any:
    return tab.locator(f'a.node[href="#03_makemore_steps-{gradient}"]')


def test_enter_on_a_box_leads_to_its_row(tab: Any) -> None:
    box(tab, "dprobs").focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("location.hash") == "#03_makemore_steps-dprobs"
    row = tab.locator("tr:target")
    assert row.locator("th").inner_text() == "dprobs" and "wrong value" in row.inner_text()
    assert row.bounding_box()["y"] < 900
    tab.keyboard.press("Tab")  # the focus went along
    tab.keyboard.press("Enter")
    assert tab.evaluate("location.hash") == "#why-03_makemore_steps-dprobs"
    assert "start here" in tab.locator("article:target").inner_text()


def test_hints_open_one_by_one_with_the_keyboard(tab: Any) -> None:
    card = tab.locator("#why-03_makemore_steps-dprobs")
    hints = card.locator("summary")
    assert [hint.is_visible() for hint in hints.all()] == [True, False, False]
    hints.first.focus()
    tab.keyboard.press("Enter")
    assert [hint.is_visible() for hint in hints.all()] == [True, True, False]
    tab.keyboard.press("Enter")


def test_every_picture_has_its_words(tab: Any) -> None:
    pictures = tab.get_by_role("img").all()
    names = [picture.get_attribute("aria-label") for picture in pictures]
    assert all(names)
    starts = ["Heat map of the error of dq", "Heat map of the error of dprobs", "Heat map of the error of dlogits"]
    starts += ["Forces of example ", "Your dlogits as a picture", "Heat map of the error of dW2"]
    assert [[name for name in names if name.startswith(start)] != [] for start in starts] == [True] * len(starts)
