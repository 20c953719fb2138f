"""What the engine's tests share and is no fixture."""

from __future__ import annotations

import asyncio
import cProfile
import json
import shutil
import signal
import sqlite3
import tarfile
import time
import zipfile
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from _pytest.mark import ParameterSet

from grader.gradebook.grading.graded import GradedSubmission
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS / "corpus"
ROOT = TESTS.parent
GOLDEN = CORPUS / "golden"
RIGHT_ANSWER = (ROOT / "solutions" / "04_cross_entropy" / "backward.py").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "grader" / "schema" / "results.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SEED = 20_240_607
SHORT_LIMITS = Limits(import_seconds=0.5, step_seconds=0.5, total_seconds=20.0)

# A guard against hangs: what waits for it takes at most 30 seconds on an idle machine.
GUARD_SECONDS = 600.0
# A guard against work without end, in processor time: what it guards takes at most 3 seconds.
GUARD_PROCESSOR_SECONDS = 60.0

Rows = dict[str, dict[str, Any]]

IMPORTS = "import torch\nimport torch.nn.functional as F\n\n\n"


def rows_of(results: SubmissionResult | dict[str, Any], lesson: int = 0) -> Rows:
    """{row's name: row} of one lesson, as results.json has it."""
    data = results if isinstance(results, dict) else results.to_json()
    return {row["name"]: row for row in data["lessons"][lesson]["gradients"]}


def without_seconds(results: Any) -> Any:
    """results.json but for what a clock says."""
    if isinstance(results, dict):
        return {key: without_seconds(value) for key, value in results.items() if key != "seconds"}
    return [without_seconds(entry) for entry in results] if isinstance(results, list) else results


def solution_of(lesson: Lesson) -> str:
    return (lesson.solution / "backward.py").read_text(encoding="utf-8")


def wait_until(condition: Callable[[], object]) -> bool:
    """Wait for `condition`. Returns False if it is not true by then: the test hangs."""
    end = time.monotonic() + GUARD_SECONDS  # guard: see GUARD_SECONDS
    while not condition():
        if time.monotonic() > end:  # guard: see GUARD_SECONDS
            return False
        time.sleep(0.01)  # guard: only between two looks
    return True


@contextmanager
def guarded() -> Iterator[None]:
    """Ends a block that works without end: for inputs that once took minutes or days. Raises TimeoutError."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {GUARD_PROCESSOR_SECONDS:g} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, GUARD_PROCESSOR_SECONDS)  # guard: see GUARD_PROCESSOR_SECONDS
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)  # guard: no longer needed
        signal.signal(signal.SIGPROF, before)


def calls_in(action: Callable[[], object]) -> int:
    """How many functions `action` calls, those written in C included: the same number on every machine."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        action()
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def students_in_the_book(out: Path) -> list[str]:
    """Whose attempts the gradebook has, while a run writes to it."""
    if not (out / "gradebook.sqlite").exists():
        return []
    with closing(sqlite3.connect(out / "gradebook.sqlite")) as book:
        try:
            return [student for (student,) in book.execute("SELECT student FROM attempts")]
        except sqlite3.OperationalError:  # killed before the table was there
            return []


def in_a_loop_of_its_own(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run it in a thread: after a browser test, this one has a loop that runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def sampled(names: str | tuple[str, ...], cases: Iterable[Any], keep: int, **options: Any) -> pytest.MarkDecorator:
    """pytest.mark.parametrize with `keep` of the cases, spread evenly, in the short suite.

    The others are marked `full`. A family of cases then costs the short suite little, however long it grows. Cases that
    have marks keep them.
    """
    single = isinstance(names, str) and "," not in names
    params = [ParameterSet.extract_from(case, force_tuple=single) for case in cases]
    free = [n for n, param in enumerate(params) if not param.marks]
    kept = {free[k * len(free) // keep] for k in range(keep)} if len(free) > keep else set(free)
    marked = [p if p.marks or n in kept else p._replace(marks=[pytest.mark.full]) for n, p in enumerate(params)]
    return pytest.mark.parametrize(names, marked, **options)


# Golden folders: a submission and what must come of it ---------------------------------------------------------------


@dataclass(frozen=True)
class Golden:
    """A golden submission as found, what came of it, and the results.json of a right one before and after it."""

    submission: Submission
    graded: GradedSubmission
    right_before: dict[str, Any]
    right_after: dict[str, Any]


def golden_names() -> list[str]:
    return sorted(path.parent.name for path in GOLDEN.glob("*/expected.json"))


def expectation(name: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((GOLDEN / name / "expected.json").read_text(encoding="utf-8"))
    return expected


def lay_out(name: str, folder: Path) -> Path:
    """A copy of a golden submission as a student hands it in, with what git cannot hold (links, huge files)."""
    place = folder / name
    shutil.copytree(GOLDEN / name, place, ignore=shutil.ignore_patterns("expected.json", "__pycache__"))
    make = expectation(name).get("make", {})
    for path in make.get("folders", []):
        (place / path).mkdir(parents=True)
    for path in make.get("right", []):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(RIGHT_ANSWER, encoding="utf-8")
    for path, size in make.get("sizes", {}).items():
        (place / path).write_bytes(b"# " + b"x" * (size - 3) + b"\n")
    for path, target in make.get("links", {}).items():
        (place / path).symlink_to(target)
    if "pack" in make:
        packed_up(place, make)
        shutil.rmtree(place)
    return place


def packed_up(place: Path, make: dict[str, Any]) -> None:
    """The folder as an archive beside it, with entries that no packer would make."""
    path = place.with_name(f"{place.name}.{make['pack']}")
    files = {str(p.relative_to(place)): p for p in sorted(place.rglob("*")) if p.is_symlink() or p.is_file()}
    if make["pack"] == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, file in files.items():
                archive.writestr(name.replace("/", "\\" if make.get("backslashes") else "/"), file.read_bytes())
            for name, text in make.get("entries", {}).items():
                archive.writestr(name, text)
    elif make["pack"].startswith("tar."):
        with tarfile.open(path, f"w:{make['pack'][4:]}") as archive:
            for name, file in files.items():
                archive.add(file, f"./{name}")
    else:
        path.write_bytes(b"of a kind that nothing here writes")
    if "torn" in make:
        path.write_bytes(path.read_bytes()[: -make["torn"]])
