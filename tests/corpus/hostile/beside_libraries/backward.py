"""Its own torch, json, struct, numpy, pytest and grader beside it."""
# group: files next to it
# rows: failed
# unlocked: safe

import json
import struct

import numpy
import torch


def dlogits(logits):
    assert json.dumps and struct.pack and numpy.zeros
    return torch.zeros_like(logits)
