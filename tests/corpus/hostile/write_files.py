"""Opens files for writing in every mode, where anybody may write and where the results are."""
# group: writing
# rows: passed
# refused: 15
# unlocked: safe

import io
import pathlib
import shelve
import tempfile

import numpy as np
import torch
from attempt import attempt, module
from right import dlogits as dlogits
from world import ARENA, GUARDED, MARK, OTHER_RESULTS

for mode in ("w", "a", "x", "r+", "wb"):
    attempt(f"open {mode}", lambda mode=mode: open(GUARDED if mode == "r+" else f"{ARENA}/{MARK}", mode))
attempt("results", lambda: open(OTHER_RESULTS, "w").write('{"score": 100}'))
attempt("/tmp", lambda: open(f"/tmp/{MARK}", "w"))
attempt("here", lambda: open(MARK, "w"))
attempt("pathlib", lambda: pathlib.Path(ARENA, MARK).touch())
attempt("io", lambda: io.FileIO(f"{ARENA}/{MARK}", "w"))
attempt("tempfile", lambda: tempfile.mkstemp(prefix=MARK))
attempt("numpy", lambda: np.save(f"{ARENA}/{MARK}", np.zeros(3)))
attempt("torch", lambda: torch.save(torch.zeros(3), f"{ARENA}/{MARK}"))
attempt("shelve", lambda: shelve.open(f"{ARENA}/{MARK}"))
attempt("sqlite", lambda: module("sqlite3").connect(f"{ARENA}/{MARK}").execute("create table x (y)"))
