"""Patches what everything is made of: len, isinstance, sorted, the import, the exceptions."""
# group: patching
# rows: crashed, error, failed, timeout
# unlocked: safe

import builtins

import torch

builtins.isinstance = lambda *_: True
builtins.sorted = lambda *_, **__: []
builtins.len = lambda *_: 0
builtins.__import__ = lambda *_, **__: torch


def dlogits(logits):
    return torch.zeros_like(logits)
