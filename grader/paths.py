"""Where the kit's own files are: beside the package in a checkout, inside it when installed."""

from __future__ import annotations

from pathlib import Path

_INSTALLED, _CHECKOUT = Path(__file__).parent / "templates", Path(__file__).parent.parent / "templates"
TEMPLATES = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


def nearest_course(given: Path | None) -> Path | None:
    """The course's folder: as given, or the nearest one upwards that has exercises/, or the one beside this package.

    None where there is no lesson.
    """
    here = Path.cwd()
    for folder in [given] if given else [here, *here.parents, Path(__file__).resolve().parent.parent]:
        if any((folder / "exercises").glob("*/lesson.toml")):
            return folder
    return None
