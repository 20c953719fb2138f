"""Where the kit's own files are: next to the package in a checkout, inside it when installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED, _CHECKOUT = _PACKAGE / "templates", _PACKAGE.parent / "templates"
TEMPLATES = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
BACKWARD_FILE = "backward.py"
"""In a lesson's folder: the file with the student's functions."""
STUB, KNOWN = ".stub", ".known"
"""In a lesson's folder: what `dojo reset` restores, and digests by which `dojo check` recognises known mistakes."""
KEPT_BY_RESET = ".before-reset-"
"""In the name of a file that `dojo reset` has kept."""
AGENTS = "AGENTS.md"
"""In TEMPLATES and in each folder that students get: how an AI assistant helps without solving."""


WITH_EXERCISES = _PACKAGE if (_PACKAGE / "exercises").is_dir() else _PACKAGE.parent
"""The folder that has the public exercises of this project: the installed package, or the checkout around it."""


def installed_course() -> Path | None:
    """The course that this package is a part of: the checkout around it. None where only the package was installed."""
    return _PACKAGE.parent if has_lessons(_PACKAGE.parent) else None


def installed_file(part: str) -> Path:
    """The file of this package, or of the checkout around it, at a place such as `exercises/03_name/forward.py`."""
    return (WITH_EXERCISES if part.startswith("exercises") else _PACKAGE.parent) / part


def nearest_course(given: Path | None) -> Path | None:
    """The course's folder: as given, or the nearest one upwards that has exercises/, or the one next to this package.

    None where there is no lesson.
    """
    if given:
        return given if has_lessons(given) else None
    return course_around() or installed_course()


def course_around() -> Path | None:
    """The course that the current folder is in: the nearest folder upwards that has exercises/, None without one."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if has_lessons(folder)), None)


def has_lessons(folder: Path) -> bool:
    """Whether a folder is a course: whether `exercises/` in it has a lesson."""
    return any((folder / "exercises").glob("*/lesson.toml"))


def files_under(folder: Path) -> Iterator[Path]:
    """Regular files, in order; nothing hidden that is not the course's own, nothing that Python or an editor left."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        left = any(part == "__pycache__" or (part.startswith(".") and part not in (STUB, KNOWN)) for part in inside)
        if path.is_file() and not left and path.suffix not in (".pyc", ".part", ".orig") and "~" not in path.name:
            yield path
