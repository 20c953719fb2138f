"""Files in OUT: each is written whole or not at all, and by one run at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from grader.errors import UserError
from grader.results import RESULTS_FILE

STUDENT_FILES = (RESULTS_FILE, "report.html", "report.md")
"""The files in every student's folder in OUT."""
DERIVED = ("gradescope.json", "junit.xml")
"""The files that `--format` writes next to STUDENT_FILES, from them: out of date as soon as they change."""
LOCK = ".grade-run.lock"
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class OutputError(UserError):
    """OUT cannot be used as it is. The message is one sentence that says what to do."""


@contextlib.contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Turn the operating system's refusal to write `path` into an OutputError that says what to do."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in DISK_FULL_ERRORS:
            raise OutputError(
                f"{path} cannot be written ({reason}): make room and run the same command again, which grades only "
                "what is missing."
            ) from error
        raise OutputError(f"{path} cannot be written ({reason}): give another folder with -o.") from error


@contextlib.contextmanager
def replacement_file(path: Path, ending: str = "part") -> Iterator[Path]:
    """A temporary file that takes the place of `path` once it is written: nobody finds half a file. Raises OSError.

    Programs that may write the same file at the same time need an `ending` each.
    """
    temporary = path.with_name(f".{path.name}.{ending}")  # no student's folder begins with a full stop
    try:
        yield temporary
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str, ending: str = "part") -> None:
    """Write a text file whole or not at all; `ending` is that of `replacement_file`. Raises OSError."""
    with replacement_file(path, ending) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="replace")


def write_pages(folder: Path, pages: Iterable[tuple[str, str]]) -> None:
    """Write each (file name, text) into `folder`. Raises OSError."""
    for name, text in pages:
        write_whole(folder / name, text)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write one student's folder, in place of an earlier report. Raises OutputError.

    results.json comes last: where it exists, the reports next to it belong to it.
    """
    with output_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in (RESULTS_FILE, *DERIVED):
            (folder / name).unlink(missing_ok=True)
        write_pages(folder, sorted(files.items(), key=lambda entry: entry[0] == RESULTS_FILE))


def holds_report(folder: Path) -> bool:
    """Whether a student's folder holds anything of a report."""
    return any((folder / name).exists() for name in (*STUDENT_FILES, *DERIVED))


def remove_report(folder: Path) -> None:
    """Remove a student's results and reports, and the folder if nothing else is in it. Raises OutputError."""
    with output_errors(folder):
        for name in (*STUDENT_FILES, *DERIVED):
            (folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # somebody keeps other files in it
            folder.rmdir()


@contextlib.contextmanager
def lock_output(out: Path) -> Iterator[None]:
    """Make OUT, and let no other run write to it until this one ends. Raises OutputError.

    The kernel holds the lock: it is released when this process ends, for whatever reason, and nothing is left behind.
    """
    with output_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(out / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(
                f"another `grade run` is writing to {out}: wait until it has ended, or give another folder with -o."
            ) from None
        except OSError:
            pass  # the file system has no locks: then only the database's locks protect OUT
        yield
    finally:
        os.close(descriptor)
