"""The report in use: from a box of the graph to its row and its explanation, what a box shows, hints, pictures."""

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


def shown(tab: Any) -> list[str]:
    """The lines that the graph shows about a box now."""
    return tab.locator(".tip text:visible").all_text_contents()


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


def test_a_click_on_a_box_leads_to_its_row(tab: Any) -> None:
    box(tab, "dh").click()
    assert tab.evaluate("location.hash") == "#03_makemore_steps-dh"


def test_the_focus_shows_shapes_and_figures_until_escape(tab: Any) -> None:
    assert shown(tab) == []
    box(tab, "dhpreact").focus()
    tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("Tab")  # as a keyboard does it: a focus from a script shows nothing
    assert shown(tab) == [
        "dhpreact: wrong shape",
        "shape (32, 64)",
        "your shape (64, 32)",
        "your chain: not run",
    ]
    tab.keyboard.press("Escape")
    assert shown(tab) == []
    tab.keyboard.press("Tab")
    assert shown(tab) != []


def test_the_pointer_shows_the_same(tab: Any) -> None:
    box(tab, "dcounts").hover()
    assert shown(tab) == [
        "dcounts: right, chain red",
        "shape (32, 27)",
        "maxdiff 0, 0 ulps",
        "your chain: red",
        "because of dcounts_sum_inv",
    ]
    tab.keyboard.press("Escape")
    assert shown(tab) == []


def test_a_box_says_to_a_screen_reader_what_it_shows(tab: Any) -> None:
    message = box(tab, "dprobs").get_attribute("aria-label")
    assert message.startswith("dprobs: wrong value, shape (32, 27), maxdiff ") and message.endswith(", start here")


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
    starts += [
        "Forces of example ",
        "Your dlogits as a picture",
        "Heat map of the error of dW2",
        "losses over 100 steps",
    ]
    assert [[name for name in names if name.startswith(start)] != [] for start in starts] == [True] * len(starts)


@pytest.mark.parametrize("width", [360, 1280])
def test_no_text_of_the_graph_leaves_its_box(windows: Callable[[str], Any], width: int) -> None:
    tab = windows("report").emulate(width, "light")
    out = """() => Array.from(document.querySelectorAll(".node")).filter((node) => {
        const box = node.querySelector(".box").getBoundingClientRect();
        return Array.from(node.querySelectorAll(".name, .shape")).some((text) => {
            const own = text.getBoundingClientRect();
            return own.right > box.right || own.left < box.left || own.bottom > box.bottom;
        });
    }).map((node) => node.textContent.trim())"""
    assert tab.evaluate(out) == []
