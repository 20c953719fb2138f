"""`grade run --cluster ADDRESS`: submissions graded by the workers of a Dask scheduler that the user runs.

A submission travels as the bytes of its files, the course with its secrets once to each worker, and results come
back: no disk is shared. Scheduler and workers are trusted with all of that (docs/operator.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import time
import uuid
import warnings
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from distributed import Client, Future, Security
from distributed.comm.core import connect
from distributed.scheduler import KilledWorker

from grader.errors import GraderFault, UserError
from grader.gradebook.grading.cluster_worker import (
    SAME_VERSIONS,
    Graders,
    WorkerRefuses,
    grade_task,
    pack_course,
    refusal_of,
    versions,
)
from grader.gradebook.grading.grader_processes import Replies, Reply, ignore_start
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.submission import Submission

CONNECT_SECONDS = 30.0
WORKER_SECONDS = 60.0
"""How long a cluster may be without any worker, at first or in the middle."""
COUNT_SECONDS = 2.0
"""How often the workers are counted."""
SENT_AHEAD = 3
"""Submissions sent for each thread that grades: one is graded while others travel, and memory stays bounded."""


class ClusterError(UserError):
    """The cluster cannot be used."""


class ClusterLost(ClusterError):
    """The cluster was lost while it graded. The text says how to grade the rest."""

    exit_status = GraderFault.exit_status


def grade_on_cluster(
    submissions: Iterable[Submission], settings: Settings, address: str, on_start: Callable[[str], None] = ignore_start
) -> Replies:
    """As grade_all, by the workers of the scheduler at `address`; `on_start` gets each student who was sent.

    Raises ClusterError before the first submission is sent, ClusterLost after that.
    """
    with contextlib.closing(Cluster(address, settings)) as cluster:
        yield from cluster.grade(submissions, on_start)


class Cluster:
    """The workers of the scheduler at `address`, made ready for one run. Raises ClusterError."""

    def __init__(self, address: str, settings: Settings) -> None:
        self._address, self._run = address, f"backprop-ninja-{uuid.uuid4().hex}"
        self._in_flight: dict[str, tuple[Submission, Future[Reply]]] = {}
        self._done: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads, self._counted_at, self._workers_seen_at = 0, 0.0, time.monotonic()
        for name in ("distributed", "tornado", "asyncio", *logging.Logger.manager.loggerDict):
            if name.startswith(("distributed", "tornado", "asyncio")):  # errors are reported in our own sentences
                logging.getLogger(name).setLevel(logging.CRITICAL)
        self._client = connect_client(address)
        try:
            self._prepare(settings)
        except BaseException:
            self.close()
            raise

    def _prepare(self, settings: Settings) -> None:
        address = self._address
        try:
            self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise ClusterError(
                f"the scheduler at {address} has no workers, {WORKER_SECONDS:g} seconds long: start one on each "
                f"machine that grades, with `dask worker {address}`."
            ) from None
        try:
            graders = Graders(settings, pack_course(Path(settings.course)), versions())
            self._client.register_plugin(graders, name=self._run)
            refusals: dict[str, str] = self._client.run(refusal_of, self._run)
        except Exception as error:  # whatever a worker raises is raised here: most often, that it has no such module
            raise ClusterError(
                f"the workers of {address} cannot be made ready ({type(error).__name__}: {error}): {SAME_VERSIONS}."
            ) from error
        refused = [f"{worker} cannot grade: {reason}" for worker, reason in sorted(refusals.items()) if reason]
        if refused:
            more = f" (The same is true of {len(refused) - 1} more.)" if len(refused) > 1 else ""
            raise ClusterError(refused[0] + more)

    def close(self) -> None:
        """Takes back what is not graded yet, and ends the grader processes on the workers."""
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel([future for _, future in self._in_flight.values()], force=True)
            self._client.unregister_worker_plugin(self._run)
        with contextlib.suppress(Exception):
            self._client.close(10)

    def grade(self, submissions: Iterable[Submission], on_start: Callable[[str], None]) -> Replies:
        """(submission, reply) in the order in which they finish, each submission once. Raises ClusterLost."""
        waiting = iter(submissions)
        while True:
            room = max(1, SENT_AHEAD * self._count()) - len(self._in_flight)
            for submission in islice(waiting, max(0, room)):
                self._send(submission)
                on_start(submission.student)
            if not self._in_flight:
                return
            with contextlib.suppress(queue.Empty):
                key = self._done.get(timeout=COUNT_SECONDS)
                submission, future = self._in_flight[key]
                try:
                    reply = self._reply(future)
                except TimeoutError:  # its worker died with the result: Dask has it graded again
                    self._done.put(key)
                    continue
                del self._in_flight[key]
                yield submission, reply

    def _send(self, submission: Submission) -> None:
        key = f"{self._run}-{uuid.uuid4().hex}"
        future = self._client.submit(grade_task, self._run, submission, key=key, pure=False)
        self._in_flight[key] = submission, future
        future.add_done_callback(lambda _: self._done.put(key))

    def _reply(self, future: Future[Reply]) -> Reply:
        """What a task returned, or the fault for which it did not. Raises TimeoutError and ClusterLost."""
        is_failed = future.status == "error"  # else whatever it raises is about the cluster
        try:
            return future.result(timeout=COUNT_SECONDS)
        except TimeoutError:
            raise
        except Exception as error:
            if not is_failed:  # cancelled: only a lost scheduler does that
                raise self._lost() from error
            if isinstance(error, WorkerRefuses):
                raise ClusterLost(str(error)) from error
            if isinstance(error, (ImportError, AttributeError)):  # without this package, or with another version
                raise ClusterLost(
                    f"a worker that joined cannot grade ({type(error).__name__}: {error}): {SAME_VERSIONS}."
                ) from error
            is_killed = isinstance(error, KilledWorker)
            fault = "Every worker that it was given to ended." if is_killed else f"{type(error).__name__}: {error}"
            return Reply(fault=fault)

    def _count(self) -> int:
        """How many submissions can be graded at the same time. Raises ClusterLost when no worker is left."""
        now = time.monotonic()
        if now - self._counted_at >= COUNT_SECONDS:
            self._counted_at = now
            try:
                self._threads = sum(self._client.nthreads().values())
            except Exception as error:
                raise self._lost() from error
            if self._threads:
                self._workers_seen_at = now
            elif now - self._workers_seen_at > WORKER_SECONDS:
                raise ClusterLost(
                    f"the scheduler at {self._address} has had no workers for {WORKER_SECONDS:g} seconds: start some "
                    "and run the same command again, which grades only what is missing."
                )
        return self._threads

    def _lost(self) -> ClusterLost:
        return ClusterLost(
            f"the scheduler at {self._address} went away: start it again and run the same command, which grades only "
            "what is missing."
        )


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
