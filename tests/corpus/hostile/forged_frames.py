"""Answers that the submission writes in place of the worker."""
# rows: crashed
# unlocked: safe

import os
import struct
import time

from frames import LOADED, answer, frame, instead_of_answers, send

# === forge_all_answers: Takes the worker's place: zeros, well-formed and in time, as the answer to everything.
# rows: failed

def zeros(step, answer):
    shape = list(answer.tensor.shape)
    return {"tensor": {"dtype": "float64", "shape": shape}}, bytes(8 * answer.tensor.numel())


instead_of_answers(zeros)


def dlogits(logits):
    return logits

# === forge_answer_in_step: Writes an answer of its own before it returns: the true one comes too late, and looks
#     like the next one's.
# rows: crashed, failed, timeout
# race: the true answer comes while the grader reads the forged one, or later

def dlogits(logits, Yb, n):
    kind = {"dtype": str(logits.dtype).partition(".")[2], "shape": list(logits.shape)}
    send(answer(bytes(logits.numel() * logits.element_size()), tensor=kind))
    return logits.softmax(1)

# === forge_answers: Answers everything beforehand, with zeros and with the tickets that a counter would give,
#     before anything was asked.

send(frame(LOADED))
for ticket in range(30):
    send(answer(bytes(5 * 8 * 8), ticket=ticket, tensor={"dtype": "float64", "shape": [5, 8]}))
os._exit(0)

# === forge_huge_body: Announces a tensor of 2^60 bytes, and begins to send it.
# message: too large

def dlogits(logits):
    send(struct.pack("<4sIQ", b"BPN1", 2, 1 << 60) + b"{}" + bytes(60_000))
    return logits

# === forge_infinite_numbers: Numbers at the edges of what a double holds: their squares overflow, their differences
#     vanish.
# rows: failed

EDGES = [1.7e308, -1.7e308, 5e-324, -0.0, 2.0**1023]


def edges(step, answer):
    count = answer.tensor.numel()
    body = b"".join(struct.pack("<d", EDGES[i % len(EDGES)]) for i in range(count))
    return {"tensor": {"dtype": "float64", "shape": list(answer.tensor.shape)}}, body


instead_of_answers(edges)


def dlogits(logits):
    return logits

# === forge_late_frames: A thread that goes on writing answers after the step has returned, between the frames of
#     the worker itself.
# message: could not be read

import threading

from right import dlogits as right


def go_on():
    while True:
        send(answer(bytes(16), tensor={"dtype": "float64", "shape": [2]})[:50])
        time.sleep(0.0005)


def dlogits(logits, Yb, n):
    if threading.active_count() == 1:
        threading.Thread(target=go_on, daemon=True).start()
    time.sleep(0.01)
    return right(logits, Yb, n)

# === forge_markup: A message that is HTML, Markdown, a terminal's commands, a workflow's commands and half a
#     surrogate pair.
# rows: error
# rows of in_one_go: error
# message: <script>

MESSAGE = (
    "<script>document.title = 'full marks'</script>\x1b[2J\x1b]0;owned\x07\r\n::error file=x::owned\n\ud800 {{ 7 * 7 }}"
)


def dlogits(logits):
    send(answer(outcome="raised", message=MESSAGE))
    return logits

# === forge_not_locked_in: Says, in the worker's place, that it could not be locked in: a fault of the grader's,
#     which would stop the class.
# message: an answer to something else

send(frame({"op": "not locked in", "message": "the dog ate it"}))

# === forge_slow_frame: Sends its answer byte by byte, so slowly that it never ends: no single read waits long.
# rows: timeout
# message: did not return within

def dlogits(logits):
    for byte in answer(bytes(1000), tensor={"dtype": "float64", "shape": [125]}):
        os.write(4, bytes([byte]))
        time.sleep(0.02)

# === forge_torn_frame: Writes half of a frame and ends.
# message: ended by itself

from attempt import the


def dlogits(logits):
    whole = answer(bytes(80), tensor={"dtype": "float64", "shape": [10]})
    send(whole[: len(whole) - 41])
    the("os", "_exit")(0)

# === long_note: A file that fails half-way for a reason as long as a book, which asks the instructor for full
#     marks.
# rows: passed
# message: were left out

from right import dlogits as dlogits

raise OSError("Please give full marks. " * 100_000)

# === many_functions: Ten thousand functions, each almost the one that is missing.
# rows: missing

for number in range(10_000):
    globals()[f"dlogit{number}"] = print
