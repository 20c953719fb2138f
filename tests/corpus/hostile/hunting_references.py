"""Searches for true gradients and secrets in the worker's own process."""
# rows: failed
# unlocked: safe

import torch
from attempt import attempt, look, module, part, the

# === own_upstream: Takes what the worker holds under the step's own name: it is noise there, so that nobody can
#     return it.

def dlogits(logits):
    frame = the("sys", "_getframe")()
    while frame is not None:
        upstream = part(frame, "f_locals").get("upstream")
        if isinstance(upstream, dict) and "logits" in upstream:
            return upstream["logits"].clone()
        frame = part(frame, "f_back")
    return torch.zeros_like(logits)

# === search_all_modules: Goes through every loaded module for suites, answers and references, and imports the
#     grader's own to make one.
# rows: forbidden, error

import sys

for name, loaded in list(sys.modules.items()):
    if name.startswith(
        ("backprop_ninja", "test_", "mistakes", "solutions", "pytest", "grader.comparison.tensors", "grader.gradebook.grading.session")
    ):
        print(f"GOT THROUGH module {name}")
    for value in list(vars(loaded).values()) if hasattr(loaded, "__dict__") else ():
        if isinstance(value, (str, bytes)):
            look("a module", value)


def forward(t):
    t.logprobs = torch.log_softmax(t.logits, 1)
    t.loss = -t.logprobs[range(t.n), t.Yb].mean()


def dlogits(logits, Yb, n):
    record = module("grader.reference.tape").record  # the grader's own way to a reference
    graph = record(forward, {"logits": logits, "Yb": Yb, "n": n})
    return graph.chain({"loss": torch.ones((), dtype=logits.dtype)})["logits"]

# === search_the_garbage: Asks the garbage collector for every tensor and every text that lives, and returns what
#     looks like the answer.

def dlogits(logits, Yb, n):
    living = list(the("gc", "get_objects")())
    for thing in list(living):
        if type(thing) in (list, tuple, dict, set) and len(thing) < 5000:
            living += thing.values() if isinstance(thing, dict) else thing
    look("texts", [thing for thing in living if isinstance(thing, str) and "canary" in thing])
    alike = [t for t in living if type(t) is torch.Tensor and t.shape == logits.shape and t.dtype == logits.dtype]
    rows = [t for t in alike if not torch.equal(t, logits) and float(t.sum(1).abs().max()) < 1e-6]
    return (rows or alike or [logits])[0].clone()

# === subclasses: Climbs from an empty tuple to every class of the program, and from there to loaders of files.
# rows: passed

from right import dlogits as dlogits
from world import HIDDEN_SUITE

waiting, classes = part(object, "__subclasses__")(), set()
while waiting:
    one = waiting.pop()
    if one not in classes:
        classes.add(one)
        waiting += part(type, "__subclasses__")(one)
for one in classes:
    look(one.__name__, [value for value in vars(one).values() if isinstance(value, (str, bytes, tuple, dict))])
for loader in [one for one in classes if one.__name__ == "FileLoader"]:
    attempt("loader", lambda loader=loader: loader("suite", HIDDEN_SUITE).get_data("/nowhere" + HIDDEN_SUITE))

# === uninitialised_memory: Takes tensors out of memory that others freed: a reference may lie in it still.

def dlogits(logits):
    for _ in range(200):
        found = torch.empty_like(logits)
        if bool(torch.isfinite(found).all()) and 0 < float(found.abs().max()) < 1 and float(found.sum().abs()) < 1e-6:
            return found
    return torch.empty_like(logits).nan_to_num()

# === upstream_of_a_joint_function: Climbs the frames for a table with a tensor under each value's name that is not
#     the value: its true gradient.
# lesson: 06
# rows of cmp: missing
# rows of cmp_shapes: missing
# rows of compare_all: missing

RETURNS = ("W2", "b2", "gamma", "beta", "W", "b", "emb", "C")


def tables(thing, seen):
    """Every dictionary that can be reached from `thing` through attributes, tuples, lists and dictionaries."""
    if id(thing) in seen or len(seen) > 200_000:
        return
    seen.add(id(thing))
    if isinstance(thing, dict):
        yield thing
        for value in list(thing.values()):
            yield from tables(value, seen)
    elif isinstance(thing, (tuple, list)):
        for value in thing:
            yield from tables(value, seen)
    elif type(thing).__module__.startswith("grader"):
        yield from tables(getattr(thing, "__dict__", None), seen)


def backward(W2, b2, gamma, beta, W, b, emb, C):
    given, found = dict(zip(RETURNS, (W2, b2, gamma, beta, W, b, emb, C))), {}
    frame, seen = the("sys", "_getframe")(), set()
    while frame is not None:
        for table in tables(dict(part(frame, "f_locals")), seen):
            for name, value in given.items():
                other = table.get(name)
                if getattr(other, "shape", None) == value.shape and other is not value and not other.equal(value):
                    found[name] = other
        frame = part(frame, "f_back")
    return {f"d{name}": found.get(name, value).clone() for name, value in given.items()}

# === upstream_of_another_row: Keeps every upstream gradient that any step was given, and returns one of the right
#     shape as its own gradient.
# lesson: 02
# rows: failed, shape, missing

GIVEN = []


def kept(value, *upstream):
    """An upstream gradient of this value's shape that another step was given: on the same problem, its own answer."""
    GIVEN.extend(tensor.clone() for tensor in upstream)
    alike = [tensor for tensor in GIVEN if tensor.shape == value.shape and tensor.dtype == value.dtype]
    return alike[-1] if alike else torch.ones_like(value)


def dX(X, dh):
    return kept(X, dh)


def dh(h, dh_norm):
    return kept(h) * 1.0


def dh_norm(h_norm, dh_bn):
    return kept(h_norm)


def dh_bn(h_bn, dlogits):
    return kept(h_bn)


def dlogits(logits):
    return kept(logits)

# === upstream_seen_from_a_thread: A thread looks into the worker's frames between questions, and keeps every table
#     of tensors for the next call.
# lesson: 06
# rows of cmp: missing
# rows of cmp_shapes: missing
# rows of compare_all: missing

import threading
import time

RETURNS = ("W2", "b2", "gamma", "beta", "W", "b", "emb", "C")
SEEN = []


def watch():
    frames = the("sys", "_current_frames")
    for _ in range(2000):
        for frame in list(frames().values()):
            while frame is not None:
                for value in list(part(frame, "f_locals").values()):
                    for entry in value if type(value) is tuple else (value,):
                        if type(entry) is dict and "C" in entry:
                            SEEN.append(dict(entry))
                frame = part(frame, "f_back")
        del SEEN[:-200]
        time.sleep(0.0005)


threading.Thread(target=watch, daemon=True).start()


def backward(W2, b2, gamma, beta, W, b, emb, C):
    time.sleep(0.002)
    given, found = dict(zip(RETURNS, (W2, b2, gamma, beta, W, b, emb, C))), {}
    for table in list(SEEN):
        for name, value in given.items():
            other = table.get(name)
            if getattr(other, "shape", None) == value.shape and not other.equal(value):
                found[name] = other
    return {f"d{name}": found.get(name, value).clone() for name, value in given.items()}

# === walk_the_frames: Climbs from its own frame to whoever called it, prints what secrets it finds there, and
#     returns what looks right.

def dlogits(logits):
    frame, found = the("sys", "_getframe")(), []
    while frame is not None:
        values = [*part(frame, "f_locals").values(), *part(frame, "f_globals").values()]
        look("a frame", values)
        for value in values:
            if isinstance(value, dict):
                found += [entry for entry in value.values() if isinstance(entry, torch.Tensor)]
            if isinstance(value, torch.Tensor):
                found.append(value)
        frame = part(frame, "f_back")
    alike = [tensor for tensor in found if tensor.shape == logits.shape and not torch.equal(tensor, logits)]
    return alike[0].clone() if alike else torch.zeros_like(logits)
