"""Every way to read a file that is hidden."""
# rows: passed
# unlocked: safe
# stopped from: fair

import os

from attempt import attempt, call, look
from right import dlogits as dlogits
from world import ARENA, COURSE, HIDDEN_SUITE, HOME_KEY, MARK, OTHER_RESULTS, OTHER_SUBMISSION

# === list_folders: Lists folders to learn which lessons, students and suites there are.
# refused: 8

import glob


def something(found):
    found = list(found)
    if not found:
        raise FileNotFoundError
    return found


attempt("listdir /", lambda: os.listdir("/"))
attempt("listdir course", lambda: os.listdir(COURSE))
attempt("scandir", lambda: [entry.name for entry in os.scandir(ARENA)])
attempt("walk", lambda: something(os.walk(ARENA)))
attempt("glob", lambda: something(glob.glob(ARENA + "/*/*")))
attempt("listdir home", lambda: os.listdir("/home"))
attempt("listdir tmp", lambda: os.listdir("/tmp"))
attempt("listdir here", lambda: os.listdir("."))

# === open_hidden_suite: Opens the hidden suite by Python's functions, in a mapping, and in torch's C++.
# refused: 5

import mmap
import runpy

import torch


def mapped():
    descriptor = os.open(HIDDEN_SUITE, os.O_RDONLY)
    return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)[:]


attempt("open", lambda: open(HIDDEN_SUITE, "rb").read())
attempt("mmap", mapped)
attempt("torch", lambda: bytes(torch.from_file(HIDDEN_SUITE, size=500, dtype=torch.uint8).tolist()))
attempt("runpy", lambda: runpy.run_path(HIDDEN_SUITE))
attempt("relative", lambda: open("../" * 20 + HIDDEN_SUITE.lstrip("/"), "rb").read())

# === quote_hidden_lines: Raises an error that claims to come from the hidden suite, so that the report might quote
#     its lines.
# rows: error
# message: ZeroDivisionError
# stopped from: weak

import traceback

lines = "\n" * 20 + "def failing():\n    return 1 / 0\n"
namespace = {}
exec(compile(lines, HIDDEN_SUITE, "exec"), namespace)


def dlogits(logits):
    try:
        namespace["failing"]()
    except ZeroDivisionError:
        look("quoted", traceback.format_exc())
        raise

# === read_by_detour: Reaches the hidden suite by detours: descriptors without rights, /proc links, handles, hard
#     links.
# refused: 9
# unlocked: no

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

# === read_other_submission: Copies another student's submission, and reads that student's results.
# refused: 3

attempt("submission", lambda: open(OTHER_SUBMISSION, "rb").read())
attempt("results", lambda: open(OTHER_RESULTS, "rb").read())
attempt("neighbours", lambda: os.listdir(os.path.dirname(os.path.dirname(OTHER_SUBMISSION))))

# === read_system_files: Reads the machine: users, hosts, disks, memory, the kernel's own files.
# refused: 19
# unlocked: no

def first_bytes(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(descriptor, 64)
    finally:
        os.close(descriptor)


for path in [
    HOME_KEY,
    *["/etc/passwd", "/etc/shadow", "/etc/group", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/machine-id"],
    *[
        "/root/.bashrc",
        "/root/.ssh/id_rsa",
        "/var/log/lastlog",
        "/dev/mem",
        "/dev/kmsg",
        "/dev/vda",
        "/dev/sda",
        "/dev/tty",
    ],
    *["/sys/kernel/notes", "/proc/kallsyms", "/proc/kcore"],
]:
    attempt(path[:40], lambda path=path: first_bytes(path))
