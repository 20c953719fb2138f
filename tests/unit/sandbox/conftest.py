"""What is locked in stays locked in, so every test here acts in a fork of its own and hears of it over a pipe."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from shared_nursery import forked_zygote

from bench.attacks.files import step_aside
from grader.sandbox.isolation import kernel, landlock, seccomp, system_calls
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers.client import ZygoteProcess

# A guard against hangs: the slowest action takes 2 seconds, and none that hangs ends by itself before.
SECONDS = 120.0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "layers: needs the system that the sandbox's layers exist on")
    config.addinivalue_line("markers", "anywhere: runs on every system, though its module needs the layers")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if "layers" in item.keywords and "anywhere" not in item.keywords and not kernel.supported():
        pytest.skip("needs Linux on x86_64 or aarch64")


def report_of(action: Callable[[], Any]) -> Any:
    """Runs `action` in a fork; what it returns, through JSON. A child that is killed gives {"signal": number}.

    `action` may go on in a further fork, as namespaces demand: what counts is what the last one says.
    """
    sys.stdout.flush()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            answer = json.dumps({"value": action()})
        except BaseException:
            answer = json.dumps({"raised": traceback.format_exc()})
        os.write(write, answer.encode() + b"\n")
        os._exit(0)
    os.close(write)
    message, deadline = b"", time.monotonic() + SECONDS  # guard: see SECONDS
    poll = select.poll()
    poll.register(read, select.POLLIN)
    late = False
    while True:
        left = max(0.0, deadline - time.monotonic())  # guard: see SECONDS
        if late := not poll.poll(left * 1000):
            os.kill(pid, signal.SIGKILL)
            break
        if not (data := os.read(read, 65536)):
            break
        message += data
    os.close(read)
    _, status = os.waitpid(pid, 0)
    assert not late, f"the child did not end within {SECONDS} s"
    if not message:
        return {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, "status": status}
    answer = json.loads(message.splitlines()[-1])
    assert "value" in answer, answer["raised"]
    return answer["value"]


def outcome_of(action: Callable[[], Any]) -> str:
    """ "ok", or the name of the error number, or of the exception."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    except BaseException as error:
        return type(error).__name__
    return "ok"


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    """With this machine's isolation and the limits that a run has if none are given."""
    process = forked_zygote(Plan(probe().layers))
    yield process
    process.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can pass: those of pytest are closed to other users, by each pytest that starts."""
    with TemporaryDirectory() as made:
        os.chmod(made, 0o711)
        yield Path(made).resolve()


@pytest.fixture
def in_child() -> Callable[[Callable[[], Any]], Any]:
    return report_of


@pytest.fixture
def outcome() -> Callable[[Callable[[], Any]], str]:
    return outcome_of


@pytest.fixture
def lay_python_open() -> Callable[[], None]:
    return lambda: step_aside(None)


@pytest.fixture
def like_docker() -> Callable[[], None]:
    return become_like_docker


@pytest.fixture
def with_landlock() -> None:
    if landlock.abi() < 1:
        pytest.skip("this kernel has no Landlock")


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")


@pytest.fixture
def as_root_with_mounts(as_root: None) -> None:
    if not kernel.has_capabilities(kernel.CAP_SYS_ADMIN):
        pytest.skip("needs root with CAP_SYS_ADMIN")


DOCKER_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)  # moby's oci/caps/defaults.go


def become_like_docker() -> None:
    """Root as in a container of Docker's: 14 capabilities, and a filter that refuses namespaces and mounts."""
    numbers = system_calls.numbers(kernel.architecture() or "")
    refused = ("unshare", "setns", "mount", "umount2", "pivot_root", "fsopen", "move_mount", "open_tree")
    code = [seccomp.Instruction(seccomp.LOAD, 0)]
    for name in refused:
        code += [seccomp.Instruction(seccomp.JUMP_IF_EQUAL, numbers[name], no=1)]
        code += [seccomp.Instruction(seccomp.RETURN, seccomp.FAIL | errno.EPERM)]
    seccomp.install(seccomp.assemble([*code, seccomp.Instruction(seccomp.RETURN, seccomp.ALLOW)]))
    for capability in range(kernel.CAPABILITY_BITS):
        if capability not in DOCKER_CAPABILITIES:
            try:
                kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
            except OSError:
                break
    kernel.reduce_capabilities(sum(1 << c for c in DOCKER_CAPABILITIES) & kernel.capabilities())
