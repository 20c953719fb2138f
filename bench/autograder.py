"""What a student waits for on Gradescope: from the start of a container to results.json, in an emulated /autograder.

    python -m bench.autograder               medians of 5 turns, on all cores and on one
    python -m bench.autograder --turns 10

The autograder.zip of lesson 03 is unpacked as Gradescope unpacks it. The environment that setup.sh makes when the image
is built is this one, with the engine from the zip installed in it; nothing is installed when a submission arrives. Each
turn runs run_autograder on the answer key, and in the same environment `import torch`, and torch as the grader loads
it. What run_autograder takes beyond that is ours. Not measured: the platform's own start of the container, and reading
torch from a disk that has it in no cache.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import site
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.cold import timed
from bench.made_up_class import ROOT
from grader.authoring.release.kit import autograder_files
from grader.lesson.lesson import Course
from grader.publish.export.autograder import AUTOGRADER_SCRIPTS, AutograderSettings

LOAD_TORCH = "import os; from grader.sandbox.workers.torch_loading import load_torch; load_torch(); os._exit(0)"
METADATA = {"users": [{"name": "Ada"}]}


def lay_out(root: Path, lesson_number: str = "03") -> None:
    """/autograder as it is when a submission arrives."""
    course = Course(ROOT)
    lesson = course.find(lesson_number)
    for name, content in autograder_files(course, AutograderSettings([lesson.name])).items():
        path = root / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name in AUTOGRADER_SCRIPTS:
        shutil.copy(root / "source" / name, root)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / "venv"], check=True)
    (packages,) = (root / "venv").glob("lib/python3*/site-packages")
    (packages / "here.pth").write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
    shutil.copytree(root / "source" / "engine" / "grader", packages / "grader")
    compileall.compile_dir(packages / "grader", quiet=1)  # as pip does
    (root / "submission").mkdir()
    (root / "results").mkdir()
    shutil.copy(lesson.solution / "backward.py", root / "submission")
    (root / "submission_metadata.json").write_text(json.dumps(METADATA), encoding="utf-8")


def run(root: Path, *command: object) -> None:
    """Raises SystemExit when the command fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["AUTOGRADER"] = str(root)
    done = subprocess.run(list(map(str, command)), cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command} failed ({done.returncode}):\n{done.stdout}{done.stderr}")


def measure(root: Path, turns: int) -> None:
    commands = {
        "import torch": [root / "venv" / "bin" / "python", "-c", "import torch"],
        "torch as the grader loads it": [root / "venv" / "bin" / "python", "-P", "-c", LOAD_TORCH],
        "run_autograder": ["bash", root / "run_autograder"],
    }
    times: dict[str, list[tuple[float, float]]] = {what: [] for what in commands}
    for turn in range(turns + 1):
        for what, command in commands.items():
            (root / "results" / "results.json").unlink(missing_ok=True)
            measured = timed(partial(run, root, *command))
            if turn:  # the first one fills the system's file cache
                times[what].append(measured)
    score = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))["score"]
    medians = {
        what: [statistics.median(column) for column in zip(*found, strict=True)] for what, found in times.items()
    }
    base = medians["import torch"]
    print(f"\n{'':28}{'waited s':>10}{'ratio':>8}{'processor s':>13}{'ratio':>8}")
    for what, (waited, spent) in medians.items():
        print(f"{what:28}{waited:10.2f}{waited / base[0]:8.2f}{spent:13.2f}{spent / base[1]:8.2f}")
    ours = [whole - torch for whole, torch in zip(*list(medians.values())[:0:-1], strict=True)]
    parts = [f"{each:.2f}{each / torch:8.2f}" for each, torch in zip(ours, base, strict=True)]
    print(f"{'ours: the last less torch':28}{parts[0]:>18}{parts[1]:>21}")
    print(f"score: {score:g}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.autograder", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args(arguments).turns
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        root = Path(folder) / "autograder"
        lay_out(root)
        print(f"{os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[0]:.1f}, {turns} turns")
        measure(root, turns)
        if hasattr(os, "sched_setaffinity"):
            print("\nThe same on one core:")
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
            measure(root, turns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
