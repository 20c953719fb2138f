"""The sheets of a defence on screen and on paper: a page each, or two with the code on both if questions are long."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest
from playwright import sync_api as playwright

from grader.defence.question import DefenceQuestion
from grader.gradebook.defence_sheets import Sheet
from grader.publish.instructor_pages import defence_page

LINE = (
    "(dxhat / torch.sqrt(var + 1e-05) + dvar * 2 * (x - mean) / n + dmean / n) * dxhat.shape[0] * (1 / dxhat.shape[-1])"
)
CODE_FONT = b" 20 Tf"  # 15 points, as the page's style has it
SHAPES = "`dxhat` (9, 4), `var` (4,), `dvar` (4,), `x` (9, 4), `mean` (4,), `n` 9, `dmean` (4,)"
MATRIX = "    dpre = [[[-2, 2, -2], [3, -3, 3], [0, -1, -3]], [[0, -3, -3], [3, 3, 3], [3, 1, -2]]]"


def sheet(student: str, count: int, is_long: bool) -> Sheet:
    """`count` questions, as long or as short as questions are."""
    text = f"Compute it for {SHAPES}:\n\n    {LINE}\n\nTake these values:\n\n" + "\n".join([MATRIX] * 4)
    choices = {f"c{n}": f"`{n} * {LINE}`" for n in range(4)}
    long = [DefenceQuestion("which_line", "dx", "choice", text, "c0", choices)] * (count // 2)
    long += [DefenceQuestion("by_hand", "dx", "number", text, "1")] * (count - len(long))
    short = [DefenceQuestion("chain", "dx", "multiple", "Which?", ("a",), {"a": "`da`", "b": "`db`"})] * count
    return Sheet("ABCDE", student, "05_batch_norm", "05 Batch norm", tuple(long if is_long else short))


@pytest.fixture(scope="module")
def page(browser: playwright.Browser, tmp_path_factory: pytest.TempPathFactory) -> playwright.Page:
    path: Path = tmp_path_factory.mktemp("papers") / "papers.html"
    names = ("Ada", "A. " + "Very long name " * 8, "Bo", "Chen")
    sheets = [sheet(name, 6, place % 2 == 1) for place, name in enumerate(names)]
    path.write_text(defence_page("papers", sheets), encoding="utf-8")
    tab = browser.new_page()
    tab.goto(path.as_uri())
    return tab


@pytest.mark.full
def test_no_page_has_two_sheets_and_every_page_has_a_code(page: playwright.Page):
    for paper in ("A4", "Letter"):
        printed = page.pdf(
            format=paper,
            prefer_css_page_size=paper == "A4",
            margin=None if paper == "A4" else {"top": "1.2cm", "bottom": "1.2cm", "left": "1.4cm", "right": "1.4cm"},
        )
        parts = re.findall(rb"/FlateDecode.*?stream\r?\n(.*?)endstream", printed, re.DOTALL)
        drawn = [text for text in map(zlib.decompress, parts) if b" Tf" in text]
        assert [text.count(CODE_FONT) for text in drawn] == [1] * 6


@pytest.mark.full
def test_nothing_is_wider_than_the_screen(page: playwright.Page, browser: playwright.Browser):
    keys = browser.new_page()
    sheets = [sheet("A. " + "Very long name " * 8, 12, False), sheet("Bo", 3, True)]
    keys.set_content(defence_page("keys", sheets))
    for tab in (page, keys):
        assert "Backprop Ninja" in tab.title()
        for width in (1100, 360):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
