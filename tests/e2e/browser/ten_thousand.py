"""What a class of ten thousand costs: the page's size, making it, opening it, sorting and searching in a browser.

python tests/e2e/browser/ten_thousand.py [STUDENTS]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
LESSONS = ("02", "03", "04", "05")
COLUMNS = 8
SEARCHES = ("sato", "sato 000", "nobody", "")

TIMED = """async ([selector, happens]) => {
    const one = document.querySelector(selector);
    const start = performance.now();
    if (happens === "click") one.click();
    else { one.value = happens; one.dispatchEvent(new Event("input")); }
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - start;
}"""
"""Milliseconds from a click, or from a text in the search field, until what it changed has been drawn."""


@dataclass(frozen=True)
class Cost:
    """In bytes, seconds, and then milliseconds: `sorting` by every column, up and down, `searching` each text."""

    size: int
    making: float
    opening: float
    sorting: Sequence[float]
    searching: Sequence[float]


def measure(browser: Any, students: int, folder: Path) -> Cost:
    from made import everyone

    from grader.lesson.lesson import Course
    from grader.publish.report.pages import Reporter

    course = Course(ROOT)
    lessons = [course.find(number) for number in LESSONS]
    results = everyone(lessons, students)
    start = time.perf_counter()
    text = Reporter(lessons).class_page(results)
    making = time.perf_counter() - start
    path = folder / "index.html"
    path.write_text(text, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(path.as_uri())
    opening = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    tab.wait_for_timeout(1000)  # all rows are read by then, as they are before anybody has found a button
    buttons = [f"#students thead th:nth-child({1 + number // 2}) button" for number in range(2 * COLUMNS)]
    sorting = [tab.evaluate(TIMED, [button, "click"]) for button in buttons]
    searching = [tab.evaluate(TIMED, ["#search", text]) for text in SEARCHES]
    tab.close()
    return Cost(path.stat().st_size, making, opening, sorting, searching)


def main(students: int) -> None:
    from windows import NO_BROWSER, find_browser, running

    path = find_browser()
    if path is None:
        sys.exit(NO_BROWSER)
    with tempfile.TemporaryDirectory() as folder, running(path) as browser:
        cost = measure(browser, students, Path(folder))
    print(f"{students:,} students, {len(LESSONS)} lessons: {cost.size / 1e6:.1f} MB, made in {cost.making:.1f} s")
    print(f"opened in {cost.opening:.0f} ms")
    for what, times in (("sorted", cost.sorting), ("searched", cost.searching)):
        print(f"{what} in {sorted(times)[len(times) // 2]:.0f} ms at the median, {max(times):.0f} ms at most")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests" / "helpers"))
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
