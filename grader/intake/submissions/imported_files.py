"""The files that a submitted Python file imports from its own folder."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

from grader.intake.submissions.file_kinds import CLUTTER, Unreadable, read_submitted, stem_of, suffix_of
from grader.lesson.paths import BACKWARD_FILE

MAX_PACKAGE_FILES = 64
"""Python files that are read of one package; a package with more is left out."""
MAX_SEARCHED_PACKAGE_FILES = 1_000
IMPORT_LINE = re.compile(r"\b(?:from|import|import_module|__import__)\b([^\n#(]*(?:\([^)]*)?)")


def imported_files(main: Path, source: bytes) -> tuple[dict[str, bytes], str | None]:
    """({path: bytes} of the files next to `main` that its text `source` imports, and these; why one is left out).

    A folder is a package: all its Python files are read, also in subfolders. Raises OSError, IncompleteDownload.
    """
    nearby = dict[str, Path]()
    for entry in sorted(os.scandir(main.parent), key=lambda entry: (not entry.is_dir(), entry.name)):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False) and entry.name not in CLUTTER:
            nearby[entry.name] = path
        elif not entry.is_dir() and suffix_of(path) == ".py" and entry.name not in (main.name, BACKWARD_FILE):
            nearby.setdefault(stem_of(path), path)
    found, left_out, waiting = dict[str, bytes](), None, [source]
    while waiting:
        lines = IMPORT_LINE.findall(waiting.pop().decode("utf-8", "replace"))
        for name in sorted(nearby.keys() & {word for line in lines for word in re.findall(r"\w+", line)}):
            path = nearby.pop(name)
            for each in package_files(path) if path.is_dir() else [path]:
                try:
                    waiting.append(read_submitted(each))
                    found[each.relative_to(main.parent).as_posix()] = waiting[-1]
                except Unreadable as error:
                    left_out = str(error)
    return found, left_out


def package_files(folder: Path) -> list[Path]:
    """A package's Python files, none where there are too many. Links are refused where they are read."""
    paths = sorted(islice(folder.rglob("*.py"), MAX_SEARCHED_PACKAGE_FILES))
    own = [path for path in paths if CLUTTER.isdisjoint(path.relative_to(folder).parts)]
    return own if len(own) <= MAX_PACKAGE_FILES else []
