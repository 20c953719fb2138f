"""Every way to read a file that is hidden."""
# rows: passed
# unlocked: safe
# stopped from: fair

import os
import sys

from attempt import attempt, call, look, module
from right import dlogits as dlogits
from world import ARENA, COURSE, HIDDEN_SUITE, HOME_KEY, MARK, MISTAKES, OTHER_RESULTS, OTHER_SUBMISSION, SOLUTION

# === import_solution: Puts the folder of the answer key on the import path, and imports answers and mistakes from
#     it.
# refused: 4

import importlib.util


def from_path(path):
    spec = importlib.util.spec_from_file_location("stolen", path)
    stolen = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stolen)
    return stolen.CANARY


sys.path[:0] = [COURSE, os.path.dirname(SOLUTION)]
importlib.invalidate_caches()
attempt("import by path", lambda: from_path(SOLUTION))
attempt("import mistakes", lambda: from_path(MISTAKES))
attempt("import by name", lambda: module("mistakes").CANARY)
attempt("execute", lambda: exec(open(SOLUTION).read()) or "executed")

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

# === open_hidden_suite: Opens the hidden suite in every way in which Python opens a file.
# refused: 12

import io
import linecache
import mmap
import pathlib
import runpy
import tokenize

import numpy as np
import torch


def mapped():
    descriptor = os.open(HIDDEN_SUITE, os.O_RDONLY)
    return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)[:]


def cached():
    lines = "".join(linecache.getlines(HIDDEN_SUITE))
    return lines or open(HIDDEN_SUITE).read()


attempt("open", lambda: open(HIDDEN_SUITE, "rb").read())
attempt("io.open", lambda: io.FileIO(HIDDEN_SUITE).readall())
attempt("os.open", lambda: os.read(os.open(HIDDEN_SUITE, os.O_RDONLY), 100_000))
attempt("pathlib", lambda: pathlib.Path(HIDDEN_SUITE).read_bytes())
attempt("mmap", mapped)
attempt("linecache", cached)
attempt("tokenize", lambda: tokenize.open(HIDDEN_SUITE).read())
attempt("numpy", lambda: np.fromfile(HIDDEN_SUITE, dtype=np.uint8).tobytes())
attempt("torch", lambda: bytes(torch.from_file(HIDDEN_SUITE, size=500, dtype=torch.uint8).tolist()))
attempt("runpy", lambda: runpy.run_path(HIDDEN_SUITE))
attempt("relative", lambda: open("../" * 20 + HIDDEN_SUITE.lstrip("/"), "rb").read())
attempt("spec", lambda: module("importlib.machinery").SourceFileLoader("suite", HIDDEN_SUITE).get_data(HIDDEN_SUITE))

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

# === read_by_program: Lets another program read: cat, a shell, Python itself.
# refused: 7
# unlocked: no
# stopped from: weak

subprocess = module("subprocess")


def spawned(command):
    pid = os.posix_spawn(command[0], command, {})
    return os.waitpid(pid, 0)


def shell():
    if status := os.system(f"cat {HIDDEN_SUITE}"):
        raise OSError(status)


attempt("run", lambda: subprocess.run(["/bin/cat", HIDDEN_SUITE], capture_output=True).stdout)
attempt("check_output", lambda: subprocess.check_output(f"cat {HIDDEN_SUITE}", shell=True))
attempt("posix_spawn", lambda: spawned(["/bin/cat", HIDDEN_SUITE]))
attempt("system", shell)
attempt("popen", lambda: os.popen(f"cat {HIDDEN_SUITE}").read())
attempt("execv", lambda: os.execv("/bin/cat", ["cat", HIDDEN_SUITE]))
attempt("python", lambda: subprocess.check_output([sys.executable, "-c", f"print(open({HIDDEN_SUITE!r}).read())"]))

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
