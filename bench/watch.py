"""From a save to the verdict on the screen: `dojo watch` in a terminal, and its live page in a browser.

    python -m bench watch                        lesson 03 with all 26 rows written
    python -m bench watch --lesson 02 --saves 100

Every save makes one row wrong (an error, a mistake with a name, one without) or right again. The time runs from before
the file is written until the whole screen with the new verdict has come through the terminal. A second `dojo watch`,
with its live page in a browser (where chromium is installed), gets a save after each save of the first: that shows what
the page costs the screen, and when the page has the verdict. Between the saves, `import torch` is timed next to a start
of `dojo watch`, so that whatever else the machine does falls on all of them. On a busy machine only the ratios mean
something.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.measuring import machine, torch_time
from bench.watch_terminal import RUNNING, START_SECONDS, WatchTerminal
from grader.dojo.start import lesson_files
from grader.lesson.lesson import Course, Lesson
from grader.lesson.stub import ANSWER_BEGIN, ANSWER_END

GOAL_MS, GOAL_HIGH_MS = 150, 200
"""From a save to the screen and to the page: at the median, and for 95 of 100 saves."""
GOAL_START, GOAL_KEY_MS = 1.3, 100
KEYS = 12
MISTAKES = ("1 / 0", "-({right})", "({right}).sin()")
"""What the first gradient returns where it is wrong: an error, a mistake with a name, one without."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ADDRESS = re.compile(r"^live page: (\S+)$", re.MULTILINE)
OBSERVE = """() => {
    window.seen = [];
    const note = () => window.seen.push([Date.now() / 1000, document.body.textContent]);
    new MutationObserver(note).observe(document.body, {childList: true});
}"""
SEEN_AT = "(text) => (window.seen.find(([at, top]) => top.includes(text)) || [null])[0]"
"""When a text was on the page for the first time, in seconds since 1970."""


@contextmanager
def page_watch(kit: Path, number: str, first: str) -> Iterator[tuple[WatchTerminal, Any] | None]:
    """A `dojo open` and its page in a browser, once `first` is on its screen; None where there is no browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        yield None
        return
    from playwright import sync_api as playwright  # of the extra `dev`

    with closing(WatchTerminal(kit, number, command="open")) as terminal, playwright.sync_playwright() as started:
        found = ADDRESS.search(terminal.until(first, START_SECONDS))
        assert found is not None
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        tab = started.chromium.launch(executable_path=browser, args=arguments).new_page()
        tab.goto(found[1])
        tab.wait_for_selector("main table")
        tab.evaluate(OBSERVE)
        yield terminal, tab


def make_kit(place: Path, number: str) -> Lesson:
    """A lesson without its secrets, with the answers as the student's file."""
    lesson = Course(ROOT).find(number)
    for name, content in lesson_files(lesson, lesson.pristine.read_text(encoding="utf-8")).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    answers = (lesson.solution / "backward.py").read_text(encoding="utf-8")
    answers = re.sub(rf" *({re.escape(ANSWER_BEGIN)}|{re.escape(ANSWER_END)})\n", "", answers)
    own = Course(place, secrets=False).find(number)
    (own.exercise / "backward.py").write_text(answers, encoding="utf-8")
    return own


def spoilt(lesson: Lesson, right: str, mistake: str) -> str:
    """The same file with one of MISTAKES in the last line of its first gradient."""
    functions = (node for node in ast.parse(right).body if isinstance(node, ast.FunctionDef))
    last = next(node for node in functions if node.name == lesson.gradients[0].function).body[-1]
    value = ast.get_source_segment(right, last.value or last) if isinstance(last, ast.Return) else None
    assert value is not None, f"{lesson.gradients[0].function} does not end with `return`"
    line = ast.get_source_segment(right, last) or ""
    return right.replace(line, f"return {mistake.format(right=value)}", 1)


def save_time(terminal: WatchTerminal, lesson: Lesson, text: str, sign: str) -> float:
    """Seconds from before a save to the screen."""
    started = time.perf_counter()
    (lesson.exercise / "backward.py").write_text(text, encoding="utf-8")
    terminal.until(sign)
    return terminal.drawn - started


def page_time(page: tuple[WatchTerminal, Any], lesson: Lesson, text: str, sign: str, top: str) -> tuple[float, float]:
    """(seconds from before a save to the screen, to the page)."""
    terminal, tab = page
    tab.evaluate("() => { window.seen = []; }")
    at = time.time()
    seconds = save_time(terminal, lesson, text, sign)
    return seconds, tab.wait_for_function(SEEN_AT, arg=top).json_value() - at


def start_time(kit: Path, lesson: Lesson) -> float:
    """Seconds from the command to the first verdict on the screen."""
    started = time.perf_counter()
    with closing(WatchTerminal(kit, lesson.number)) as terminal:
        terminal.until(" points\n", START_SECONDS)
        return time.perf_counter() - started


def key_times(terminal: WatchTerminal, lesson: Lesson, right: str) -> list[float]:
    """Seconds from a key, which shows or hides the list of lessons, to the screen, while an endless loop is checked."""
    name, listed = lesson.gradients[0].function, "Backprop Ninja: "
    looped = re.sub(rf"(def {name}\([^)]*\):\n)", r"\1    while True: pass\n", right, count=1)
    save_time(terminal, lesson, looped, f"{RUNNING}{name}")
    times = []
    for number in range(KEYS):
        time.sleep(0.13)  # another moment between two updates of the screen
        started = time.perf_counter()
        terminal.press("nl"[number % 2])
        while (listed in terminal.frame()) != bool(number % 2):
            pass
        times.append(terminal.drawn - started)
    return times


def line(what: str, times: list[float]) -> str:
    middle, high, most = (1000 * each for each in (statistics.median(times), high_of(times), max(times)))
    return f"{what:<50} {middle:>8,.0f} ms {high:>8,.0f} ms {most:>8,.0f} ms {len(times):>5}"


def high_of(times: list[float]) -> float:
    """The time within which 95 of 100 are."""
    return sorted(times)[min(len(times) - 1, int(0.95 * len(times)))]


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--saves", type=int, default=40)
    parser.add_argument("--cold", type=int, default=4, help="starts")
    parser.add_argument("--pause", type=float, default=0.4, help="seconds between saves")
    options = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in ("screen", "beside", "page", "torch", "start", "key")}
    with tempfile.TemporaryDirectory() as folder:
        kits = [Path(folder) / name for name in ("plain", "page", "start")]
        lessons = [make_kit(kit, options.lesson) for kit in kits]
        problems = len(lessons[0].public_draws)  # read from the kit, which is gone when this is printed
        right = (lessons[0].exercise / "backward.py").read_text(encoding="utf-8")
        rows = len(lessons[0].items)
        texts = [
            save
            for mistake in MISTAKES
            for save in (
                (spoilt(lessons[0], right, mistake), "right before.", f"{rows - 1} of {rows} right"),
                (right, "turned right.", f"{rows} of {rows} right"),
            )
        ]
        with closing(WatchTerminal(kits[0], options.lesson)) as terminal:
            terminal.until(" points\n", START_SECONDS)
            with page_watch(kits[1], options.lesson, " points\n") as page:
                for _ in range(options.cold):
                    for number in range(max(len(texts), options.saves // options.cold // len(texts) * len(texts))):
                        text, sign, top = texts[number % len(texts)]
                        time.sleep(options.pause)
                        times["screen"].append(save_time(terminal, lessons[0], text, sign))
                        if page is not None:
                            time.sleep(options.pause)
                            seconds, seen = page_time(page, lessons[1], text, sign, top)
                            times["beside"].append(seconds)
                            times["page"].append(seen)
                    times["torch"].append(torch_time())
                    times["start"].append(start_time(kits[2], lessons[2]))
            times["key"] = key_times(terminal, lessons[0], right)
            terminal.press("q")
            terminal.ended()
    print_times(options.lesson, len(lessons[0].gradients), problems, times)


def print_times(number: str, gradients: int, problems: int, times: dict[str, list[float]]) -> None:
    print(f"Lesson {number}, {gradients} gradients on {problems} public problems; {machine()}\n")
    print(f"{'':<50} {'median':>11} {'95 %':>11} {'most':>11} {'runs':>5}")
    print(line("dojo watch: from the save to the screen", times["screen"]))
    if times["page"]:
        print(line("dojo open: from the save to the screen", times["beside"]))
        print(line("  from the save to the live page in Chromium", times["page"]))
    else:
        print("no browser is installed: the live page was not measured")
    print(line("a key, while an endless loop is checked", times["key"]))
    print(line("import torch", times["torch"]))
    print(line("dojo watch: from the command to the first verdict", times["start"]))
    middle, high = (
        {name: 1000 * of(each) for name, each in times.items() if each} for of in (statistics.median, high_of)
    )
    ratio = statistics.median(start / torch for start, torch in zip(times["start"], times["torch"], strict=True))
    page = f"{middle['page']:.0f} ms to the page ({high['page']:.0f})" if times["page"] else "no browser for the page"
    print(
        f"\n{middle['screen']:.0f} ms to the screen at the median ({high['screen']:.0f} for 95 of 100), {page}; goal: "
        f"{GOAL_MS} ({GOAL_HIGH_MS}); a key is answered in {1000 * max(times['key']):.0f} ms at most ({GOAL_KEY_MS}); "
        f"a start takes {ratio:.2f} times as long as `import torch` (goal: {GOAL_START})"
    )
