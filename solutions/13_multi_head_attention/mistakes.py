"""Known wrong formulas of lesson 13, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[split_heads]
features_first: x.unflatten(2, (-1, heads)).permute(0, 3, 1, 2)
    Here the heads take turns, feature by feature. Head 0 gets the first block of features: which are these?

[merge_heads]
features_first: y.permute(0, 2, 3, 1).flatten(2)
    Here the heads take turns, feature by feature. The features of a head stay together.
reads_memory:
        batch, heads, time, size = y.shape
        strides = (heads * time * size, size, time * size, 1)
        torch.as_strided(y, (batch, time, heads, size), strides).flatten(2)
    This relies on the order in which the numbers of `y` lie in memory. A transposed tensor has another one.

[dWo]
first_example: merged[0].T @ dout[0]
    Only the first example counts here. `Wo` is used in every example.

[dweights]
masked: (dcontexts @ values.transpose(2, 3)).masked_fill(~past, 0)
    Your `dweights` is zero where a query may not read. In which forward line is the mask used: in this one?

[dscores]
diagonal_only: dweights * weights * (1 - weights)
    This is the derivative of a sigmoid: the Jacobian's diagonal. A score also changes the other weights of its row.

[dvh]
first_of_group: dvalues[:, :: heads // groups]
    Only the first head of each group sends its gradient back here. How many heads read one group's value?
groups_times_heads: dvalues.unflatten(1, (-1, groups)).sum(2)
    The axis of the heads is cut into blocks of `groups` heads. How many blocks must there be, and how long is each?
other_order: dvalues.unflatten(1, (-1, groups)).sum(1)
    This adds up heads of different groups. `repeat_interleave` puts the heads of a group next to each other.
every_second: dvalues[:, ::2]
    Only some heads send their gradient back here. How many heads read one group's value?
all_heads: dvalues.sum(1, keepdim=True).expand_as(vh)
    Every group gets the gradient of all heads here. Which heads read its value?

[dkh]
first_of_group: dkeys[:, :: heads // groups]
    Only the first head of each group sends its gradient back here. How many heads read one group's key?
groups_times_heads: dkeys.unflatten(1, (-1, groups)).sum(2)
    The axis of the heads is cut into blocks of `groups` heads. How many blocks must there be, and how long is each?
all_heads: dkeys.sum(1, keepdim=True).expand_as(kh)
    Every group gets the gradient of all heads here. Which heads read its key?
every_second: dkeys[:, ::2]
    Only some heads send their gradient back here. How many heads read one group's key?
other_order: dkeys.unflatten(1, (-1, groups)).sum(1)
    This adds up heads of different groups. `repeat_interleave` puts the heads of a group next to each other.

[dWq]
first_example: x[0].T @ dq[0]
    Only the first example counts here. `Wq` is used in every example.

[dWk]
first_example: x[0].T @ dk[0]
    Only the first example counts here. `Wk` is used in every example.

[dWv]
first_example: x[0].T @ dv[0]
    Only the first example counts here. `Wv` is used in every example.

[dx]
swapped: dq @ Wq.T + dv @ Wk.T + dk @ Wv.T
    Two weight matrices are swapped: `dk` and `dv` come back through each other's.
one_matrix: dq @ Wq.T + (dk + dv) @ Wk.T
    Two gradients go back through `Wk` here. Which matrix made `v` from `x`?
""")
