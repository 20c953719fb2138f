"""The live page of `dojo watch --open` in a browser, for bench.watch: when a save is to be seen there."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.watch_terminal import START_SECONDS, WatchTerminal

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ADDRESS = re.compile(r"^live page: (\S+)$", re.MULTILINE)
OBSERVE = """() => {
    window.seen = [];
    const note = () => window.seen.push([Date.now() / 1000, document.body.textContent]);
    new MutationObserver(note).observe(document.body, {childList: true});
}"""
SEEN = "(text) => window.seen.some(([at, top]) => top.includes(text))"
WHEN = "(text) => window.seen.find(([at, top]) => top.includes(text))[0]"


class PageWatch:
    """`terminal` is the `dojo watch --open` whose page is in the browser."""

    def __init__(self, terminal: WatchTerminal, tab: Any) -> None:
        self.terminal, self._tab = terminal, tab

    def forget(self) -> None:
        self._tab.evaluate("() => { window.seen = []; }")

    def seen_at(self, text: str) -> float:
        """The time, in seconds since 1970, at which `text` was on the page for the first time."""
        self._tab.wait_for_function(SEEN, arg=text)
        when: float = self._tab.evaluate(WHEN, text)
        return when


@contextmanager
def page_watch(kit: Path, number: str, first: str) -> Iterator[PageWatch | None]:
    """A `dojo watch --open` and its page, once `first` is on its screen; None where there is no browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        yield None
        return
    from playwright import sync_api as playwright  # of the extra `dev`

    terminal = WatchTerminal(kit, number, options=("--open",))
    try:
        found = ADDRESS.search(terminal.until(first, START_SECONDS))
        assert found is not None
        with playwright.sync_playwright() as started:
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            tab = started.chromium.launch(executable_path=browser, args=arguments).new_page()
            tab.goto(found[1])
            tab.wait_for_selector("main table")
            tab.evaluate(OBSERVE)
            yield PageWatch(terminal, tab)
    finally:
        terminal.close()
