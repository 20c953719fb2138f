"""A student's message does not depend on the machine: tests/corpus/in_the_wild is graded twice, the second time slowed.

    python -m bench verdicts slowed             every lesson; about ten times as long as the corpus takes
    python -m bench verdicts slowed 03 14       two lessons
    python -m bench verdicts slowed --busy 9    ten times slower instead of five

The second time, this process and all that it starts share one core with busy processes. A member of the corpus is
judged as it says there: by `grade run`, by `dojo check`, or by both. Members with a course.toml are left out.
Status, mistake and message of every row are compared; exit status 1 if any differs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from bench import ROOT
from grader.dojo.check import LocalJudge
from grader.gradebook.grading.session import Session
from grader.intake.submissions.finding import find
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.results import Row

SEED = 20_240_607
MAX_SHOWN = 20
BUSY = "while True: sum(range(1000))"

Told = dict[tuple[str, str, str], tuple[str, str, str]]
"""{(who judged, file, row): (status, mistake, message)}"""


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-S", "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


@contextmanager
def slowed(busy: int) -> Iterator[None]:
    """Inside, this process and those that it starts share one core with `busy` others."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with busy_processes(busy):
            yield
    finally:
        os.sched_setaffinity(0, cores)


def submissions(course: Course, lesson: Lesson, folder: Path) -> Iterator[tuple[str, str, Submission]]:
    """(file of the corpus, who judges it, what is submitted) of the members for one lesson."""
    sys.path.insert(0, str(ROOT / "tests" / "helpers"))
    from wild_members import FOLDER, MEMBERS, handed_in, member_of

    lessons = list(course.lessons.values())
    for number, path in enumerate(MEMBERS):
        member = member_of(path)
        if member.lesson == lesson.number and not member.course:
            place = handed_in(member, course, folder / str(number))
            (submission,) = find([place], [lesson], lessons)
            yield str(path.relative_to(FOLDER)), member.by, submission


def told_in(course: Course, lesson: Lesson) -> tuple[Told, float]:
    """What each row of each member is told, by a session and a judge that are started for it; the seconds it took."""
    told: Told = {}
    started = time.monotonic()

    def note(by: str, name: str, rows: Sequence[Row]) -> None:
        for row in rows:
            told[by, name, row.name] = (row.status, row.mistake.id if row.mistake else "", row.message or "")

    at_home = Course(ROOT, secrets=False).find(lesson.name)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Session([lesson], SEED)) as session,
        closing(LocalJudge()) as judge,
    ):
        for name, by, submission in submissions(course, lesson, Path(folder)):
            submitted = submission.lessons.get(lesson.name)
            if by in ("grade", "both"):
                note("grade run", name, session.grade(submission).results.lessons[0].rows)
            if by in ("dojo", "both") and submitted is not None:
                note("dojo check", name, judge.judge(at_home, submitted).rows)
    return told, time.monotonic() - started


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--busy", type=int, default=4, help="busy processes on the same core (4)")
    options = parser.parse_args(arguments)
    course = Course(ROOT)
    compared = differing = 0
    before = after = 0.0
    for lesson in [course.find(name) for name in options.lessons] or list(course.lessons.values()):
        ordinary, seconds = told_in(course, lesson)
        with slowed(options.busy):
            slow, slow_seconds = told_in(course, lesson)
        before, after = before + seconds, after + slow_seconds
        different = [key for key in ordinary.keys() | slow.keys() if ordinary.get(key) != slow.get(key)]
        compared, differing = compared + len(ordinary), differing + len(different)
        for key in sorted(different)[:MAX_SHOWN]:
            print(f"{', '.join(key)}\n  ordinary: {ordinary.get(key)}\n  slowed:   {slow.get(key)}")
        print(f"{lesson.name}: {len(ordinary)} rows, {len(different)} differ", flush=True)
    print(
        f"{compared:,} rows compared; {differing} differ in status, mistake or message where the machine is "
        f"{after / max(before, 1e-9):.1f} times slower"
    )
    return 1 if differing else 0
