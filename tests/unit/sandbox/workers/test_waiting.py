"""Limits of processor time or wall time: arithmetic with a machine on which the test decides what passes."""

import math
import os
import socket
import sys

import pytest

from grader.sandbox.isolation.limits import processor_seconds
from grader.sandbox.workers import codec
from grader.sandbox.workers.waiting import DeadlineMissed, TimeAccount
from grader.sandbox.workers.worker_process import WorkerProcess


class Machine:
    """A worker gets `share` of a processor; None where nobody can read what it used."""

    def __init__(self, share: float | None) -> None:
        self.used, self.share = 5.0, share

    def account(self, seconds: float) -> TimeAccount:
        return TimeAccount(seconds, lambda: math.nan if self.share is None else self.used)

    def passes(self, seconds: float, *accounts: TimeAccount) -> None:
        self.used += seconds * (self.share or 0.0)
        for each in accounts:
            each.passes(seconds)

    def wait_out(self, *accounts: TimeAccount) -> float:
        """Seconds of wall time until one is used up."""
        waited = 0.0
        while left := min(each.seconds_to_wait for each in accounts):
            waited += max(left, 1e-6)
            self.passes(max(left, 1e-6), *accounts)
        return waited


@pytest.mark.parametrize(
    ("share", "factor"),
    [(1.0, 1.0), (None, 1.0), (0.5, 1.9), (0.0, 6.0)],
    ids=["computes", "not known", "half", "sleeps"],
)
def test_a_limit_is_processor_time_or_six_times_as_much_wall_time(share, factor):
    machine = Machine(share)
    assert machine.wait_out(machine.account(10.0)) == pytest.approx(factor * 10.0, rel=0.06)


def test_what_workers_use_between_waits_counts_for_nobody():
    machine = Machine(1.0)
    account = machine.account(10.0)
    machine.passes(1.0, account)
    machine.passes(1000.0)
    assert 1.0 + machine.wait_out(account) == pytest.approx(10.0)


def test_steps_that_sleep_one_after_another_end_with_the_submission_s_wall_time():
    machine = Machine(0.0)
    account = machine.account(60.0)
    waited = [machine.wait_out(account, machine.account(10.0)) for _ in range(8)]
    assert waited == pytest.approx([60.0] * 6 + [0.0] * 2)
    assert account.is_used_up and account.used < 60.0


def test_an_answer_that_came_in_time_counts_although_this_process_was_late():
    ours, server = socket.socketpair()
    with ours, server:
        pipes = WorkerProcess(ours, Machine(None).account, 100)
        _, (life, requests, answers, printed), _, _ = socket.recv_fds(server, 1, 4)
    late = Machine(None).account(-1.0)
    try:
        os.write(answers, codec.encode_frame(codec.Frame({"op": "answer"})))
        assert pipes.receive(late).header == {"op": "answer"}
        with pytest.raises(DeadlineMissed):
            pipes.receive(late)
    finally:
        pipes.close()
        for descriptor in (life, requests, answers, printed):
            os.close(descriptor)


@pytest.mark.skipif(sys.platform != "linux", reason="no other process's processor time can be read there")
def test_the_processor_time_of_a_process_counts_until_it_is_reaped():
    pid = os.fork()
    if not pid:
        sum(range(100_000))
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    used = processor_seconds([pid])
    _, _, usage = os.wait4(pid, 0)
    assert used == pytest.approx(usage.ru_utime + usage.ru_stime, abs=0.01)
    assert processor_seconds([]) == 0
    assert math.isnan(processor_seconds([pid]))
