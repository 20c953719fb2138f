"""Known wrong formulas of lesson 12, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dWo]
last_position: context[:, -1].T @ dout[:, -1]
    This uses the last position only. Which positions are multiplied by `Wo`?
sums_first: context.sum(1).T @ dout.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: context.sum(0).T @ dout.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.

[dcontext]
no_weights: dout[..., : Wo.shape[0]]
    `Wo` does not occur here. What is `context` multiplied by on its way to `out`?

[dtotal]
no_exps: -(dweights / total**2).sum(2, keepdim=True)
    The numerator is missing. What does `total` divide?
columns: -(dweights * exps / total**2).sum(1, keepdim=True).transpose(1, 2)
    This is summed over the rows. `total` divides all elements of one row.

[dscores]
future_is_infinite: dmasked.masked_fill(~past, -torch.inf)
    This writes the forward pass's -inf. How much does a score that was overwritten move the loss?

[dWq]
sums_first: x.sum(1).T @ dq.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dq.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.

[dWk]
sums_first: x.sum(1).T @ dk.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dk.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.

[dWv]
sums_first: x.sum(1).T @ dv.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dv.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.

[dx]
swapped: dq @ Wk.T + dk @ Wq.T + dv @ Wv.T
    Two weight matrices are swapped: `dq` comes back through another one.
sums_first: (dq + dk + dv) @ (Wq + Wk + Wv).T
    You add up before you multiply. A sum of products is not the product of sums: multiply each path first.
one_matrix: (dq + dk + dv) @ Wq.T
    All three gradients go back through `Wq` here. Which matrix made `k` from `x`, and which made `v`?

[dz]
elementwise: dp * p * (1 - p)
    This is the derivative of a sigmoid: the Jacobian's diagonal. A score also changes the other weights of its row.

[dQ]
elementwise: dP = dO @ V.transpose(1, 2); (dP * P * (1 - P)) @ K / K.shape[2] ** 0.5
    For the softmax you use the derivative of a sigmoid. A score also changes the other weights of its row.

[dK]
no_softmax: dP = dO @ V.transpose(1, 2); dP.transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    Between the scores and the weights there is a softmax. Its derivative is missing.
softmax_diagonal: dP = dO @ V.transpose(1, 2); (dP * P).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    The softmax's second term is missing: all weights of a row share one sum.
elementwise: dP = dO @ V.transpose(1, 2); (dP * P * (1 - P)).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    For the softmax you use the derivative of a sigmoid. A score also changes the other weights of its row.
plain_mean: dP = dO @ V.transpose(1, 2); (P * (dP - dP.mean(2, keepdim=True))).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    The mean over the row is not weighted. A weight that is nearly zero hardly changes: with what does each term count?
no_p_outside: dP = dO @ V.transpose(1, 2); (dP - (dP * P).sum(2, keepdim=True)).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    A factor of the softmax's derivative is missing: how fast does a weight that is nearly zero change?
""")
