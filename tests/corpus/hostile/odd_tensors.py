"""A tensor of another kind each time: complex, meta, sparse, quantised, nested, named, half, conjugated."""
# group: lying answers
# rows: shape, failed, error, crashed
# unlocked: safe

import itertools
import warnings

import torch

warnings.simplefilter("ignore")
KINDS = [
    lambda x: x.to(torch.complex128),
    lambda x: x.to("meta"),
    lambda x: x.to_sparse().to_sparse_csr(),
    lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8),
    lambda x: torch.nested.nested_tensor([x, x[:2]]),
    lambda x: x.refine_names("a", "b"),
    lambda x: x.half(),
    lambda x: x.to(torch.complex64).conj(),
    lambda x: x.to(torch.float8_e4m3fn),
    lambda x: x.to(torch.uint8),
    lambda x: torch.nn.Parameter(x),
]
kinds = itertools.cycle(KINDS)


def dlogits(logits):
    return next(kinds)(logits)
