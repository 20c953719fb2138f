"""Landlock: a worker can open the files that Python and numpy need, and nothing else.

What it stops: reading hidden suites, solutions, other submissions, /etc, /proc; creating, writing, renaming or
removing anything; TCP (from Linux 6.7); signals and abstract UNIX sockets to processes outside (from 6.12).
What it does not: stat(2), access(2), readlink(2), chdir(2) of a path (whether a file exists, how large it is), and
descriptors that were already open. UDP and other sockets, chmod, utime, inotify and flock: see seccomp.py.

Sources: landlock(7), the kernel's Documentation/userspace-api/landlock.rst, include/uapi/linux/landlock.h.
"""

from __future__ import annotations

import errno
import fcntl
import importlib.util
import os
import stat
import struct
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.isolation import kernel

LOADED_PACKAGES = ("torch",)
"""Installed packages that are imported before a process is locked in: afterwards only their shared libraries load."""
IMPORTABLE_PACKAGES = ("numpy",)
"""Installed packages of which a locked-in process may import modules."""

READ_FILE, READ_DIR = 1 << 2, 1 << 3  # what a worker may get; the kernel takes away every other right
_EVERY_RIGHT = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
"""By version: REFER came with version 2, TRUNCATE with 3, IOCTL_DEV with 5, after which there are 16."""
_NET = 3  # bind and connect of TCP, version 4
_SCOPE = 3  # abstract UNIX sockets and signals, version 6
_QUIET = 1  # LOG_SAME_EXEC_OFF, version 7: a student must not be able to fill the audit log
_ASK_VERSION = 1
_PATH_BENEATH = 1
_ABOVE_A_WORKERS_OWN = 10  # descriptors: 0 to 4 are put in their places before the rules are applied

_INSTALLED_INTO = ("site-packages", "dist-packages")
_OF_THE_SYSTEM = (
    *("/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/usr/share/locale", "/usr/lib/locale"),
    *("/dev/null", "/dev/urandom"),  # devices: an honest program may seed itself
)


@dataclass(frozen=True)
class WorkerFiles:
    """What a worker can see and read.

    Attributes:
        visible: what exists for a worker where there are namespaces: these files and folders, with all beneath them.
        listed: folders in which it may read the names.
        readable: files and folders that it may open for reading, with all beneath them. All of them are visible.
    """

    visible: tuple[Path, ...]
    listed: tuple[Path, ...]
    readable: tuple[Path, ...]


def worker_files(imports: Sequence[str] = ()) -> WorkerFiles:
    """The files that a worker needs, and no other library's: the rest of site-packages has other people's formulas.

    The standard library without what is installed beneath it, IMPORTABLE_PACKAGES, shared libraries, and the packages
    `imports`, top-level modules that an instructor allows; one that is not installed is left out. The Python files of
    LOADED_PACKAGES are not among them: they are loaded before a worker is forked. No submission is: the student's
    source comes over the wire.
    """
    standard = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    prefixes = (sys.prefix, sys.base_prefix, "/usr", "/usr/local", "/")
    libraries = [os.path.join(prefix, name) for prefix in prefixes for name in ("lib", "lib64")]
    packages = [os.path.join(os.path.dirname(origin), "lib") for origin in map(_origin, LOADED_PACKAGES) if origin]
    for module in (*IMPORTABLE_PACKAGES, *imports):
        if origin := _origin(module):
            package = os.path.dirname(origin) if os.path.basename(origin) == "__init__.py" else origin
            packages += [package, os.path.join(os.path.dirname(package), f"{module}.libs")]

    listed = dict.fromkeys(map(_real, standard))
    readable = [child for folder in listed for child in _children(folder) if child.name not in _INSTALLED_INTO]
    readable += [_real(path) for path in packages]
    for folder in dict.fromkeys(map(_real, libraries)):
        readable += [child for child in _children(folder) if _is_shared_library(child)]
    readable += map(Path, _OF_THE_SYSTEM)
    visible = [*map(Path, (*standard, *libraries, *packages, *_OF_THE_SYSTEM)), *map(_real, packages)]
    return WorkerFiles(_existing(visible), tuple(listed), _existing(readable))


def _existing(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(path for path in dict.fromkeys(paths) if os.path.exists(path))  # also where it may not look


def _origin(module: str) -> str | None:
    """The file of an installed module, found without importing it: it may be outside sys.prefix (pip --user)."""
    spec = importlib.util.find_spec(module)
    return spec.origin if spec is not None else None


def _is_shared_library(path: Path) -> bool:
    """A file such as libz.so.1, or a folder of them such as x86_64-linux-gnu."""
    return ".so" in path.suffixes if path.is_file() else "-linux-" in path.name


def _real(path: str | None) -> Path:
    return Path(os.path.realpath(path or "/nonexistent"))


def _children(folder: Path) -> list[Path]:
    """What is in a folder and nowhere else: a link would allow what it leads to."""
    try:
        return sorted(child for child in folder.iterdir() if not child.is_symlink())
    except OSError:
        return []


def abi() -> int:
    """The kernel's Landlock version, 0 where there is none (too old, not built in, switched off at boot)."""
    try:
        return kernel.syscall("landlock_create_ruleset", 0, 0, _ASK_VERSION)
    except OSError:
        return 0


def make_ruleset(readable: Iterable[Path], listed: Iterable[Path] = ()) -> int:
    """A descriptor of rules that allow reading `readable`, with all beneath them, and the names in `listed`.

    The kernel's version decides which rights can be taken away; files are restricted in every version. A path that
    does not exist is left out, which allows less, not more. Raises OSError (ENOSYS or EOPNOTSUPP without Landlock).
    """
    version = abi()
    if version < 1:
        raise OSError(errno.EOPNOTSUPP, "this kernel has no Landlock, or it is switched off")
    handled = [_EVERY_RIGHT.get(version, (1 << 16) - 1), *[_NET] * (version >= 4), *[_SCOPE] * (version >= 6)]
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    ruleset = kernel.syscall("landlock_create_ruleset", attributes, len(attributes), 0)
    try:
        rights = dict.fromkeys(listed, READ_DIR) | dict.fromkeys(readable, READ_FILE | READ_DIR)
        for path in filter(os.path.exists, rights):
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
                rule = struct.pack("=Qi", rights[path] if is_directory else READ_FILE, descriptor)
                kernel.syscall("landlock_add_rule", ruleset, _PATH_BENEATH, rule, 0)
            finally:
                os.close(descriptor)
        return fcntl.fcntl(ruleset, fcntl.F_DUPFD_CLOEXEC, _ABOVE_A_WORKERS_OWN)
    finally:
        os.close(ruleset)


def enforce(ruleset: int) -> None:
    """Restricts this thread, and everything it starts later, to a ruleset, which another process may have made.

    It needs `no_new_privs`. Raises OSError; then nothing is restricted.
    """
    kernel.syscall("landlock_restrict_self", ruleset, _QUIET if abi() >= 7 else 0)
