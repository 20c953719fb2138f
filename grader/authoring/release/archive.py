"""Reproducible archives: the same files give the same bytes. Entries are sorted and have no times or owners."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from grader.authoring.release.engine import KitFiles
from grader.gradebook.files import replaced

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can tell
PLAIN, EXECUTABLE = 0o100644, 0o100755


def write_zip(path: Path, files: KitFiles, executable: Collection[str] = ()) -> None:
    """Writes `files` as a zip, whole or not at all. Raises OSError."""
    with replaced(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system = 3  # Unix: the mode below counts
            entry.external_attr = (EXECUTABLE if name in executable else PLAIN) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def write_folder(folder: Path, files: KitFiles) -> None:
    """Writes `files` into `folder`. Raises OSError."""
    for name, content in files.items():
        path = folder / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
