"""Whatever ends a grader process or a whole run, nothing that was finished is lost and nobody is graded wrongly.

Fast tests put a few lines of Python where grader processes are; a real run is killed at many moments by the slow one:

    pytest tests/unit/gradebook/grading/test_resume.py -m slow        50 kills, about ten minutes
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from shared_nursery import run_command
from support import GUARD_SECONDS, ROOT, sampled, solution_of, students_in_the_book, wait_until, without_seconds

from grader.gradebook.grading import grader_processes
from grader.gradebook.grading.grader_processes import AHEAD, GraderPool, GraderProcess, Reply, grade_all
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.stop import Stop, stop_at_signals
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.results import SubmissionResult

# Grader processes, played ---------------------------------------------------------------------------------------------

PLAYED = """
import json, os, pickle, sys, time
from pathlib import Path
out = Path(json.loads(sys.argv[1])["out"])
print('{"ready": true}', flush=True)
while True:
    submission = pickle.load(sys.stdin.buffer)
    with open(out / submission.student, "a") as file:
        file.write("tried\\n")
    tries = (out / submission.student).read_text().count("tried")
    kind = submission.student.split("-")[0]
    reply = {"results": {"student": submission.student}}
    if kind == "dies" or (kind == "once" and tries == 1):
        os.kill(os.getpid(), 9)
    if kind == "half":
        os.write(1, b'{"results": {"stu')
        os._exit(0)
    if kind == "faulty":
        reply = {"fault": "ZygoteDied: the zygote ended"}
    while kind == "slow":
        time.sleep(0.01)  # no race: until it is ended
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(grader_processes, "START_GRADER_CODE", PLAYED)
    return Settings(course="", lessons=[], seed=1, out=str(tmp_path))


def named(*students: str) -> Iterator[Submission]:
    return (Submission(student, Path(student), {}) for student in students)


def replies(settings: Settings, *students: str, jobs: int = 2) -> dict[str, Reply]:
    return {
        submission.student: reply
        for submission, reply in grade_all(named(*students), partial(GraderPool, settings, jobs), str, Stop())
    }


def tries(settings: Settings, student: str) -> int:
    return (Path(settings.out) / student).read_text().count("tried")


def right(student: str) -> Reply:
    return Reply(SubmissionResult(student=student))


@pytest.mark.full
def test_a_grader_process_that_dies_is_replaced_and_its_submission_tried_once_more(played):
    assert replies(played, "ada", "once-bo", "cy", jobs=1) == {s: right(s) for s in ("ada", "once-bo", "cy")}
    assert (tries(played, "once-bo"), tries(played, "cy")) == (2, 1)


@pytest.mark.full
@sampled(
    ("student", "fault"),
    [
        ("dies-bo", "A grader process ended (status -9)."),
        ("half-bo", "A grader process ended (status 0)."),
        ("faulty-bo", "ZygoteDied: the zygote ended"),
    ],
    keep=1,
)
def test_what_fails_twice_is_a_fault_and_the_others_are_graded(played, student, fault):
    found = replies(played, "ada", student, "cy", "di")
    assert found == {student: Reply(fault=fault)} | {s: right(s) for s in ("ada", "cy", "di")}
    assert tries(played, student) == 2


@pytest.mark.full
def test_submissions_are_read_one_by_one_as_graders_are_free(played):
    """So that a class of thousands is never in memory at once."""
    read: list[str] = []

    def reading() -> Iterator[Submission]:
        for submission in named(*(f"bo-{number}" for number in range(10))):
            read.append(submission.student)
            yield submission

    replies = grade_all(reading(), partial(GraderPool, played, 1), str, Stop())
    for taken in range(1, 8):
        next(replies)
        assert len(read) < taken + AHEAD + 1  # one is graded, and a few wait
    replies.close()


def test_after_a_signal_comes_what_had_finished_and_graders_are_ended(played, monkeypatch):
    """One that another thread receives does not interrupt a wait: it ends soon enough."""
    started: list[GraderProcess] = []
    init = GraderProcess.__init__
    monkeypatch.setattr(GraderProcess, "__init__", lambda self, *of: started.append(self) or init(self, *of))

    def interrupt() -> None:
        wait_until(lambda: (Path(played.out) / "slow-cy").exists())
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    before = set(threading.enumerate())
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in what it runs behind `&`
    try:
        with stop_at_signals() as stop:
            replies = grade_all(named("ada", "bo", "slow-cy"), partial(GraderPool, played, 1), str, stop)
            threading.Thread(target=interrupt).start()
            got = [submission.student for submission, _ in replies]
    finally:
        signal.signal(signal.SIGINT, handler)
    assert got == ["ada", "bo"]
    assert {grader._process.wait() for grader in started} == {-signal.SIGKILL}
    assert set(threading.enumerate()) <= before


# Real runs -----------------------------------------------------------------------------------------------------------

STUDENTS = 24
JOBS = 2
KILLS = 50
GRADE = "from grader.commands.grade import main; main()"
WRONG = "def dlogits(logits):\n    return -logits\n"
PRINTS = "def dlogits(logits):\n    print('hello')\n    raise ValueError('no')\n"


def arguments(folder: Path, out: Path, *more: str) -> list[str]:
    about = ["run", str(folder), "-o", str(out), "--lesson", "04", "--seed", "7", "--jobs", str(JOBS)]
    return [*about, "--course", str(ROOT), "--require", "none", *more]


def command(folder: Path, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-c", GRADE, *arguments(folder, out, *more)]


def make_class(folder: Path, count: int = STUDENTS) -> Path:
    sources = (solution_of(Course(ROOT).find("04")), WRONG, PRINTS, "def dlogits(")
    for number in range(count):
        place = folder / f"student-{number:02}" / "04_cross_entropy"
        place.mkdir(parents=True)
        (place / "backward.py").write_text(f"{sources[number % len(sources)]}\n# {number}\n")
    return folder


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}


def run_to_the_end(folder: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    done = run_command("grade", arguments(folder, out, *more))
    assert done.returncode == 0, done.stderr
    return done


def timeless(out: Path) -> dict[str, Any]:
    """grades.csv to the byte, and each results.json to the byte but for what a clock says."""
    found: dict[str, Any] = {"grades.csv": (out / "grades.csv").read_bytes()}
    for path in sorted(out.glob("*/results.json")):
        text = path.read_text(encoding="utf-8")
        assert text == SubmissionResult.from_text(text).to_text()
        found[path.parent.name] = json.dumps(without_seconds(json.loads(text)))
    return found


def results_in(out: Path) -> list[Path]:
    return list(out.glob("*/results.json"))


@pytest.mark.full
def test_sigterm_stops_as_ctrl_c_does_and_the_next_run_grades_the_rest(tmp_path):
    folder, out = make_class(tmp_path / "class", 3), tmp_path / "out"
    hanging = folder / "zo" / "04_cross_entropy"
    hanging.mkdir(parents=True)
    (hanging / "backward.py").write_text("while True:\n    pass\n")
    with subprocess.Popen(
        command(folder, out, "--timeout", "3600"), stderr=subprocess.PIPE, text=True, env=environment()
    ) as run:
        assert wait_until(lambda: len(students_in_the_book(out)) == 3)
        run.send_signal(signal.SIGTERM)
        said = run.communicate(timeout=GUARD_SECONDS)[1]
    assert run.returncode == 130
    assert "Stopped: 3 of 4 were graded and are on disk." in said
    (hanging / "backward.py").write_text(WRONG)
    again = run_to_the_end(folder, out, "--timeout", "3600")
    assert "1 of 4 are new or changed; 3 are as before (--fresh grades all).\n" in again.stderr
    assert students_in_the_book(out) == [*students_in_the_book(out)[:3], "zo"]
    assert (out / "grades.csv").read_text().count("\n") == 5
    assert run_to_the_end(folder, out, "--timeout", "3600", "--quiet").stderr == ""


@pytest.mark.slow
def test_fifty_kills(tmp_path):
    """A run killed with SIGKILL, resumed to its end: the same files as one that nobody killed, nobody graded twice."""
    folder = make_class(tmp_path / "class")
    run_to_the_end(folder, tmp_path / "whole")
    expected = timeless(tmp_path / "whole")
    generator, in_the_midst = random.Random(20_261_121), 0
    for number in range(KILLS):
        out = tmp_path / f"out-{number}"
        run = subprocess.Popen(
            command(folder, out), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        some = generator.randrange(STUDENTS) if number % 2 else 0  # every other one while results arrive
        wait_until(lambda run=run, out=out, some=some: run.poll() is not None or len(results_in(out)) >= some)
        time.sleep(generator.uniform(0, 0.1 if some else 10))  # no race: any moment is right
        run.kill()
        run.wait()
        kept, written = students_in_the_book(out), results_in(out)
        in_the_midst += 0 < len(kept) < STUDENTS
        assert len(written) - len(kept) <= JOBS + 1, f"kill {number}"
        run_to_the_end(folder, out)
        assert timeless(out) == expected, f"kill {number}"
        assert sorted(students_in_the_book(out)) == sorted({path.name for path in folder.iterdir()})
        assert not list(out.rglob("*.part"))
    print(f"{in_the_midst} of {KILLS} kills came while results arrived")
