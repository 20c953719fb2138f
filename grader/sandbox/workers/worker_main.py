"""The worker, a fresh fork of the zygote: it locks itself in, and then answers requests about one submission.

Descriptors: 0 nothing, 1 and 2 what the student prints, 3 requests, 4 answers.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

from grader.sandbox.isolation.lockdown import Plan, PreparedZygote, lock_in
from grader.sandbox.isolation.usage import own_usage
from grader.sandbox.workers.messages import encode_reply
from grader.sandbox.workers.worker import ANSWERS_FD, REQUESTS_FD, Worker, send


def main(requests: int, answers: int, output: int, plan: Plan, zygote: PreparedZygote) -> None:
    """Runs in the forked child: arranges descriptors, locks itself in, serves, and never returns.

    A layer that cannot be applied ends the worker before any student code runs.
    """
    worker = Worker(plan.limits.operators, plan.imports)
    parent, ruleset = above_the_pipes(zygote.pidfd), above_the_pipes(zygote.ruleset)
    arrange_descriptors(requests, answers, output)
    try:
        lock_in(plan, keep=range(5), parent=parent, ruleset=ruleset)
    except (OSError, ValueError) as error:
        send(encode_reply("not locked in", message=f"{type(error).__name__}: {error}"))
        os._exit(71)
    # before the first byte of a student's is read: nothing they write can come before it, and what is used from here
    # on is the submission's
    send(encode_reply("locked in", used=own_usage()))
    try:
        worker.serve()
    except BaseException as error:  # an error of the grader, or of a student's thread that broke the protocol
        with contextlib.suppress(BaseException):
            os.write(2, f"worker: {type(error).__name__}: {error}\n".encode()[:1000])
        os._exit(72)
    finally:
        os._exit(0)


def above_the_pipes(descriptor: int | None) -> int | None:
    """A copy of `descriptor` out of the way of 0 to 4, so that no dup2 overwrites one that is still needed."""
    if descriptor is None:
        return None
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ANSWERS_FD + 1)


def arrange_descriptors(requests: int, answers: int, output: int) -> None:
    """Puts the pipes where they belong; everything else is closed by `lock_in`."""
    high = [
        fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ANSWERS_FD + 1) for descriptor in (requests, answers, output)
    ]
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, high[2]), (2, high[2]), (REQUESTS_FD, high[0]), (ANSWERS_FD, high[1])):
        os.dup2(source, target)
