"""`grade run --cluster ADDRESS`: submissions graded by the workers of a Dask scheduler that the user runs.

A submission travels as the bytes of its files, the course with its secrets once to each worker, and results come
back: no disk is shared. Scheduler and workers are trusted with all of that (docs/operator.md). Student code never comes
near a worker's own process: it goes to the same grader processes that grade on one machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import platform
import shutil
import tempfile
import time
import uuid
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from distributed import Client, Future, Security, Worker, WorkerPlugin, get_worker
from distributed.comm.core import connect
from distributed.scheduler import KilledWorker

from grader.errors import GraderFault, UserError
from grader.gradebook.grading.grader_processes import GraderPool, Reply
from grader.gradebook.grading.settings import LOADED, Settings, package_digest
from grader.intake.submissions.submission import Submission
from grader.lesson.config import COURSE_SETTINGS_FILE

CONNECT_SECONDS = 30.0
WORKER_SECONDS = 60.0
"""How long a cluster may be without any worker, at first or in the middle."""
COUNT_SECONDS = 5.0
"""How often the workers are counted while a submission has no reply."""
SENT_AHEAD = 3
"""Submissions sent for each thread that grades."""
CLUSTER_LIBRARIES = ("torch", "numpy", "pytest", "distributed")
"""Libraries that must have one version on all machines that grade a class."""
SAME_VERSIONS = "install the same versions on every machine, then start its worker again"
GO_ON_ADVICE = "and run the same command, which grades only what is missing."


class ClusterError(UserError):
    """The cluster cannot be used."""


class ClusterLost(ClusterError):
    """The cluster was lost while it graded. The text says how to grade the rest."""

    exit_status = GraderFault.exit_status


class ClusterPool:
    """Grades submissions by the workers of the scheduler at `address`, as a GraderPool does by grader processes.

    Raises ClusterError where it cannot begin, and ClusterLost from `grade` where the cluster goes away.

    Attributes:
        jobs: how many submissions are sent at a time: while one is graded, others travel, and memory stays bounded.
    """

    def __init__(self, settings: Settings, address: str) -> None:
        for name in ("distributed", "tornado", "asyncio", *logging.Logger.manager.loggerDict):
            if name.startswith(("distributed", "tornado", "asyncio")):  # errors are reported in our own sentences
                logging.getLogger(name).setLevel(logging.CRITICAL)
        self._address, self._run, self.is_closed = address, f"backprop-ninja-{uuid.uuid4().hex}", False
        self._client, self._in_flight = connect_client(address), dict[str, Future[Reply]]()
        try:
            prepare_workers(self._client, self._run, settings, address)
            self.jobs, self._workers_seen_at = SENT_AHEAD * max(1, self._threads()), time.monotonic()
        except BaseException:
            self.close()
            raise

    def grade(self, submission: Submission) -> Reply:
        """What a worker replies, or the fault for which none does. Raises ClusterLost."""
        key = f"{self._run}-{uuid.uuid4().hex}"
        future = self._in_flight[key] = self._client.submit(grade_task, self._run, submission, key=key, pure=False)
        try:
            while True:
                try:
                    return future.result(timeout=COUNT_SECONDS)
                except TimeoutError:  # also where a worker died with the result: Dask has it graded again
                    self._require_workers()
        except ClusterLost:
            raise
        except Exception as error:
            if future.status != "error":  # cancelled: only a lost scheduler does that
                raise self._lost() from error
            return reply_to_failure(error)
        finally:
            self._workers_seen_at = time.monotonic()
            del self._in_flight[key]

    def _require_workers(self) -> None:
        """Raises ClusterLost where the cluster has had no worker for WORKER_SECONDS."""
        if self._threads():
            self._workers_seen_at = time.monotonic()
        elif time.monotonic() - self._workers_seen_at > WORKER_SECONDS:
            had = f"the scheduler at {self._address} has had no workers for {WORKER_SECONDS:g} seconds"
            raise ClusterLost(f"{had}: start some {GO_ON_ADVICE}")

    def _threads(self) -> int:
        """How many submissions the workers can grade at a time. Raises ClusterLost."""
        try:
            return sum(self._client.nthreads().values())
        except Exception as error:
            raise self._lost() from error

    def _lost(self) -> ClusterLost:
        return ClusterLost(f"the scheduler at {self._address} went away: start it again {GO_ON_ADVICE}")

    def close(self) -> None:
        """Take back what is not graded yet, and end the grader processes on the workers."""
        self.is_closed = True
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel([*self._in_flight.values()], force=True)
            self._client.unregister_worker_plugin(self._run)
        with contextlib.suppress(Exception):
            self._client.close(10)


def connect_client(address: str) -> Client:
    """Raises ClusterError."""
    try:
        asyncio.run(try_connection(address))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions that differ: they are refused, with names
            return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # from a wrong port's answer anything may come
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({reason}): start one with `dask scheduler`, and give the address "
            "that it prints, such as tcp://192.168.0.7:8786."
        ) from error


async def try_connection(address: str) -> None:
    """Raises what goes wrong. A Client that fails to connect leaves threads behind, which complain at exit."""
    arguments = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=CONNECT_SECONDS, **arguments), CONNECT_SECONDS + 1)
    await comm.close()


def prepare_workers(client: Client, run: str, settings: Settings, address: str) -> None:
    """Make the workers ready: each gets the course. Raises ClusterError."""
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
        client.register_plugin(Graders(settings, pack_course(Path(settings.course)), versions()), name=run)
    except TimeoutError:
        raise ClusterError(
            f"the scheduler at {address} has no workers, {WORKER_SECONDS:g} seconds long: start one on each machine "
            f"that grades, with `dask worker {address}`."
        ) from None
    except GraderFault as error:  # a worker refuses
        raise ClusterError(str(error)) from error
    except Exception as error:  # whatever a worker raises is raised here: most often, that it has no such module
        raise ClusterError(
            f"the workers of {address} cannot be made ready ({type(error).__name__}: {error}): {SAME_VERSIONS}."
        ) from error


def reply_to_failure(error: Exception) -> Reply:
    """The reply for what a task has raised. Raises ClusterLost where its worker must not grade."""
    if isinstance(error, GraderFault):  # it refuses
        raise ClusterLost(f"a worker that joined must not grade: {error}") from error
    if isinstance(error, (ImportError, AttributeError)):  # without this package, or with another version
        why = f"{type(error).__name__}: {error}"
        raise ClusterLost(f"a worker that joined cannot grade ({why}): {SAME_VERSIONS}.") from error
    is_killed = isinstance(error, KilledWorker)
    return Reply(fault="Every worker that it was given to ended." if is_killed else f"{type(error).__name__}: {error}")


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


# On a worker ----------------------------------------------------------------------------------------------------------


class Graders(WorkerPlugin):
    """A run's course and a grader process for each of a worker's threads, until the run ends.

    Dask hands it to every worker that is there, and to every one that joins later. `refusal` says why a worker must not
    grade: other versions than `expected`, or less isolation than required.
    """

    def __init__(self, settings: Settings, course: bytes, expected: Mapping[str, str]) -> None:
        self._settings, self._course, self._expected = settings, course, dict(expected)
        self.pool: GraderPool | None = None
        self.refusal = ""

    def setup(self, worker: Worker) -> None:
        """Raises GraderFault where the worker must not grade."""
        here = versions()
        if differing := [
            f"{what} {here.get(what, 'missing')} instead of {expected}"
            for what, expected in self._expected.items()
            if here.get(what) != expected
        ]:
            self.refusal = f"it has {', '.join(differing)}: {SAME_VERSIONS}."
        else:
            # inside the worker's own folder, which Dask removes, even after a SIGKILL when the next worker starts
            self._folder = Path(tempfile.mkdtemp(prefix="backprop-ninja-", dir=worker.local_directory))
            with zipfile.ZipFile(io.BytesIO(self._course)) as archive:
                archive.extractall(self._folder)
            self.pool = GraderPool(replace(self._settings, course=str(self._folder)), worker.state.nthreads)
            self.refusal = self.pool.refusal()
        if self.refusal:
            raise GraderFault(f"{worker.address} cannot grade: {self.refusal}")

    def teardown(self, worker: Worker) -> None:
        if self.pool is not None:
            self.pool.close()
            shutil.rmtree(self._folder, ignore_errors=True)


def grade_task(run: str, submission: Submission) -> Reply:
    """The task: the reply of the next free grader process. Raises GraderFault where the worker must not grade."""
    worker = get_worker()
    graders = worker.plugins.get(run)
    if not isinstance(graders, Graders) or graders.pool is None or graders.refusal:
        why = graders.refusal if isinstance(graders, Graders) else ""
        raise GraderFault(f"{worker.address}: {why or 'it could not be made ready: its log says why.'}")
    return graders.pool.grade(submission)
