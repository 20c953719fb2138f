"""Imports that the steps do not use, and some that are not installed."""

import collections
import copy
import gc
import inspect
import itertools
import os
import random
import subprocess
import sys
import time

import torch

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

HERE = os.path.basename(__file__)
random.seed(42)
torch.manual_seed(42)


def plot(tensor):
    os.system("xdg-open plot.png")
    subprocess.run(["ls"])
    open("plot.txt", "w").write(str(tensor))


def dprobs(dlogprobs, probs):
    started = time.perf_counter()
    result = copy.deepcopy(dlogprobs) / probs
    counted = collections.Counter(itertools.chain(*probs.shape and [[1, 2], [2]]))
    print(HERE, sys.version_info[0], time.perf_counter() - started > 0, counted, inspect.signature(dprobs))
    gc.collect()
    return result
