"""A course with the networks that can be trained, so small that a test can train them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from support import ROOT

HIDDEN = {"07_training": 12, "15_gpt": 8, "16_through_time": 9, "21_fine_tuning": None}


def small_networks(folder: Path, steps: int) -> Path:
    """Copy the lessons into `folder`, with few steps, few units, and every thirteenth name."""
    for name, hidden in HIDDEN.items():
        lesson = folder / "exercises" / name
        shutil.copytree(ROOT / "exercises" / name, lesson)
        text = (lesson / "lesson.toml").read_text(encoding="utf-8")
        text = re.sub(r"^steps = \d+", f"steps = {steps}", text, flags=re.MULTILINE)
        text = re.sub(r"^hidden = \d+", f"hidden = {hidden}", text, flags=re.MULTILINE)
        (lesson / "lesson.toml").write_text(text, encoding="utf-8")
    names = folder / "exercises" / "07_training" / "names.txt"
    names.write_text("\n".join(names.read_text(encoding="utf-8").splitlines()[::13]), encoding="utf-8")
    return folder
