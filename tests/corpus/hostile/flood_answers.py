"""Fills the pipe of answers before it reads the next request, so that both sides would wait for each other."""
# group: descriptors
# rows: crashed, timeout
# unlocked: safe

import os

from frames import LOADED, frame, send

send(frame(LOADED))
while True:
    os.write(4, bytes(1 << 16))
