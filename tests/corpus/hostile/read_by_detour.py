"""Reaches the hidden suite by detours: descriptors without rights, /proc links, handles, hard links."""
# group: reading hidden files
# rows: passed
# refused: 9
# stopped from: fair

import os

from attempt import attempt, call
from right import dlogits as dlogits
from world import ARENA, HIDDEN_SUITE, MARK


def through_a_path_descriptor():
    descriptor = os.open(HIDDEN_SUITE, os.O_PATH)
    return open(f"/proc/self/fd/{descriptor}", "rb").read()


def from_a_folder():
    os.chdir(os.path.dirname(HIDDEN_SUITE))
    return open(os.path.basename(HIDDEN_SUITE), "rb").read()


def relative_to_a_folder():
    folder = os.open(os.path.dirname(HIDDEN_SUITE), os.O_PATH)
    return os.read(os.open(os.path.basename(HIDDEN_SUITE), os.O_RDONLY, dir_fd=folder), 10_000)


def by_handle():
    handle = b"\x80\0\0\0" + b"\0" * 132
    mount = b"\0" * 4
    call("name_to_handle_at", (1 << 64) - 100, os.fsencode(HIDDEN_SUITE), handle, mount, 0)
    return "a handle"


attempt("O_PATH", through_a_path_descriptor)
attempt("chdir", from_a_folder)
attempt("dir_fd", relative_to_a_folder)
attempt("handle", by_handle)
attempt("root of 1", lambda: open("/proc/1/root" + HIDDEN_SUITE, "rb").read())
attempt("root of self", lambda: open("/proc/self/root" + HIDDEN_SUITE, "rb").read())
attempt("root of a thread", lambda: open("/proc/thread-self/root" + HIDDEN_SUITE, "rb").read())
attempt("link", lambda: os.link(HIDDEN_SUITE, f"{ARENA}/{MARK}") or open(f"{ARENA}/{MARK}").read())
attempt("symbolic link", lambda: os.symlink(HIDDEN_SUITE, f"/tmp/{MARK}") or open(f"/tmp/{MARK}").read())
