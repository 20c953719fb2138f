"""Privilege is given up for good."""

from __future__ import annotations

import os
import subprocess

import pytest

from grader.sandbox.isolation import capabilities

pytestmark = pytest.mark.layers


def test_root_without_capabilities_is_bound_by_permissions(in_child, outcome, as_root, tmp_path):
    secret = tmp_path / "secret"
    secret.touch(mode=0o000)

    def action():
        capabilities.reduce_to(1 << capabilities.CAP_KILL)
        kept = capabilities.has(capabilities.CAP_KILL), capabilities.has(capabilities.CAP_SETUID)
        capabilities.reduce_to(0)
        tried = outcome(lambda: os.open(secret, os.O_RDONLY)), outcome(lambda: os.setuid(12345))
        return *kept, capabilities.effective(), *tried

    assert in_child(action) == [True, False, 0, "EACCES", "EPERM"]


def test_a_program_started_as_root_gets_nothing_back(in_child, as_root):
    def action():
        capabilities.drop_bounding_set()
        capabilities.reduce_to(0)
        message = subprocess.run(["/bin/cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
        return [line.split()[1] for line in message.splitlines() if line.startswith(("CapEff", "CapPrm", "CapBnd"))]

    assert {int(mask, 16) for mask in in_child(action)} == {0}


def test_another_user_and_no_way_back(in_child, outcome, as_root):
    def action():
        capabilities.become(65520)
        ids = os.getresuid(), os.getresgid(), os.getgroups()
        acts = [lambda: os.setuid(0), lambda: os.kill(os.getppid(), 0), lambda: capabilities.become(65521)]
        return ids, capabilities.effective(), *map(outcome, acts)

    assert in_child(action) == [[[65520] * 3, [65520] * 3, []], 0, "EPERM", "EPERM", "EPERM"]


def test_becoming_root_is_refused():
    with pytest.raises(ValueError, match="no protection"):
        capabilities.become(0)
