"""From a save to the verdict on the screen: `dojo watch` in a terminal, next to a cold pytest run of the same checks.

    python -m bench.watch                        lesson 03 with all 26 rows written
    python -m bench.watch --lesson 02 --saves 100

Every save makes one row wrong or right again. The time runs from before the file is written until the whole screen with
the new verdict has come through the terminal. Between the saves, pytest is started for the same gradients on the same
problems, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pyte

from grader.authoring.stubs import CLOSE, OPEN
from grader.lesson.lesson import Course, Lesson
from grader.verdict.judging.examples import PUBLIC_SEED

ROOT = Path(__file__).resolve().parent.parent
GOAL_SECONDS = 0.150
START_SECONDS, SECONDS = 180, 20
RUNNING = "checking: "
DOJO = "from grader.commands.dojo import main; main()"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLD = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
import pytest, torch
torch.set_num_threads(1)
from grader.verdict.judging.gradient import GradientCheck
from grader.verdict.judging.hidden_problems import ProblemBook
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Course
from grader.reference.course_formulas import LocalStudent

lesson = Course(Path({kit!r}), secrets=False).find({number!r})
functions = vars(load_module(lesson.exercise / "backward.py", "student"))
student = LocalStudent(functions, [item.name for item in lesson.gradients], lesson.joint)
book = ProblemBook({seed})

@pytest.mark.parametrize("item", lesson.gradients, ids=lambda item: item.name)
def test_gradient(item):
    assert GradientCheck(lesson, item, student, book).row(lesson.public_draws).status == "passed"
"""


class WatchTerminal:
    """`dojo watch` in a terminal of its own.

    `frames` are the screens it has drawn, without control sequences; `screen` is what a terminal shows of them.
    """

    def __init__(self, kit: Path, number: str, height: int = 40, width: int = 80, options: Sequence[str] = ()) -> None:
        environment = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES", "DISPLAY")}
        self.frames: list[str] = []
        self._shown = pyte.Screen(width, height)
        self._stream = pyte.Stream(self._shown)
        self._terminal = pexpect.spawn(
            sys.executable,
            ["-c", DOJO, "watch", number, *options],
            cwd=str(kit),
            env=environment | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"},
            dimensions=(height, width),
            timeout=START_SECONDS,
            encoding="utf-8",
        )
        self._terminal.delaybeforesend = None

    def frame(self, seconds: float = SECONDS) -> str:
        """The next screen, whole."""
        self._terminal.expect(r"\x1b\[2J\x1b\[H(.*?q quit)", timeout=seconds)
        self._stream.feed(self._terminal.match[0])
        self.frames.append(CONTROL.sub("", self._terminal.match[1]).replace("\r\n", "\n"))
        return self.frames[-1]

    def until(self, text: str, seconds: float = SECONDS) -> str:
        """The first screen from here on that has `text` in it; one with an old verdict only if that is the text."""
        end = time.monotonic() + seconds
        while True:
            frame = self.frame(max(0.1, end - time.monotonic()))
            if text in frame and (RUNNING in text or RUNNING not in frame):
                return frame

    @property
    def screen(self) -> str:
        """What a terminal shows after the latest frame, without spaces at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._shown.display).rstrip()

    @property
    def grey_lines(self) -> list[str]:
        """The lines of the screen that are out of date: they are in italics, and dim."""
        lines = enumerate(self._shown.display)
        return [line.rstrip() for y, line in lines if line.strip() and self._shown.buffer[y][0].italics]

    def resize(self, width: int, height: int) -> None:
        """Another size of the window; the next screen that is drawn has it."""
        self._terminal.setwinsize(height, width)
        self._shown.resize(height, width)

    def press(self, keys: str) -> None:
        self._terminal.send(keys)

    @contextmanager
    def unread(self) -> Iterator[None]:
        """Meanwhile its screens are thrown away: a terminal that nobody reads would stop the program."""
        over = threading.Event()

        def read() -> None:
            while not over.is_set():
                with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF):
                    self._terminal.read_nonblocking(10_000, timeout=0.1)

        reading = threading.Thread(target=read, daemon=True)
        reading.start()
        try:
            yield
        finally:
            over.set()
            reading.join()

    def ended(self) -> int | None:
        """Its exit status, once it ends."""
        self._terminal.expect(pexpect.EOF, timeout=START_SECONDS)
        self._terminal.close()
        status: int | None = self._terminal.exitstatus
        return status

    def close(self) -> None:
        self._terminal.close(force=True)


def make_kit(place: Path, number: str) -> Lesson:
    """The lesson without its secrets, with the answers as the student's file."""
    lesson = Course(ROOT).find(number)
    shutil.copytree(lesson.exercise, place / "exercises" / lesson.name)
    answers = (lesson.solution / "backward.py").read_text(encoding="utf-8")
    answers = re.sub(rf" *({re.escape(OPEN)}|{re.escape(CLOSE)})\n", "", answers)
    own = Course(place, secrets=False).find(number)
    (own.exercise / "backward.py").write_text(answers, encoding="utf-8")
    return own


def spoilt(lesson: Lesson, right: str) -> str:
    """The same file with a first gradient that raises an error."""
    function = lesson.gradients[0].function
    return right + f"\n\n_right = {function}\n\n\ndef {function}(*a, **k):\n    raise ZeroDivisionError\n"


def save_times(terminal: WatchTerminal, lesson: Lesson, saves: int, pause: float) -> tuple[list[float], list[float]]:
    """(seconds from before each save to the screen, seconds as the screen says)."""
    path = lesson.exercise / "backward.py"
    right = path.read_text(encoding="utf-8")
    texts = ((spoilt(lesson, right), "right before."), (right, "turned right."))
    measured, said = [], []
    for number in range(saves):
        time.sleep(pause)
        text, sign = texts[number % 2]
        started = time.perf_counter()
        path.write_text(text, encoding="utf-8")
        screen = terminal.until(sign)
        measured.append(time.perf_counter() - started)
        found = re.search(r"(\d+) ms ·", screen)
        said.append(int(found[1]) / 1000 if found else measured[-1])
    path.write_text(right, encoding="utf-8")
    return measured, said


def cold_run(kit: Path, lesson: Lesson) -> float:
    test = kit / "test_cold.py"
    test.write_text(COLD.format(root=str(ROOT), kit=str(kit), number=lesson.number, seed=PUBLIC_SEED))
    started = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    done = subprocess.run(command, cwd=kit, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"the cold run failed:\n{done.stdout}{done.stderr}")
    return time.perf_counter() - started


def line(what: str, times: list[float]) -> str:
    ordered = sorted(times)
    high = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    middle = statistics.median(times)
    return (
        f"{what:<44} {1000 * middle:>8,.0f} ms {1000 * high:>8,.0f} ms {1000 * ordered[-1]:>8,.0f} ms {len(times):>5}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--saves", type=int, default=40)
    parser.add_argument("--cold", type=int, default=4, help="runs of pytest")
    parser.add_argument("--pause", type=float, default=0.4, help="seconds between saves")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kit = Path(folder)
        lesson = make_kit(kit, options.lesson)
        problems = len(lesson.public_draws)  # read from the kit, which is gone when this is printed
        terminal = WatchTerminal(kit, lesson.number)
        try:
            terminal.until(" points\n", START_SECONDS)
            measured: list[float] = []
            said: list[float] = []
            cold: list[float] = []
            for _ in range(options.cold):
                times = save_times(terminal, lesson, max(2, options.saves // options.cold), options.pause)
                measured += times[0]
                said += times[1]
                cold.append(cold_run(kit, lesson))
            terminal.press("q")
            terminal.ended()
        finally:
            terminal.close()
    load = os.getloadavg()[0]
    print(
        f"Lesson {lesson.number}, {len(lesson.gradients)} gradients on {problems} public problems; "
        f"{os.cpu_count()} cores, load {load:.1f}\n"
    )
    print(f"{'':<44} {'median':>11} {'95 %':>11} {'most':>11} {'runs':>5}")
    print(line("dojo watch: from the save to the screen", measured))
    print(line("  the same as its own screen says", said))
    print(line("pytest, cold: the same checks", cold))
    middle = statistics.median(measured)
    verdict, times = "within" if middle <= GOAL_SECONDS else "beyond", statistics.median(cold) / middle
    print(f"\n{verdict} {1000 * GOAL_SECONDS:.0f} ms at the median; the cold run takes {times:.0f} times as long")


if __name__ == "__main__":
    main()
