"""A guarded world for hostile submissions: a course with a canary in every secret, and an eye on files and processes.

The canary is a random token that stands in the hidden suites, the solutions, the known mistakes, another student's
submission and results, a private key, and this process's own environment and memory. Wherever else it turns up,
something was read. Folders of the arena may be written by everybody, so that it is the sandbox that refuses, not a
file's mode.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.lesson.lesson import Course, Lesson
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.lockdown import LANDLOCK, LAYERS, NAMESPACES_LAYER, UID
from grader.sandbox.isolation.probe import at_least

PR_SET_CHILD_SUBREAPER = 36
OTHER = "other_student"
ANYBODY_MAY_WRITE = ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", "/usr", ".")


def avoid_above(level: str) -> tuple[str, ...]:
    """The layers to leave out in `probe` so that no better level than `level` is reached."""
    best_without = {
        "good": (NAMESPACES_LAYER,),
        "fair": (UID,),
        "weak": (LANDLOCK,),
        "none": LAYERS,
    }
    return tuple(layer for name, layers in best_without.items() if at_least(name, level) for layer in layers)


@dataclass(frozen=True)
class Arena:
    """`token` is the canary, `mark` stands in the name of everything that hostile code tries to make."""

    root: Path
    token: str
    mark: str
    digests: dict[tuple[str, int, int, int], str] = field(default_factory=dict)
    """{(a file, its number on the disk, its size, the time of its last change): digest of its content}"""

    @property
    def course(self) -> Course:
        return Course(self.root / "course")

    def world(self, lesson: Lesson, pids: list[int]) -> str:
        """world.py for a hostile submission: every path and process that it could wish to know. We hide no names."""
        names: dict[str, Any] = {
            "ARENA": str(self.root),
            "COURSE": str(lesson.course),
            "HIDDEN_SUITE": str(lesson.suite),
            "SOLUTION": str(lesson.solution / "backward.py"),
            "MISTAKES": str(lesson.solution / "mistakes.py"),
            "OTHER_SUBMISSION": str(self.root / "submissions" / OTHER / lesson.name / "backward.py"),
            "OTHER_RESULTS": str(self.root / "out" / OTHER / "results.json"),
            "HOME_KEY": str(self.root / "home" / ".ssh" / "id_rsa"),
            "GUARDED": str(self.root / "guarded" / "file"),
            "MARK": self.mark,
            "PIDS": pids,
        }
        return "".join(f"{name} = {value!r}\n" for name, value in names.items())

    def made(self) -> list[Path]:
        """What hostile code made outside of the arena: whatever bears the mark."""
        folders = [Path(folder) for folder in ANYBODY_MAY_WRITE if Path(folder).is_dir()]
        return [folder / name for folder in folders for name in os.listdir(folder) if self.mark in name]

    def snapshot(self) -> dict[str, tuple[Any, ...]]:
        """Everything about the arena's files that any way of writing changes, and what was made outside."""
        found: dict[str, tuple[Any, ...]] = {str(path): () for path in self.made()}
        for path in [self.root, *self.root.rglob("*")]:
            if "__pycache__" in path.parts:  # the grader's own, of the hidden suites
                continue
            s = path.lstat()
            content = self._digest(path, s) if stat.S_ISREG(s.st_mode) else ""
            # the time of a folder that holds __pycache__ changes with it
            times = (
                () if stat.S_ISDIR(s.st_mode) and (path / "__pycache__").exists() else (s.st_mtime_ns, s.st_ctime_ns)
            )
            found[str(path)] = (s.st_mode, s.st_uid, s.st_gid, s.st_size, s.st_nlink, *times, content)
        return found

    def _digest(self, path: Path, status: os.stat_result) -> str:
        """Of a file's content. Whatever changes it changes `st_ctime`, which no program can set."""
        key = (str(path), status.st_ino, status.st_size, status.st_ctime_ns)
        if key not in self.digests:
            self.digests[key] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.digests[key]


def new_token() -> str:
    return f"canary-{secrets.token_hex(16)}"


def make_arena(source: Path, root: Path, lessons: list[str]) -> Arena:
    """Copies the lessons of the course `source` to `root`, and puts the canary into every secret."""
    # one that this process was started with is in its environment as the kernel shows it, too
    token = os.environ.get("GRADER_SECRET") or new_token()
    arena = Arena(root, token, f"hostile-{secrets.token_hex(4)}")
    root.mkdir(parents=True, exist_ok=True)
    taken = Course(source)
    for wanted in lessons:
        lesson = taken.find(wanted)
        for kind in ("exercises", "solutions"):
            folder = root / "course" / kind / lesson.name
            shutil.copytree(source / kind / lesson.name, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (root / "course" / "solutions" / lesson.name).rglob("*.py"):
            path.write_text(f"{path.read_text()}\n\nCANARY = {arena.token!r}\n")
        copied = root / "submissions" / OTHER / lesson.name / "backward.py"
        copied.parent.mkdir(parents=True)
        copied.write_text(f"# {arena.token}\n{(lesson.solution / 'backward.py').read_text()}")
    for name in (f"out/{OTHER}/results.json", "home/.ssh/id_rsa", "guarded/file"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{arena.token}\n")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    return arena


# Processes -----------------------------------------------------------------------------------------------------------


BROWSERS = ("chrom", "headless_shell")  # beginnings of names


def adopt_orphans() -> None:
    """Whatever a descendant of this process leaves behind becomes its child: nothing can hide by losing its parent."""
    kernel.prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(of: int | None = None) -> dict[int, str]:
    """{pid: name} of what runs below process `of` (this one), however deep and in whatever namespace.

    Without the processes of a browser: tests of pages may leave some that end later, and no attack has one.
    """
    below: dict[int, list[tuple[int, str, str]]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path("/proc", entry, "stat").read_text()
            except OSError:  # it ended meanwhile
                continue
            name, _, rest = text.partition("(")[2].rpartition(")")
            state, parent = rest.split()[:2]
            below.setdefault(int(parent), []).append((int(entry), name, state))
    found, waiting = {}, [os.getpid() if of is None else of]
    while waiting:
        for pid, name, state in below.get(waiting.pop(), []):
            waiting.append(pid)
            if state != "Z" and not name.startswith(BROWSERS):
                found[pid] = name
    return found


def new_descendants(known: dict[int, str], seconds: float) -> dict[int, str]:
    """Those that are not in `known`, after waiting up to `seconds` for them to end."""
    end = time.monotonic() + seconds
    while True:
        left = {pid: name for pid, name in descendants().items() if pid not in known}
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)
