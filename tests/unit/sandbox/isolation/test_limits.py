"""Limits hold."""

from __future__ import annotations

import os
import resource
import signal

import pytest

from grader.sandbox.isolation import kernel, limits
from grader.sandbox.isolation.limits import Limits

pytestmark = pytest.mark.layers


def few_more() -> int:
    """A limit above what this process has open, which depends on the tests before."""
    return 64 + max(map(int, os.listdir("/proc/self/fd")))


def test_files_stay_empty_and_few(in_child, outcome, tmp_path):
    def action():
        limits.apply_limits(Limits(open_files=few_more()))
        target = os.open(tmp_path / "file", os.O_CREAT | os.O_WRONLY)
        writing = outcome(lambda: os.write(target, b"x"))
        return writing, outcome(lambda: [os.pipe() for _ in range(64)])

    assert in_child(action) == ["EFBIG", "EMFILE"]


def test_nothing_can_be_raised_again(in_child, outcome):
    def action():
        lower = few_more()
        resource.setrlimit(resource.RLIMIT_NOFILE, (lower, lower))
        kernel.reduce_capabilities(0)
        limits.apply_limits(Limits(open_files=lower + 4))
        kinds = resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE
        raised = [outcome(lambda kind=kind: resource.setrlimit(kind, (1 << 40, 1 << 40))) for kind in kinds]
        return raised, lower, resource.getrlimit(resource.RLIMIT_NOFILE)

    raised, lower, files = in_child(action)
    assert {*raised} <= {"ValueError", "EPERM"}
    assert files == [lower, lower]  # a lower limit that was there before stays


@pytest.mark.full
def test_processor_time_ends_a_loop_that_ignores_the_signal(in_child):
    def action():
        limits.apply_limits(Limits(cpu_seconds=0))  # the kernel takes 0 for 1 second
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        while True:
            pass

    assert in_child(action)["signal"] == signal.SIGKILL
