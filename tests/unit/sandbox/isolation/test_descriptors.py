"""Wherever the zygote's descriptors happen to lie, a worker's end up as 0 to 4, and its zygote's pidfd stays usable."""

from __future__ import annotations

import fcntl
import itertools
import os

from support import sampled

from grader.sandbox.workers import worker
from grader.sandbox.workers.worker import ANSWERS_FD, REQUESTS_FD

PLACES = list(itertools.permutations((3, 4, 5, 9), 4))


def arranged_in_a_child(places: tuple[int, ...]) -> bytes:
    """Forks; in the child, pipes and a fourth descriptor lie at `places`. What the child says on its `answers`."""
    requests_read, requests_write = os.pipe()
    answers_read, answers_write = os.pipe()
    output_read, output_write = os.pipe()
    other_read, other_write = os.pipe()
    os.write(requests_write, b"request")
    os.write(other_write, b"pidfd")
    pid = os.fork()
    if pid == 0:
        try:
            originals = [os.dup(fd) for fd in (requests_read, answers_write, output_write, other_read)]
            high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 50) for fd in originals]
            for source, place in zip(high, places, strict=True):
                os.dup2(source, place)
            requests, answers, output, zygote = places
            zygote = worker.above_the_pipes(zygote)
            worker.arrange_descriptors(requests, answers, output)
            said = os.read(REQUESTS_FD, 100) + b" " + os.read(zygote, 100) + b" " + os.read(0, 1)
            os.write(ANSWERS_FD, said)
            os.write(1, b"out")
            os.write(2, b"err")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    answer, printed = os.read(answers_read, 100), os.read(output_read, 100)
    for descriptor in (
        *(requests_read, requests_write, answers_read, answers_write),
        *(output_read, output_write, other_read, other_write),
    ):
        os.close(descriptor)
    assert printed == b"outerr"
    return answer


@sampled("places", PLACES, keep=2, ids=str)
def test_every_pipe_arrives_where_it_belongs(places: tuple[int, ...]) -> None:
    assert arranged_in_a_child(places) == b"request pidfd "
