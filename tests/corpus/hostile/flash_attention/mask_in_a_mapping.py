"""The mask of all scores is in anonymous memory that the file maps itself."""
# rows of memory: failed

import mmap

import torch
from every_tile import masked_backward
from right import add_tile, correction, flash_forward, tile_backward


def whole_mask(queries, keys, causal):
    pages = mmap.mmap(-1, queries * keys, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    mask = torch.frombuffer(pages, dtype=torch.bool, count=queries * keys).view(queries, keys)
    mask.fill_(True)
    return mask.tril_() if causal else mask


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    return masked_backward(whole_mask, dO, Q, K, V, O, L, causal, rows, columns)
