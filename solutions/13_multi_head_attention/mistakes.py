"""Known wrong formulas of lesson 13, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[split_heads]
mixes_positions: x.reshape(x.shape[0], heads, x.shape[1], -1)
    This cuts the numbers as they lie in memory: a head gets features of several positions. Split the last axis alone.
features_first: x.unflatten(2, (-1, heads)).permute(0, 3, 1, 2)
    Here the heads take turns, feature by feature. Head 0 gets the first block: which of the new axes comes first?
no_swap: x.unflatten(2, (heads, -1))
    The shape is (batch, time, heads, size). The heads come before the time.

[merge_heads]
flattened_at_once: y.flatten(2)
    This joins time and size. Bring the time in front of the heads first; then join heads and size.
no_swap: y.reshape(y.shape[0], y.shape[2], -1)
    This reads the numbers as they lie in memory: all positions of a head come first. Swap heads and time first.
features_first: y.permute(0, 2, 3, 1).flatten(2)
    Here the heads take turns, feature by feature. The features of a head stay together.
reads_memory:
        batch, heads, time, size = y.shape
        strides = (heads * time * size, size, time * size, 1)
        torch.as_strided(y, (batch, time, heads, size), strides).flatten(2)
    This relies on the order in which the numbers of `y` lie in memory. A transposed tensor has another one.

[dWo]
per_example: merged.transpose(1, 2) @ dout
    This is the gradient for each example alone. All examples use the same `Wo`: what happens to their gradients?
mean: torch.einsum("btd,btc->dc", merged, dout) / (dout.shape[0] * dout.shape[1])
    This is the mean over the positions. Nothing in the line of `out` divides by their number.
sums_first: merged.sum(1).T @ dout.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: merged.sum(0).T @ dout.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
heads_mixed: torch.einsum("btd,btc->dc", contexts.reshape(merged.shape), dout)
    Heads and time are not swapped, so features of different positions are mixed. What went into the product?

[dmerged]
scaled: dout @ Wo.T / Wo.shape[0] ** 0.5
    This divides by the root of the number of features. In which line does something like that happen?
per_head: dout @ Wo.T / heads
    This divides by the number of heads. Nothing in the line of `out` does.
ones: torch.ones_like(merged)
    The upstream gradient and `Wo` are missing: this is the gradient of a sum of `merged`.

[dcontexts]
no_swap: dmerged.unflatten(2, (heads, -1))
    The shape is (batch, time, heads, size). In `contexts` the heads come before the time.
mixes_positions: dmerged.reshape(dmerged.shape[0], heads, dmerged.shape[1], -1)
    This cuts the numbers as they lie in memory, so heads and positions are mixed. Undo the merging in two steps.
features_first: dmerged.unflatten(2, (-1, heads)).permute(0, 3, 1, 2)
    Here the features of one head are several places apart. In `merged` the features of a head lie next to each other.
averaged: dmerged.unflatten(2, (heads, -1)).transpose(1, 2) / heads
    This divides by the number of heads. Merging only moves numbers: what is its local derivative?

[dweights]
keys: dcontexts @ keys.transpose(2, 3)
    This multiplies by the keys. Which of them do the weights add up?
softmax_already: weights * (dcontexts @ values.transpose(2, 3))
    There is a factor `weights` here, as if you had begun with the softmax. This row asks for the product alone.
scaled: dcontexts @ values.transpose(2, 3) / values.shape[3] ** 0.5
    This divides by the root of the head's size. In which line of the forward pass does that happen?

[dvalues]
not_transposed: weights @ dcontexts
    This collects the gradient of values[s] from the positions that s reads. Which positions read s?
heads_summed: (weights.transpose(2, 3) @ dcontexts).sum(1, keepdim=True).expand_as(values)
    The heads are added up here. `values` already has a copy for each head.
mean: weights.transpose(2, 3) @ dcontexts / weights.shape[2]
    This is the mean over the positions. Nothing in the line of `contexts` divides by their number.

[dscores]
no_sum: weights * dweights
    The softmax's second term is missing: all weights of a row share one sum.
elementwise: dweights * weights * (1 - weights)
    This is the derivative of a sigmoid: the Jacobian's diagonal. A score also changes the other weights of its row.
columns: weights * (dweights - (dweights * weights).sum(2, keepdim=True))
    This is summed over the rows that read. Which weights share a sum?
plain_mean: weights * (dweights - dweights.mean(3, keepdim=True))
    The mean over the row is not weighted. With what does each term count?
no_p_inside: weights * (dweights - dweights.sum(3, keepdim=True))
    In the sum over the row each upstream gradient must be multiplied by its own weight.
no_p_outside: dweights - (dweights * weights).sum(3, keepdim=True)
    The factor in front is missing: how fast does a weight that is nearly zero change?
over_heads: weights * (dweights - (dweights * weights).sum(1, keepdim=True))
    This is summed over the heads. Each head has a softmax of its own.

[dqh]
no_constant: dscores @ keys
    The constant of the line of `scores` is missing.
of_all_heads: dscores @ keys / (keys.shape[1] * keys.shape[3]) ** 0.5
    The root is that of all features together. The forward pass takes the size of one head.
not_the_root: dscores @ keys / keys.shape[3]
    This divides by the size of the head. The forward pass divides by something else.
keys_positions: dscores.transpose(2, 3) @ keys / keys.shape[3] ** 0.5
    Here query t collects from column t of the scores. In which row or column are the scores of query t?

[dkeys]
no_constant: dscores.transpose(2, 3) @ qh
    The constant of the line of `scores` is missing.
of_all_heads: dscores.transpose(2, 3) @ qh / (qh.shape[1] * qh.shape[3]) ** 0.5
    The root is that of all features together. The forward pass takes the size of one head.
not_transposed: dscores @ qh / qh.shape[3] ** 0.5
    Here key s collects from row s of the scores. In which row or column are the scores of key s?

[dvh]
first_of_group: dvalues[:, :: heads // groups]
    Only the first head of each group sends its gradient back here. How many heads read one group's value?
over_groups: dvalues.unflatten(1, (groups, -1)).sum(1)
    This adds up heads of different groups, one of each. Which heads read one group's value?
groups_times_heads: dvalues.unflatten(1, (-1, groups)).sum(2)
    The axis of the heads is cut into blocks of `groups` heads. How many blocks must there be, and how long is each?
mean: dvalues.unflatten(1, (groups, -1)).mean(2)
    This is the mean over the heads of a group. A copy forward is a sum backward; nothing divides.
other_order: dvalues.unflatten(1, (-1, groups)).sum(1)
    This adds up heads of different groups. `repeat_interleave` puts the heads of a group next to each other.
every_second: dvalues[:, ::2]
    Only some heads send their gradient back here. How many heads read one group's value?
all_heads: dvalues.sum(1, keepdim=True).expand_as(vh)
    Every group gets the gradient of all heads here. Which heads read its value?

[dkh]
first_of_group: dkeys[:, :: heads // groups]
    Only the first head of each group sends its gradient back here. How many heads read one group's key?
over_groups: dkeys.unflatten(1, (groups, -1)).sum(1)
    This adds up heads of different groups, one of each. Which heads read one group's key?
groups_times_heads: dkeys.unflatten(1, (-1, groups)).sum(2)
    The axis of the heads is cut into blocks of `groups` heads. How many blocks must there be, and how long is each?
mean: dkeys.unflatten(1, (groups, -1)).mean(2)
    This is the mean over the heads of a group. A copy forward is a sum backward; nothing divides.
all_heads: dkeys.sum(1, keepdim=True).expand_as(kh)
    Every group gets the gradient of all heads here. Which heads read its key?
every_second: dkeys[:, ::2]
    Only some heads send their gradient back here. How many heads read one group's key?
other_order: dkeys.unflatten(1, (-1, groups)).sum(1)
    This adds up heads of different groups. `repeat_interleave` puts the heads of a group next to each other.
values: dvalues.unflatten(1, (groups, -1)).sum(2)
    This is the gradient of the values. Which gradient comes back to the line of `keys`?

[dq]
not_merged: dqh.transpose(1, 2)
    The shape has four axes: the features of the heads still have to be joined. Which step of the split is not undone?
flattened_at_once: dqh.flatten(2)
    Heads and time still have to be swapped, before the features of the heads are joined.
no_swap: dqh.reshape(q.shape)
    This reads the numbers as they lie in memory, so heads and positions are mixed. Swap the two axes first.
features_first: dqh.permute(0, 2, 3, 1).flatten(2)
    Here the heads take turns, feature by feature. In `q` the features of a head lie next to each other.
averaged: dqh.transpose(1, 2).flatten(2) / heads
    This divides by the number of heads. Splitting only moves numbers: what is its local derivative?

[dk]
not_merged: dkh.transpose(1, 2)
    The shape has four axes: the features of the heads still have to be joined. Which step of the split is not undone?
flattened_at_once: dkh.flatten(2)
    Heads and time still have to be swapped, before the features of the heads are joined.
no_swap: dkh.reshape(k.shape)
    This reads the numbers as they lie in memory, so groups and positions are mixed. Swap the two axes first.
values: dvh.transpose(1, 2).flatten(2)
    This is the gradient of `v`. Which gradient comes back to the line of `kh`?
averaged: dkh.transpose(1, 2).flatten(2) / heads
    This divides by the number of heads. Splitting only moves numbers: what is its local derivative?

[dv]
not_merged: dvh.transpose(1, 2)
    The shape has four axes: the features of the heads still have to be joined. Which step of the split is not undone?
flattened_at_once: dvh.flatten(2)
    Heads and time still have to be swapped, before the features of the heads are joined.
no_swap: dvh.reshape(v.shape)
    This reads the numbers as they lie in memory, so groups and positions are mixed. Swap the two axes first.
keys: dkh.transpose(1, 2).flatten(2)
    This is the gradient of `k`. Which gradient comes back to the line of `vh`?
averaged: dvh.transpose(1, 2).flatten(2) / heads
    This divides by the number of heads. Splitting only moves numbers: what is its local derivative?

[dWq]
per_example: x.transpose(1, 2) @ dq
    This is the gradient for each example alone. All examples use the same `Wq`: what happens to their gradients?
sums_first: x.sum(1).T @ dq.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dq.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
mean: torch.einsum("btc,btd->cd", x, dq) / x.shape[0]
    This is the mean over the examples. Nothing in the line of `q` divides by their number.
scaled: torch.einsum("btc,btd->cd", x, dq) / (dq.shape[2] / heads) ** 0.5
    The root of the head's size occurs twice now: it is already in `dq`.

[dWk]
per_example: x.transpose(1, 2) @ dk
    This is the gradient for each example alone. All examples use the same `Wk`: what happens to their gradients?
sums_first: x.sum(1).T @ dk.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dk.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
mean: torch.einsum("btc,btd->cd", x, dk) / x.shape[0]
    This is the mean over the examples. Nothing in the line of `k` divides by their number.
values: torch.einsum("btc,btd->cd", x, dv)
    This is the gradient of `Wv`. Which gradient comes back to the line of `k`?

[dWv]
per_example: x.transpose(1, 2) @ dv
    This is the gradient for each example alone. All examples use the same `Wv`: what happens to their gradients?
sums_first: x.sum(1).T @ dv.sum(1)
    You add up before you multiply. A sum of products is not the product of sums: multiply each position first.
examples_summed_first: x.sum(0).T @ dv.sum(0)
    You add up before you multiply. A sum of products is not the product of sums: multiply each example first.
mean: torch.einsum("btc,btd->cd", x, dv) / x.shape[0]
    This is the mean over the examples. Nothing in the line of `v` divides by their number.
keys: torch.einsum("btc,btd->cd", x, dk)
    This is the gradient of `Wk`. Which gradient comes back to the line of `v`?

[dx]
only_queries: dq @ Wq.T
    Two of three paths are missing: `x` is read in the lines of `k` and `v`, too.
no_values: dq @ Wq.T + dk @ Wk.T
    One of three paths is missing. Which projection does not go through the scores?
one_matrix: dq @ Wq.T + (dk + dv) @ Wk.T
    Two gradients go back through `Wk` here. Which matrix made `v` from `x`?
swapped: dq @ Wq.T + dv @ Wk.T + dk @ Wv.T
    Two weight matrices are swapped: `dk` and `dv` come back through each other's.
""")
