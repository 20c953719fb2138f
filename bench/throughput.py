"""How many submissions per second one machine grades: classes of right and of wrong ones.

    python -m bench throughput                     200 of each class, lesson 03, a grader process per core
    python -m bench throughput --count 40 --jobs 1 --classes right

The whole of `grade run` but for its screen: graded by the hidden suite under pytest in locked-in workers, written as
results.json, report.html and report.md, kept in the gradebook, with the class page at the end.

Every function has one of the spellings of the answer key and its variants, and no two files are the same
(bench/made_up_class.py); a wrong submission has one to three known mistakes.

The rate counts from the first result to the last; the start (every grader and zygote loads torch) is printed apart.
Processor time is that of all processes together: it says what a submission costs also where
other work slows the clock, if less exactly (processor caches are shared). It is split by process:

    coordinator    hands out submissions, writes the gradebook, reads submissions
    graders        judge, run pytest, write results.json and the reports
    readers        read source text
    zygotes        fork workers
    workers        from the fork to the end: lock themselves in, run the student's code
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

import torch

from bench import ROOT
from bench.fork import processor
from bench.made_up_class import RIGHT, WRONG, sources
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
from grader.sandbox.isolation.probe import probe

CLASSES = (RIGHT, WRONG)
PHASES = ("coordinator", "graders", "readers", "zygotes", "workers")
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds() -> float:
    """Of this process and all below it, with those that have ended and were waited for."""
    return sum(seconds_by_phase().values())


def seconds_by_phase() -> Counter[str]:
    """Processor seconds of this process and all below it, by phase. Ended processes are their parent's."""
    found: Counter[str] = Counter()
    waiting = [(os.getpid(), "")]
    while waiting:
        pid, parent = waiting.pop()
        try:
            name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
            tasks = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
        except OSError:  # it has ended meanwhile: its time is its parent's
            continue
        own_user, own_system, ended_user, ended_system = map(int, rest.split()[11:15])
        phase = {"grader": "graders", "zygote": "zygotes"}.get(name, "readers" if parent == "grader" else "coordinator")
        found[phase] += own_user + own_system
        found["workers" if phase == "zygotes" else phase] += ended_user + ended_system
        waiting += [(int(child), name) for text in tasks for child in text.split()]
    return Counter({phase: ticks / TICK for phase, ticks in found.items()})


@dataclass
class Clock:
    """A grader.gradebook.grading.graded.RunListener that notes when results come. It stops with the last of `expected`.

    Before the processes end, that is, and with them what they tell of their time.
    """

    expected: int
    count: int = 0
    first: float = 0.0
    last: float = 0.0
    cost: Counter[str] = field(default_factory=Counter)
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
            self.first, self.cost = self.last, seconds_by_phase()
        if self.count == self.expected:
            end = seconds_by_phase()
            self.cost = Counter({phase: end[phase] - self.cost[phase] for phase in end})


@dataclass(frozen=True)
class Rate:
    name: str
    count: int
    per_second: float
    cost: Counter[str]  # milliseconds of processor time per submission, by phase
    start: float  # seconds until the first result


def measure(lesson: Lesson, kind: str, count: int, jobs: int) -> Rate:
    """Grade a class of `count`. Raises RuntimeError when its scores are not what they should be."""
    class_ = [
        Submission(f"{kind}-{number:05}", Path(kind), {lesson.name: LessonFiles(lesson.name, {BACKWARD_FILE: source})})
        for number, source in enumerate(islice(sources(lesson, kind), count))
    ]
    clock = Clock(count)
    with tempfile.TemporaryDirectory(prefix="throughput-") as out:
        limits = asdict(Limits())
        settings = Settings(str(lesson.course), [lesson.name], 1, out, True, limits, program=GRADER_PROGRAM)
        started = time.perf_counter()
        grade_run(class_, [lesson], settings, jobs, clock, Reporter([lesson]))
    if clock.full != (count if kind == RIGHT else 0):
        raise RuntimeError(f"{clock.full} of {count} {kind} submissions have full marks")
    cost = Counter({phase: 1000 * seconds / (count - 1) for phase, seconds in clock.cost.items()})
    return Rate(kind, count, (count - 1) / (clock.last - clock.first), cost, clock.first - started)


def heading(lesson: Lesson, jobs: int) -> str:
    columns = "".join(f"{phase:>13}" for phase in PHASES)
    return "\n".join(
        [
            f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
            f"torch {torch.__version__}, Python {platform.python_version()}, isolation {probe().level}; lesson "
            f"{lesson.name}, {jobs} grader processes, load {os.getloadavg()[0]:.1f}",
            "",
            f"{'':16}{'count':>7}{'per second':>12}{'first after':>12}{'processor ms each':>19}{columns}",
        ]
    )


def line(rate: Rate) -> str:
    columns = "".join(f"{rate.cost[phase]:13.1f}" for phase in PHASES)
    return (
        f"{rate.name:16}{rate.count:7}{rate.per_second:12.1f}"
        f"{rate.start:10.1f} s{sum(rate.cost.values()):19.1f}{columns}"
    )


def main(arguments: Sequence[str] | None = None, out: Callable[[str], object] = print) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=200, metavar="N", help="submissions per class (200)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="grader processes")
    parser.add_argument("--lesson", default="03", help="of this repository (03)")
    parser.add_argument(
        "--classes", nargs="+", choices=CLASSES, default=CLASSES, metavar="CLASS", help="right or wrong"
    )
    chosen = parser.parse_args(arguments)
    lesson = Course(ROOT).find(chosen.lesson)
    out(heading(lesson, chosen.jobs))
    for name in chosen.classes:
        out(line(measure(lesson, name, chosen.count, chosen.jobs)))
    return 0
