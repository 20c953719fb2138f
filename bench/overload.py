"""Right submissions next to busy processes: all of them must get full marks.

    python -m bench.overload                                  500 submissions of lesson 03, ten busy processes per core
    python -m bench.overload --count 20 --busy 4 --work 2     20 of them, each with a step that computes for 2 seconds

With `--work`, one step of each submission computes for that many seconds of processor time before it returns: on a busy
machine it takes many times as long, and its deadline (`--timeout`) must wait for it. `--sleep` adds submissions with a
step that sleeps without end: each must get the status `timeout` for that step, and full marks for all others.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from bench.made_up_class import RIGHT, source_of
from grader.commands.early_nursery import GRADER_PROGRAM
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import probe

ROOT = Path(__file__).resolve().parent.parent
BUSY = "while True: sum(range(1000))"
WORK = """

import time as _time


def {name}(*given, _right={name}, **named):
    end = _time.process_time() + {seconds}
    while _time.process_time() < end:
        pass
    return _right(*given, **named)


{name}.__signature__ = __import__("inspect").signature({name}.__kwdefaults__["_right"])
"""
SLEEP = """

import time as _time


def {name}():
    _time.sleep(100_000)
"""


@contextlib.contextmanager
def busy_processes(count: int) -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-S", "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


class Counts:
    """Counts results as they come; prints a line now and then."""

    def __init__(self, total: int) -> None:
        self.total, self.results = total, list[SubmissionResult]()
        self.first = 0.0
        self._printed = time.monotonic()

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None:
        self.first = self.first or time.monotonic()
        self.results.append(results)
        if time.monotonic() - self._printed > 15:
            self._printed = time.monotonic()
            print(f"{len(self.results)} of {self.total} graded, {self.full} with full marks", flush=True)

    @property
    def full(self) -> int:
        return sum(results.percent >= 100 for results in self.results)


def submission(lesson: Lesson, number: int, text: str) -> Submission:
    name = f"student_{number:06}"
    return Submission(name, Path(name), {lesson.name: LessonFiles(lesson.name, {BACKWARD_FILE: text.encode()})})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="right submissions")
    parser.add_argument("--sleep", type=int, default=0, metavar="COUNT", help="submissions with a step that sleeps")
    parser.add_argument("--busy", type=int, default=None, help="busy processes  [default: ten per core]")
    parser.add_argument("--work", type=float, default=0.0, metavar="SECONDS", help="processor time of one step")
    parser.add_argument("--timeout", type=float, default=10.0, help="as in `grade run`")
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    lesson = Course(ROOT).find(options.lesson)
    busy = 10 * (os.cpu_count() or 1) if options.busy is None else options.busy
    step = lesson.functions[0]
    submissions = []
    for number in range(options.count + options.sleep):
        text = source_of(lesson, number, RIGHT)
        if number >= options.count:
            text += SLEEP.format(name=step)
        elif options.work:
            text += WORK.format(name=step, seconds=options.work)
        submissions.append(submission(lesson, number, text))
    limits = Limits(
        import_seconds=options.timeout,
        step_seconds=options.timeout,
        total_seconds=6 * options.timeout,
        cpu_seconds=max(60, int(40 * options.work)),
    )
    counts = Counts(len(submissions))
    with tempfile.TemporaryDirectory() as out, busy_processes(busy):
        settings = Settings(
            course=str(ROOT),
            lessons=[lesson.name],
            seed=secrets.randbits(32),
            out=out,
            program=GRADER_PROGRAM,
            limits=limits.to_dict(),
            isolation=asdict(probe()),
        )
        started = time.monotonic()
        outcome = grade_run(submissions, [lesson], settings, options.jobs, counts, Reporter([lesson]))
        seconds = time.monotonic() - started
    statuses = Counter(row.status for results in counts.results for row in results.rows() if row.status != "passed")
    right = [each for each in counts.results if int(each.student.rpartition("_")[2]) < options.count]
    slept = [each for each in counts.results if int(each.student.rpartition("_")[2]) >= options.count]
    full = sum(each.percent >= 100 for each in right)
    stopped = sum(
        [row.name for row in each.rows() if row.status == "timeout"] == [step]
        and all(row.status == "passed" for row in each.rows() if row.name != step)
        for each in slept
    )
    print(
        f"{busy} busy processes on {os.cpu_count()} cores, {options.jobs} grader processes, lesson {lesson.number}, "
        f"--timeout {options.timeout:g}" + (f", one step computes for {options.work:g} s" if options.work else "")
    )
    print(f"{full} of {options.count} right submissions have full marks; {len(outcome.reasons)} faults of the grader")
    if options.sleep:
        print(f"{stopped} of {options.sleep} submissions that sleep lost that step and nothing else")
    print(f"other statuses: {dict(statuses) or 'none'}")
    print(f"{seconds:.0f} s in all, {len(counts.results) / max(0.001, time.monotonic() - counts.first):.1f} per second")
    raise SystemExit(0 if full == options.count and stopped == options.sleep and not outcome.reasons else 1)


if __name__ == "__main__":
    main()
