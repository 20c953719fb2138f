"""The check behind `make wheel`: nothing of solutions/ is in the wheel, by content.

python -m grader.authoring.release.wheel dist/backprop_ninja-0.1.0-py3-none-any.whl
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from grader.authoring.release.engine import AUTHORS, KitFiles
from grader.authoring.release.leaks import leaks, secrets_of
from grader.lesson.lesson import Course

EXERCISES_IN_A_WHEEL = "grader/exercises/"
"""Where the exercises are in a wheel. In a course, and so for `leaks`, they are in exercises/."""
SCAFFOLDS = tuple(f"grader/templates/{name}/" for name in AUTHORS)
"""Templates for new lessons have the markers of an answer, but no answer of this course."""


def wheel_files(wheel: Path) -> KitFiles:
    """The wheel's files except SCAFFOLDS, with the paths that they have in a course."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name.removeprefix("grader/") if name.startswith(EXERCISES_IN_A_WHEEL) else name: archive.read(name)
            for name in archive.namelist()
            if not name.startswith(SCAFFOLDS)
        }


def main(wheel: Path, course: Path) -> int:
    """Delete the wheel and return 1 if it would give a secret of `course` away."""
    found = list(leaks(wheel_files(wheel), secrets_of(Course(course))))
    for sentence in found:
        print(f"wheel: {sentence}", file=sys.stderr)
    if found:
        wheel.unlink()
        print("The wheel was deleted. Take these files out of exercises/ and build it again.", file=sys.stderr)
        return 1
    print(f"{wheel}: nothing of solutions/ is in it. Next:\n\n    pip install {wheel}\n    dojo start")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path.cwd()))
