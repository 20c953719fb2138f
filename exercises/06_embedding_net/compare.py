"""Compares your gradients with autograd's, with your own `cmp` and `compare_all`:

    python compare.py

Run it in this folder, after you have written the functions of backward.py. You may change it as you like: it is not
part of what you submit. (In the file that you submit, autograd is not allowed.)
"""

import inspect
from contextlib import nullcontext
from types import SimpleNamespace

import torch
from backward import backward, cmp, compare_all
from forward import forward, inputs

PARAMETERS = ("W2", "b2", "gamma", "beta", "W", "b", "C")


class Values(SimpleNamespace):
    """What forward.py calls `t`: here a plain object with one attribute per value."""

    def fused(self):
        return nullcontext()


# The forward pass. PyTorch records it, because the parameters require gradients.
t = Values(**inputs(torch.Generator().manual_seed(2147483647)))
for name in PARAMETERS:
    getattr(t, name).requires_grad = True
forward(t)

# Autograd's gradients. Only the leaves of the graph, here the parameters, keep theirs in `.grad`. `emb` is computed, so
# autograd would throw its gradient away as soon as it has used it: `retain_grad` says that you want to read it.
t.emb.retain_grad()
t.loss.backward()
references = {f"d{name}": getattr(t, name).grad for name in (*PARAMETERS, "emb")}

# Your gradients. They are computed by hand, so PyTorch need not record them.
with torch.no_grad():
    names = inspect.signature(backward).parameters
    found = backward(**{name: getattr(t, name) for name in names})
if not isinstance(found, dict):
    found = dict(zip(("dW2", "db2", "dgamma", "dbeta", "dW", "db", "demb", "dC"), found, strict=True))

for name, reference in references.items():
    if found.get(name) is None:
        print(f"{name:15s} | not written yet")
        continue
    exact, approximate, maxdiff = cmp(found[name], reference)
    print(f"{name:15s} | exact: {bool(exact)!s:5s} | approximate: {bool(approximate)!s:5s} | maxdiff: {float(maxdiff)}")
print("All gradients match:", compare_all(found, references)[0])
