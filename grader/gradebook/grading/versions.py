"""What must be the same on all machines that grade one class: this package, Python, and what figures come from."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import grader
from grader.lesson.paths import TEMPLATES

LIBRARIES = ("torch", "numpy", "pytest", "distributed")


def package_digest() -> str:
    """Changes with any source file, schema or template of this package; the same installed and in a checkout."""
    total = hashlib.sha256()
    for root in (Path(grader.__file__).parent, TEMPLATES):
        for path in sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            place = path.relative_to(root).as_posix()
            if not place.startswith("templates/"):  # an installed package has them inside: they are counted once
                total.update(place.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:12]


LOADED = package_digest()
"""What this process runs, however long ago it was started."""


def versions() -> dict[str, str]:
    """{what: version} of this machine."""
    on_disk = package_digest()
    installed = {
        "grader": LOADED if on_disk == LOADED else f"{LOADED} in memory and {on_disk} on disk",
        "Python": platform.python_version(),
    }
    for library in LIBRARIES:
        try:
            installed[library] = version(library)
        except PackageNotFoundError:
            installed[library] = "missing"
    return installed


def version_differences(here: Mapping[str, str], there: Mapping[str, str]) -> str | None:
    """What another machine has that this one has not, in words; None when all is the same."""
    differing = [
        f"{what} {there.get(what, 'missing')} instead of {expected}"
        for what, expected in here.items()
        if there.get(what) != expected
    ]
    return ", ".join(differing) or None
