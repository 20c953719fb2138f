"""Sends answers while the file is still being run, before it was said that it is loaded."""
# group: forged frames
# rows: crashed
# unlocked: safe

from frames import answer, send
from right import dlogits as dlogits

send(answer(bytes(8), tensor={"dtype": "float64", "shape": []}) * 3)
