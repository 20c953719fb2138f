"""What `grade run --cluster` costs next to `grade run` alone (docs/operator.md).

    python -m bench cluster                          1, 2 and 4 workers, 100 submissions of lesson 03 each
    python -m bench cluster --workers 1 2 --count 40

Every Dask worker has one thread and is pinned to a core, as long as there are enough cores; the scheduler and the
coordinator may use all of them. The same class is graded without Dask by as many grader processes on as many cores.
Half of the submissions are right, half have known mistakes. Figures are processor
time, from the first result to the last, which other work on the machine changes little; only the times until the first
result are elapsed time.
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
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import ROOT
from bench.fork import processor
from bench.made_up_class import RIGHT, WRONG, source_of
from grader.commands.checks import GRADER_PROGRAM
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits

TICK = os.sysconf("SC_CLK_TCK")
CORES = sorted(os.sched_getaffinity(0))
START_SECONDS = 120.0
AS_DOCUMENTED = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}  # as docs/operator.md advises


def own_and_reaped(pid: int) -> tuple[float, float]:
    """Processor seconds (of a process itself, of children that it has reaped); zeros if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0, 0.0
    user, system, ended_user, ended_system = map(int, fields[11:15])
    return (user + system) / TICK, (ended_user + ended_system) / TICK


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in tasks.read_text().split()]
    return found


def seconds_below(pid: int) -> float:
    """Processor seconds of all that a process has started and not reaped, and of what these have reaped."""
    return sum(sum(own_and_reaped(child)) + seconds_below(child) for child in children_of(pid))


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


@contextlib.contextmanager
def own_cluster(workers: int) -> Iterator[OwnCluster]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        cluster = OwnCluster(Path(folder), workers)
        try:
            yield cluster
        finally:
            cluster.close()


@dataclass(frozen=True)
class Spent:
    """Processor seconds up to now."""

    coordinator: float
    scheduler: float
    dask_workers: float
    grading: float

    @staticmethod
    def now(cluster: OwnCluster | None) -> Spent:
        if cluster is None:
            return Spent(own_and_reaped(os.getpid())[0], 0.0, 0.0, seconds_below(os.getpid()))
        workers = [worker.pid for worker in cluster.workers]
        return Spent(
            own_and_reaped(os.getpid())[0],
            own_and_reaped(cluster.scheduler.pid)[0],
            sum(own_and_reaped(pid)[0] for pid in workers),
            sum(seconds_below(pid) for pid in workers),
        )

    def since(self, before: Spent, count: int) -> Spent:
        """Milliseconds per submission."""
        pairs = ((self.coordinator, before.coordinator), (self.scheduler, before.scheduler))
        more = ((self.dask_workers, before.dask_workers), (self.grading, before.grading))
        return Spent(*(1000 * (after - then) / count for after, then in (*pairs, *more)))


class Listener:
    """Notes what was spent at the first and at the last result."""

    def __init__(self, expected: int, cluster: OwnCluster | None) -> None:
        self._expected, self._cluster = expected, cluster
        self.count, self.first_at = 0, 0.0
        self.first = self.last = Spent(0, 0, 0, 0)

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None:
        if results.status != "graded":
            raise SystemExit(f"{results.student}: {results.message}")
        self.count += 1
        if self.count == 1:
            self.first, self.first_at = Spent.now(self._cluster), time.monotonic()
        if self.count == self._expected:
            self.last = Spent.now(self._cluster)


def measure(lesson: Lesson, class_: Sequence[Submission], jobs: int, cluster: OwnCluster | None) -> tuple[Spent, float]:
    """(milliseconds of processor time per submission, seconds until the first result)."""
    listener = Listener(len(class_), cluster)
    with tempfile.TemporaryDirectory() as out:
        limits = asdict(Limits())
        settings = Settings(str(ROOT), [lesson.name], 1, out, True, limits, program=GRADER_PROGRAM)
        started = time.monotonic()
        address = None if cluster is None else cluster.address
        grade_run(class_, [lesson], settings, jobs, listener, Reporter([lesson]), cluster=address)
    return listener.last.since(listener.first, len(class_) - 1), listener.first_at - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="submissions for each figure")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--lesson", default="03")
    options = parser.parse_args()
    lesson = Course(ROOT).find(options.lesson)
    class_ = []
    for number in range(options.count):
        text = source_of(lesson, number, (RIGHT, WRONG)[number % 2])
        name = f"student_{number:06}"
        class_.append(
            Submission(name, Path(name), {lesson.name: LessonFiles(lesson.name, {BACKWARD_FILE: text.encode()})})
        )
    print(
        f"{processor()}, {len(CORES)} cores, load {os.getloadavg()[0]:.1f}; {options.count} submissions of lesson "
        f"{lesson.number}; milliseconds of processor time per submission"
    )
    print(f"{'':22}{'grading':>9}{'worker':>9}{'scheduler':>11}{'coordinator':>13}{'all':>8}{'first after':>13}")
    for workers in options.workers:
        os.sched_setaffinity(0, CORES[:workers])  # graders and workers inherit it
        alone = measure(lesson, class_, workers, None)
        os.sched_setaffinity(0, CORES)
        with own_cluster(workers) as cluster:
            spread = measure(lesson, class_, workers, cluster)
        for kind, (each, start) in (("grader", alone), ("Dask worker", spread)):
            total = each.grading + each.dask_workers + each.scheduler + each.coordinator
            shared = ", cores shared" if workers > len(CORES) else ""
            name = f"{workers} {kind}{'s' * (workers > 1)}{shared}"
            print(
                f"{name:22}{each.grading:9.1f}{each.dask_workers:9.1f}{each.scheduler:11.1f}"
                f"{each.coordinator:13.1f}{total:8.1f}{start:11.1f} s"
            )
        own, far = alone[0], spread[0]
        overhead = far.dask_workers + far.scheduler + far.coordinator - own.coordinator
        print(f"Dask's overhead per submission: {overhead:.1f} ms", flush=True)
