"""Privilege is given up for good."""

from __future__ import annotations

import os
import subprocess

import pytest

from grader.sandbox.isolation import capabilities, kernel

PR_GET_NO_NEW_PRIVS = 39

pytestmark = pytest.mark.layers


def test_all_capabilities_go(in_child):
    def action():
        capabilities.drop_all()
        return capabilities.effective()

    assert in_child(action) == 0


def test_the_rest_can_be_kept(in_child, as_root):
    def action():
        capabilities.reduce_to(1 << capabilities.CAP_KILL)
        return capabilities.has(capabilities.CAP_KILL), capabilities.has(capabilities.CAP_SETUID)

    assert in_child(action) == [True, False]


def test_root_without_capabilities_is_bound_by_permissions(in_child, outcome, as_root, tmp_path):
    secret = tmp_path / "secret"
    secret.touch(mode=0o000)

    def action():
        capabilities.drop_bounding_set()
        capabilities.drop_all()
        return outcome(lambda: os.open(secret, os.O_RDONLY)), outcome(lambda: os.setuid(12345))

    assert in_child(action) == ["EACCES", "EPERM"]


def test_a_program_started_as_root_gets_nothing_back(in_child, as_root):
    def action():
        capabilities.drop_bounding_set()
        capabilities.drop_all()
        message = subprocess.run(["/bin/cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
        return [line.split()[1] for line in message.splitlines() if line.startswith(("CapEff", "CapPrm", "CapBnd"))]

    assert {int(mask, 16) for mask in in_child(action)} == {0}


def test_no_new_privileges_cannot_be_undone(in_child, outcome):
    def action():
        capabilities.no_new_privileges()
        return kernel.prctl(PR_GET_NO_NEW_PRIVS), outcome(lambda: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 0))

    assert in_child(action) == [1, "EINVAL"]


def test_another_user_and_no_way_back(in_child, outcome, as_root):
    def action():
        capabilities.become(65520, 65521)
        ids = os.getresuid(), os.getresgid(), os.getgroups()
        return ids, capabilities.effective(), outcome(lambda: os.setuid(0)), outcome(lambda: os.kill(os.getppid(), 0))

    ids, mask, back, signalling = in_child(action)
    assert ids == [[65520] * 3, [65521] * 3, []]
    assert mask == 0
    assert (back, signalling) == ("EPERM", "EPERM")


def test_becoming_root_is_refused():
    with pytest.raises(ValueError, match="no protection"):
        capabilities.become(0, 0)


def test_an_ordinary_user_cannot_become_another(in_child, outcome, as_root):
    def action():
        capabilities.become(65520, 65520)
        return outcome(lambda: capabilities.become(65521, 65521))

    assert in_child(action) == "EPERM"
