"""Deadlines on a busy machine: arithmetic with a clock that the test sets, and what the kernel counts."""

import os
import signal

import pytest
from support import wait_until

from grader.sandbox.isolation.usage import Scheduled, ScheduledTimes, threads_of
from grader.sandbox.workers.endings import DeadlineMissed
from grader.sandbox.workers.time_account import TimeAccount
from grader.sandbox.workers.waiting_clock import WaitingClock
from grader.sandbox.workers.worker_pipes import WorkerPipes


class Machine:
    """Time, and what a worker has run and waited, as a test sets it."""

    def __init__(self, known: bool = True, slowdown: float = 1.0) -> None:
        self.real, self.own, self._known, self.slowdown = 100.0, 0.0, known, slowdown
        self._ran = self._waited = 0.0
        self.clock = WaitingClock(self.scheduled, lambda: self.real, lambda: self.own, lambda: self.slowdown)

    def scheduled(self) -> Scheduled | None:
        found, self._ran, self._waited = Scheduled(self._ran, self._waited), 0.0, 0.0
        return found if self._known else None

    def passes(self, seconds: float, ran: float = 0.0, waited: float = 0.0) -> None:
        self.real += seconds
        self._ran, self._waited = self._ran + ran, self._waited + waited


def is_missed(machine: Machine, deadline: float, since: float) -> bool:
    return machine.clock.now() >= deadline and not machine.clock.catch_up(since)


def seconds_until_missed(machine: Machine, share: float, limit: float = 10.0, sleeps: bool = False) -> float:
    """Elapsed seconds until a deadline is missed by a worker that gets `share` of a processor, or sleeps."""
    since = machine.clock.now()
    started = machine.real
    while not is_missed(machine, since + limit, since):
        step = max(0.01, since + limit - machine.clock.now())
        machine.passes(step, 0.0 if sleeps else share * step, 0.0 if sleeps else (1 - share) * step)
        assert machine.real - started < 10_000
    return machine.real - started


def test_a_function_that_computes_has_its_seconds_of_processor_time_however_busy_the_machine_is():
    assert seconds_until_missed(Machine(), share=1.0) == pytest.approx(10.0)
    assert seconds_until_missed(Machine(), share=1 / 11) == pytest.approx(110.0, rel=0.02)


def test_a_function_that_sleeps_ends_after_its_seconds_on_a_busy_machine():
    assert seconds_until_missed(Machine(), share=1 / 11, sleeps=True) == pytest.approx(10.0)


def test_where_the_kernel_does_not_say_deadlines_stretch_as_far_as_a_reference_is_delayed():
    idle, busy = Machine(known=False, slowdown=1.05), Machine(known=False, slowdown=11.0)
    assert seconds_until_missed(idle, share=1.0) == pytest.approx(10.0)
    assert seconds_until_missed(busy, share=1 / 11) == pytest.approx(110.0, rel=0.02)
    assert seconds_until_missed(busy, share=1 / 11, sleeps=True) == pytest.approx(110.0, rel=0.02)  # but it ends


def test_threads_that_wait_for_each_other_do_not_stop_the_clock():
    machine = Machine()
    since = machine.clock.now()
    machine.passes(10.0, ran=20.0, waited=600.0)  # 64 threads on 2 processors
    assert is_missed(machine, since + 10.0, since)


def test_delays_from_before_a_wait_move_its_deadline_by_at_most_its_own_length():
    machine = Machine()
    machine.passes(100.0, ran=10.0, waited=90.0)
    since = machine.clock.now()
    machine.passes(10.0)
    assert machine.clock.catch_up(since) == pytest.approx(10.0)
    machine.passes(10.0)
    assert is_missed(machine, since + 10.0, since)


def test_what_this_process_waits_counts_as_a_delay_too():
    machine = Machine()
    since = machine.clock.now()
    machine.passes(10.0, ran=0.1)
    machine.own += 9.0
    assert machine.clock.catch_up(since) == pytest.approx(9.0)


def test_the_seconds_of_a_submission_do_not_count_its_waits_for_a_processor():
    machine = Machine()
    account = TimeAccount(60.0, machine.clock)
    for _ in range(2_000):
        with account.waiting():
            machine.passes(0.1, ran=0.01, waited=0.09)
    assert account.waited == pytest.approx(20.0, abs=1.1)
    assert not account.is_used_up
    with account.waiting():
        machine.passes(41.0)  # asleep
    assert account.is_used_up


@pytest.mark.parametrize("late", [0.0, 0.005, 0.02], ids=["not at all", "hardly", "a little"])
def test_a_look_at_a_deadline_forgets_no_wait_of_the_requests_before_it(late):
    """Each request waits for a processor, and after every fifth the clock is read for another wait that began then."""
    machine = Machine()
    account = TimeAccount(60.0, machine.clock)
    for number in range(2_000):
        with account.waiting():
            machine.passes(0.1, ran=0.01, waited=0.09)
        if number % 5 == 0:
            began = machine.clock.now()
            machine.passes(late, waited=late)
            machine.clock.catch_up(began)
    assert account.waited == pytest.approx(20.0, abs=1.1)


def test_the_last_second_is_checked_before_a_submission_loses_it():
    machine = Machine()
    account = TimeAccount(2.0, machine.clock)
    for _ in range(9):
        with account.waiting():
            machine.passes(0.1, ran=0.1)
    with account.waiting():
        machine.passes(0.2, ran=0.2)  # 1.1 seconds: checked
    with account.waiting():
        machine.passes(0.95, ran=0.05, waited=0.9)
    assert not account.is_used_up
    assert account.end - machine.clock.now() == pytest.approx(0.85)
    with account.waiting():
        machine.passes(0.86)  # asleep
    assert account.is_used_up


def test_a_wait_before_a_submission_is_none_of_its_own():
    machine = Machine()
    machine.passes(100.0, ran=1.0, waited=99.0)
    machine.clock.catch_up(machine.clock.now())
    account = TimeAccount(2.0, machine.clock)
    with account.waiting():
        machine.passes(2.0)  # asleep
    assert account.waited == pytest.approx(2.0)
    assert account.is_used_up


def test_an_answer_that_came_in_time_counts_although_this_process_was_late():
    machine = Machine()
    requests, answers, printed = os.pipe(), os.pipe(), os.pipe()
    pipes = WorkerPipes(requests[1], answers[0], printed[0], 1000, lambda: "", machine.clock)
    try:
        from grader.sandbox.workers import wire

        os.write(answers[1], wire.encode_frame(wire.Frame({"op": "answer"})))
        machine.passes(60.0)
        assert pipes.receive(machine.clock.now() - 50.0).header == {"op": "answer"}
        with pytest.raises(DeadlineMissed):
            pipes.receive(machine.clock.now() - 50.0)
    finally:
        pipes.close()
        for descriptor in (requests[0], answers[1], printed[1]):
            os.close(descriptor)


@pytest.mark.full
@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this kernel does not count waits")
def test_the_kernel_counts_the_waits_of_a_process_that_shares_a_processor():
    """A process shares one core with three others, until it has run and has waited."""
    core = {min(os.sched_getaffinity(0))}
    pids = []
    try:
        for _ in range(4):
            pid = os.fork()
            if pid == 0:
                os.sched_setaffinity(0, core)
                while True:
                    sum(range(1000))
            pids.append(pid)
        times = ScheduledTimes()
        times.since_last(pids[:1])
        ran = waited = 0.0

        def has_run_and_waited() -> bool:
            nonlocal ran, waited
            found = times.since_last(pids[:1])
            assert found is not None
            ran, waited = ran + found.ran, waited + found.waited
            return ran > 0 < waited

        assert wait_until(has_run_and_waited)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this kernel does not count waits")
def test_the_waits_of_a_process_that_has_ended_count_once():
    """A submission has a worker per measured call, and most have ended when its time is read."""
    core = {min(os.sched_getaffinity(0))}
    rival, pid = os.fork(), 0
    if not rival:
        os.sched_setaffinity(0, core)
        while True:
            sum(range(1000))
    times = ScheduledTimes()
    try:
        os.sched_setaffinity(rival, core)
        if not (pid := os.fork()):
            os.sched_setaffinity(0, core)
            for _ in range(1000):
                sum(range(1000))
            os._exit(0)
        times.since_last([pid])
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        times.note_end(threads_of(pid))
        os.waitpid(pid, 0)
    finally:
        os.kill(rival, signal.SIGKILL)
        os.waitpid(rival, 0)
    found = times.since_last([])
    assert found is not None and found.ran > 0 < found.waited
    again = times.since_last([])
    assert again is not None and again.ran == 0
