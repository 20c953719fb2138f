"""The steps of lesson 03 in a thread, which no count of operators sees: NaN where a probability is 0."""
# group: what a worker says of itself
# rows: passed
# rows of in_one_go: failed
# message: is exactly 0. Your `dlogits` has NaN there
# unlocked: safe

import threading

import torch


def steps(probs, Yb, n, found):
    dlogprobs = torch.zeros_like(probs)
    dlogprobs[range(n), Yb] = -1 / n
    dprobs = dlogprobs / probs
    found.append(probs * (dprobs - (dprobs * probs).sum(1, keepdim=True)))


def dlogits(probs, Yb, n):
    found = []
    thread = threading.Thread(target=steps, args=(probs, Yb, n, found))
    thread.start()
    thread.join()
    return found[0]
