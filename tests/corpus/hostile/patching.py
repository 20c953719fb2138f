"""Changes of torch, of Python, of the worker and of its defaults."""
# unlocked: safe

import sys

import torch
from attempt import module
from right import dlogits as dlogits

# === other_defaults: Leaves every default of torch's changed: dtype, device, threads, seed, determinism, printing,
#     gradients.
# rows: passed, crashed, timeout

import random

import numpy as np

torch.set_default_dtype(torch.float16)
torch.set_default_device("meta")
torch.set_num_threads(64)  # on a busy machine of few cores they spin until the time is up
torch.manual_seed(1)
random.seed(1)
np.random.seed(1)
torch.use_deterministic_algorithms(True)
torch.set_printoptions(profile="full")
torch.set_grad_enabled(False)
torch.set_flush_denormal(True)
torch.set_default_device("cpu")
torch.set_float32_matmul_precision("medium")

# === patched_builtins: Patches what everything is made of: len, isinstance, sorted, the import, the exceptions.
# rows: crashed, error, failed, timeout

import builtins

builtins.isinstance = lambda *_: True
builtins.sorted = lambda *_, **__: []
builtins.len = lambda *_: 0
builtins.__import__ = lambda *_, **__: torch


def dlogits(logits):
    return torch.zeros_like(logits)

# === patched_torch: Patches every comparison of torch's to say yes, and answers with zeros.
# rows: failed, crashed, error

for name in ["allclose", "equal", "isclose", "eq", "isfinite", "all"]:
    setattr(torch, name, lambda *_, **__: torch.tensor(True))
for name in ["__eq__", "eq", "equal", "allclose", "isfinite", "all", "any", "numpy", "tolist"]:
    setattr(torch.Tensor, name, lambda *_, **__: torch.tensor(True))
torch.linalg.vector_norm = lambda *_, **__: torch.tensor(0.0)


def dlogits(logits):
    return torch.zeros_like(logits)

# === patched_wire: Patches the worker's own sending, so that its replies say what the student likes.
# rows: crashed

messages = module("grader.sandbox.workers.messages")
encode = messages.encode_reply


def full_marks(*arguments):
    sent = encode(*arguments)
    return sent.replace(b'\\"outcome\\":\\"returned\\"', b'\\"outcome\\":\\"passed\\"  ')


messages.encode_reply = full_marks


def dlogits(logits):
    return torch.zeros_like(logits)

# === patched_worker: Patches how the worker calls steps, counts operators and finds functions.
# rows: failed

answer_type = module("grader.calling.answer").Answer
worker = module("grader.sandbox.workers.worker")
try:
    judge = module("grader.comparison.tensors")
    judge.TOLERANCE = 1e9
    judge.compare = lambda *_, **__: judge.TensorComparison("passed", 0.0)
except ImportError:
    print("refused judge: not here")
steps = module("grader.calling.steps")
steps.call_step = lambda function, step, given: answer_type("returned", torch.zeros_like(given.values["logits"]))
worker.OperatorWatch.__torch_dispatch__ = lambda *_, **__: None


def dlogits(logits):
    return None

# === poisoned_modules: Puts its own modules in the place of torch, json and the grader's, and its own finder before
#     all others.
# rows: passed, crashed, error

import types


class Finder:
    @staticmethod
    def find_spec(name, *_):
        raise SystemExit(f"GOT THROUGH import of {name}")


sys.meta_path.insert(0, Finder)
for name in ("json", "torch", "grader.sandbox.workers.messages", "grader.gradebook.grading.session", "pytest", "numpy"):
    sys.modules[name] = types.ModuleType(name)
sys.path[:] = ["/tmp"]

# === switch_autograd_on: Makes the worker find that PyTorch differentiates again, after right answers: nothing in
#     the lesson counts.
# rows: forbidden
# message: switched automatic differentiation back on

from right import dlogits as right

worker = module("grader.sandbox.workers.worker")


def dlogits(*, logits, Yb, n):
    worker.autograd_works = lambda: True
    return right(logits=logits, Yb=Yb, n=n)

# === tracing: Traces and profiles every call in the process, and leaves hooks for its end.
# rows: passed

import atexit
import threading

seen = set()


def trace(frame, event, argument):
    seen.add(frame.f_code.co_name)
    return trace


atexit.register(lambda: print("GOT THROUGH at exit"))
sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *_: print("GOT THROUGH a hook")
threading.excepthook = lambda *_: print("GOT THROUGH a thread's hook")
getattr(threading, "set" + "trace")(trace)
getattr(sys, "set" + "profile")(trace)
