"""The pictures in docs/, of real pages: `make picture`, or `python tests/e2e/browser/pictures.py docs`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from windows import NO_BROWSER, find_browser, running

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]


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


def grade(out: Path, submissions: str, *lessons: str) -> None:
    chosen = [f"--lesson={number}" for number in lessons]
    command = [sys.executable, "-m", "grader.commands.start_grade", "run", submissions, "--seed", "1", "-o", str(out)]
    subprocess.run([*command, *chosen], cwd=ROOT, check=True)


def main(folder: Path) -> None:
    path = find_browser()
    if path is None:
        sys.exit(NO_BROWSER)
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
    main(Path(sys.argv[1]))
