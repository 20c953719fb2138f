"""Grading on a Dask worker: a run's course and its grader processes, from the moment the run begins until it ends.

Dask hands `Graders` to every worker that is there, and to every one that joins later. Student code never comes near the
worker's own process: it goes, as bytes, to the same grader processes that grade on one machine.
"""

from __future__ import annotations

import io
import platform
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from distributed import Worker, WorkerPlugin, get_worker

from grader.errors import GraderFault
from grader.gradebook.grading.grader_processes import GraderPool, Reply
from grader.gradebook.grading.settings import LOADED, Settings, package_digest
from grader.intake.submissions.submission import Submission
from grader.lesson.config import COURSE_SETTINGS_FILE

CLUSTER_LIBRARIES = ("torch", "numpy", "pytest", "distributed")
"""Libraries that must have one version on all machines that grade a class."""
SAME_VERSIONS = "install the same versions on every machine, then start its worker again"


def versions() -> dict[str, str]:
    """{what: version} of this machine."""
    on_disk = package_digest()
    own = LOADED if on_disk == LOADED else f"{LOADED} in memory and {on_disk} on disk"
    return {"grader": own, "Python": platform.python_version(), **{name: version(name) for name in CLUSTER_LIBRARIES}}


def pack_course(root: Path) -> bytes:
    """course.toml and the lessons' folders with all their secrets, as a compressed archive."""
    data = io.BytesIO()
    places = [root / COURSE_SETTINGS_FILE, *root.glob("exercises/**/*"), *root.glob("solutions/**/*")]
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for path in sorted(places):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(root))
    return data.getvalue()


class Graders(WorkerPlugin):
    """One grader process for each of the worker's threads.

    `refusal` is a sentence when this machine must not grade: other versions, or less isolation than required.
    """

    def __init__(self, settings: Settings, course: bytes, expected: Mapping[str, str]) -> None:
        self._settings, self._course, self._expected = settings, course, dict(expected)
        self.refusal = "it could not be made ready: its log says why."
        self.pool: GraderPool | None = None

    def setup(self, worker: Worker) -> None:
        here = versions()
        if differing := [
            f"{what} {here.get(what, 'missing')} instead of {expected}"
            for what, expected in self._expected.items()
            if here.get(what) != expected
        ]:
            self.refusal = f"it has {', '.join(differing)}: {SAME_VERSIONS}."
            return
        # inside the worker's own folder, which Dask removes, even after a SIGKILL when the next worker starts
        self._folder = Path(tempfile.mkdtemp(prefix="backprop-ninja-", dir=worker.local_directory))
        with zipfile.ZipFile(io.BytesIO(self._course)) as archive:
            archive.extractall(self._folder)
        self.pool = GraderPool(replace(self._settings, course=str(self._folder)), worker.state.nthreads)
        self.refusal = self.pool.refusal()

    def teardown(self, worker: Worker) -> None:
        if self.pool is not None:
            self.pool.close()
            shutil.rmtree(self._folder, ignore_errors=True)


# What Dask calls by name ----------------------------------------------------------------------------------------------


def refusal_of(run: str, dask_worker: Worker) -> str:
    """Why a worker cannot take part in a run, or ""."""
    graders = dask_worker.plugins.get(run)
    return graders.refusal if isinstance(graders, Graders) else "it did not get the course"


def grade_task(run: str, submission: Submission) -> Reply:
    """The task: the reply of the next free grader process. Raises GraderFault where the worker must not grade."""
    worker = get_worker()
    graders = worker.plugins.get(run)
    if not isinstance(graders, Graders) or graders.pool is None or graders.refusal:
        raise GraderFault(f"{worker.address}: {refusal_of(run, worker)}")
    return graders.pool.grade(submission)
