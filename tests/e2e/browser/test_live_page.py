"""The live page of `dojo open` in a real browser: saves, what is unfolded, a lost connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kits import file_of, make_kit, solved
from support import GUARD_SECONDS
from windows import Window, serious

from grader.dojo.desk import Desk
from grader.dojo.report import LiveServer
from grader.dojo.session import CheckSession, Event
from grader.dojo.work import Work


@pytest.mark.full
def test_an_evening_on_the_live_page(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = make_kit(tmp_path)
    work = Work(Desk(kit, print))
    lesson = work.desk.course.find("03")
    right = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv")

    def event_for(text: str) -> Event:
        file_of(kit).write_text(text)
        return Event("checked", lesson, checked=work.check(lesson))

    with LiveServer(CheckSession(work)) as server:
        page = Window(browser.new_context(viewport={"width": 1280, "height": 900}), server.address)
        page.tab.set_default_timeout(1000 * GUARD_SECONDS)

        def wait(part: str, text: str) -> None:
            """Wait until an element has `text` in it."""
            shown = "([part, text]) => (document.querySelector(part)?.textContent ?? '').includes(text)"
            page.tab.wait_for_function(shown, arg=[part, text])

        wait("h1", "Nothing is checked yet")
        server.tell(event_for(right.replace("return dlogprobs / probs", "return -dlogprobs / probs")))
        wait("main", "The sign is flipped")
        for width, scheme in ((360, "light"), (1280, "dark"), (360, "dark"), (1280, "light")):
            assert serious(page.emulate(width, scheme)) == []
            assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
        # what is unfolded stays open, and the place on the page stays
        page.tab.locator("details > summary", has_text="Hint for").first.click()
        monkeypatch.setattr(CheckSession, "running", "checking: dprobs is running")
        wait("#state", "checking: dprobs is running")
        wrong = right.replace("return dlogprobs / probs", "return -2 * dlogprobs / probs")
        page.tab.evaluate("document.querySelector('article.step').scrollIntoView()")
        before = page.tab.evaluate("document.querySelector('article.step').getBoundingClientRect().top")
        monkeypatch.setattr(CheckSession, "running", "")
        server.tell(event_for(wrong))
        wait("main", "-2 * dlogprobs")
        assert page.tab.locator("details[open]").count() == 1
        after = page.tab.evaluate("document.querySelector('article.step').getBoundingClientRect().top")
        assert abs(after - before) < 2
        server.tell(event_for(right + "def f(:\n"))
        wait("main", "SyntaxError")
        server.tell(event_for(right))
        wait("main", "dcounts_sum")
        wait("header.top", "3")
        assert page.requests == [] and page.errors == []
    wait("#state", "Connection lost")
    page.tab.context.close()
    work.desk.close()
