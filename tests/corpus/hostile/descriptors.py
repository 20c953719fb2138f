"""The pipes between worker and grader, closed, filled, read and written by the submission."""
# rows: crashed
# unlocked: safe

import os

# === close_everything: Closes every descriptor there is and waits: nothing is to hang because of it.
# message: closed the pipe

import time

os.closerange(0, 5)
time.sleep(60)

# === flood_answers: Fills the pipe of answers before it reads the next request, so that both sides would wait for
#     each other.
# rows: crashed, timeout

from frames import LOADED, frame, send

send(frame(LOADED))
while True:
    os.write(4, bytes(1 << 16))

# === print_into_answers: Turns the pipe of answers into its standard output, so that prints come between the
#     frames.
# message: does not begin as a frame does

def dlogits(logits):
    os.dup2(4, 1)
    print("passed " * 10, flush=True)
    return logits

# === read_own_output: Reads from what it should write to, and writes to what it should read from.
# rows: passed
# refused: 7
# unlocked: no

from attempt import attempt
from right import dlogits as dlogits

for descriptor in (1, 2, 4):
    attempt(f"read {descriptor}", lambda descriptor=descriptor: os.read(descriptor, 10))
for descriptor in (0, 3):
    attempt(f"write {descriptor}", lambda descriptor=descriptor: os.write(descriptor, b"x"))
attempt("descriptor 5", lambda: os.fstat(5))
attempt("a larger pipe", lambda: __import__("fcntl").fcntl(4, 1031, 1 << 20))

# === steal_requests: A thread reads the grader's requests away from the worker, hoping for answers in them.
# rows: passed, timeout, crashed
# race: the thread and the worker read from one pipe

import threading

from right import dlogits as dlogits


def steal():
    while True:
        os.read(3, 1 << 20)


threading.Thread(target=steal, daemon=True).start()
