"""Memory that belongs to no process: memfd, System V, POSIX, message queues, files in /dev/shm."""
# group: memory
# rows: passed
# refused: 9

import os

import torch
from attempt import attempt, call, module
from right import dlogits as dlogits
from world import MARK

CREATE = 0o1000 | 0o600
attempt("memfd", lambda: os.ftruncate(os.memfd_create("x"), 8 << 30))
attempt("memfd_secret", lambda: call("memfd_secret", 0))
attempt("shmget", lambda: call("shmget", 0, 8 << 30, CREATE))
attempt("msgget", lambda: call("msgget", 0, CREATE))
attempt("semget", lambda: call("semget", 0, 1000, CREATE))
attempt("mq_open", lambda: call("mq_open", b"hostile\0", 0o102, 0o600, 0))
attempt("shm_open", lambda: module("_posixshmem").shm_open("/" + MARK, os.O_CREAT | os.O_RDWR, mode=0o600))
attempt("/dev/shm", lambda: open(f"/dev/shm/{MARK}", "wb").write(bytes(1 << 20)))
attempt("shared tensor", lambda: torch.ones(1 << 20).share_memory_())
