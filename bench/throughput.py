"""How many submissions a second one machine grades: a class of right ones, then a class of wrong ones.

    python -m bench.throughput                     200 of each, lesson 03, a grader process a core
    python -m bench.throughput --count 40 --jobs 1

The whole of `grade run` but for its screen: graded by the hidden suite under pytest in locked-in workers, written as
results.json, report.html and report.md, kept in the gradebook, with the class page at the end. The rate counts from the
first result to the last; the start (every grader and zygote loads torch) is told apart. Each wrong submission has one
of the lesson's known mistakes in it. Processor time is that of all processes together: it says what a submission costs
also where other work slows the clock, if less exactly (caches are shared).
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import torch

from bench.fork import processor
from grader.commands.run import GRADER_PROGRAM
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.lesson_files import MAIN, LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson, LessonError
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import probe

ROOT = Path(__file__).resolve().parent.parent
GOALS = {"right": 25.0, "wrong": 15.0}
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds() -> float:
    """Of this process and all below it, with those that have ended and were waited for."""
    total, waiting = 0, [os.getpid()]
    while waiting:
        pid = waiting.pop()
        try:
            times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
            tasks = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
        except OSError:  # it has ended meanwhile: its time is its parent's
            continue
        total += sum(map(int, times))
        waiting += [int(child) for text in tasks for child in text.split()]
    return total / TICK


@dataclass
class Clock:
    """A grader.gradebook.grading.run.RunListener that notes when results come. It stops with the last of `expected`.

    Before the processes end, that is, and with them what they tell of their time.
    """

    expected: int
    count: int = 0
    first: float = 0.0
    last: float = 0.0
    cost: float = 0.0
    full: int = 0

    def planned(self, due: int, kept: int) -> None:
        pass

    def started(self, student: str) -> None:
        pass

    def result(self, results: SubmissionResult) -> None:
        if results.status != "graded":
            raise RuntimeError(f"{results.student}: {results.message}")
        self.count += 1
        self.full += results.score == results.max_score
        self.last = time.perf_counter()
        if self.count == 1:
            self.first, self.cost = self.last, -processor_seconds()
        if self.count == self.expected:
            self.cost += processor_seconds()


@dataclass(frozen=True)
class Rate:
    name: str
    count: int
    a_second: float
    cost: float  # seconds of processor time a submission
    start: float  # seconds until the first result


def sources(lesson: Lesson, name: str) -> Iterator[bytes]:
    """Endlessly: the answer key, or the answer key with one known mistake after another."""
    key = (lesson.solution / MAIN).read_text(encoding="utf-8")
    if name == "right":
        yield from cycle([key.encode()])
    fitting = []
    for mistake in lesson.mistakes:
        try:
            fitting.append(mistake.applied_to(key).encode())
        except (LessonError, ValueError):
            continue
    yield from cycle(fitting)


def measure(lesson: Lesson, name: str, count: int, jobs: int) -> Rate:
    """Grades a class of `count`. Raises RuntimeError when its scores are not what they should be."""
    graded = islice(sources(lesson, name), count)
    class_ = [
        Submission(f"{name}-{number:05}", Path(name), {lesson.name: LessonFiles(lesson.name, {MAIN: source})})
        for number, source in enumerate(graded)
    ]
    clock = Clock(count)
    with tempfile.TemporaryDirectory(prefix="throughput-") as out:
        limits = Limits().to_dict()
        settings = Settings(str(lesson.course), [lesson.name], 1, out, True, limits, hide=[out], program=GRADER_PROGRAM)
        started = time.perf_counter()
        grade_run(class_, [lesson], settings, jobs, clock, Reporter([lesson]))
    if clock.full != (count if name == "right" else 0):
        raise RuntimeError(f"{clock.full} of {count} {name} submissions have full marks")
    seconds = clock.last - clock.first
    return Rate(name, count, (count - 1) / seconds, clock.cost / (count - 1), clock.first - started)


def report(lesson: Lesson, jobs: int, rates: Sequence[Rate]) -> str:
    lines = [
        f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        f"torch {torch.__version__}, Python {platform.python_version()}, isolation {probe().level}; lesson "
        f"{lesson.name}, {jobs} grader processes, load {os.getloadavg()[0]:.1f}",
        "",
        f"{'':8}{'count':>8}{'a second':>12}{'processor ms each':>20}{'first after':>14}{'goal':>18}",
    ]
    for rate in rates:
        goal = GOALS[rate.name]
        verdict = "reached" if rate.a_second >= goal else "MISSED"
        lines.append(
            f"{rate.name:8}{rate.count:8}{rate.a_second:12.1f}{1000 * rate.cost:20.1f}{rate.start:12.1f} s"
            f"{verdict:>12} {goal:5g}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None, out: Callable[[str], object] = print) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.throughput", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=200, metavar="N", help="submissions of each kind (200)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="grader processes")
    parser.add_argument("--lesson", default="03", help="of this repository (03)")
    chosen = parser.parse_args(arguments)
    lesson = Course(ROOT).find(chosen.lesson)
    out(report(lesson, chosen.jobs, [measure(lesson, name, chosen.count, chosen.jobs) for name in GOALS]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
