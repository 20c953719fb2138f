"""Known wrong formulas of lesson 12, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dWo]
per_example: context.transpose(1, 2) @ dout
    This is the gradient for each example alone. All examples use the same `Wo`: what happens to their gradients?
mean: torch.einsum("bth,btc->hc", context, dout) / (dout.shape[0] * dout.shape[1])
    This is the mean over the positions. Nothing in the line of `out` divides by their number.
last_position: context[:, -1].T @ dout[:, -1]
    This uses the last position only. Which positions are multiplied by `Wo`?
sums_first: context.sum(1).T @ dout.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: context.sum(0).T @ dout.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
values: torch.einsum("bth,btc->hc", v, dout)
    This multiplies by the values `v`. What is multiplied by `Wo` in the line of `out`?

[dcontext]
no_weights: dout[..., : Wo.shape[0]]
    `Wo` does not occur here. What is `context` multiplied by on its way to `out`?
plus_values: dout @ Wo.T + v
    A forward value is added here. The gradient of a factor is the upstream gradient times the other factor.
scaled: dout @ Wo.T / Wo.shape[0] ** 0.5
    This divides by the root of the size of the head. In which line of the forward pass does that happen?

[dweights]
masked_softmax_already: weights * (dcontext @ v.transpose(1, 2))
    There is a factor `weights` here, as if you had begun with the softmax. This row asks for the product alone.
keys: dcontext @ k.transpose(1, 2)
    This multiplies by the keys. Which of the three projections do the weights add up?
scaled: dcontext @ v.transpose(1, 2) / v.shape[2] ** 0.5
    This divides by the root of the size of the head. In which line of the forward pass does that happen?

[dv]
not_transposed: weights @ dcontext
    This collects the gradient of v[s] from the positions that s reads. Which positions read s?
no_weights: dcontext
    This passes the gradient to the same position, as if each position read itself only.
mean: weights.transpose(1, 2) @ dcontext / weights.shape[1]
    This is the mean over the positions. Nothing in the line of `context` divides by their number.
scores: scores.transpose(1, 2) @ dcontext
    This multiplies by the scores, before the softmax. With what are the values multiplied?

[dtotal]
sign: (dweights * exps / total**2).sum(2, keepdim=True)
    The sign is wrong. When the divisor grows, does the quotient grow or shrink?
no_square: -(dweights * exps / total).sum(2, keepdim=True)
    The derivative of 1/u has a square. Here the divisor appears once.
no_exps: -(dweights / total**2).sum(2, keepdim=True)
    The numerator is missing. What does `total` divide?
columns: -(dweights * exps / total**2).sum(1, keepdim=True).transpose(1, 2)
    This is summed over the rows. `total` divides all elements of one row.
mean: -(dweights * exps / total**2).mean(2, keepdim=True)
    This is a mean over the row. A copy forward is a sum backward; nothing divides.

[dexps]
only_quotient: dweights / total
    One of two paths is missing: `exps` is read in the line of `total`, too.
only_total: dtotal.expand_as(dweights)
    One of two paths is missing: `exps` is read in the line of `weights`, too.
shared: dweights / total + dtotal / dweights.shape[2]
    This divides `dtotal` among the elements of the row. In a sum, does an element get a share of the gradient, or all
    of it?
times: dweights * total + dtotal
    The first term multiplies by `total`. The forward pass divides by it.

[dmasked]
no_exp: dexps
    The derivative of the exponential is missing.
of_scores: dexps * scores.exp()
    This takes the exponential of the scores before the mask. What is the exponential of `masked` for the future?
weights: dexps * weights
    This multiplies by the weights. They are divided by the sum of the row; the exponential is not.
divided: dexps / (exps + 1e-9)
    This divides by the exponential. That is how you go back through a logarithm.

[dscores]
future_is_infinite: dmasked.masked_fill(~past, -torch.inf)
    This writes the forward pass's -inf. How much does a score that was overwritten move the loss?
no_mask: dmasked
    The gradient of the future passes here. `masked` does not depend on a score of the future: what is its gradient?
diagonal: dmasked.masked_fill(~past | torch.eye(past.shape[0], dtype=torch.bool), 0.0)
    The diagonal is zero here as well. May a position read itself?
other_side: dmasked.masked_fill(past, 0.0)
    This keeps the future and removes the past. `past` is True where a position may be read.
transposed: dmasked.masked_fill(~past.T, 0.0)
    Here the mask is transposed. Rows are the positions that read, columns are those that are read.

[dq]
no_constant: dscores @ k
    The constant of the line of `scores` is missing.
not_the_root: dscores @ k / k.shape[2]
    This divides by the size of the head. The forward pass divides by something else.
keys_positions: dscores.transpose(1, 2) @ k / k.shape[2] ** 0.5
    Here query t collects from column t of the scores. In which row or column are the scores of query t?
times_root: dscores @ k * k.shape[2] ** 0.5
    You multiply by the constant. The forward pass divides by it: what is the derivative of u / c with respect to u?
times_q: dscores @ q / q.shape[2] ** 0.5
    This multiplies by the queries. A query is multiplied by something else.

[dk]
no_constant: dscores.transpose(1, 2) @ q
    The constant of the line of `scores` is missing.
not_the_root: dscores.transpose(1, 2) @ q / q.shape[2]
    This divides by the size of the head. The forward pass divides by something else.
not_transposed: dscores @ q / q.shape[2] ** 0.5
    Here key s collects from row s of the scores. In which row or column are the scores of key s?
times_k: dscores.transpose(1, 2) @ k / k.shape[2] ** 0.5
    This multiplies by the keys. A key is multiplied by something else.

[dWq]
per_example: x.transpose(1, 2) @ dq
    This is the gradient for each example alone. All examples use the same `Wq`: what happens to their gradients?
sums_first: x.sum(1).T @ dq.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dq.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
mean: torch.einsum("btc,bth->ch", x, dq) / x.shape[0]
    This is the mean over the examples. Nothing in the line of `q` divides by their number.
scaled: torch.einsum("btc,bth->ch", x, dq) / dq.shape[2] ** 0.5
    The root of the size of the head occurs twice now: it is already in `dq`.

[dWk]
per_example: x.transpose(1, 2) @ dk
    This is the gradient for each example alone. All examples use the same `Wk`: what happens to their gradients?
sums_first: x.sum(1).T @ dk.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dk.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
mean: torch.einsum("btc,bth->ch", x, dk) / x.shape[0]
    This is the mean over the examples. Nothing in the line of `k` divides by their number.
queries: torch.einsum("btc,bth->ch", x, dq)
    This is the gradient of `Wq`. Which gradient comes back to the line of `k`?

[dWv]
per_example: x.transpose(1, 2) @ dv
    This is the gradient for each example alone. All examples use the same `Wv`: what happens to their gradients?
sums_first: x.sum(1).T @ dv.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dv.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
mean: torch.einsum("btc,bth->ch", x, dv) / x.shape[0]
    This is the mean over the examples. Nothing in the line of `v` divides by their number.
keys: torch.einsum("btc,bth->ch", x, dk)
    This is the gradient of `Wk`. Which gradient comes back to the line of `v`?

[dx]
sums_first: (dq + dk + dv) @ (Wq + Wk + Wv).T
    You add up before you multiply. A sum of products is not the product of sums: multiply each path first.
only_values: dv @ Wv.T
    Two of three paths are missing: `x` is read in the lines of `q` and `k`, too.
only_queries: dq @ Wq.T
    Two of three paths are missing: `x` is read in the lines of `k` and `v`, too.
no_values: dq @ Wq.T + dk @ Wk.T
    One of three paths is missing. Which projection does not go through the scores?
mean: (dq @ Wq.T + dk @ Wk.T + dv @ Wv.T) / 3
    This is the mean of the three terms. Gradients of several uses are added.
one_matrix: (dq + dk + dv) @ Wq.T
    All three gradients go back through `Wq` here. Which matrix made `k` from `x`, and which made `v`?
swapped: dq @ Wk.T + dk @ Wq.T + dv @ Wv.T
    Two weight matrices are swapped: `dq` comes back through another one.

[dz]
no_sum: p * dp
    The second term is missing: all weights of a row share one sum.
elementwise: dp * p * (1 - p)
    This is the derivative of a sigmoid: the Jacobian's diagonal. A score also changes the other weights of its row.
columns: p * (dp - (dp * p).sum(1, keepdim=True))
    This is summed over the rows that read. Which weights share a sum?
plain_mean: p * (dp - dp.mean(2, keepdim=True))
    The mean over the row is not weighted. A weight that is nearly zero hardly changes: with what does each term count?
no_p_inside: p * (dp - dp.sum(2, keepdim=True))
    In the sum over the row each upstream gradient must be multiplied by its own weight.
no_p_outside: dp - (dp * p).sum(2, keepdim=True)
    The factor in front is missing: how fast does a weight that is nearly zero change?
sign: p * (dp + (dp * p).sum(2, keepdim=True))
    The sign of the second term is wrong. When one weight grows, do the others grow or shrink?

[dQ]
no_constant: dP = dO @ V.transpose(1, 2); (P * (dP - (dP * P).sum(2, keepdim=True))) @ K
    The constant of the scores is missing: the root of the size of the head.
not_the_root: dP = dO @ V.transpose(1, 2); (P * (dP - (dP * P).sum(2, keepdim=True))) @ K / K.shape[2]
    This divides by the size of the head. The forward pass divides by something else.
no_softmax: dP = dO @ V.transpose(1, 2); dP @ K / K.shape[2] ** 0.5
    Between the scores and the weights there is a softmax. Its derivative is missing.
softmax_diagonal: dP = dO @ V.transpose(1, 2); (dP * P) @ K / K.shape[2] ** 0.5
    The softmax's second term is missing: all weights of a row share one sum.
elementwise: dP = dO @ V.transpose(1, 2); (dP * P * (1 - P)) @ K / K.shape[2] ** 0.5
    For the softmax you use the derivative of a sigmoid. A score also changes the other weights of its row.
columns: dP = dO @ V.transpose(1, 2); (P * (dP - (dP * P).sum(1, keepdim=True))) @ K / K.shape[2] ** 0.5
    The sum inside the softmax's derivative is over the rows that read. Which weights share a sum?
no_p_inside: dP = dO @ V.transpose(1, 2); (P * (dP - dP.sum(2, keepdim=True))) @ K / K.shape[2] ** 0.5
    In the softmax's second term, each upstream gradient of the row must be multiplied by its own weight.
plain_mean: dP = dO @ V.transpose(1, 2); (P * (dP - dP.mean(2, keepdim=True))) @ K / K.shape[2] ** 0.5
    The mean over the row is not weighted. A weight that is nearly zero hardly changes: with what does each term count?
no_p_outside: dP = dO @ V.transpose(1, 2); (dP - (dP * P).sum(2, keepdim=True)) @ K / K.shape[2] ** 0.5
    A factor of the softmax's derivative is missing: how fast does a weight that is nearly zero change?
scores_transposed:
        dP = dO @ V.transpose(1, 2)
        (P * (dP - (dP * P).sum(2, keepdim=True))).transpose(1, 2) @ K / K.shape[2] ** 0.5
    Here query t collects from column t of the scores. In which row or column are the scores of query t?

[dK]
no_constant: dP = dO @ V.transpose(1, 2); (P * (dP - (dP * P).sum(2, keepdim=True))).transpose(1, 2) @ Q
    The constant of the scores is missing: the root of the size of the head.
not_the_root: dP = dO @ V.transpose(1, 2); (P * (dP - (dP * P).sum(2, keepdim=True))).transpose(1, 2) @ Q / Q.shape[2]
    This divides by the size of the head. The forward pass divides by something else.
no_softmax: dP = dO @ V.transpose(1, 2); dP.transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    Between the scores and the weights there is a softmax. Its derivative is missing.
softmax_diagonal: dP = dO @ V.transpose(1, 2); (dP * P).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    The softmax's second term is missing: all weights of a row share one sum.
elementwise: dP = dO @ V.transpose(1, 2); (dP * P * (1 - P)).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    For the softmax you use the derivative of a sigmoid. A score also changes the other weights of its row.
columns: dP = dO @ V.transpose(1, 2); (P * (dP - (dP * P).sum(1, keepdim=True))).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    The sum inside the softmax's derivative is over the rows that read. Which weights share a sum?
no_p_inside: dP = dO @ V.transpose(1, 2); (P * (dP - dP.sum(2, keepdim=True))).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    In the softmax's second term, each upstream gradient of the row must be multiplied by its own weight.
plain_mean: dP = dO @ V.transpose(1, 2); (P * (dP - dP.mean(2, keepdim=True))).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    The mean over the row is not weighted. A weight that is nearly zero hardly changes: with what does each term count?
no_p_outside: dP = dO @ V.transpose(1, 2); (dP - (dP * P).sum(2, keepdim=True)).transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    A factor of the softmax's derivative is missing: how fast does a weight that is nearly zero change?
not_transposed:
        dP = dO @ V.transpose(1, 2)
        (P * (dP - (dP * P).sum(2, keepdim=True))) @ Q / Q.shape[2] ** 0.5
    Here key s collects from row s of the scores. In which row or column are the scores of key s?

[dV]
not_transposed: P @ dO
    `P[t, s]` is the weight that position t gives to position s. Which positions read V[s]?
mean: P.transpose(1, 2) @ dO / P.shape[1]
    This is the mean over the positions. Nothing in the line of `O` divides by their number.
no_weights: dO
    This passes the gradient to the same position, as if each position read itself only.
""")
