"""Only what is listed can be opened."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

from grader.sandbox.isolation import kernel, landlock

pytestmark = [pytest.mark.layers, pytest.mark.usefixtures("with_landlock")]


@pytest.fixture
def folders(tmp_path):
    for name in ("open", "secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    return tmp_path


def restricted(readable):
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    landlock.enforce(landlock.make_ruleset(readable))


def test_reading(in_child, outcome, folders):
    (folders / "open" / "link").symlink_to(folders / "secret" / "file")

    def action():
        restricted([folders / "open", folders / "never"])
        return {
            "listed": (folders / "open" / "file").read_text(),
            "its folder": sorted(os.listdir(folders / "open")),
            "secret": outcome(lambda: os.open(folders / "secret" / "file", os.O_RDONLY)),
            "by another way": outcome(lambda: os.open(folders / "open" / ".." / "secret" / "file", os.O_RDONLY)),
            "by a link": outcome(lambda: os.open(folders / "open" / "link", os.O_RDONLY)),
            "secret folder": outcome(lambda: os.listdir(folders / "secret")),
            "passwords": outcome(lambda: os.open("/etc/passwd", os.O_RDONLY)),
            "itself": outcome(lambda: os.open("/proc/self/environ", os.O_RDONLY)),
        }

    assert in_child(action) == {
        "listed": "open",
        "its folder": ["file", "link"],
        "secret": "EACCES",
        "by another way": "EACCES",
        "by a link": "EACCES",
        "secret folder": "EACCES",
        "passwords": "EACCES",
        "itself": "EACCES",
    }


def test_nothing_readable_is_writable(in_child, outcome, folders):
    inside = folders / "open"

    def action():
        restricted([inside])
        return [
            outcome(lambda: os.open(inside / "file", os.O_WRONLY)),
            outcome(lambda: os.open(inside / "new", os.O_CREAT | os.O_WRONLY)),
            outcome(lambda: os.unlink(inside / "file")),
            outcome(lambda: os.rename(inside / "file", inside / "renamed")),
            outcome(lambda: os.mkdir(inside / "folder")),
            outcome(lambda: os.symlink("file", inside / "link")),
            outcome(lambda: os.mkfifo(inside / "pipe")),
        ]

    assert set(in_child(action)) == {"EACCES"}


@pytest.mark.parametrize("version", [1, 3, 4, 6, 7])
def test_every_version_is_asked_for_what_it_knows(in_child, outcome, folders, monkeypatch, version):
    if landlock.abi() < version:
        pytest.skip(f"this kernel's Landlock is older than version {version}")
    monkeypatch.setattr(landlock, "abi", lambda: version)

    def action():
        restricted([folders / "open"])
        reading = outcome(lambda: os.open(folders / "secret" / "file", os.O_RDONLY))
        serving = outcome(lambda: socket.create_server(("127.0.0.1", 0)).close())
        return reading, serving, outcome(lambda: os.kill(os.getppid(), signal.SIGCONT))

    expected = ["EACCES", "EACCES" if version >= 4 else "ok", "EPERM" if version >= 6 else "ok"]
    assert in_child(action) == expected


def test_what_can_be_read_can_be_seen():
    files = landlock.worker_files()
    visible = [path.resolve() for path in files.visible]
    assert Path("/") not in visible
    assert Path(os.__file__).resolve() in files.readable
    readable = [path.resolve() for path in files.readable]
    assert not [path for path in readable if not any(path == each or each in path.parents for each in visible)]
