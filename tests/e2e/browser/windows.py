"""A page in a tab, watched: what it asks for, and what its console complains of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright import sync_api as playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = f"no browser: none of {', '.join(BROWSERS)} is installed (Debian: apt-get install chromium)"
SERIOUS = """async () => {
    const found = await axe.run({resultTypes: ["violations"]});
    return found.violations.filter((each) => ["serious", "critical"].includes(each.impact)).flatMap((each) =>
        each.nodes.map((node) => `${each.id}: ${each.help} (${node.target})`));
}"""
"""The rest of the result, which is long, stays in the browser."""


def find_browser() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def running(path: str) -> Iterator[playwright.Browser]:
    """The browser at `path`, headless."""
    # Chromium's own sandbox does not start as root; what is opened here is nothing but files of ours
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


class Window:
    """A page in a tab of its own; `requests` are those that went elsewhere, `errors` what its console complained of."""

    def __init__(self, context: playwright.BrowserContext, address: str) -> None:
        self.tab, self.requests, self.errors = context.new_page(), [], []

        def route(question: playwright.Route) -> None:
            if question.request.url.startswith(address):
                question.continue_()
            else:
                self.requests.append(question.request.url)
                question.abort()

        self.tab.route("**/*", route)
        self.tab.on(
            "console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None
        )
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.goto(address)

    def emulate(self, width: int, scheme: str) -> playwright.Page:
        self.tab.set_viewport_size({"width": width, "height": 900})
        self.tab.emulate_media(media="screen", color_scheme=scheme)
        return self.tab


def serious(tab: Any) -> list[str]:
    """What axe-core finds in a page and calls serious or critical."""
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(AXE_SCRIPT)
    found: list[str] = tab.evaluate(SERIOUS)
    return found
