"""The numbers are the kernel's, and what is not supported says so."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from pathlib import Path

import pytest

from grader.sandbox.isolation import kernel, system_calls

pytestmark = pytest.mark.layers

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", system_calls.ARCHITECTURES)
def test_numbers_are_those_of_the_system_headers(machine):
    if not HEADERS[machine].exists():
        pytest.skip(f"{HEADERS[machine]} is not installed")
    text = HEADERS[machine].read_text()
    official = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    ours = system_calls.numbers(machine)
    known = {name: number for name, number in ours.items() if name in official}
    assert len(known) > 150
    assert known == {name: official[name] for name in known}
    # what the headers do not know yet must be newer than them, where numbers are the same on every processor
    assert all(ours[name] > 447 for name in set(ours) - set(known))


def test_an_error_has_the_kernel_s_number_and_says_which_call(monkeypatch):
    with pytest.raises(OSError, match="setns: Bad file descriptor") as caught:
        kernel.syscall("setns", 2**31 - 1, 0)
    assert caught.value.errno == errno.EBADF
    monkeypatch.setattr(kernel.sys, "platform", "darwin")
    assert not kernel.supported()
    with pytest.raises(OSError) as caught:
        kernel.syscall("unshare", 0)
    assert caught.value.errno == errno.ENOSYS


def test_without_linux_descriptors_are_closed_too(in_child, monkeypatch):
    def action():
        kept, gone = os.dup(0), os.dup(0)
        monkeypatch.setattr(kernel, "supported", lambda: False)
        kernel.close_all_but({int(name) for name in os.listdir("/proc/self/fd")} - {gone})
        return os.path.exists(f"/proc/self/fd/{kept}"), os.path.exists(f"/proc/self/fd/{gone}")

    assert in_child(action) == [True, False]


def test_a_parent_that_ended_before_is_noticed(in_child):
    def action():
        child = os.fork()
        if child == 0:
            kernel.die_with_parent(2**22 + 1)  # no process has that number
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert in_child(action) == 1


def test_root_without_capabilities_is_bound_by_permissions(in_child, outcome, as_root, tmp_path):
    secret = tmp_path / "secret"
    secret.touch(mode=0o000)

    def action():
        kernel.drop_bounding_set()
        kernel.reduce_capabilities(1 << kernel.CAP_KILL)
        kept = kernel.has_capabilities(kernel.CAP_KILL), kernel.has_capabilities(kernel.CAP_SETUID)
        kernel.reduce_capabilities(0)
        tried = outcome(lambda: os.open(secret, os.O_RDONLY)), outcome(lambda: os.setuid(12345))
        status = subprocess.run(["/bin/cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
        started = [line.split()[1] for line in status.splitlines() if line.startswith(("CapEff", "CapPrm"))]
        return *kept, kernel.capabilities(), *tried, [int(mask, 16) for mask in started]

    assert in_child(action) == [True, False, 0, "EACCES", "EPERM", [0, 0]]


def test_another_user_and_no_way_back(in_child, outcome, as_root):
    def action():
        kernel.become(65520)
        ids = os.getresuid(), os.getresgid(), os.getgroups()
        acts = [lambda: os.setuid(0), lambda: os.kill(os.getppid(), 0), lambda: kernel.become(65521)]
        return ids, kernel.capabilities(), *map(outcome, acts)

    assert in_child(action) == [[[65520] * 3, [65520] * 3, []], 0, "EPERM", "EPERM", "EPERM"]
    with pytest.raises(ValueError, match="no protection"):
        kernel.become(0)
