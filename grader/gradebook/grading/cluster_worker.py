"""Grading on a Dask worker: a run's course and its grader processes, from the moment the run begins until it ends.

Dask hands `Graders` to every worker that is there, and to every one that joins later. Student code never comes near the
worker's own process: it goes, as bytes, to the same grader processes that grade on one machine.
"""

from __future__ import annotations

import io
import json
import platform
import queue
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from distributed import Worker, WorkerPlugin, get_worker

from grader.errors import GraderFault
from grader.gradebook.grading.grader_processes import GraderProcess, Reply
from grader.gradebook.grading.settings import LOADED, Settings, package_digest
from grader.intake.submissions.submission import Submission
from grader.lesson.config import COURSE_SETTINGS_FILE
from grader.sandbox.isolation.probe import at_least
from grader.sandbox.workers.nursery import Nursery

CLUSTER_LIBRARIES = ("torch", "numpy", "pytest", "distributed")
"""Libraries that must have one version on all machines that grade a class."""
SAME_VERSIONS = "install the same versions on every machine, then start its worker again"
PROBE = """
import json
from grader.sandbox.isolation.probe import probe
print(json.dumps({name: getattr(probe(), name) for name in ("level", "missing")}))
"""


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

    def setup(self, worker: Worker) -> None:
        refusal = self._refusal()
        if not refusal:
            # inside the worker's own folder, which Dask removes, even after a SIGKILL when the next worker starts
            self._folder = Path(tempfile.mkdtemp(prefix="backprop-ninja-", dir=worker.local_directory))
            with zipfile.ZipFile(io.BytesIO(self._course)) as archive:
                archive.extractall(self._folder)
            here = replace(self._settings, course=str(self._folder))
            self._nursery = Nursery([here.program])
            self._graders = [GraderProcess(here, self._nursery) for _ in range(worker.state.nthreads)]
            self._idle: queue.SimpleQueue[GraderProcess] = queue.SimpleQueue()
            for grader in self._graders:
                self._idle.put(grader)
        self.refusal = refusal

    def _refusal(self) -> str:
        here = versions()
        differing = ", ".join(
            f"{what} {here.get(what, 'missing')} instead of {expected}"
            for what, expected in self._expected.items()
            if here.get(what) != expected
        )
        if differing:
            return f"it has {differing}: {SAME_VERSIONS}."
        isolation = probe_isolation()
        if not at_least(isolation["level"], self._settings.require):
            return (
                f"it isolates student code at level {isolation['level']!r} only, and {self._settings.require!r} is "
                f"required. {' '.join(isolation['missing'])} End its worker, or accept less with --require "
                f"{isolation['level']} if you trust the submissions."
            )
        return ""

    def teardown(self, worker: Worker) -> None:
        if not self.refusal:
            for grader in self._graders:
                grader.end()
            self._nursery.close(at_once=True)
            shutil.rmtree(self._folder, ignore_errors=True)

    def grade(self, submission: Submission) -> Reply:
        """The reply of the next grader process that is free."""
        grader = self._idle.get()
        try:
            return grader.grade(submission)
        finally:
            self._idle.put(grader)


def probe_isolation() -> dict[str, Any]:
    """{"level", "missing"}, as a separate process finds it: the probe forks, and a Dask worker has many threads."""
    done = subprocess.run([sys.executable, "-P", "-c", PROBE], capture_output=True, text=True, check=True, timeout=60)
    isolation: dict[str, Any] = json.loads(done.stdout)
    return isolation


# What Dask calls by name ----------------------------------------------------------------------------------------------


def refusal_of(run: str, dask_worker: Worker) -> str:
    """Why a worker cannot take part in a run, or ""."""
    graders = dask_worker.plugins.get(run)
    return graders.refusal if isinstance(graders, Graders) else "it did not get the course"


def grade_task(run: str, submission: Submission) -> Reply:
    """The task: Graders.grade's reply. Raises GraderFault where the worker must not grade."""
    worker = get_worker()
    if refused := refusal_of(run, worker):
        raise GraderFault(f"{worker.address}: {refused}")
    return cast(Graders, worker.plugins[run]).grade(submission)
