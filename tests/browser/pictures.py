"""The pictures in docs/, of real pages: `make picture`, or `python tests/browser/pictures.py docs`.

`python tests/browser/pictures.py docs live` takes only those of the live page.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright import sync_api as playwright
from windows import NO_BROWSER, find_browser, running

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from kits import file_of, functions_of, make_kit, solved  # noqa: E402

from grader.dojo.desk import Desk  # noqa: E402
from grader.dojo.file import read_own, shown_path  # noqa: E402
from grader.dojo.live.server import LiveServer  # noqa: E402
from grader.dojo.view import View  # noqa: E402


@dataclass(frozen=True)
class Picture:
    """`page` of the graded sample submissions ("class") or of one with one lesson ("one"), from `place` on."""

    name: str
    page: str
    place: str = ""
    width: int = 1280
    height: int = 1400
    scheme: str = "light"


PICTURES = (
    Picture("report.png", "one/emil_novak/report.html"),
    Picture("report-dark.png", "class/farah_amin/report.html", "#why-03_makemore_steps-dhpreact", scheme="dark"),
    Picture("report-narrow.png", "one/emil_novak/report.html", width=360),
    Picture("report-forces.png", "class/farah_amin/report.html", "#forces-04_cross_entropy-dlogits", height=480),
    Picture("class.png", "class/index.html"),
)


@dataclass(frozen=True)
class Mistake:
    """What somebody first writes for a row of lesson 03, which the live page explains."""

    name: str
    row: str
    line: str
    scheme: str = "light"


WALK = (
    Mistake("live-sign.png", "dprobs", "return -dlogprobs / probs"),
    Mistake("live-shape.png", "dcounts_sum_inv", "return (counts * dprobs).sum(1)", "dark"),
    Mistake("live-branch.png", "dcounts", "return counts_sum_inv * dprobs"),
)
"""Three mistakes on the way through lesson 03; each is fixed before the next."""


def live_pictures(folder: Path, browser: playwright.Browser) -> None:
    """The live page at each mistake of WALK, in a kit of its own."""
    folder = folder.resolve()
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        kit = make_kit(Path(place).resolve())
        desk = Desk(kit, print)
        lesson = desk.course.find("03")
        rows = [item.name for item in lesson.gradients]
        with LiveServer(kit, desk.judge.isolation) as server:
            for mistake in WALK:
                text = solved("03", *rows[: rows.index(mistake.row) + 1])
                function = functions_of(text)[mistake.row]
                wrong = f"{function.partition(chr(10))[0]}\n    {mistake.line}"
                file_of(kit).write_text(text.replace(function, wrong), encoding="utf-8")
                checked = desk.check(lesson, read_own(lesson))
                server.show(View(lesson, shown_path(file_of(kit)), checked, focus=mistake.row))
                tab = browser.new_page(viewport={"width": 800, "height": 900}, color_scheme=mistake.scheme)
                tab.goto(server.address)
                tab.wait_for_selector("#message")
                tab.locator(".look").screenshot(path=folder / mistake.name)
                tab.close()
        desk.close()


def grade(out: Path, submissions: str, *lessons: str) -> None:
    chosen = [f"--lesson={number}" for number in lessons]
    command = [
        sys.executable,
        "-m",
        "grader.commands.grade",
        "run",
        submissions,
        *chosen,
        "--seed",
        "1",
        "-o",
        str(out),
    ]
    subprocess.run(command, cwd=ROOT, check=True)


def main(folder: Path, which: str = "all") -> None:
    path = find_browser()
    if path is None:
        sys.exit(NO_BROWSER)
    with running(path) as browser:
        live_pictures(folder, browser)
    if which == "live":
        return
    with tempfile.TemporaryDirectory() as graded:
        grade(Path(graded) / "class", "examples/submissions", "02", "03", "04", "05")
        grade(Path(graded) / "one", "examples/submissions/emil_novak", "03")
        with running(path) as browser:
            for picture in PICTURES:
                size = {"width": picture.width, "height": picture.height}
                tab = browser.new_page(viewport=size, color_scheme=picture.scheme)
                tab.goto((Path(graded) / picture.page).as_uri() + picture.place)
                tab.screenshot(path=folder / picture.name)
                tab.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
