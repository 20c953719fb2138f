"""What grading one right submission costs, lesson by lesson.

    python -m bench.lesson_times                 lessons 12 to 19, three turns each
    python -m bench.lesson_times 03 15 --turns 5

The whole of `grade run` on the lesson's solution, with one grader process. The seconds are processor time of
all its processes together, from the start of Python to the end. Each is the smallest of the turns, because other work
on the machine only adds to it. The multiple is of the first row, which is always lesson 03. A lesson should take less
than 60 seconds on 2 cores: exit status 1 if one takes more processor time than that.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grader.lesson.lesson import Course, Lesson

ROOT = Path(__file__).resolve().parents[1]
YARDSTICK, DEFAULT = "03", [str(number) for number in range(12, 20)]
MAX_SECONDS = 60.0


def seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def graded_in(lesson: Lesson) -> float:
    """The processor time of one `grade run` on the lesson's solution. Raises SystemExit unless it has full marks."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "solution" / lesson.name
        own.mkdir(parents=True)
        shutil.copy(lesson.solution / "backward.py", own)
        command = ["-m", "grader.commands.start_grade", "run", str(own.parent), "--lesson", lesson.number]
        options = ["--jobs", "1", "--fail-under", "100", "-o", str(Path(folder) / "out")]
        before = seconds_of_children()
        done = subprocess.run(
            [sys.executable, *command, *options], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"lesson {lesson.number}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return seconds_of_children() - before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*", default=DEFAULT)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    course = Course(ROOT)
    lessons = [course.find(name) for name in dict.fromkeys([YARDSTICK, *given.lessons])]
    best = {lesson.number: min(graded_in(lesson) for _ in range(given.turns)) for lesson in lessons}
    table = Table(
        "lesson", "seconds", f"times lesson {YARDSTICK}", title=f"{os.cpu_count()} cores, {given.turns} turns"
    )
    for lesson in lessons:
        seconds = best[lesson.number]
        table.add_row(lesson.name, f"{seconds:.1f}", f"{seconds / best[YARDSTICK]:.1f}")
    Console().print(table)
    return int(max(best.values()) > MAX_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
