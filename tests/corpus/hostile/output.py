"""What a submission prints, how long, and what it puts in the place of its output."""
# rows: timeout
# unlocked: safe

import os
import sys

from right import dlogits as dlogits

# === closed_output: Closes its outputs, replaces them with objects that raise, and lets the worker flush them.
# rows: passed, crashed

class Broken:
    def write(self, text):
        raise SystemExit(0)

    def flush(self):
        raise ValueError("GOT THROUGH")


os.close(1)
os.close(2)
sys.stdout = sys.stderr = sys.__stdout__ = Broken()

# === flush_that_waits: A flush that never returns, called by the worker after every step.

import time


class Waiting:
    def write(self, text):
        return len(text)

    def flush(self):
        time.sleep(600)


sys.stdout = Waiting()

# === print_commands: Prints commands for terminals, build servers and browsers, and half of a character.
# rows: passed

print("\x1b[2J\x1b[H\x1b]0;owned\x07 100 of 100")
print("::set-output name=score::100\n::error file=x,line=1::owned\n##vso[task.complete result=Succeeded;]")
print("<script>document.title = 'full marks'</script><img src=x onerror=alert(1)>")
print('{"score": 100, "tests": []}')
sys.stdout.flush()
os.write(1, b"\xff\xfe\x00\xed\xa0\x80")

# === print_for_ever: Prints as fast as it can until it is stopped.
# message: bytes; what came after

def dlogits(logits):
    block = b"All tests passed. " * 4000
    while True:
        os.write(1, block)

# === print_in_a_thread: A thread that never stops printing, while right answers are given.
# rows: passed, timeout

import threading


def print_on():
    while True:
        os.write(2, b"no newline, no end " * 1000)


threading.Thread(target=print_on, daemon=True).start()
