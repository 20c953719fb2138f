"""Limits travel as JSON, are checked, and hold."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
import time
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import wait_until

from grader.sandbox.isolation import capabilities, limits
from grader.sandbox.isolation.limits import Limits

pytestmark = pytest.mark.layers


@pytest.mark.anywhere
@given(st.fixed_dictionaries({}, optional={f.name: st.integers(0, 1 << 40) for f in fields(Limits)}))
def test_json_round_trip(values):
    chosen = Limits.from_dict(values)
    assert Limits.from_dict(json.loads(json.dumps(chosen.to_dict()))) == chosen
    assert all(getattr(chosen, name) == value for name, value in values.items())


@pytest.mark.anywhere
@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"memory": 1}, ValueError, "no such limit: memory"),
        ({"memory_bytes": "1 GiB"}, TypeError, "memory_bytes is '1 GiB', expected a whole number"),
        ({"memory_bytes": 1.5}, TypeError, "expected a whole number"),
        ({"threads": True}, TypeError, "threads is True"),
        ({"step_seconds": None}, TypeError, "expected a number"),
        ({"step_seconds": -1.0}, ValueError, "expected 0 or more"),
        ({"step_seconds": float("nan")}, ValueError, "expected 0 or more"),
    ],
)
def test_what_is_no_limit_is_refused(values, error, words):
    with pytest.raises(error, match=words):
        Limits.from_dict(values)


def test_memory_ends_in_a_memory_error(in_child):
    def action():
        limits.apply(Limits(memory_bytes=64 << 20))
        small = len(bytearray(16 << 20))
        try:
            bytearray(128 << 20)
        except MemoryError:
            return small, "MemoryError"

    assert in_child(action) == [16 << 20, "MemoryError"]


def test_files_stay_empty_and_few(in_child, outcome, tmp_path):
    def action():
        limits.apply(Limits(open_files=64))
        target = os.open(tmp_path / "file", os.O_CREAT | os.O_WRONLY)
        writing = outcome(lambda: os.write(target, b"x"))
        return writing, outcome(lambda: [os.pipe() for _ in range(64)])

    assert in_child(action) == ["EFBIG", "EMFILE"]


def test_nothing_can_be_raised_again(in_child, outcome):
    def action():
        capabilities.reduce_to(0)
        limits.apply(Limits())
        return [
            outcome(lambda kind=kind: resource.setrlimit(kind, (1 << 40, 1 << 40)))
            for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)
        ]

    assert set(in_child(action)) <= {"ValueError", "EPERM"}


def test_a_lower_limit_that_is_there_already_stays(in_child):
    def action():
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
        limits.apply(Limits(open_files=64))
        return resource.getrlimit(resource.RLIMIT_NOFILE)

    assert in_child(action) == [60, 60]


@pytest.mark.full
def test_processor_time_ends_a_loop_that_ignores_the_signal(in_child):
    def action():
        limits.apply(Limits(cpu_seconds=0))  # the kernel takes 0 for 1 second
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        while True:
            pass

    assert in_child(action)["signal"] == signal.SIGKILL


def test_threads_are_counted_for_an_ordinary_user(in_child, as_root):
    def action():
        others = limits.tasks_of(65523)
        capabilities.become(65523)
        limits.apply(Limits(threads=8), others)
        started = 0
        try:
            for _ in range(20):
                threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
                started += 1
        except RuntimeError:
            pass
        return started

    assert in_child(action) == 7  # and the main thread


def test_tasks_are_counted(in_child, as_root):
    def action():
        before = limits.tasks_of(65524)
        pid = os.fork()
        if pid == 0:
            capabilities.become(65524)
            time.sleep(3600)  # no race: it is killed
        wait_until(lambda: limits.tasks_of(65524) != before)
        after = limits.tasks_of(65524)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return after - before

    assert in_child(action) == 1
