"""Deadlines in processor time or wall time: arithmetic with a machine on which the test decides what passes."""

import os
import sys
from types import SimpleNamespace

import pytest

from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.usage import processor_seconds
from grader.sandbox.workers import codec
from grader.sandbox.workers.endings import DeadlineMissed
from grader.sandbox.workers.work_clock import TimeAccount, Wait, WorkClock
from grader.sandbox.workers.worker_process import WorkerProcess


class Machine:
    """A worker gets `share` of a processor; None where nobody can read what it used."""

    def __init__(self, share: float | None) -> None:
        self.wall, self.used, self.share = 100.0, 5.0, share
        self.clock = WorkClock(lambda: None if self.share is None else self.used, lambda: self.wall)

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.used += seconds * (self.share or 0.0)

    def wait_out(self, limit: float) -> float:
        """Seconds of wall time until a deadline is missed."""
        wait, began = Wait(self.clock, self.clock.now() + limit), self.wall
        while left := wait.seconds_left():
            self.passes(max(left, 1e-6))
        return self.wall - began


@pytest.mark.parametrize("limit", [0.1, 10.0])
@pytest.mark.parametrize(
    ("share", "factor"),
    [(1.0, 1.0), (2.0, 1.0), (None, 1.0), (0.5, 1.9), (0.25, 3.7), (0.0, 6.0), (0.01, 6.0)],
    ids=["computes", "two threads", "not known", "half", "a quarter", "sleeps", "hardly ever"],
)
def test_a_limit_is_processor_time_or_six_times_as_much_wall_time(limit, share, factor):
    assert Machine(share).wait_out(limit) == pytest.approx(factor * limit, rel=0.06)


def test_what_passed_before_a_wait_moves_no_deadline():
    machine = Machine(0.0)
    machine.passes(1000.0)
    machine.share = 1.0
    assert machine.wait_out(10.0) == pytest.approx(10.0)


def test_a_deadline_that_has_passed_is_missed_at_once():
    assert Machine(0.0).wait_out(-1.0) == 0.0


def test_a_submission_is_not_charged_for_what_a_busy_machine_takes():
    machine = Machine(0.25)
    account = TimeAccount(60.0, machine.clock)
    for _ in range(1000):
        with account.waiting():
            machine.passes(0.2)
    assert account.used == pytest.approx(50.0, abs=6.0)
    assert not account.is_used_up
    assert account.end - machine.clock.now() == pytest.approx(60.0 - account.used)


def test_a_submission_that_sleeps_uses_its_seconds_up():
    machine = Machine(0.0)
    account, sleeps = TimeAccount(60.0, machine.clock), 0
    while not account.is_used_up:
        with account.waiting():
            machine.wait_out(10.0)
        sleeps += 1
    assert sleeps == 6
    assert account.used < 60.0


def test_steps_that_sleep_one_after_another_end_with_the_submission_s_wall_time():
    machine = Machine(0.0)
    account, began = TimeAccount(60.0, machine.clock), machine.wall
    with account.waiting():
        waited = [machine.wait_out(10.0) for _ in range(8)]
    assert waited == pytest.approx([60.0] * 6 + [0.0] * 2)
    assert machine.wall - began == pytest.approx(360.0) and account.is_used_up


def test_an_answer_that_came_in_time_counts_although_this_process_was_late():
    machine = Machine(None)
    requests, answers, printed = os.pipe(), os.pipe(), os.pipe()
    zygote = SimpleNamespace(limits=Limits(), clock=machine.clock, end_of=lambda _: 0)
    pipes = WorkerProcess(zygote, 1, requests[1], answers[0], printed[0])
    try:
        os.write(answers[1], codec.encode_frame(codec.Frame({"op": "answer"})))
        assert pipes.receive(machine.clock.now() - 50.0).header == {"op": "answer"}
        with pytest.raises(DeadlineMissed):
            pipes.receive(machine.clock.now() - 50.0)
    finally:
        pipes.close()
        for descriptor in (requests[0], answers[1], printed[1]):
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
    assert processor_seconds([pid]) is None
