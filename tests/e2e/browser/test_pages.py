"""Every page, at two widths and in both colour schemes: accessible, quiet, by keyboard, inside its window, on paper."""

from __future__ import annotations

from typing import Any

import pytest
from support import sampled
from windows import serious

PAGES = ("report", "graphs", "class", "course")
EACH = pytest.mark.parametrize("name", PAGES)

FOCUSABLE = """() => Array.from(document.querySelectorAll("a[href], button, input, select, summary, [tabindex]"))
    .filter((one) => one.checkVisibility({ visibilityProperty: true })).length"""
"""How many places a keyboard must reach."""

NEXT = """() => {
    const one = document.activeElement;
    if (one === document.body) return null;
    const box = one.getBoundingClientRect();
    const seen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
    window.__order = window.__order ?? new Map();
    if (window.__order.has(one)) return null;
    window.__order.set(one, true);
    return [one.outerHTML.slice(0, 80), seen];
}"""
"""[what has the focus, whether it can be seen], null when it has been there before."""


@EACH
@sampled(
    ("width", "scheme"),
    [
        (360, "light"),
        pytest.param(1280, "dark", marks=pytest.mark.full),
        pytest.param(360, "dark", marks=pytest.mark.slow),
        pytest.param(1280, "light", marks=pytest.mark.slow),
    ],
    keep=1,
)
def test_no_serious_finding_of_axe(window: Any, width: int, scheme: str) -> None:
    assert serious(window.emulate(width, scheme)) == []


@pytest.mark.full
def test_axe_finds_what_is_wrong(browser: Any) -> None:
    tab = browser.new_page()
    tab.set_content("<html lang=en><title>t</title><main><p style='color:#aaa'>pale</p><input></main>")
    assert {found.partition(":")[0] for found in serious(tab)} == {"color-contrast", "label"}
    tab.close()


@pytest.mark.full
@EACH
@sampled("width", [360, 768, 1280], keep=2)
def test_the_page_does_not_scroll_sideways(window: Any, width: int) -> None:
    tab = window.emulate(width, "light")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.full
@EACH
def test_tab_reaches_every_link_and_can_be_seen_there(window: Any) -> None:
    tab = window.emulate(1280, "light")
    tab.goto(tab.url.partition("#")[0])
    tab.reload()  # from the top, as somebody who opens it
    reached = []
    for _ in range(tab.evaluate(FOCUSABLE) + 5):
        tab.keyboard.press("Tab")
        found = tab.evaluate(NEXT)
        if found is None:
            break
        reached.append(found)
    assert len(reached) == tab.evaluate(FOCUSABLE)
    assert [what for what, seen in reached if not seen] == []


@EACH
def test_nothing_is_cut_off_on_paper(window: Any) -> None:
    tab = window.emulate(1280, "dark")
    tab.emulate_media(media="print", color_scheme="light")
    tab.set_viewport_size({"width": 680, "height": 960})  # A4 between its margins
    wide = """() => Array.from(document.querySelectorAll("main *")).filter((one) => one.checkVisibility()
        && one.getBoundingClientRect().right > 690 && !one.closest("svg, .hide"))
        .map((one) => one.outerHTML.slice(0, 90))"""
    assert tab.evaluate(wide) == []
    assert len(tab.pdf()) > 10_000


@EACH
def test_no_request_leaves_the_file_and_the_console_is_silent(window: Any) -> None:
    window.emulate(1280, "light")
    assert window.requests == [] and window.errors == []
