"""What `grade run --cluster` costs next to `grade run` alone, and what large classes cost (docs/operator.md).

    python -m bench.cluster                          1, 2 and 4 workers, 100 submissions of lesson 03 each
    python -m bench.cluster --workers 1 2 --count 40

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
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.fork import processor
from bench.made_up_class import RIGHT, WRONG, source_of
from grader.commands.checks import GRADER_PROGRAM
from grader.gradebook.database import GRADEBOOK
from grader.gradebook.files import STUDENT_FILES
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits

ROOT = Path(__file__).resolve().parent.parent
TICK = os.sysconf("SC_CLK_TCK")
CORES = sorted(os.sched_getaffinity(0))
CLASSES = (1_000, 100_000, 1_000_000)
BLOCK = 4096  # bytes of a file system's block
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
        self._folder = folder
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
        with open(self._folder / f"{what}.log", "ab") as log:
            environment = {**os.environ, **AS_DOCUMENTED, "PYTHONPATH": str(ROOT)}
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=self._folder, preexec_fn=pin)

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


@dataclass(frozen=True)
class Figures:
    """`each` is in milliseconds per submission, `start` in seconds until the first result, sizes in bytes each."""

    each: Spent
    start: float
    files: float
    blocks: float
    gradebook: float


def measure(lesson: Lesson, class_: Sequence[Submission], jobs: int, cluster: OwnCluster | None) -> Figures:
    listener = Listener(len(class_), cluster)
    with tempfile.TemporaryDirectory() as out:
        limits = Limits().to_dict()
        settings = Settings(str(ROOT), [lesson.name], 1, out, True, limits, program=GRADER_PROGRAM)
        started = time.monotonic()
        address = None if cluster is None else cluster.address
        grade_run(class_, [lesson], settings, jobs, listener, Reporter([lesson]), cluster=address)
        sizes = [(Path(out) / each.student / name).stat().st_size for each in class_ for name in STUDENT_FILES]
        gradebook = (Path(out) / GRADEBOOK).stat().st_size
    count = len(class_)
    blocks = sum(-(-size // BLOCK) * BLOCK for size in sizes) + count * BLOCK
    each = listener.last.since(listener.first, count - 1)
    return Figures(each, listener.first_at - started, sum(sizes) / count, blocks / count, gradebook / count)


def hours(milliseconds: float, count: int) -> str:
    value = milliseconds * count / 3_600_000
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def gigabytes(size: float, count: int) -> str:
    value = size * count / 1e9
    return f"{value:.2g} GB" if value < 10 else f"{value:,.0f} GB"


def cost_table(grading: float, coordinator: float, scheduler: float, figures: Figures, sent: float) -> list[str]:
    """Lines of Markdown. `grading`, `coordinator` and `scheduler` are milliseconds of a core per submission."""
    heads = "".join(f" {count:,} |" for count in CLASSES)
    total = grading + coordinator + scheduler
    rows = [
        ("grading and reports, core-hours", [hours(grading, n) for n in CLASSES]),
        ("coordinator, core-hours", [hours(coordinator, n) for n in CLASSES]),
        ("Dask's scheduler, core-hours", [hours(scheduler, n) for n in CLASSES]),
        ("money", [f"{hours(total, n)} core-hours times your price" for n in CLASSES]),
        ("elapsed hours on 16 cores, at least", [hours(max(grading / 16, coordinator, scheduler), n) for n in CLASSES]),
        ("elapsed hours on 64 cores, at least", [hours(max(grading / 64, coordinator, scheduler), n) for n in CLASSES]),
        ("sent to workers", [gigabytes(2 * sent, n) for n in CLASSES]),
        ("sent back", [gigabytes(2 * figures.files, n) for n in CLASSES]),
        ("folders of students", [gigabytes(figures.blocks, n) for n in CLASSES]),
        ("gradebook", [gigabytes(figures.gradebook, n) for n in CLASSES]),
    ]
    return [f"| submissions |{heads}", "|---" * (len(CLASSES) + 1) + "|"] + [
        f"| {name} | {' | '.join(values)} |" for name, values in rows
    ]


def pays_off_from(own: Figures, far: Figures, grading: float, here: int, there: int) -> int | None:
    """From how many submissions a cluster of `there` cores is faster than a machine of `here`; None if never."""
    local, remote = grading / here, max(grading / there, far.each.coordinator, far.each.scheduler)
    if remote >= local:
        return None
    return max(1, round(1000 * (far.start - own.start) / (local - remote)))


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
    sent = sum(len(pickle.dumps(each)) for each in class_) / len(class_)
    print(
        f"{processor()}, {len(CORES)} cores, load {os.getloadavg()[0]:.1f}; {options.count} submissions of lesson "
        f"{lesson.number}; milliseconds of processor time per submission"
    )
    print(f"{'':22}{'grading':>9}{'worker':>9}{'scheduler':>11}{'coordinator':>13}{'all':>8}{'first after':>13}")
    found: dict[tuple[str, int], Figures] = {}
    for workers in options.workers:
        os.sched_setaffinity(0, CORES[:workers])  # graders and workers inherit it
        found["alone", workers] = measure(lesson, class_, workers, None)
        os.sched_setaffinity(0, CORES)
        with own_cluster(workers) as cluster:
            found["cluster", workers] = measure(lesson, class_, workers, cluster)
        for kind in ("alone", "cluster"):
            figures = found[kind, workers]
            each = figures.each
            total = each.grading + each.dask_workers + each.scheduler + each.coordinator
            shared = ", cores shared" if workers > len(CORES) else ""
            name = f"{workers} {'grader' if kind == 'alone' else 'Dask worker'}{'s' * (workers > 1)}"
            print(
                f"{name + shared:22}{each.grading:9.1f}{each.dask_workers:9.1f}{each.scheduler:11.1f}"
                f"{each.coordinator:13.1f}{total:8.1f}{figures.start:11.1f} s"
            )
    overheads = []
    for workers in options.workers:
        own, far = found["alone", workers].each, found["cluster", workers].each
        overheads.append(far.dask_workers + far.scheduler + far.coordinator - own.coordinator)
    print(f"\nDask's overhead per submission: {', '.join(f'{each:.1f}' for each in overheads)} ms")
    most = (
        max(w for w in options.workers if w <= len(CORES)) if options.workers[0] <= len(CORES) else options.workers[0]
    )
    alone, spread = found["alone", most], found["cluster", most]
    grading = alone.each.grading
    for here, there in ((2, 4), (2, 16), (8, 64)):
        size = pays_off_from(alone, spread, grading, here, there)
        what = f"from {size:,} submissions" if size else "never"
        print(f"a cluster of {there} cores is faster than one machine of {here}: {what}")
    limits = [1000 / each for each in (spread.each.coordinator, spread.each.scheduler)]
    print(
        f"the coordinator manages {limits[0]:.0f} submissions per second, the scheduler {limits[1]:.0f}: "
        f"{min(limits) * grading / 1000:.0f} cores grade as many as the slower one"
    )
    print(f"a submission is sent as {sent / 1000:.1f} KB and comes back as {spread.files / 1000:.0f} KB\n")
    print(
        "\n".join(
            cost_table(grading + spread.each.dask_workers, spread.each.coordinator, spread.each.scheduler, spread, sent)
        )
    )


if __name__ == "__main__":
    main()
