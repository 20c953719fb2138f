"""Whether the lecture's own comparison and the grader agree about real notebooks.

    python -m bench verdicts recorded FOLDER     notebooks that were saved with their output, as learners publish them

The lecture's `cmp` prints `probs | exact: True | approximate: True | maxdiff: 0.0`, and a saved notebook keeps that.
FOLDER is graded by `grade run`. Of the rows whose last recorded comparison was approximately right, the share that
passes is printed, and below it every one that does not pass, with the reason that the student is given; then those that
pass although the comparison said False. Such rows need a reader: a notebook may have been edited after it ran, and the
lecture's comparison accepts some wrong answers.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import ROOT

PRINTED = re.compile(r"^(\w+) *\| *exact: *(?:True|False) *\| *approximate: *(True|False)", re.MULTILINE)
LESSON = "03_makemore_steps"


def recorded(notebook: Path) -> dict[str, bool]:
    """{gradient: whether the last comparison said that it is approximately right}, from the saved output."""
    try:
        cells = json.loads(notebook.read_bytes()).get("cells", [])
    except (ValueError, AttributeError):
        return {}
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    texts = ["".join(output.get("text", [])) for output in outputs]
    return {f"d{name}": said == "True" for text in texts for name, said in PRINTED.findall(text)}


def graded(folder: Path, out: Path) -> dict[str, dict[str, Any]]:
    """{student: {gradient of lesson 03: its row in results.json}}. Raises SystemExit when nothing was graded."""
    options = ["--lesson", "03", "-o", str(out), "--quiet"]
    done = subprocess.run([sys.executable, "-m", "grader.commands.start_grade", "run", str(folder), *options], cwd=ROOT)
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(out.glob("*/results.json"))]
    if not found:
        raise SystemExit(f"`grade run` graded nothing in {folder} (exit status {done.returncode})")
    lessons = {each["student"]: lesson for each in found for lesson in each["lessons"] if lesson["name"] == LESSON}
    return {student: {row["name"]: row for row in lesson["gradients"]} for student, lesson in lessons.items()}


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory(prefix="recorded-") as out:
        rows = graded(folder, Path(out))
    said = {path.stem: recorded(path) for path in sorted(folder.glob("*.ipynb"))}
    cases = [(s, row, said[s][name]) for s in sorted(rows) for name, row in rows[s].items() if name in said.get(s, {})]
    right = [(student, row) for student, row, was_right in cases if was_right]
    rejected = [(student, row) for student, row in right if row["status"] != "passed"]
    notebooks = len({student for student, _, _ in cases})
    share = f" ({1 - len(rejected) / len(right):.1%})" if right else ""
    print(f"{notebooks} notebooks, {len(right)} rows recorded as right: {len(right) - len(rejected)} pass{share}")
    for student, row in rejected:
        print(f"  {student}: {row['name']} {row['status']}: {row['message']}")
    accepted = [
        (student, row["name"]) for student, row, was_right in cases if not was_right and row["status"] == "passed"
    ]
    print(f"{len(accepted)} rows recorded as wrong pass")
    for student, name in accepted:
        print(f"  {student}: {name}")
