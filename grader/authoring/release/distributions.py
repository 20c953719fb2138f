"""The check behind `make wheel` and `make sdist`: nothing of solutions/ is in what they build, by content.

python -m grader.authoring.release.distributions dist/backprop_ninja-0.1.0-py3-none-any.whl
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from grader.authoring.release.engine import AUTHORS, KitFiles
from grader.authoring.release.leaks import leaks, secrets_of
from grader.lesson.lesson import Course

EXERCISES_IN_A_WHEEL = "grader/exercises/"
"""Where the exercises are in a wheel. In a course, and so for `leaks`, they are in exercises/."""
SCAFFOLDS = tuple(f"{above}templates/{name}/" for name in AUTHORS for above in ("grader/", ""))
"""Templates for new lessons have the markers of an answer, but no answer of this course."""


def distribution_files(distribution: Path) -> KitFiles:
    """The files of a wheel or a source distribution except SCAFFOLDS, with the paths that they have in a course."""
    return {
        name.removeprefix("grader/") if name.startswith(EXERCISES_IN_A_WHEEL) else name: content
        for name, content in archived_files(distribution)
        if not name.startswith(SCAFFOLDS)
    }


def archived_files(distribution: Path) -> Iterator[tuple[str, bytes]]:
    """(path, content); in a source distribution, all is in one folder, which is left out."""
    if distribution.suffix == ".whl":
        with zipfile.ZipFile(distribution) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist())
        return
    with tarfile.open(distribution) as tar:
        for entry in tar:
            if (file := tar.extractfile(entry)) is not None:
                yield entry.name.partition("/")[2], file.read()


def main(distribution: Path, course: Path) -> int:
    """Delete the distribution and return 1 if it would give a secret of `course` away."""
    found = list(leaks(distribution_files(distribution), secrets_of(Course(course))))
    for sentence in found:
        print(f"{distribution.name}: {sentence}", file=sys.stderr)
    if found:
        distribution.unlink()
        print(
            "It was deleted. Take these files out of what is packed (pyproject.toml says what) and build it again.",
            file=sys.stderr,
        )
        return 1
    print(f"{distribution}: nothing of solutions/ is in it. Next:\n\n    pip install {distribution}\n    dojo start")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path.cwd()))
