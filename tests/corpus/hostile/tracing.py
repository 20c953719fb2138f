"""Traces and profiles every call in the process, and leaves hooks for its end."""
# group: patching
# rows: passed
# unlocked: safe

import atexit
import sys
import threading

from right import dlogits as dlogits

seen = set()


def trace(frame, event, argument):
    seen.add(frame.f_code.co_name)
    return trace


atexit.register(lambda: print("GOT THROUGH at exit"))
sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *_: print("GOT THROUGH a hook")
threading.excepthook = lambda *_: print("GOT THROUGH a thread's hook")
getattr(threading, "set" + "trace")(trace)
getattr(sys, "set" + "profile")(trace)
