"""The live page of `dojo open` in a real browser: saves, what is unfolded, a lost connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kits import file_of, make_kit, solved
from support import GUARD_SECONDS
from windows import serious

from grader.dojo.desk import Desk
from grader.dojo.file import read_own
from grader.dojo.report import LiveServer
from grader.dojo.session import Event
from grader.sandbox.isolation.probe import Isolation

NONE = Isolation("none", (), ())


class LiveTab:
    """The page in a tab; `foreign` are requests that went elsewhere, `errors` what its console complained of."""

    def __init__(self, browser: Any, address: str) -> None:
        self.tab = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        self.tab.set_default_timeout(1000 * GUARD_SECONDS)
        self.foreign: list[str] = []
        self.errors: list[str] = []
        self.tab.on("request", lambda sent: None if sent.url.startswith((address, "data:")) else self.note(sent.url))
        self.tab.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.goto(address)

    def note(self, url: str) -> None:
        self.foreign.append(url)

    def wait(self, part: str, text: str) -> None:
        """Wait until an element has `text` in it."""
        self.tab.wait_for_function(
            "([part, text]) => (document.querySelector(part)?.textContent ?? '').includes(text)", arg=[part, text]
        )


@pytest.mark.full
def test_an_evening_on_the_live_page(browser: Any, tmp_path: Path) -> None:
    kit = make_kit(tmp_path)
    desk = Desk(kit, print)
    lesson = desk.course.find("03")
    right = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv")

    def event_for(text: str) -> Event:
        file_of(kit).write_text(text)
        return Event("checked", lesson, checked=desk.check(lesson, read_own(lesson)))

    with LiveServer(NONE) as server:
        page = LiveTab(browser, server.address)
        page.wait("h1", "Nothing is checked yet")
        server.tell(event_for(right.replace("return dlogprobs / probs", "return -dlogprobs / probs")))
        page.wait("main", "The sign is flipped")
        for width, scheme in ((360, "light"), (1280, "dark"), (360, "dark"), (1280, "light")):
            page.tab.set_viewport_size({"width": width, "height": 900})
            page.tab.emulate_media(color_scheme=scheme)
            assert serious(page.tab) == []
            assert page.tab.evaluate("document.documentElement.scrollWidth") <= width

        # what is unfolded stays open, and the place on the page stays
        page.tab.locator("details > summary", has_text="Hint for").first.click()
        server.tell(Event("running", lesson, "checking: dprobs is running"))
        page.wait("#state", "checking: dprobs is running")
        wrong = right.replace("return dlogprobs / probs", "return -2 * dlogprobs / probs")
        page.tab.evaluate("document.querySelector('article.step').scrollIntoView()")
        before = page.tab.evaluate("document.querySelector('article.step').getBoundingClientRect().top")
        server.tell(event_for(wrong))
        page.wait("main", "-2 * dlogprobs")
        assert page.tab.locator("details[open]").count() == 1
        after = page.tab.evaluate("document.querySelector('article.step').getBoundingClientRect().top")
        assert abs(after - before) < 2
        server.tell(event_for(right + "def f(:\n"))
        page.wait("main", "SyntaxError")
        server.tell(event_for(right))
        page.wait("main", "dcounts_sum")
        page.wait("header.top", "3")
        assert page.foreign == [] and page.errors == []
    page.wait("#state", "Connection lost")
    page.tab.context.close()
    desk.close()
