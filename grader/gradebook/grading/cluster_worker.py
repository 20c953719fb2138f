"""Grading on a Dask worker: a run's course and its grader processes, from the moment the run begins until it ends.

Dask hands `Graders` to every worker that is there, and to every one that joins later. Student code never comes near the
worker's own process: it goes, as bytes, to the same grader processes that grade on one machine.
"""

from __future__ import annotations

import io
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from distributed import Worker, WorkerPlugin, get_worker
from tornado.ioloop import PeriodicCallback

from grader.gradebook.grading.grader_processes import GraderProcess, Reply
from grader.gradebook.grading.keys import version_differences, versions
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.submission import Submission
from grader.lesson.course_settings import COURSE_SETTINGS_FILE
from grader.sandbox.isolation.probe import at_least

IDLE_SECONDS = 600.0
"""Idle grader processes end after this time, because the coordinator may have been killed."""

SAME_VERSIONS = "install the same versions on every machine, then start its worker again"

PROBE = """
import json
from grader.sandbox.isolation.probe import probe
found = probe()
print(json.dumps({"level": found.level, "missing": found.missing}))
"""


def pack_course(root: Path) -> bytes:
    """course.toml and the lessons' folders with all their secrets, as a compressed archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        if (root / COURSE_SETTINGS_FILE).is_file():
            archive.write(root / COURSE_SETTINGS_FILE, COURSE_SETTINGS_FILE)
        for name in ("exercises", "solutions"):
            for path in sorted((root / name).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(root))
    return data.getvalue()


class Graders(WorkerPlugin):
    """One grader process for each of the worker's threads, started when first needed.

    `refusal` is a sentence when this machine must not grade: other versions, or less isolation than required.
    """

    def __init__(self, settings: Settings, course: bytes, expected: Mapping[str, str]) -> None:
        self._settings, self._course, self._expected = settings, course, dict(expected)
        self.refusal: str | None = "it could not be made ready: its log says why."

    def setup(self, worker: Worker) -> None:
        refusal = self._refusal()
        if refusal is None:
            self._make_ready(worker)
        self.refusal = refusal

    def _make_ready(self, worker: Worker) -> None:
        # inside the worker's own folder, which Dask removes, even after a SIGKILL when the next worker starts
        self._folder = Path(tempfile.mkdtemp(prefix="backprop-ninja-", dir=worker.local_directory))
        course, out = self._folder / "course", self._folder / "out"
        for folder in (course, out):
            folder.mkdir()
        with zipfile.ZipFile(io.BytesIO(self._course)) as archive:
            archive.extractall(course)
        self._settings_here = replace(self._settings, course=str(course), out=str(out))
        self._idle: queue.SimpleQueue[GraderProcess | None] = queue.SimpleQueue()
        for _ in range(worker.state.nthreads):
            self._idle.put(None)
        self._all: set[GraderProcess] = set()
        self._used_at, self._ended = time.monotonic(), False
        self._idle_timer = PeriodicCallback(self.end_idle_graders, 1000 * IDLE_SECONDS / 4)
        self._idle_timer.start()

    def _refusal(self) -> str | None:
        other_versions = version_differences(self._expected, versions())
        if other_versions is not None:
            return f"it has {other_versions}: {SAME_VERSIONS}."
        isolation = probe_isolation()
        if not at_least(isolation["level"], self._settings.require):
            return (
                f"it isolates student code at level {isolation['level']!r} only, and {self._settings.require!r} is "
                f"required. {' '.join(isolation['missing'])} End its worker, or accept less with --require "
                f"{isolation['level']} if you trust the submissions."
            )
        return None

    def teardown(self, worker: Worker) -> None:
        if self.refusal is None:
            self._ended = True
            self._idle_timer.stop()
            for grader in list(self._all):
                grader.end()
            shutil.rmtree(self._folder, ignore_errors=True)

    def end_idle_graders(self) -> None:
        """End grader processes that were idle for IDLE_SECONDS; the next submission starts new ones."""
        if time.monotonic() - self._used_at < IDLE_SECONDS:
            return
        for _ in range(self._idle.qsize()):
            try:
                grader = self._idle.get_nowait()
            except queue.Empty:  # work has come in between
                return
            if grader is not None:
                grader.end()
                self._all.discard(grader)
            self._idle.put(None)

    def grade(self, submission: Submission) -> Reply:
        """The grader process's reply; with results come `files`."""
        grader = self._idle.get()
        try:
            if grader is None and not self._ended:
                grader = GraderProcess(self._settings_here)
                self._all.add(grader)
            if grader is None or self._ended:
                if grader is not None:
                    grader.end()
                return Reply(fault="The run has ended.")
            reply = grader.grade(submission)
        finally:
            self._used_at = time.monotonic()
            self._idle.put(grader)
        if reply.results is not None and self._settings_here.has_report(submission.student):
            folder = Path(self._settings_here.out) / submission.student
            reply.files = {path.name: path.read_bytes().decode() for path in folder.iterdir()}
            shutil.rmtree(folder)
        return reply


def probe_isolation() -> dict[str, Any]:
    """{"level", "missing"}, as a separate process finds it: the probe forks, and a Dask worker has many threads."""
    done = subprocess.run([sys.executable, "-P", "-c", PROBE], capture_output=True, text=True, check=True, timeout=60)
    isolation: dict[str, Any] = json.loads(done.stdout)
    return isolation


# What Dask calls by name ----------------------------------------------------------------------------------------------


def refusal_of(run: str, dask_worker: Worker) -> str | None:
    """Why a worker cannot take part in a run, or None."""
    graders = dask_worker.plugins.get(run)
    return graders.refusal if isinstance(graders, Graders) else "it did not get the course"


def grade_task(run: str, submission: Submission) -> Reply:
    """The task: Graders.grade's reply, or one that refuses."""
    worker = get_worker()
    refused = refusal_of(run, worker)
    if refused is not None:
        return Reply(refused=f"{worker.address} cannot grade: {refused}")
    return cast(Graders, worker.plugins[run]).grade(submission)
