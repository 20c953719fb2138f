"""The live page of `dojo watch --open` in a real browser: saves, what is unfolded, a lost connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kits import file_of, make_kit, solved
from support import GUARD_SECONDS
from windows import serious

from grader.dojo.desk import Desk
from grader.dojo.file import read_own
from grader.dojo.live import ADDRESS_FILE, LiveServer
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

    with LiveServer(kit, NONE) as server:
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
        address = server.address
    page.wait("#state", "Connection lost")
    with LiveServer(kit, NONE) as server:
        assert server.address == address
        server.tell(event_for(wrong))
        page.wait("main", "-2 * dlogprobs")
    page.tab.context.close()
    desk.close()


def test_the_address_is_for_the_student_alone(tmp_path: Path) -> None:
    first = LiveServer(tmp_path, NONE)
    assert first.server_address[0] == "127.0.0.1" and (tmp_path / ADDRESS_FILE).stat().st_mode & 0o777 == 0o600
    second = LiveServer(tmp_path, NONE)  # the port is taken: another one, with the same token
    assert second.token == first.token and second.server_address != first.server_address
    (tmp_path / ADDRESS_FILE).chmod(0o644)
    third = LiveServer(tmp_path, NONE)
    assert third.token != first.token and len(third.token) == 22
    for each in (first, second, third):
        each.server_close()
