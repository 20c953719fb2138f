"""What is found on a machine, and the sentences about what is missing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support import sampled

from bench.attacks.arena import avoid_above
from grader.sandbox.isolation import kernel, landlock, lockdown, probe
from grader.sandbox.isolation.probe import LEVELS, Isolation, at_least, level_of

pytestmark = pytest.mark.layers

BASE = {lockdown.LIMITS, lockdown.SECCOMP}


@pytest.mark.anywhere
def test_levels_are_ordered():
    for i, level in enumerate(LEVELS):
        for j, required in enumerate(LEVELS):
            assert at_least(level, required) == (i >= j)


@pytest.mark.anywhere
@pytest.mark.parametrize(
    ("layers", "root", "level"),
    [
        (BASE | {lockdown.LANDLOCK, lockdown.NAMESPACES_LAYER, lockdown.UID}, True, "strong"),
        (BASE | {lockdown.LANDLOCK, lockdown.NAMESPACES_LAYER}, False, "strong"),
        (BASE | {lockdown.LANDLOCK, lockdown.NAMESPACES_LAYER}, True, "fair"),  # stays root
        (BASE | {lockdown.LANDLOCK, lockdown.UID}, True, "good"),
        (BASE | {lockdown.LANDLOCK}, False, "fair"),
        (BASE | {lockdown.NAMESPACES_LAYER, lockdown.UID}, True, "weak"),
        ({lockdown.LANDLOCK, lockdown.SECCOMP}, False, "weak"),
        ({lockdown.LIMITS}, False, "none"),
    ],
)
def test_the_level_follows_from_the_layers(layers, root, level):
    assert level_of(layers, root) == level


@pytest.mark.anywhere
def test_elsewhere_nothing_is_found_and_said(monkeypatch):
    monkeypatch.setattr(kernel.sys, "platform", "darwin")
    found = probe.probe()
    assert (found.level, found.layers) == ("none", ())
    assert "whatever its user can" in found.missing[0]


def as_list(found: Isolation):
    return [found.level, list(found.layers), list(found.missing)]


@sampled("level", LEVELS, keep=1)
def test_a_lower_level_on_request(in_child, with_landlock, as_root_with_mounts, lay_python_open, level):
    def action():
        lay_python_open()  # else another user could not read a Python under /root, and good would become fair
        return as_list(probe.probe(avoid=avoid_above(level)))

    found, layers, missing = in_child(action)
    assert found == level
    assert not set(layers) & set(avoid_above(level))
    assert all(sentence.endswith(".") and "{" not in sentence for sentence in missing)
    if level == "strong":
        assert (layers, missing) == ([*lockdown.LAYERS], [])


def test_as_in_docker_as_root_and_as_an_ordinary_user(
    in_child, with_landlock, as_root_with_mounts, lay_python_open, like_docker
):
    def action():
        lay_python_open()
        like_docker()
        as_root = as_list(probe.probe())
        kernel.become(65520)
        return as_root, as_list(probe.probe())

    (level, layers, missing), as_user = in_child(action)
    assert level == "good"
    assert set(layers) == BASE | {lockdown.LANDLOCK, lockdown.UID}
    assert len(missing) == 1
    assert missing[0].startswith("No namespaces (unshare: Operation not permitted")
    level, layers, missing = as_user
    assert level == "fair"
    assert set(layers) == BASE | {lockdown.LANDLOCK}
    assert [sentence.split(" (")[0] for sentence in missing] == [
        "No namespaces",
        "The worker keeps the user who runs the grading",
    ]


def test_python_in_a_private_folder_costs_the_user(in_child, with_landlock, as_root, tmp_path, monkeypatch):
    private = tmp_path / "private"
    (private / "python").mkdir(parents=True)
    private.chmod(0o700)
    files = landlock.WorkerFiles((), (), (*landlock.worker_files().readable, private / "python"))
    monkeypatch.setattr(landlock, "worker_files", lambda *_: files)
    level, layers, missing = in_child(lambda: as_list(probe.probe(avoid=[lockdown.NAMESPACES_LAYER])))
    assert level == "fair"
    assert lockdown.UID not in layers
    assert "cannot read" in missing[1]
    assert "threads of root" in missing[2]


@pytest.mark.full
def test_an_ordinary_user_with_and_without_namespaces(in_child, with_landlock, as_root_with_mounts, lay_python_open):
    def action():
        lay_python_open()
        kernel.become(65520)
        return as_list(probe.probe()), as_list(probe.probe(avoid=[lockdown.NAMESPACES_LAYER]))

    (level, layers, missing), (lower, fewer, reasons) = in_child(action)
    if lockdown.NAMESPACES_LAYER not in layers:
        pytest.skip(f"this system refuses user namespaces: {missing}")
    assert (level, missing) == ("strong", [])
    assert lockdown.UID not in layers
    assert (lower, len(reasons)) == ("fair", 2)
    assert set(fewer) == BASE | {lockdown.LANDLOCK}


def test_it_changes_nothing(in_child):
    def state():
        with open("/proc/self/status") as file:
            lines = [line for line in file if line.startswith(("Uid", "Cap", "NoNewPrivs", "Seccomp"))]
        links = [os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "net", "pid", "user")]
        return lines, links, len(os.listdir("/proc/self/fd")), os.getpid()

    def action():
        before = state()
        probe.probe()
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        left = children.read_text() if children.exists() else ""
        return before == state(), left

    unchanged, left = in_child(action)
    assert unchanged
    assert left == ""


@pytest.mark.parametrize(
    ("lock_in", "reason"),
    [
        (lambda *_: time.sleep(3600), "the trial did not end within 0.1 s"),  # no race: it never ends
        (lambda *_: os._exit(3), "the trial ended without a word"),
        (lambda *_: None, "what this layer must refuse is possible"),
    ],
    ids=["hangs", "dies", "does nothing"],
)
def test_a_trial_that_goes_wrong_is_a_failure(in_child, monkeypatch, lock_in, reason):
    def action():
        monkeypatch.setattr(probe, "TRIAL_SECONDS", 0.1 if "within" in reason else 60.0)
        monkeypatch.setattr(probe, "lock_in", lock_in)
        return probe.probe(avoid=set(lockdown.LAYERS) - {lockdown.SECCOMP}).missing

    assert any(f"No seccomp filter ({reason})" in sentence for sentence in in_child(action))
