"""The programs that READMEs tell students to run, on the model answers and on wrong ones."""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest
import torch
from support import ROOT


@pytest.fixture
def run(monkeypatch, capsys):
    """run(folder, script): the lines that a program prints, started in its folder. It runs in this process."""

    def lines(folder: Path, script: str) -> list[str]:
        monkeypatch.syspath_prepend(str(folder))
        for name in ("backward", "forward"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        runpy.run_path(str(folder / script), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    default = torch.get_default_dtype()
    yield lines
    torch.set_default_dtype(default)
    for name in ("backward", "forward"):
        sys.modules.pop(name, None)


def lesson_folder(tmp_path: Path, name: str, *, old: str = "", new: str = "") -> Path:
    """The lesson's public folder, with the model answer in place of the stub; `old` in it is replaced by `new`."""
    folder = shutil.copytree(ROOT / "exercises" / name, tmp_path / name)
    text = (ROOT / "solutions" / name / "backward.py").read_text(encoding="utf-8")
    assert old in text
    (folder / "backward.py").write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return folder


def test_lesson_05_a_layer_inside_autograd(tmp_path, run):
    readme = (ROOT / "exercises/05_batch_norm/README.md").read_text(encoding="utf-8")
    program = next(b for b in re.findall(r"```python\n(.*?)```", readme, re.S) if "torch.autograd.Function" in b)
    folder = lesson_folder(tmp_path, "05_batch_norm")
    (folder / "inside_autograd.py").write_text(program, encoding="utf-8")
    assert run(folder, "inside_autograd.py") == ["dx: (6, 4) dgamma: (4,)", "right: True"]


def test_lesson_06_your_own_comparison(tmp_path, run):
    right = run(lesson_folder(tmp_path, "06_embedding_net"), "compare.py")
    assert len(right) == 9 and right[-1] == "All gradients match: True"
    assert all("approximate: True" in line for line in right[:-1])
    wrong = lesson_folder(tmp_path / "wrong", "06_embedding_net", old="dbeta = dout.sum(0)", new="dbeta = dh.sum(0)")
    lines = run(wrong, "compare.py")
    assert [line.split()[0] for line in lines if "approximate: False" in line] == ["dbeta"]
    assert lines[-1] == "All gradients match: False"
