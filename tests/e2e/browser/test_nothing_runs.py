"""In a browser: whatever a student wrote, wherever it stands, nothing of it runs and nothing of it is fetched."""

from __future__ import annotations

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
    graded = GradedSubmission(found, printed={"04_small": EVERYTHING}, texts={EVERYTHING: f"x = 1\n{EVERYTHING}"})
    rejected = results(EVERYTHING + "2", status="rejected", message=EVERYTHING)
    reporter = Reporter([])
    return {
        "report": reporter.student_pages(graded)["report.html"],
        "class": reporter.class_page([found, rejected]),
    }


@sampled(("name", "scripts"), [("report", 0), ("class", 1)], keep=1)
def test_nothing_runs(browser: Any, tmp_path: Path, name: str, scripts: int) -> None:
    path = tmp_path / f"{name}.html"
    path.write_text(hostile()[name], encoding="utf-8")
    context = browser.new_context()
    window = Window(context, path)
    assert window.tab.evaluate(LATER) == [None, scripts]
    assert window.requests == [] and window.errors == []
    context.close()


@pytest.mark.full
def test_the_same_text_does_run_where_it_is_not_made_harmless(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "raw.html"
    path.write_text(f"<!doctype html><title>raw</title><p>{PAYLOADS['script']}{PAYLOADS['handler']}", encoding="utf-8")
    context = browser.new_context()
    window = Window(context, path)
    assert RUNS == "window.__x=1" and window.tab.evaluate(LATER)[0] == 1
    assert window.requests != []  # the picture
    context.close()


@pytest.mark.full
def test_the_policy_alone_stops_a_script(browser: Any, tmp_path: Path) -> None:
    """Were the escaping to fail one day: the page lets no script run but its own."""
    path = tmp_path / "report.html"
    raw = PAYLOADS["script"] + PAYLOADS["handler"]
    path.write_text(hostile()["report"].replace("<main>", "<main>" + raw), encoding="utf-8")
    context = browser.new_context()
    window = Window(context, path)
    assert window.tab.evaluate(LATER)[0] is None
    assert len(window.errors) >= 2  # what was refused
    context.close()
