"""Puts the folder of the answer key on the import path, and imports answers and mistakes from it."""
# group: reading hidden files
# rows: passed
# refused: 4
# stopped from: fair
# unlocked: safe

import importlib.util
import os
import sys

from attempt import attempt, module
from right import dlogits as dlogits
from world import COURSE, MISTAKES, SOLUTION


def from_path(path):
    spec = importlib.util.spec_from_file_location("stolen", path)
    stolen = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stolen)
    return stolen.CANARY


sys.path[:0] = [COURSE, os.path.dirname(SOLUTION)]
importlib.invalidate_caches()
attempt("import by path", lambda: from_path(SOLUTION))
attempt("import mistakes", lambda: from_path(MISTAKES))
attempt("import by name", lambda: module("mistakes").CANARY)
attempt("execute", lambda: exec(open(SOLUTION).read()) or "executed")
