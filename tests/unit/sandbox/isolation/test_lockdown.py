"""All layers together, at every level: a zygote is prepared, a worker forked and locked in, and tries everything."""

from __future__ import annotations

import json
import os
import resource
import threading
import time
from dataclasses import replace

import pytest
from support import sampled

from bench.attacks.arena import avoid_above
from grader.sandbox.isolation import kernel, landlock, lockdown, probe, seccomp
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import LANDLOCK, LAYERS, SECCOMP, UID, Plan, lock_in, prepare_zygote
from grader.sandbox.isolation.probe import LEVELS

pytestmark = pytest.mark.layers


def test_threads_that_run_already_are_counted_where_workers_keep_their_user(in_child):
    def counted(layers):
        return in_child(lambda: prepare_zygote(Plan(layers)).other_threads)

    assert counted(LAYERS[2:]) >= 1  # this test at least
    assert counted(LAYERS[1:]) == counted(()) == 0


# A worker at every level ---------------------------------------------------------------------------------------------


@pytest.fixture
def secret(open_folder):
    """A file that every user of this machine may read, were it not hidden."""
    folder = open_folder / "solutions"
    folder.mkdir()
    (folder / "answer").write_text("42")
    return folder / "answer"


def locked_worker(plan, action, keep=()):
    """In a zygote prepared by `plan`, what `action` gives in a locked-in worker, and the worker's exit status."""
    zygote = prepare_zygote(plan)
    read, write = os.pipe()
    pid = zygote.fork()
    if pid == 0:
        try:
            lock_in(plan, zygote, (*range(3), write, *keep))
            answer = json.dumps(action())
        except BaseException as error:
            answer = json.dumps(f"{type(error).__name__}: {error}")
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    message = b""
    while data := os.read(read, 65536):
        message += data
    _, status = os.waitpid(pid, 0)
    return json.loads(message) if message else None, os.waitstatus_to_exitcode(status)


def threads_until_refused(most):
    started = 0
    try:
        for _ in range(most):
            threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    return started


READING = {
    "secret": lambda path: os.close(os.open(path, os.O_RDONLY)),
    "root folder": lambda path: os.listdir("/"),
    "passwords": lambda path: os.close(os.open("/etc/passwd", os.O_RDONLY)),
    "own memory": lambda path: os.close(os.open("/proc/self/mem", os.O_RDONLY)),
    "this test": lambda path: os.close(os.open(__file__, os.O_RDONLY)),
}
CHANGING = {
    "write": lambda path: os.open(path, os.O_WRONLY),
    "remove": lambda path: os.unlink(path),
    "mode": lambda path: os.chmod(path, 0o777),
    "empty": lambda path: os.open(os.devnull, os.O_RDONLY | os.O_TRUNC),
    "process": lambda path: os.fork(),
    "signal": lambda path: os.kill(os.getppid() or 2, 0),
    "processor time": lambda path: resource.setrlimit(resource.RLIMIT_CPU, (3600, 3600)),
    "memory": lambda path: bytearray(3 << 30),
}


@sampled("level", [level for level in LEVELS if level != "none"], keep=1)
@pytest.mark.parametrize("user", ["root", "ordinary"])
def test_a_worker_at_every_level(in_child, outcome, as_root_with_mounts, lay_python_open, secret, level, user):
    if landlock.abi() < 1 and level != "weak":
        pytest.skip("this kernel has no Landlock")
    if (level, user) == ("good", "ordinary"):
        pytest.skip("good is root's: an ordinary user cannot become another")

    def action():
        lay_python_open()
        if user == "ordinary":
            kernel.become(65521)
        found = probe.probe(avoid=avoid_above(level))
        plan = Plan(found.layers, Limits(threads=16))

        def worker():
            tried = READING | CHANGING
            result = {name: outcome(lambda name=name: tried[name](secret)) for name in tried}
            result["stat of the secret"] = outcome(lambda: os.stat(secret))
            result["library"] = outcome(lambda: __import__("wave"))
            result["capabilities"] = kernel.capabilities()
            result["user"] = os.getuid()
            result["threads"] = threads_until_refused(40)
            return result

        return found.level, found.missing, *locked_worker(plan, worker)

    reached, missing, message, status = in_child(action)
    if reached != level and user == "ordinary":
        pytest.skip(f"this system refuses user namespaces: {missing}")
    assert (reached, status) == (level, 0)
    assert isinstance(message, dict), message
    denied = {"EACCES", "EPERM", "ValueError", "MemoryError", "ENOENT", "EROFS"}
    assert {name: message[name] for name in CHANGING if message[name] not in denied} == {}
    readable = {name for name in READING if message[name] == "ok"}
    if level == "weak":
        assert "secret" in readable  # as its sentence says
    else:
        assert readable == set()
    assert message["stat of the secret"] in (("ENOENT", "EACCES") if level == "strong" else ("ok",))
    assert (message["library"], message["capabilities"]) == ("ok", 0)
    as_root = lockdown.WORKER_UID if level in ("strong", "good") else 0
    assert message["user"] == (65521 if user == "ordinary" else as_root)
    if message["user"] != 0:  # the kernel does not count root's
        assert message["threads"] <= 16
    assert secret.read_text() == "42"


# Descriptors, order, failures ----------------------------------------------------------------------------------------


def full_plan(**changes):
    return replace(Plan(probe.probe().layers), **changes)


def test_only_the_kept_descriptors_are_open(in_child):
    def action():
        for descriptor in (150, 151):
            os.dup2(0, descriptor)

        def worker():
            assert (os.getsid(0), os.getcwd()) == (os.getpid(), "/")
            return [d for d in range(3, 1000) if is_open(d)]

        message, _ = locked_worker(full_plan(), worker, keep=(150,))
        return message

    def is_open(descriptor):
        try:
            os.fstat(descriptor)
        except OSError:
            return False
        return True

    message = in_child(action)
    assert len(message) == 2  # the pipe to report on, and the one that was kept
    assert 150 in message


@pytest.mark.full
def test_memory_of_a_worker_is_closed_to_its_user(in_child):
    assert in_child(lambda: locked_worker(full_plan(), lambda: kernel.prctl(3))[0]).startswith("PermissionError")

    def dumpable():
        plan = full_plan()
        plan = replace(plan, layers=tuple(layer for layer in plan.layers if layer != SECCOMP))
        return locked_worker(plan, lambda: kernel.prctl(3))[0]  # PR_GET_DUMPABLE

    assert in_child(dumpable) == 0


@sampled(
    ("module", "function"),
    [
        (landlock, "enforce"),
        (seccomp, "install_filter"),
        (kernel, "reduce_capabilities"),
        (lockdown, "apply_limits"),
    ],
    keep=2,
)
def test_a_layer_that_fails_is_never_skipped(in_child, monkeypatch, module, function):
    def fails(*_):
        raise OSError(1, "refused")

    monkeypatch.setattr(module, function, fails)
    plan = Plan(LAYERS[2:])
    message = in_child(lambda: locked_worker(plan, lambda: "student code runs")[0])
    assert message == "PermissionError: [Errno 1] refused"


def test_rules_that_no_zygote_prepared_are_never_skipped(in_child, outcome, with_landlock):
    def action():
        zygote = lockdown.PreparedZygote(os.getppid())
        return outcome(lambda: lock_in(Plan((LANDLOCK,)), zygote, range(1000)))

    assert in_child(action) == "EBADF"


def test_a_change_of_user_that_fails_raises(in_child, as_root):
    def action():
        kernel.become(65521)
        return locked_worker(Plan((UID,)), lambda: "student code runs")[0]

    assert in_child(action).startswith("PermissionError")
