"""What `grade run --cluster` costs next to `grade run` alone (docs/operator.md).

    python -m bench cluster                          1, 2 and 4 workers, 100 submissions of lesson 03 each
    python -m bench cluster --workers 1 2 --count 40

Every Dask worker has one thread and is pinned to a core, as long as there are enough cores; the scheduler and the
coordinator may use all of them. The same class is graded without Dask by as many grader processes on as many cores.
Half of the submissions are right, half have known mistakes. Figures are processor time of all processes together, from
the first quarter of the results to the last one, which other work on the machine changes little; only the times until
the first result are elapsed time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import ROOT
from bench.made_up_class import RIGHT, WRONG, write_class
from bench.measuring import machine, seconds_spent
from grader.gradebook.grading.run import GradingRun
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.finding import find
from grader.lesson.lesson import Course, Lesson
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits

CORES = sorted(os.sched_getaffinity(0))
START_SECONDS = 120.0
AS_DOCUMENTED = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}  # as docs/operator.md advises


class OwnCluster:
    """A scheduler and pinned workers on this machine."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        file = folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", None, "--port", "0", "--scheduler-file", str(file))
        end = time.monotonic() + START_SECONDS
        while not (text := file.read_text() if file.exists() else ""):
            if time.monotonic() > end:
                raise SystemExit(f"the scheduler does not start: see {folder}")
            time.sleep(0.1)
        self.address: str = json.loads(text)["address"]
        self.workers = [
            self._start(
                *("dask_worker", CORES[number % len(CORES)], self.address, "--nthreads", "1", "--no-nanny"),
                *("--local-directory", str(folder / f"worker-{number}")),
            )
            for number in range(workers)
        ]

    def _start(self, what: str, core: int | None, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{what}", "--host", "127.0.0.1", "--no-dashboard", *arguments]
        pin = None if core is None else lambda: os.sched_setaffinity(0, {core})
        with open(self.folder / f"{what}.log", "ab") as log:
            environment = {**os.environ, **AS_DOCUMENTED, "PYTHONPATH": str(ROOT)}
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=self.folder, preexec_fn=pin)

    def close(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.terminate()
        for process in [*self.workers, self.scheduler]:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Listener:
    """Notes the processor time of everything after a quarter of the results, when all has started, and at the last."""

    def __init__(self, expected: int) -> None:
        self._expected, self._count = expected, 0
        self.quarter = max(1, expected // 4)
        self.first_at = self.first = self.last = 0.0

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None:
        if results.status != "graded":
            raise SystemExit(f"{results.student}: {results.message}")
        self._count += 1
        self.first_at = self.first_at or time.monotonic()
        if self._count == self.quarter:
            self.first = seconds_spent(os.getpid())
        if self._count == self._expected:
            self.last = seconds_spent(os.getpid())


def measure(lesson: Lesson, folder: Path, jobs: int, address: str | None) -> tuple[float, float]:
    """(milliseconds of processor time per submission, seconds until the first result)."""
    found, course = find([folder], [lesson], [lesson]), Course(ROOT)
    listener, started = Listener(len(found)), time.monotonic()
    with tempfile.TemporaryDirectory() as out:
        settings = Settings(str(ROOT), [lesson.name], 1, out, True, Limits())
        GradingRun(
            found=found,
            lessons=[lesson],
            course=course,
            settings=settings,
            publisher=Reporter([lesson]),
            live=listener,
            jobs=jobs,
            cluster=address,
        ).run()
    each = 1000 * (listener.last - listener.first) / (len(found) - listener.quarter)
    return each, listener.first_at - started


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=100, help="submissions for each figure")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--lesson", default="03")
    options = parser.parse_args()
    lesson = Course(ROOT).find(options.lesson)
    print(f"{machine()}; lesson {lesson.number}")
    class_ = tempfile.TemporaryDirectory()
    write_class(Path(class_.name), lesson, options.count, (RIGHT, WRONG))
    more = []
    for workers in options.workers:
        os.sched_setaffinity(0, CORES[:workers])  # graders and workers inherit it
        alone, alone_first = measure(lesson, Path(class_.name), workers, None)
        os.sched_setaffinity(0, CORES)
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            contextlib.closing(OwnCluster(Path(folder), workers)) as cluster,
        ):
            spread, spread_first = measure(lesson, Path(class_.name), workers, cluster.address)
        print(
            f"{workers} at a time: {alone:.1f} ms of processor time per submission without Dask (first result after "
            f"{alone_first:.1f} s), {spread:.1f} ms with Dask ({spread_first:.1f} s): {spread - alone:.1f} ms more",
            flush=True,
        )
        more.append(f"{spread - alone:.1f} ms with {workers}")
    print(f"Dask's processor time per submission, by workers: {', '.join(more)}")
