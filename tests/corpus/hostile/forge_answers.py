"""Answers everything beforehand, with zeros and with the tickets that a counter would give, before anything was asked."""
# group: forged frames
# rows: crashed
# unlocked: safe

import os

from frames import LOADED, answer, frame, send

send(frame(LOADED))
for ticket in range(30):
    send(answer(bytes(5 * 8 * 8), ticket=ticket, tensor={"dtype": "float64", "shape": [5, 8]}))
os._exit(0)
