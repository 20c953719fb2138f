"""A clean process imports torch and numpy from where the process that starts it does."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from grader.commands.command_line import CommandGroup
from grader.sandbox.workers import nursery
from grader.sandbox.workers.clean_process import package_folders, start_clean_process

REPORTS = "import os, sys\nos.write(int(sys.argv[2]), repr(dict(os.environ)).encode())\nos._exit(0)\n"


@pytest.fixture
def only_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python without installed packages, and a folder with a `torch` of which only sys.path says where it is."""
    for name, text in {"torch": REPORTS, "numpy": ""}.items():
        (tmp_path / "modules" / name).mkdir(parents=True)
        (tmp_path / "modules" / name / "__init__.py").write_text(text)
        monkeypatch.delitem(sys.modules, name)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    return tmp_path / "modules"


def test_torch_may_be_known_by_pythonpath_alone_and_needs_what_a_cluster_s_modules_set(
    only_by_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(only_by_path))
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/cuda/lib")
    monkeypatch.setenv("SECRET", "42")
    assert package_folders() == [str(only_by_path)] * 2
    process, ours = start_clean_process("worker", "Worker")
    with ours:
        environment = eval(ours.recv(100_000))
    process.wait()
    assert environment["LD_LIBRARY_PATH"] == "/opt/cuda/lib" and "SECRET" not in environment


def test_without_torch_a_command_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "torch")
    # other tests may share a nursery that has started
    monkeypatch.setattr(nursery, "Nursery", lambda: start_clean_process("nursery", "run_nursery"))
    monkeypatch.setattr("grader.commands.decisions.history", lambda: nursery.Nursery())
    with pytest.raises(SystemExit) as ended:
        CommandGroup("grade", "Help.", {"start": ("decisions.history", "Starts.")}).main(["start"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"grade: torch is not installed. Type: {sys.executable} -m pip install ")
