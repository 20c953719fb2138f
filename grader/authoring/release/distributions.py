"""The check behind `make wheel` and `make sdist`: nothing of solutions/ is in what they build, by content.

python -m grader.authoring.release.distributions dist/backprop_ninja-0.1.0-py3-none-any.whl
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from grader.authoring.release.engine import AUTHORS, KitFiles
from grader.authoring.release.leaks import leaks, secrets_of
from grader.lesson.lesson import Course


def distribution_files(distribution: Path) -> KitFiles:
    """The files of a wheel or a source distribution, with the paths that they have in a course.

    Templates for authors are left out: they have the markers of an answer, but no answer of this course.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if distribution.suffix == ".whl":
            shutil.unpack_archive(distribution, root, "zip")
        else:
            shutil.unpack_archive(distribution, root)
            root = next(root.iterdir())
        found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    authors = tuple(f"{above}templates/{name}/" for name in AUTHORS for above in ("grader/", ""))
    return {
        name.removeprefix("grader/") if name.startswith("grader/exercises/") else name: content
        for name, content in found.items()
        if not name.startswith(authors)
    }


def main(distribution: Path, course: Path) -> int:
    """Delete the distribution and return 1 if it would give a secret of `course` away."""
    found = leaks(distribution_files(distribution), secrets_of(Course(course)))
    for sentence in found:
        print(f"{distribution.name}: {sentence}", file=sys.stderr)
    if found:
        distribution.unlink()
        print(
            "It was deleted. Take these files out of what is packed (pyproject.toml) and build it again.",
            file=sys.stderr,
        )
        return 1
    print(f"{distribution}: nothing of solutions/ is in it. Next:\n\n    pip install {distribution}\n    dojo start")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path.cwd()))
