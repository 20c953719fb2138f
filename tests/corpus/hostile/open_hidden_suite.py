"""Opens the hidden suite in every way in which Python opens a file."""
# group: reading hidden files
# rows: passed
# refused: 12
# stopped from: fair
# unlocked: safe

import io
import linecache
import mmap
import os
import pathlib
import runpy
import tokenize

import numpy as np
import torch
from attempt import attempt, module
from right import dlogits as dlogits
from world import HIDDEN_SUITE


def mapped():
    descriptor = os.open(HIDDEN_SUITE, os.O_RDONLY)
    return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)[:]


def cached():
    lines = "".join(linecache.getlines(HIDDEN_SUITE))
    return lines or open(HIDDEN_SUITE).read()


attempt("open", lambda: open(HIDDEN_SUITE, "rb").read())
attempt("io.open", lambda: io.FileIO(HIDDEN_SUITE).readall())
attempt("os.open", lambda: os.read(os.open(HIDDEN_SUITE, os.O_RDONLY), 100_000))
attempt("pathlib", lambda: pathlib.Path(HIDDEN_SUITE).read_bytes())
attempt("mmap", mapped)
attempt("linecache", cached)
attempt("tokenize", lambda: tokenize.open(HIDDEN_SUITE).read())
attempt("numpy", lambda: np.fromfile(HIDDEN_SUITE, dtype=np.uint8).tobytes())
attempt("torch", lambda: bytes(torch.from_file(HIDDEN_SUITE, size=500, dtype=torch.uint8).tolist()))
attempt("runpy", lambda: runpy.run_path(HIDDEN_SUITE))
attempt("relative", lambda: open("../" * 20 + HIDDEN_SUITE.lstrip("/"), "rb").read())
attempt("spec", lambda: module("importlib.machinery").SourceFileLoader("suite", HIDDEN_SUITE).get_data(HIDDEN_SUITE))
