"""Makes the worker find that PyTorch differentiates again, after right answers: nothing in the lesson counts."""
# group: patching
# rows: forbidden
# message: switched automatic differentiation back on
# unlocked: safe

from attempt import module
from right import dlogits as right

worker = module("grader.sandbox.workers.worker")


def dlogits(*, logits, Yb, n):
    worker.autograd_works = lambda: True
    return right(logits=logits, Yb=Yb, n=n)
