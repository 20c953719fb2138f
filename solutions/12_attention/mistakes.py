"""Known wrong formulas of lesson 12, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dWo]
last_position: context[:, -1].T @ dout[:, -1]
    This is the part of the last position only. Which positions are multiplied by `Wo`?

[dcontext]
no_weights: dout[..., : Wo.shape[0]]
    The numbers of `Wo` do not count here. What is `context` multiplied by on its way to `out`?

[dtotal]
no_exps: -(dweights / total**2).sum(2, keepdim=True)
    The numerator is missing. What does `total` divide?
columns: -(dweights * exps / total**2).sum(1, keepdim=True).transpose(1, 2)
    This is summed along the columns. `total` divides all elements of one row.

[dz]
plain_mean: p * (dp - dp.mean(2, keepdim=True))
    The mean over the row is not weighted. A weight that is nearly zero hardly changes: with what does each term count?

[dscores]
future_is_infinite: dmasked.masked_fill(~past, -torch.inf)
    This writes the forward pass's -inf. How much does a score that was overwritten move the loss?

[dx]
swapped: dq @ Wk.T + dk @ Wq.T + dv @ Wv.T
    Two weight matrices are swapped: `dq` and `dk` come back through each other's.
sums_first: (dq + dk + dv) @ (Wq + Wk + Wv).T
    You add up before you multiply. A sum of products is not the product of sums: multiply each path first.
one_matrix: (dq + dk + dv) @ Wq.T
    All three gradients go back through `Wq` here. Which matrix made `k` from `x`, and which made `v`?

[dQ]
softmax_skipped: dO @ V.transpose(1, 2) @ K / K.shape[2] ** 0.5
    The way back does not pass the softmax: between `P` and the scores it has a derivative of its own.

[dK]
no_softmax: dP = dO @ V.transpose(1, 2); dP.transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    Between the scores and the weights there is a softmax. Its derivative is missing.
plain_mean: dP = dO @ V.transpose(1, 2); (P * (dP - dP.mean(2, keepdim=True))).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    The mean over the row is not weighted. A weight that is nearly zero hardly changes: with what does each term count?
""")
