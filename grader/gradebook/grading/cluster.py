"""`grade run --cluster ADDRESS`: submissions graded by the workers of a Dask scheduler that the user runs.

A submission travels as the bytes of its files, the course with its secrets once to each worker, and results come
back: no disk is shared. Scheduler and workers are trusted with all of that (docs/operator.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
import warnings
from pathlib import Path

from distributed import Client, Future, Security
from distributed.comm.core import connect
from distributed.scheduler import KilledWorker

from grader.errors import GraderFault, UserError
from grader.gradebook.grading.cluster_worker import (
    SAME_VERSIONS,
    Graders,
    grade_task,
    pack_course,
    refusal_of,
    versions,
)
from grader.gradebook.grading.grader_processes import Reply
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.submission import Submission

CONNECT_SECONDS = 30.0
WORKER_SECONDS = 60.0
"""How long a cluster may be without any worker, at first or in the middle."""
COUNT_SECONDS = 5.0
"""How often the workers are counted while a submission has no reply."""
SENT_AHEAD = 3
"""Submissions sent for each thread that grades."""
SCHEDULER_LOST = (
    "the scheduler at {} went away: start it again and run the same command, which grades only what is missing."
)


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
            self.jobs = SENT_AHEAD * max(1, sum(self._client.nthreads().values()))
        except BaseException:
            self.close()
            raise

    def grade(self, submission: Submission) -> Reply:
        """What a worker replies, or the fault for which none does. Raises ClusterLost."""
        key = f"{self._run}-{uuid.uuid4().hex}"
        future = self._in_flight[key] = self._client.submit(grade_task, self._run, submission, key=key, pure=False)
        try:
            return self._reply_of(future)
        finally:
            del self._in_flight[key]

    def _reply_of(self, future: Future[Reply]) -> Reply:
        seen_at = time.monotonic()
        while True:
            try:
                return future.result(timeout=COUNT_SECONDS)
            except TimeoutError:  # also where a worker died with the result: Dask has it graded again
                seen_at = self._time_if_there_are_workers(seen_at)
            except Exception as error:
                if future.status != "error":  # cancelled: only a lost scheduler does that
                    raise ClusterLost(SCHEDULER_LOST.format(self._address)) from error
                return reply_to_failure(error)

    def _time_if_there_are_workers(self, seen_at: float) -> float:
        """Now, or `seen_at` while the cluster has no worker. Raises ClusterLost where that lasts."""
        try:
            threads = sum(self._client.nthreads().values())
        except Exception as error:
            raise ClusterLost(SCHEDULER_LOST.format(self._address)) from error
        if threads or time.monotonic() - seen_at <= WORKER_SECONDS:
            return time.monotonic() if threads else seen_at
        raise ClusterLost(
            f"the scheduler at {self._address} has had no workers for {WORKER_SECONDS:g} seconds: start some and run "
            "the same command again, which grades only what is missing."
        )

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
    except TimeoutError:
        raise ClusterError(
            f"the scheduler at {address} has no workers, {WORKER_SECONDS:g} seconds long: start one on each machine "
            f"that grades, with `dask worker {address}`."
        ) from None
    try:
        client.register_plugin(Graders(settings, pack_course(Path(settings.course)), versions()), name=run)
        refusals: dict[str, str] = client.run(refusal_of, run)
    except Exception as error:  # whatever a worker raises is raised here: most often, that it has no such module
        raise ClusterError(
            f"the workers of {address} cannot be made ready ({type(error).__name__}: {error}): {SAME_VERSIONS}."
        ) from error
    for worker, reason in sorted(refusals.items()):
        if reason:
            raise ClusterError(f"{worker} cannot grade: {reason}")


def reply_to_failure(error: Exception) -> Reply:
    """The reply for what a task has raised. Raises ClusterLost where its worker must not grade."""
    if isinstance(error, GraderFault):  # it refuses
        raise ClusterLost(f"a worker that joined cannot grade: {error}") from error
    if isinstance(error, (ImportError, AttributeError)):  # without this package, or with another version
        why = f"{type(error).__name__}: {error}"
        raise ClusterLost(f"a worker that joined cannot grade ({why}): {SAME_VERSIONS}.") from error
    is_killed = isinstance(error, KilledWorker)
    return Reply(fault="Every worker that it was given to ended." if is_killed else f"{type(error).__name__}: {error}")
