"""Wherever the zygote's descriptors happen to be, a worker's end up as 0 to 4."""

from __future__ import annotations

import itertools
import os

from support import sampled

from grader.sandbox.workers import worker


@sampled("places", itertools.permutations((3, 4, 9), 3), keep=2, ids=str)
def test_every_pipe_arrives_where_it_belongs(places: tuple[int, ...]) -> None:
    (requests_read, requests), (answers, answers_write), (output, output_write) = os.pipe(), os.pipe(), os.pipe()
    os.write(requests, b"request")
    pid = os.fork()
    if pid == 0:
        try:
            high = [os.dup2(fd, 50 + n) for n, fd in enumerate((requests_read, answers_write, output_write))]
            for source, place in zip(high, places, strict=True):
                os.dup2(source, place)
            worker.arrange_descriptors(*places)
            os.write(worker.ANSWERS_FD, os.read(worker.REQUESTS_FD, 100) + os.read(0, 1))
            os.write(1, b"out")
            os.write(2, b"err")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert (os.read(answers, 100), os.read(output, 100)) == (b"request", b"outerr")
    for descriptor in (requests_read, requests, answers, answers_write, output, output_write):
        os.close(descriptor)
