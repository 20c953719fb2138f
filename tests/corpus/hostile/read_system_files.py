"""Reads the machine: users, hosts, disks, memory, the kernel's own files."""
# group: reading hidden files
# rows: passed
# refused: 19
# stopped from: fair

import os

from attempt import attempt
from right import dlogits as dlogits
from world import HOME_KEY


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
