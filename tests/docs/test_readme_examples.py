"""The programs that READMEs tell students to run, on the model answers and on wrong ones."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from support import ROOT


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, script]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def lesson_folder(tmp_path: Path, name: str, *, old: str = "", new: str = "") -> Path:
    """The lesson's public folder, with the model answer in place of the stub; `old` in it is replaced by `new`."""
    folder = shutil.copytree(ROOT / "exercises" / name, tmp_path / name)
    text = (ROOT / "solutions" / name / "backward.py").read_text(encoding="utf-8")
    assert old in text
    (folder / "backward.py").write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return folder


def test_lesson_05_a_layer_inside_autograd(tmp_path):
    readme = (ROOT / "exercises/05_batch_norm/README.md").read_text(encoding="utf-8")
    program = next(b for b in re.findall(r"```python\n(.*?)```", readme, re.S) if "torch.autograd.Function" in b)
    folder = lesson_folder(tmp_path, "05_batch_norm")
    (folder / "inside_autograd.py").write_text(program, encoding="utf-8")
    done = run(folder, "inside_autograd.py")
    assert done.stdout.splitlines() == ["dx: (6, 4) dgamma: (4,)", "right: True"], done.stderr


def test_lesson_06_your_own_comparison(tmp_path):
    right = run(lesson_folder(tmp_path, "06_embedding_net"), "compare.py").stdout.splitlines()
    assert len(right) == 9 and right[-1] == "All gradients match: True"
    assert all("approximate: True" in line for line in right[:-1])
    wrong = lesson_folder(tmp_path / "wrong", "06_embedding_net", old="dbeta = dout.sum(0)", new="dbeta = dh.sum(0)")
    lines = run(wrong, "compare.py").stdout.splitlines()
    assert [line.split()[0] for line in lines if "approximate: False" in line] == ["dbeta"]
    assert lines[-1] == "All gradients match: False"
