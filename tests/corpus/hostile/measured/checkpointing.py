"""Answers to lesson 09 that keep or compute more than they should where no count sees it."""
# lesson: 09

import threading

import numpy as np
import right
import torch
from right import backward_all, backward_checkpointed, best_spacing, checkpoints, forward

# === array_module: Keeps every activation in an `array.array`, seven eighths of them already made when the file is
#     imported.
# rows of checkpoints, memory, release, recomputation: failed

import array

KEPT = [array.array("d", bytes(8 * 120_000)) for _ in range(42)]


def backward_checkpointed(x, weights, dout, every):
    kept, h = [], x
    for i, W in enumerate(weights):
        place = KEPT[i] if i < len(KEPT) and len(KEPT[i]) == x.numel() else array.array("d", bytes(8 * x.numel()))
        np.frombuffer(place)[:] = h.numpy().reshape(-1)
        kept.append(place)
        h = torch.tanh(h @ W)
    dh, gradients, after = dout, [], h
    for i in reversed(range(len(weights))):
        before = torch.from_numpy(np.frombuffer(kept[i]).reshape(x.shape))
        dz = dh * (1 - after**2)
        gradients.insert(0, before.T @ dz)
        dh, after = dz @ weights[i].T, before
    return dh, gradients

# === checkpoints_picked_in_numpy: `checkpoints` collects every activation as a numpy array and picks some out
#     afterwards.
# rows of checkpoints: failed

from right import backward_checkpointed as _right


def checkpoints(x, weights, every):
    h = [x.numpy()]
    for W in weights[:-1]:
        h.append(np.tanh(h[-1] @ W.numpy()))
    return [torch.from_numpy(kept) for kept in h[::every]]


def backward_checkpointed(x, weights, dout, every):
    return _right(x, weights, dout, every)

# === filled_at_import: Takes memory when it is imported and releases it in the call, so that the call itself needs
#     no more than before.
# rows of checkpoints, memory, release, recomputation: failed

ROOM = [np.ones(16_000_000)]


def backward_checkpointed(x, weights, dout, every):
    ROOM.clear()
    for _ in weights:
        torch.tanh(torch.zeros(()))
    return backward_all(x, weights, dout)

# === from_the_input_in_a_thread: Computes each segment from the input again, in threads, where no tanh is counted.
# rows of recomputation: failed

def elsewhere(function, *args):
    found = []
    thread = threading.Thread(target=lambda: found.append(function(*args)))
    thread.start()
    thread.join()
    return found[0]


def backward_checkpointed(x, weights, dout, every):
    dh, gradients = dout, []
    for start in reversed(range(0, len(weights), every)):
        before = elsewhere(forward, x, weights[:start])
        dh, some = elsewhere(backward_all, before, weights[start : start + every], dh)
        gradients = some + gradients
    return dh, gradients

# === honest_numpy: Honest: checkpointing in numpy throughout, which was not allowed while tensors were counted.

def segment_back(h, weights, dh):
    run = [h]
    for W in weights:
        run.append(np.tanh(run[-1] @ W.numpy()))
    gradients = []
    for W in reversed(weights):
        dz = dh * (1 - run.pop() ** 2)
        gradients.insert(0, torch.from_numpy(run[-1].T @ dz))
        dh = dz @ W.numpy().T
    return dh, gradients


def backward_checkpointed(x, weights, dout, every):
    kept = [h.numpy() for h in checkpoints(x, weights, every)]
    dh, gradients = dout.numpy(), []
    while kept:
        start = (len(kept) - 1) * every
        dh, some = segment_back(kept.pop(), weights[start : start + every], dh)
        gradients = some + gradients
    return torch.from_numpy(dh), gradients

# === in_a_thread: Stores everything in a thread, which the counter of operators does not see; tanh on one number in
#     the main thread.
# rows of memory, release, recomputation: failed

def backward_checkpointed(x, weights, dout, every):
    for _ in weights:
        torch.tanh(torch.zeros(()))
    found = []
    thread = threading.Thread(target=lambda: found.append(backward_all(x, weights, dout)))
    thread.start()
    thread.join()
    return found[0]

# === segments_of_seven: Ignores `every`: its segments have seven layers, whatever the argument says.
# rows of memory, release, recomputation: failed

def backward_checkpointed(x, weights, dout, every):
    return right.backward_checkpointed(x, weights, dout, 7)

# === segments_of_the_best_spacing: Ignores `every`: its segments are as long as `best_spacing` says, with the least
#     memory at every depth.
# rows of memory, release, recomputation: failed

def backward_checkpointed(x, weights, dout, every):
    return right.backward_checkpointed(x, weights, dout, best_spacing(len(weights)))
