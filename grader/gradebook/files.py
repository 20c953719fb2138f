"""What is written to OUT: each file whole or not at all, and by one run at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.errors import UserError
from grader.results import RESULTS

FILES = (RESULTS, "report.html", "report.md")
"""What every student's folder in OUT holds."""
DERIVED = ("gradescope.json", "junit.xml")
"""What `--format` writes next to FILES, from them: out of date as soon as they change."""
LOCK = ".grade-run.lock"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class OutputError(UserError):
    """OUT cannot be used as it is; the text is one sentence that says what to do."""


def unwritable(path: Path, error: OSError) -> OutputError:
    """What an operating system's refusal to write `path` means for whoever started the run."""
    reason = error.strerror or str(error)
    if error.errno in FULL:
        return OutputError(
            f"{path} cannot be written ({reason}): make room and run the same command again, which grades only what "
            "is missing."
        )
    return OutputError(f"{path} cannot be written ({reason}): give another folder with -o.")


def write_whole(path: Path, text: str) -> None:
    """Writes beside and renames, so that a reader (or a killed run) never sees half a file. Raises OSError."""
    temporary = path.with_name(f".{path.name}.part")  # no student's folder begins with a full stop
    try:
        temporary.write_text(text, encoding="utf-8", errors="replace")
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """One student's folder. results.json comes last: where it stands, the reports beside it are its own.

    Raises OutputError.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (RESULTS, *DERIVED):
            (folder / name).unlink(missing_ok=True)
        for name, text in sorted(files.items(), key=lambda entry: entry[0] == RESULTS):
            write_whole(folder / name, text)
    except OSError as error:
        raise unwritable(folder, error) from error


def drop_report(folder: Path, lesson: str) -> None:
    """Remove the report of one lesson in FOLDER/LESSON, if there is one. Raises OutputError."""
    place = folder / lesson
    if place.is_dir() and not place.is_symlink():
        try:
            shutil.rmtree(place)
        except OSError as error:
            raise unwritable(place, error) from error


def replace_report(folder: Path, pages: Mapping[str, str]) -> None:
    """Where `folder` holds an earlier report: remove its results, and write `pages` in place of the reports.

    Raises OutputError.
    """
    if not any((folder / name).exists() for name in (*FILES, *DERIVED)):
        return
    try:
        for name in (RESULTS, *DERIVED):
            (folder / name).unlink(missing_ok=True)
        for name, text in pages.items():
            write_whole(folder / name, text)
    except OSError as error:
        raise unwritable(folder, error) from error


@contextlib.contextmanager
def lock_output(out: Path) -> Iterator[None]:
    """Makes OUT and keeps other runs out of it for as long as this one lives. Raises OutputError.

    The lock is the kernel's: it ends with this process, however that ends, and leaves nothing to clean up.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(out / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise unwritable(out, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(
                f"another `grade run` is writing to {out}: wait until it has ended, or give another folder with -o."
            ) from None
        except OSError:
            pass  # a file system without locks: there the gradebook's own have to do
        yield
    finally:
        os.close(descriptor)
