"""The mask of all scores is in anonymous memory that the file maps itself."""
# rows of memory: failed

import mmap

import torch
from right import add_tile, correction, flash_forward, tile_backward


def whole_mask(queries, keys, causal):
    pages = mmap.mmap(-1, queries * keys, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    mask = torch.frombuffer(pages, dtype=torch.bool, count=queries * keys).view(queries, keys)
    mask.fill_(True)
    return mask.tril_() if causal else mask


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    past = whole_mask(len(Q), len(K), causal)
    dQ, dK, dV, D = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V), correction(dO, O)
    for top in range(0, len(Q), rows):
        here = slice(top, min(top + rows, len(Q)))
        for left in range(0, min(len(K), here.stop) if causal else len(K), columns):
            there = slice(left, min(left + columns, len(K)))
            parts = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], past[here, there])
            for grad, place, part in zip((dQ, dK, dV), (here, there, there), parts, strict=True):
                grad[place] += part
    return dQ, dK, dV
