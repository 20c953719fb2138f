"""How long the commands on a gradebook take: 2,000 attempts by 600 students unless told otherwise.

    python -m bench.gradebook_speed
    python -m bench.gradebook_speed --attempts 10000 --students 3000 --lessons 03 04 05

Results are synthetic; submissions are those of bench.made_up_class. For `grade regrade`, the new verdicts lie aside as
after a first `grade regrade`: what is timed is the comparison. Each command is a process of its own, so its seconds
include starting Python; beside them are the seconds of processor time.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.made_up_class import ROOT, source_of
from grader.gradebook.attempt_table import StoredVerdict
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.grading.keys import Conditions
from grader.gradebook.grading.proposals import Proposal, Proposals
from grader.gradebook.grading.regrade import plan_regrade, proposal_key
from grader.gradebook.grading.settings import RunIdentity, Settings
from grader.gradebook.grading.views import Views
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.publish.report.pages import Reporter
from grader.results import LessonResult, NamedMistake, Row, SubmissionResult

MISTAKE = NamedMistake("mean", "You divide by the number of all elements. How many numbers are left by then?")
SUNDAY = datetime(2026, 11, 1, 12, tzinfo=UTC)


def results_of(student: str, lessons: Sequence[Lesson], draw: random.Random) -> SubmissionResult:
    """Synthetic results: each row is right with probability 0.9."""
    parts = []
    for lesson in lessons:
        rows = []
        for item in lesson.items:
            right = draw.random() < 0.9
            row = Row(item.name, "passed", item.points, item.points, True, True, 0.0, 0, 1e-12, [32, 27], [32, 27])
            if not right:
                row = replace(row, status="failed", points=0, exact=False, mistake=MISTAKE, message=MISTAKE.message)
            rows.append(replace(row, chain="passed", file=f"{lesson.name}/backward.py"))
        parts.append(LessonResult.of(lesson.name, rows, seconds=round(draw.random(), 3)))
    score, highest = sum(part.score for part in parts), sum(part.max_score for part in parts)
    return SubmissionResult(
        student=student,
        submission_sha256=f"{draw.getrandbits(256):064x}",
        score=score,
        max_score=highest,
        isolation="strong",
        environment={"torch": "2", "python": "3", "cpu_capability": "AVX2", "platform": "Linux"},
        lessons=parts,
    )


def write_gradebook(out: Path, course: Course, names: Sequence[str], attempts: int, students: int) -> None:
    """A gradebook with synthetic attempts, and the proposals of a regrade of every attempt."""
    lessons, draw = [course.find(name) for name in names], random.Random(3)
    out.mkdir(parents=True)
    gradebook = Gradebook(out / GRADEBOOK)
    settings = Settings(
        course=str(course.root), lessons=[lesson.name for lesson in lessons], seed=1, out=str(out), program=""
    )
    conditions = Conditions.of(lessons, settings)
    earlier = replace(conditions, lessons=dict.fromkeys(conditions.lessons, "an earlier version"))
    gradebook.describe(RunIdentity.of(course, settings).entries(lessons))
    for number in range(attempts):
        student = f"student_{number % students:04}"
        files = {
            each.name: LessonFiles(each.name, {"backward.py": source_of(each, number).encode()}) for each in lessons
        }
        submission = Submission(student, Path(student), files, submitted=SUNDAY + timedelta(minutes=number))
        gradebook.add(StoredVerdict("", results_of(student, lessons, draw), earlier, {}), submission)
    proposals = Proposals(out)
    for due in plan_regrade(gradebook, course, ()).due:
        proposal = Proposal(results_of(due.stored.student, lessons, draw), {})
        proposals.put(proposal_key(due, course, replace(settings, require="none")), proposal)
    proposals.close()
    Views(out, gradebook, (reporter := Reporter(lessons)), lessons).keep_drawings(reporter.new_drawings(every=True))
    gradebook.close()


def seconds_of(*command: str) -> tuple[float, float]:
    """(seconds, seconds of processor time) of a `grade` command. Raises SystemExit if it fails."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([sys.executable, "-m", "grader.commands.grade", *command], capture_output=True, text=True)
    seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"grade {' '.join(command)}: {done.stderr}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attempts", type=int, default=2000)
    parser.add_argument("--students", type=int, default=600)
    parser.add_argument("--lessons", nargs="+", default=["03"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "grades"
        write_gradebook(out, Course(ROOT), options.lessons, options.attempts, options.students)
        size = (out / GRADEBOOK).stat().st_size
        print(f"{options.attempts:,} attempts by {options.students:,} students: {size / 2**20:.1f} MiB")
        row = f"{options.lessons[0]}.{Course(ROOT).find(options.lessons[0]).items[0].name}"
        commands = {
            "grade history": ("history", "student_0007"),
            "grade regrade (the comparison)": ("regrade", "--require", "none"),
            "grade comment, and the class page": ("comment", "student_0007", "Well done."),
            "grade adjust, and the class page": ("adjust", "student_0007", row, "--points", "0", "--because", "x"),
        }
        for name, command in commands.items():
            seconds, processor = seconds_of(*command, "-o", str(out))
            print(f"{name:<36} {seconds:5.2f} s  ({processor:.2f} s of processor time)")


if __name__ == "__main__":
    main()
