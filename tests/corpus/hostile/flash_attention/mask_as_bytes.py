"""The mask of all scores is a bytearray, filled row by row."""
# rows of memory: failed

import torch
from every_tile import masked_backward
from right import add_tile, correction, flash_forward, tile_backward


def whole_mask(queries, keys, causal):
    marks = bytearray(queries * keys)
    for query in range(queries):
        end = min(query + 1, keys) if causal else keys
        marks[query * keys : query * keys + end] = bytes([1]) * end
    return torch.frombuffer(marks, dtype=torch.bool).view(queries, keys)


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    return masked_backward(whole_mask, dO, Q, K, V, O, L, causal, rows, columns)
