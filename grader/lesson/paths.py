"""Where the kit's own files are: next to the package in a checkout, inside it when installed."""

from __future__ import annotations

from pathlib import Path

import grader

_PACKAGE = Path(grader.__file__).resolve().parent
_INSTALLED, _CHECKOUT = _PACKAGE / "templates", _PACKAGE.parent / "templates"
TEMPLATES = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


def nearest_course(given: Path | None) -> Path | None:
    """The course's folder: as given, or the nearest one upwards that has exercises/, or the one beside this package.

    None where there is no lesson.
    """
    here = Path.cwd()
    for folder in [given] if given else [here, *here.parents, _PACKAGE.parent]:
        if any((folder / "exercises").glob("*/lesson.toml")):
            return folder
    return None
