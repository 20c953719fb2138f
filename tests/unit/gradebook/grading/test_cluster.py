"""`grade run --cluster`, with a real Dask scheduler and real worker processes, one of which is killed in the middle."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support import GUARD_SECONDS, ROOT, solution_of, wait_until, without_seconds

pytest.importorskip("distributed", reason="needs Dask: pip install -e '.[cluster]'")

from bench.attacks.arena import descendants
from bench.cluster import OwnCluster
from grader.commands import command_line
from grader.commands import grade as cli
from grader.errors import GraderFault
from grader.gradebook.files import STUDENT_FILES
from grader.gradebook.grading import cluster
from grader.gradebook.grading.cluster import versions
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course, Lesson
from grader.sandbox.isolation.probe import Isolation

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
SLOWLY = "import time\n\ntime.sleep(0.3)\n"  # no race: 1/30 of the deadline


@contextlib.contextmanager
def started(folder: Path, workers: int) -> Iterator[OwnCluster]:
    folder.mkdir()
    own = OwnCluster(folder, workers)
    try:
        yield own
    finally:
        own.close()


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnCluster]:
    with started(tmp_path_factory.mktemp("cluster") / "dask", workers=2) as own:
        yield own


@pytest.fixture
def small(course: Course) -> Lesson:
    return course.find("04")


def write(folder: Path, lesson: Lesson, sources: dict[str, str]) -> Path:
    for student, source in sources.items():
        (folder / student / lesson.name).mkdir(parents=True)
        (folder / student / lesson.name / "backward.py").write_text(source)
    return folder


def sources(lesson: Lesson, count: int) -> dict[str, str]:
    """Right ones and wrong ones in turn, each of which takes a third of a second; the last one is broken."""
    right, wrong = solution_of(lesson), "def dlogits(logits):\n    return -logits\n"
    found = {f"student_{n:02}": f"# {n}\n{(right, wrong)[n % 2]}{SLOWLY}" for n in range(count - 1)}
    return {**found, f"student_{count - 1:02}": "def dlogits(logits:\n"}


def grade(*arguments: object, course: Path = ROOT) -> Result:
    command = ["run", *map(str, arguments), "--lesson", "04", "--seed", "7", "--course", str(course)]
    return CliRunner().invoke(cli.main, command)


def in_the_book(out: Path) -> list[tuple[str, dict[str, Any]]]:
    with contextlib.closing(sqlite3.connect(out / "gradebook.sqlite")) as book:
        rows = book.execute("SELECT student, results FROM attempts ORDER BY student").fetchall()
    return [(student, json.loads(results)) for student, results in rows]


def killed_after(process: subprocess.Popen[bytes], results: int, out: Path) -> threading.Thread:
    """A thread that sends SIGKILL once there are so many results."""

    def kill() -> None:
        if wait_until(lambda: len(list(out.glob("*/results.json"))) >= results):
            process.kill()

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


# A class -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(two: OwnCluster, course: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Result]:
    """(submissions, OUT, what `grade` said) of a class during which the first worker was killed."""
    place, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out")
    folder = write(place / "class", course.find("04"), sources(course.find("04"), 10))
    killing = killed_after(two.workers[0], 1, out)
    result = grade(folder, "-o", out, "--cluster", two.address)
    killing.join()
    return folder, out, result


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_loses_nothing_and_nothing_is_twice_in_the_book(two, graded):
    _, out, result = graded
    assert two.workers[0].poll() == -signal.SIGKILL
    assert result.exit_code == 0, result.output
    book = in_the_book(out)
    assert [student for student, _ in book] == [f"student_{n:02}" for n in range(10)]
    assert [results["score"] for _, results in book] == [3, 0, 3, 0, 3, 0, 3, 0, 3, 0]


@pytest.mark.slow
def test_every_result_is_that_of_one_machine_and_the_reports_are_here(graded, small, session_for):
    folder, out, _ = graded
    session = session_for("04", seed=7)
    for student, results in in_the_book(out):
        alone = session.grade(read_submission(Arrival(student, folder / student), [small])).results.to_json()
        assert without_seconds(results) == without_seconds(alone)
        assert json.loads((out / student / "results.json").read_text()) == results
        assert {path.name for path in (out / student).iterdir()} == set(STUDENT_FILES)
        assert student in (out / student / "report.html").read_text(encoding="utf-8")
    assert (out / "index.html").is_file()


@pytest.mark.slow
def test_a_run_leaves_neither_processes_nor_the_course_on_the_worker_that_lives(two, graded):
    living = two.workers[1].pid
    assert wait_until(lambda: not descendants(of=living))
    killed = {path for path in two.folder.glob("worker-*/dask-scratch-space/*/backprop-ninja-*")}
    assert len(killed) <= 1  # the killed worker's, which Dask removes when the next worker starts
    for path in killed:
        assert path.stat().st_mode & 0o777 == 0o700


# Refused -------------------------------------------------------------------------------------------------------------


def refused(result: Result) -> str:
    assert result.exit_code == command_line.UNUSABLE, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("grade: "), result.stderr
    return lines[0]


@pytest.mark.full
def test_nobody_at_the_address_is_one_sentence(small, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    folder = write(tmp_path / "class", small, {"ada": solution_of(small)})
    with socket.create_server(("127.0.0.1", 0)) as taken:  # listens, and never says a word
        silent = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        for address in (silent, "tcp://127.0.0.1:1", "http://example.org", "nonsense"):
            said = refused(grade(folder, "-o", tmp_path / "out", "--cluster", address))
            assert f"no Dask scheduler answers at {address} (" in said and "start one with `dask scheduler`" in said


def settings(**more: Any) -> Settings:
    return Settings(str(ROOT), ["04_cross_entropy"], 7, "out", **more)


def worker(folder: Path) -> Any:
    return SimpleNamespace(
        address="tcp://w", local_directory=str(folder), state=SimpleNamespace(nthreads=1), plugins={}
    )


@pytest.mark.full
def test_a_worker_that_isolates_less_than_required_refuses(tmp_path):
    found = Isolation("weak", (), ("No Landlock (left out): files can be read.",))
    graders = cluster.Graders(settings(require="fair", isolation=found), b"PK\5\6" + bytes(18), versions())
    (tmp_path / "dask").mkdir()
    with pytest.raises(GraderFault, match="tcp://w cannot grade: it isolates"):
        graders.setup(worker(tmp_path / "dask"))
    graders.teardown(worker(tmp_path / "dask"))
    assert graders.refusal.startswith("it isolates student code at level 'weak' only, and 'fair' is required. No Land")
    assert not list((tmp_path / "dask").iterdir())


def test_the_course_travels_without_what_python_left_in_it(tmp_path):
    for place in ("exercises/01_a", "solutions/01_a", "solutions/01_a/__pycache__", "grades"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "file.py").write_text(place)
    with zipfile.ZipFile(BytesIO(cluster.pack_course(tmp_path))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files == {"exercises/01_a/file.py": b"exercises/01_a", "solutions/01_a/file.py": b"solutions/01_a"}


def test_another_version_is_named(tmp_path):
    graders = cluster.Graders(settings(), b"", {**versions(), "torch": "1.0", "Fortran": "77"})
    with pytest.raises(GraderFault) as refused:
        graders.setup(worker(tmp_path))
    assert str(refused.value) == (
        f"tcp://w cannot grade: it has torch {versions()['torch']} instead of 1.0, Fortran missing instead of 77: "
        "install the same versions on every machine, then start its worker again."
    )


# In the middle -------------------------------------------------------------------------------------------------------


MANY = 80  # submissions: so many that a run is in their midst when something happens to it


@contextlib.contextmanager
def running(folder: Path, out: Path, address: str) -> Iterator[subprocess.Popen[str]]:
    """`grade run` in a process of its own, three results after its start."""
    # a job in the background of a shell, as CI may be, is started with Ctrl-C ignored
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", heeding + "from grader.commands.grade import main; main()", "run", str(folder)]
    more = ["--lesson", "04", "--seed", "7", "-o", str(out), "--course", str(ROOT), "--cluster", address]
    with subprocess.Popen([*command, *more], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as run:
        try:
            assert wait_until(lambda: len(list(out.glob("*/results.json"))) >= 3)
            yield run
        finally:
            run.kill()


@pytest.mark.slow
def test_ctrl_c_takes_back_what_was_sent_and_the_next_run_goes_on(tmp_path, small):
    folder, out = write(tmp_path / "class", small, sources(small, MANY)), tmp_path / "out"
    with started(tmp_path / "dask", workers=2) as own:
        with running(folder, out, own.address) as run:
            run.send_signal(signal.SIGINT)
            said = run.communicate(timeout=GUARD_SECONDS)[1]
        assert run.returncode == command_line.STOPPED, said
        done = [student for student, _ in in_the_book(out)]
        assert 3 <= len(done) < MANY and f"Stopped: {len(done)} of {MANY}" in said
        assert wait_until(lambda: not any(descendants(of=worker.pid) for worker in own.workers))
        again = grade(folder, "-o", out, "--cluster", own.address)
        assert again.exit_code == 0, again.output
    assert [student for student, _ in in_the_book(out)] == [f"student_{n:02}" for n in range(MANY)]


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_the_run_with_a_sentence_and_what_is_graded_is_kept(tmp_path, small):
    folder, out = write(tmp_path / "class", small, sources(small, MANY)), tmp_path / "out"
    with started(tmp_path / "dask", workers=2) as own, running(folder, out, own.address) as run:
        own.scheduler.kill()
        said = run.communicate(timeout=GUARD_SECONDS)[1]
    assert run.returncode == command_line.FAULT, said
    assert f"grade: the scheduler at {own.address} went away: start it again and run the same command" in said
    assert "Traceback" not in said
    done = [student for student, _ in in_the_book(out)]
    assert 3 <= len(done) < MANY and len(set(done)) == len(done)
    assert (out / "grades.csv").read_text().count("\n") == len(done) + 1
