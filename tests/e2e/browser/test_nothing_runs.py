"""In a browser: whatever a student wrote, wherever it stands, nothing of it runs and nothing of it is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from made_results import lesson as part
from made_results import results, row
from payloads import PAYLOADS, RUNS
from support import sampled
from windows import Window

from grader.gradebook.grading.graded import GradedSubmission
from grader.publish.report.pages import Reporter

EVERYTHING = " \n".join(PAYLOADS.values())
LATER = """async () => {
    for (const one of document.querySelectorAll("*")) {
        for (const kind of ["mouseover", "focus", "load", "error"]) one.dispatchEvent(new Event(kind));
        if (one.tagName === "DETAILS") one.open = true;
    }
    await new Promise((done) => setTimeout(done, 50));
    return [window.__x ?? null, document.querySelectorAll("script").length];
}"""
"""What became of the page when every event that could set something off has happened: (the mark, scripts)."""


def hostile() -> dict[str, str]:
    text: dict[str, Any] = {"message": EVERYTHING, "file": EVERYTHING, "line": 2}
    rows = row("dz", "error", **text), row("dy", "failed", mistake={"id": EVERYTHING, "message": EVERYTHING}, **text)
    found = results(EVERYTHING, part("04_small", *rows, message=EVERYTHING))
    graded = GradedSubmission(
        found, shown={"04_small": EVERYTHING.splitlines()}, texts={EVERYTHING: f"x = 1\n{EVERYTHING}"}
    )
    rejected = results(EVERYTHING + "2", status="rejected", message=EVERYTHING)
    reporter = Reporter([])
    return {
        "report": reporter.student_pages(graded)["report.html"],
        "class": reporter.class_page([found, rejected]),
    }


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[[str], Window]]:
    """opened(page): the page in a tab of its own."""
    context, path = browser.new_context(), tmp_path / "page.html"

    def window(page: str) -> Window:
        path.write_text(page, encoding="utf-8")
        return Window(context, path.as_uri())

    yield window
    context.close()


@sampled(("name", "scripts"), [("report", 0), ("class", 1)], keep=1)
def test_nothing_runs(opened: Callable[[str], Window], name: str, scripts: int) -> None:
    window = opened(hostile()[name])
    assert window.tab.evaluate(LATER) == [None, scripts]
    assert window.requests == [] and window.errors == []


@pytest.mark.full
def test_the_same_text_does_run_where_it_is_not_made_harmless(opened: Callable[[str], Window]) -> None:
    window = opened(f"<!doctype html><title>raw</title><p>{PAYLOADS['script']}{PAYLOADS['handler']}")
    assert RUNS == "window.__x=1" and window.tab.evaluate(LATER)[0] == 1
    assert window.requests != []  # the picture


@pytest.mark.full
def test_the_policy_alone_stops_a_script(opened: Callable[[str], Window]) -> None:
    """If the escaping failed one day: the page lets no script run except its own."""
    raw = PAYLOADS["script"] + PAYLOADS["handler"]
    window = opened(hostile()["report"].replace("<main>", "<main>" + raw))
    assert window.tab.evaluate(LATER)[0] is None
    assert len(window.errors) >= 2  # what was refused
