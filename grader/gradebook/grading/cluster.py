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
    grade_task,
    pack_course,
    refusal_of,
    versions,
)
from grader.gradebook.grading.grader_processes import Replies, Reply, ignore_start
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.stop import Stop
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
    submissions: Iterable[Submission],
    settings: Settings,
    address: str,
    on_start: Callable[[str], None] = ignore_start,
    stop: Stop | None = None,
) -> Replies:
    """As grade_all, by the workers of the scheduler at `address`; `on_start` gets each student who was sent.

    Raises ClusterError before the first submission is sent, ClusterLost after that.
    """
    for name in ("distributed", "tornado", "asyncio", *logging.Logger.manager.loggerDict):
        if name.startswith(("distributed", "tornado", "asyncio")):  # errors are reported in our own sentences
            logging.getLogger(name).setLevel(logging.CRITICAL)
    run, client = f"backprop-ninja-{uuid.uuid4().hex}", connect_client(address)
    in_flight: dict[str, tuple[Submission, Future[Reply]]] = {}
    try:
        prepare_workers(client, run, settings, address)
        yield from grade_in_flight(client, run, iter(submissions), in_flight, address, on_start, stop or Stop())
    finally:  # take back what is not graded yet, and end the grader processes on the workers
        with contextlib.suppress(Exception):  # the scheduler may be gone
            client.cancel([future for _, future in in_flight.values()], force=True)
            client.unregister_worker_plugin(run)
        with contextlib.suppress(Exception):
            client.close(10)


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


def grade_in_flight(
    client: Client,
    run: str,
    waiting: Iterable[Submission],
    in_flight: dict[str, tuple[Submission, Future[Reply]]],
    address: str,
    on_start: Callable[[str], None],
    stop: Stop,
) -> Replies:
    """(submission, reply) in the order in which they finish, each once; `in_flight` has what was sent. ClusterLost."""
    done = queue.SimpleQueue[str]()
    threads, counted_at, workers_seen_at = 0, 0.0, time.monotonic()
    lost = ClusterLost(
        f"the scheduler at {address} went away: start it again and run the same command, which grades only what is "
        "missing."
    )
    while not stop.is_requested:
        now = time.monotonic()
        if now - counted_at >= COUNT_SECONDS:
            try:
                threads, counted_at = sum(client.nthreads().values()), now
            except Exception as error:
                raise lost from error
            workers_seen_at = now if threads else workers_seen_at
            if now - workers_seen_at > WORKER_SECONDS:
                raise ClusterLost(
                    f"the scheduler at {address} has had no workers for {WORKER_SECONDS:g} seconds: start some and run "
                    "the same command again, which grades only what is missing."
                )
        for submission in islice(waiting, max(0, max(1, SENT_AHEAD * threads) - len(in_flight))):
            key = f"{run}-{uuid.uuid4().hex}"
            in_flight[key] = submission, client.submit(grade_task, run, submission, key=key, pure=False)
            in_flight[key][1].add_done_callback(lambda future: done.put(future.key))
            on_start(submission.student)
        if not in_flight:
            return
        with contextlib.suppress(queue.Empty):
            key = done.get(timeout=COUNT_SECONDS)
            submission, future = in_flight[key]
            try:
                reply = reply_of(future, lost)
            except TimeoutError:  # its worker died with the result: Dask has it graded again
                done.put(key)
                continue
            del in_flight[key]
            yield submission, reply


def reply_of(future: Future[Reply], lost: ClusterLost) -> Reply:
    """What a task returned, or the fault for which it did not. Raises TimeoutError and ClusterLost."""
    is_failed = future.status == "error"  # else whatever it raises is about the cluster
    try:
        return future.result(timeout=COUNT_SECONDS)
    except TimeoutError:
        raise
    except Exception as error:
        if not is_failed:  # cancelled: only a lost scheduler does that
            raise lost from error
        if isinstance(error, GraderFault):  # it refuses
            raise ClusterLost(f"a worker that joined cannot grade: {error}") from error
        if isinstance(error, (ImportError, AttributeError)):  # without this package, or with another version
            why = f"{type(error).__name__}: {error}"
            raise ClusterLost(f"a worker that joined cannot grade ({why}): {SAME_VERSIONS}.") from error
        is_killed = isinstance(error, KilledWorker)
        fault = "Every worker that it was given to ended." if is_killed else f"{type(error).__name__}: {error}"
        return Reply(fault=fault)
