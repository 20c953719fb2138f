"""What a graded file imports from the files and folders next to it: `from utils.ops import softmax`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath

from grader.intake.submissions.file_kinds import CLUTTER, MAX_ARCHIVE_DEPTH, is_clutter, stem_of, suffix_of
from grader.intake.submissions.lesson_files import Unreadable, read_file
from grader.lesson.paths import BACKWARD_FILE

MAX_PACKAGE_FILES = 64
"""Python files that are read of one package; a package with more is left out."""
MAX_HELPERS = 64
"""Python files next to a graded file that may be its helpers."""

Packages = dict[str, Callable[[], Mapping[str, bytes]]]
"""{name of a folder or file: what reads its files}, which is called only for one that is imported."""


def with_packages(files: Mapping[str, bytes], packages: Packages) -> dict[str, bytes]:
    """`files`, {path: bytes}, with those of the packages that they import, and that these import."""
    found, waiting = dict(files), dict(packages)
    while used := [name for name in waiting if is_imported(module_name(name), found.values())]:
        for name in used:
            found |= waiting.pop(name)()
    return found


def module_name(name: str) -> str:
    """The name by which a folder or a Python file is imported."""
    return stem_of(PurePath(name)) if suffix_of(PurePath(name)) == ".py" else name


def is_imported(package: str, texts: Iterable[bytes]) -> bool:
    """Whether a line of one of the texts imports something of this name, as far as the text without parsing shows."""
    if not package.isidentifier():
        return False
    line = re.compile(rb"^[ \t]*(?:from|import)\b[^\n#]*\b" + re.escape(package.encode()) + rb"\b", re.MULTILINE)
    return any(line.search(text) for text in texts)


def packages_in(folder: Path, main: str = "") -> Packages:
    """The folders and the Python files directly inside `folder`, without the file `main`. Raises OSError."""
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    packages: Packages = {
        entry.name: lambda name=entry.name: read_package(folder, name)  # type: ignore[misc]
        for entry in entries
        if entry.name not in CLUTTER and entry.is_dir(follow_symlinks=False)
    }
    names = [entry.name for entry in entries if suffix_of(PurePath(entry.name)) == ".py"]
    helpers = [name for name in names if name != main and name not in packages][:MAX_HELPERS]
    return packages | {name: lambda name=name: read_helper(folder / name) for name in helpers}


def python_files(folder: Path) -> list[Path]:
    """The Python files directly inside, also links, which are refused where they are read. Raises OSError."""
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    names = [each for each in entries if suffix_of(PurePath(each.name)) == ".py" and not is_clutter(each.name)]
    return [Path(each.path) for each in names if not each.is_dir(follow_symlinks=False)]


def read_helper(path: Path) -> dict[str, bytes]:
    """{name: bytes}, unless it cannot be read, or has the name of a graded file."""
    with suppress(Unreadable):
        return {path.name: read_file(path)} if path.name != BACKWARD_FILE else {}
    return {}


def read_package(folder: Path, name: str) -> dict[str, bytes]:
    """{path in `folder`: bytes} of a package's Python files, also in subfolders, without those that cannot be read."""
    paths: list[Path] = []
    for place, inside, names in os.walk(folder / name):
        below = Path(place).relative_to(folder)
        inside[:] = sorted(each for each in inside if each not in CLUTTER and len(below.parts) < MAX_ARCHIVE_DEPTH)
        paths += (below / each for each in sorted(names) if suffix_of(Path(each)) == ".py")
        if len(paths) > MAX_PACKAGE_FILES:
            return {}
    found = {}
    for path in paths:
        with suppress(Unreadable):
            found[path.as_posix()] = read_file(folder / path)
    return found
