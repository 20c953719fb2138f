"""The live page of `dojo watch --open` in a real browser: saves, a syntax error, a loop, keys, a lost connection."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from kits import file_of, make_kit, solved
from support import GUARD_SECONDS
from windows import serious

from bench.watch_terminal import START_SECONDS, WatchTerminal
from grader.dojo.desk import Desk
from grader.dojo.file import read_own
from grader.dojo.live.access import ADDRESS_FILE, open_address
from grader.dojo.live.server import LiveServer
from grader.dojo.view import View
from grader.lesson.lesson import Course
from grader.sandbox.isolation.probe import Isolation

RIGHT = ("dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum", "dcounts", "dh", "dW2")


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

    def wait(self, part: str, text: str) -> str:
        """The text of an element, once it has `text` in it."""
        self.tab.wait_for_function(
            "([part, text]) => (document.querySelector(part)?.textContent ?? '').includes(text)", arg=[part, text]
        )
        found = self.tab.locator(part).first.text_content()
        return " ".join(found.split())


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    place = make_kit(tmp_path / "kit")
    file_of(place).write_text(solved("03", *RIGHT))
    return place


def walk_through_the_page(terminal: WatchTerminal, page: LiveTab, kit: Path) -> None:
    tab, right = page.tab, file_of(kit).read_text()
    assert page.wait("#top", "7 of 26 right").startswith("03 The makemore network, step by step exercises/03")
    assert page.wait("#state", "Checked at").startswith("dnorm_logits: to do.")
    assert tab.locator("a.node.s-passed").count() == 7 and tab.locator("a.node.s-todo").count() == 19

    # a wrong line: the row that was just changed, its first wrong element, and what that is computed from
    wrong = right.replace("h.T @ dlogits", "h.T @ dlogits + torch.eye(*h.T.shape)[:, :1]")
    file_of(kit).write_text(wrong)
    said = page.wait("#gradient .named", "wrong value")
    assert said == "10 of 26 dW2 wrong value"
    assert page.wait("#element-title", "dW2") == "The first wrong element: dW2[0, 0]"
    assert "27 of 1728 elements are wrong." in page.wait(".element", "are wrong")
    assert [each.text_content() for each in tab.locator(".sources figcaption code").all()] == [
        "dlogits[:, 0]",
        "h[:, 0]",
    ]
    outlined = tab.locator(".sources svg").nth(1).locator("rect.worst")
    assert outlined.count() == 1 and outlined.get_attribute("width") == "8" and page.wait(".forward", "h @ W2")
    assert "return h.T @ dlogits + torch.eye" in page.wait(".look .code", "dW2")
    assert tab.locator("a.node[aria-current]").get_attribute("href") == "#03_makemore_steps-dW2"
    for width, scheme in ((360, "light"), (1280, "dark"), (360, "dark"), (1280, "light")):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=scheme)
        assert serious(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width

    # by keyboard: the slider, an element by its row and column, back to the first wrong one; by pointer
    tab.locator("#step").focus()
    tab.keyboard.press("ArrowLeft")
    assert page.wait("#gradient .named", "dh") == "9 of 26 dh right"
    assert tab.locator("#step").get_attribute("aria-valuetext") == "dh: right, 9 of 26"
    tab.keyboard.press("ArrowRight")
    page.wait("#gradient .named", "dW2")
    tab.locator("#place-row").fill("3")
    tab.locator("#place-column").fill("5")
    tab.keyboard.press("Enter")
    assert page.wait("#element-title", "chose") == "The element that you chose: dW2[3, 5]"
    assert page.wait(".sources", "h[:, 3]")
    tab.locator("#first-wrong").press("Enter")
    page.wait("#element-title", "first wrong")
    tab.locator("svg.true").click(position={"x": 2.5 * 4, "y": 7.5 * 4})
    page.wait("#element-title", "dW2[7, 2]")
    tab.locator("a.node", has_text="logprobs").first.click()
    page.wait("#gradient .named", "dlogprobs")
    tab.locator("#chain").check()
    page.wait("#gradient .named", "1 of 26 dlogprobs")

    # the terminal's keys: the row that is selected there is shown here
    terminal.press("2")
    page.wait("#gradient .named", "2 of 26 dprobs")

    # a syntax error, a loop that is cancelled, a file that is away
    file_of(kit).write_text(right + "def f(:\n")
    assert "SyntaxError" in page.wait("#gradient", "SyntaxError")
    assert "def f(:" in page.wait("#gradient .code", "def f(:")
    file_of(kit).write_text(right.replace("return dlogprobs / probs", "while True:\n        pass"))
    page.wait("#state", "checking: ")
    assert tab.evaluate("document.body.className") == "running-check"
    file_of(kit).write_text(right)
    page.wait("#top", "7 of 26 right")
    assert tab.evaluate("document.body.className") == ""
    file_of(kit).rename(kit / "away")
    page.wait("#state", "dojo reset 03")
    (kit / "away").rename(file_of(kit))
    page.wait("#state", "Checked at")
    for number in range(10):
        text = right if number % 2 else right.replace("return dlogprobs / probs", "return -dlogprobs / probs")
        file_of(kit).write_text(text)
        page.wait("#top", "7 of 26 right" if number % 2 else "6 of 26 right")
    answer_on_the_page(page, kit, right)
    terminal.press("n")
    page.wait("#top", "04 Cross-entropy")
    assert page.foreign == [] and page.errors == []


def answer_on_the_page(page: LiveTab, kit: Path, right: str) -> None:
    """An answer is stored; one that is half typed is still there after a save."""
    tab = page.tab
    tab.locator("#name-03").fill("Ann Lee")
    tab.keyboard.press("Enter")
    choice, text = (tab.locator(f"form.question[data-kind={kind}]").first for kind in ("choice", "text"))
    text.locator("textarea").fill("Because each row")
    choice.locator("input").first.check()
    choice.get_by_role("button", name="Answer").click()
    page.wait("form.question[data-kind=choice] .outcome", "Recorded.")
    assert 'student = "Ann Lee"' in file_of(kit).with_name("answers.toml").read_text()
    file_of(kit).write_text(right.replace("return dlogprobs / probs", "return -dlogprobs / probs"))
    page.wait("#top", "6 of 26 right")
    assert text.locator("textarea").input_value() == "Because each row"
    assert serious(tab) == []


@pytest.mark.full
def test_an_evening_on_the_live_page(browser: Any, kit: Path) -> None:
    terminal = WatchTerminal(kit, "03", width=100, options=("--open",))
    try:
        screen = terminal.until("7 of 26 right", START_SECONDS)
        found = re.search(r"^live page: (http://127\.0\.0\.1:\d+/[\w-]{22}/)$", screen, re.MULTILINE)
        assert found is not None
        page = LiveTab(browser, found[1])
        with terminal.unread():
            walk_through_the_page(terminal, page, kit)

        # the end of the session: what is shown is called old, and the next session goes on with it
        terminal.press("q")
        terminal.ended()
        assert "What you see is from" in page.wait("#state", "Connection lost")
        assert page.tab.evaluate("document.body.className") == "stale"
        with LiveServer(kit, Isolation("none", (), ())) as server:
            assert server.address == found[1]
            server.show(View(Course(kit, secrets=False).find("06"), "backward.py"))
            page.wait("#top", "06 The whole backward pass")
            assert page.wait("#state", "Nothing is checked yet").startswith("Nothing is checked yet: opened at")
            assert page.tab.evaluate("document.body.className") == ""
        page.tab.context.close()
    finally:
        terminal.close()


@pytest.mark.full
def test_the_first_lesson_s_page_does_not_scroll_sideways(browser: Any, tmp_path: Path) -> None:
    """Lesson 01 has fifteen graphs: side by side they were four thousand pixels wide."""
    desk = Desk(make_kit(tmp_path, ("01_chain_rule",)), print)
    lesson = desk.course.find("01")
    with contextlib.closing(desk), LiveServer(tmp_path, desk.judge.isolation) as server:
        server.show(View(lesson, "backward.py", desk.check(lesson, read_own(lesson))))
        page = LiveTab(browser, server.address)
        page.tab.wait_for_selector(".graphs")
        for width in (1280, 360):
            page.tab.set_viewport_size({"width": width, "height": 900})
            assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
            assert page.tab.locator(".look").bounding_box()["width"] > 300
        page.tab.context.close()


def test_the_address_is_for_the_student_alone(tmp_path: Path) -> None:
    first, token = open_address(tmp_path, None)
    assert first.getsockname()[0] == "127.0.0.1" and (tmp_path / ADDRESS_FILE).stat().st_mode & 0o777 == 0o600
    second, same = open_address(tmp_path, None)  # the port is taken: another one, with the same token
    assert same == token and second.getsockname() != first.getsockname()
    (tmp_path / ADDRESS_FILE).chmod(0o644)
    third, other = open_address(tmp_path, None)
    assert other != token and len(other) == 22
    for each in (first, second, third):
        each.close()
