"""Settings for pytest, for Python and for tools beside it, which would add options, plug-ins and folders."""
# group: files next to it
# rows: failed
# unlocked: safe

import torch


def dlogits(logits):
    return torch.zeros_like(logits)
