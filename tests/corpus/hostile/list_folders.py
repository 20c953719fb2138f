"""Lists folders to learn which lessons, students and suites there are."""
# group: reading hidden files
# rows: passed
# refused: 8
# stopped from: fair
# unlocked: safe

import glob
import os

from attempt import attempt
from right import dlogits as dlogits
from world import ARENA, COURSE


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
