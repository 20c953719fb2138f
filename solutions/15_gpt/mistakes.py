"""Known wrong lines of lesson 15, each with the message that its author gets.

Most are edits of the solution. A wrong line in `gradients` makes the gradients below it wrong, too, and the runs of
`train`. They get the same message.
"""

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# the forward pass
[gradients]
- scores = (q @ k.transpose(2, 3) / q.shape[3] ** 0.5).masked_fill(~past, -math.inf)
future_read: scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
    The forward pass is as if there were no mask: a position also reads the tokens that it is to predict.
scores_not_scaled: scores = (q @ k.transpose(2, 3)).masked_fill(~past, -math.inf)
    In the forward pass, the scores are not divided by the root of the head's size.
scores_by_all_channels: scores = (q @ k.transpose(2, 3) / x.shape[2] ** 0.5).masked_fill(~past, -math.inf)
    In the forward pass, the scores are divided by the root of the number of all channels. How many numbers does the
    product of a query and a key sum over?
- x, blocks = p["wte"][X] + p["wpe"][:time], []
no_positions: x, blocks = p["wte"][X], []
    The forward pass is as if there were no `wpe`. The embedding of a position is added to that of its token.
- return x.unflatten(2, (heads, -1)).transpose(1, 2)
split_by_view: return x.reshape(x.shape[0], heads, x.shape[1], -1)
    The heads get the wrong numbers: a view from (batch, time, channels) to (batch, heads, time, size) mixes positions.
- return y.transpose(1, 2).flatten(2)
merged_by_view: return y.reshape(y.shape[0], y.shape[2], -1)
    The heads are put together wrongly: a view from (batch, heads, time, size) to (batch, time, channels) mixes
    positions.

# the loss
- loss = F.cross_entropy(logits[known], Y[known])
loss_is_a_sum: loss = F.cross_entropy(logits[known], Y[known], reduction="sum")
    Your loss is a sum over positions. It should be the mean over those that have a next token.
loss_over_all_positions: loss = F.cross_entropy(logits[known], Y[known], reduction="sum") / Y.numel()
    The loss is divided by the number of all positions. Which positions have a next token?
padding_as_token: loss = F.cross_entropy(logits.flatten(0, 1), Y.clamp(min=0).flatten())
    The positions after the end of a name are counted, as if token 0 came next there. `Y` is -1: leave them out.
loss_per_example:
        loss = sum(F.cross_entropy(a[b >= 0], b[b >= 0]) for a, b in zip(logits, Y) if (b >= 0).any()) / len(Y)
    The loss is a mean of the examples' means. Every position with a next token counts the same.
- count = known.sum()
divided_by_all: count = known.numel()
    The division is by the number of all positions. By how many does the loss divide?
divided_by_batch: count = len(X)
    The division is by the number of examples. The loss is a mean over positions.
not_divided: count = 1
    This is the gradient of a sum. The loss is a mean over the positions that have a next token.
- dlogits[known] = (F.softmax(logits[known], 1) - F.one_hot(Y[known], logits.shape[2])) / count
dlogits_of_padding: dlogits = (F.softmax(logits, 2) - F.one_hot(Y.clamp(min=0), logits.shape[2])) / count
    Positions without a next token get a gradient as well. Nothing is predicted there: what should `dlogits` be?
padding_keeps_softmax:
        dlogits = F.softmax(logits, 2) / count
        dlogits[known] -= F.one_hot(Y[known], logits.shape[2]) / count
    After the end of a name, `dlogits` is still the softmax. The loss does not read those positions.
minus_one_as_index: dlogits = (F.softmax(logits, 2) - F.one_hot(Y % logits.shape[2], logits.shape[2])) / count
    Where `Y` is -1, you subtract 1 as well: as an index, -1 is the last token. Nothing is predicted there.
no_minus_one: dlogits[known] = F.softmax(logits[known], 1) / count
    `dlogits` has only the term of the softmax. What do its rows have to sum to?

# the tied head and the last norm
- d["wte"] += weight(dlogits, final)
head_of_x: d["wte"] += weight(dlogits, x)
    In the head's term of `dwte`, the other factor is taken before the last norm. Which value is multiplied by `wte`?
- return dx, (dout * xhat).sum((0, 1))
gain_of_x: return dx, (dout * x).sum((0, 1))
    The gain's gradient is made with x itself. What does the forward pass of RMSNorm multiply by the gain?
- dx, d["gain3"] = rms_norm_backward(dlogits @ p["wte"], x, p["gain3"])
no_last_norm:
        _, d["gain3"] = rms_norm_backward(dlogits @ p["wte"], x, p["gain3"])
        dx = dlogits @ p["wte"]
    The last norm is missing on the way back: what leaves the head is the gradient of the norm's output.
last_norm_at_output: dx, d["gain3"] = rms_norm_backward(dlogits @ p["wte"], final, p["gain3"])
    The last norm's backward pass needs its input. `final` is its output.

# the blocks
- dx = (dxhat - xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
norm_with_a_sum: dx = (dxhat - xhat * (dxhat * xhat).sum(2, keepdim=True)) * rrms
    In the path through the mean of the squares, the number of channels is missing.
mean_of_layer_norm: dx = (dxhat - dxhat.mean(2, keepdim=True) - xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
    There is a mean too many in the backward pass of a norm. RMSNorm subtracts no mean in the forward pass.
norm_directly: dx = dxhat * rrms
    A path through RMSNorm is missing: each channel is also in the mean of the squares, by whose root all are
    divided.
norm_without_gain: dx = (dout - xhat * (dout * xhat).mean(2, keepdim=True)) * rrms
    In the backward pass of RMSNorm, dx does not contain the gain. The forward pass multiplies by it.
- for layer in reversed(range(len(blocks))):
blocks_forward: for layer in range(len(blocks)):
    On the way back, the blocks are taken in the order of the forward pass. Which one does the gradient meet first?
- act = F.gelu(pre)
gelu_tanh_forward: act = F.gelu(pre, approximate="tanh")
    The forward pass has GELU's tanh form, which is close to the exact one and not equal to it.
- d["W2"][layer] = weight(act, dx)
W2_before_gelu: d["W2"][layer] = weight(pre, dx)
    `dW2` is made from the GELU's input. Which value does the forward pass multiply by `W2`?
- dpre = gelu_backward(dx @ p["W2"][layer].T, pre)
no_gelu: dpre = dx @ p["W2"][layer].T
    The GELU is missing on the way back.
gelu_gate_only: dpre = dx @ p["W2"][layer].T * (1 + torch.erf(pre / math.sqrt(2))) / 2
    One of two terms of the GELU's derivative is missing: in x · Φ(x), the gate Φ(x) depends on x, too.
density_alone:
        density = torch.exp(-pre.square() / 2) / math.sqrt(2 * math.pi)
        dpre = dx @ p["W2"][layer].T * ((1 + torch.erf(pre / math.sqrt(2))) / 2 + density)
    A factor is missing in the GELU's derivative. In x · Φ(x) both factors depend on x: write the product rule out.
density_too_large:
        density = torch.exp(-pre.square() / 2)
        dpre = dx @ p["W2"][layer].T * ((1 + torch.erf(pre / math.sqrt(2))) / 2 + pre * density)
    In the GELU's derivative, the normal density is too large by a constant factor. What is its value at 0?
density_without_half:
        density = torch.exp(-pre.square()) / math.sqrt(2 * math.pi)
        dpre = dx @ p["W2"][layer].T * ((1 + torch.erf(pre / math.sqrt(2))) / 2 + pre * density)
    In the GELU's derivative, the exponent of the normal density is wrong by a constant factor. Which power of e is the
    density at 1?
gelu_at_act: dpre = gelu_backward(dx @ p["W2"][layer].T, act)
    The GELU's derivative is taken at its output. Which value goes into it?
relu: dpre = (dx @ p["W2"][layer].T) * (pre > 0)
    The nonlinearity has the derivative of a ReLU. A GELU has a slope at negative inputs, too.
gelu_tanh:
        u = math.sqrt(2 / math.pi) * (pre + 0.044715 * pre**3)
        slope = (1 + u.tanh()) / 2 + pre * (1 - u.tanh()**2) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * pre**2) / 2
        dpre = dx @ p["W2"][layer].T * slope
    The nonlinearity has the derivative of GELU's tanh form. `F.gelu` computes the exact one.
- d["W1"][layer] = weight(scaled, dpre)
W1_of_mid: d["W1"][layer] = weight(mid, dpre)
    `dW1` is made from `mid`, before the norm. Which value does the forward pass multiply by `W1`?
- dscaled = dpre @ p["W1"][layer].T
first_layers_W1: dscaled = dpre @ p["W1"][0].T
    Each block has weights of its own. This goes back through the first block's `W1` in every block.
- through_mlp, d["gain2"][layer] = rms_norm_backward(dscaled, mid, p["gain2"][layer])
norm2_of_x: through_mlp, d["gain2"][layer] = rms_norm_backward(dscaled, x, p["gain2"][layer])
    The second norm reads `mid`. Its backward pass here is taken at what the block reads.
- dmid = dx + through_mlp
no_residual_2: dmid = through_mlp
    `mid` is read in two terms: by the norm in front of the MLP, and directly. What comes back directly is missing.
residual_2_only: dmid = dx
    `mid` is read in two terms: by the norm in front of the MLP, and directly. What comes through the MLP is missing.

# attention
- d["Wo"][layer] = weight(merged, dmid)
Wo_before_residual: d["Wo"][layer] = weight(merged, dx)
    `dWo` is made from the gradient of the block's output. What is added to it on the way to `mid`?
- dcontexts = split_heads(dmid @ p["Wo"][layer].T, heads)
not_transposed: dcontexts = split_heads(dmid @ p["Wo"][layer], heads)
    `Wo` is square, so the shape cannot tell: on the way back the matrix is transposed.
heads_by_view: dcontexts = (dmid @ p["Wo"][layer].T).reshape(q.shape)
    The heads get the wrong numbers: a view from (batch, time, channels) to (batch, heads, time, size) mixes positions.
- dv = merge_heads(weights.transpose(2, 3) @ dcontexts)
values_not_transposed: dv = merge_heads(weights @ dcontexts)
    A value collects from the positions that read it. Are these along a row of the weights, or along a column?
- dk = merge_heads(dproducts.transpose(2, 3) @ q)
no_root_in_keys: dk = merge_heads(dscores.transpose(2, 3) @ q)
    The root of the head's size is missing in the gradient of the keys. The products of queries and keys are divided by
    it.
keys_not_transposed: dk = merge_heads(dproducts @ q)
    A key collects from the queries that read it. Which axis of the scores are they on?
- dscores = weights * (dweights - (dweights * weights).sum(3, keepdim=True))
softmax_wrong_axis: dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True))
    On the way back through the softmax, the sum runs over the positions that read. Along which axis does the softmax
    divide?
softmax_diagonal: dscores = weights * (1 - weights) * dweights
    On the way back through the softmax, only the effect of each score on its own weight is there. The other weights of
    the row change as well.
softmax_direct: dscores = weights * dweights
    One path through the softmax is missing: every score is also in the sum that divides its row.
- dproducts = dscores / q.shape[3] ** 0.5
no_root: dproducts = dscores
    On the way back, the root of the head's size is missing between the scores and the products of queries and keys.
root_of_channels: dproducts = dscores / x.shape[2] ** 0.5
    The gradient of the scores is divided by the root of all channels. Which size does the forward pass take the root
    of?
- dq = merge_heads(dproducts @ k)
no_root_in_queries: dq = merge_heads(dscores @ k)
    The root of the head's size is missing in the gradient of the queries. The products of queries and keys are divided
    by it.
queries_from_queries: dq = merge_heads(dproducts @ q)
    The gradient of a query is made with queries here. What is a query multiplied by in the forward pass?
- d["Wv"][layer] = weight(normed, dv)
Wv_of_x: d["Wv"][layer] = weight(x, dv)
    `dWv` is made from what the block reads, before the norm. Which value does the forward pass multiply by `Wv`?
- d["Wq"][layer] = weight(normed, dq)
Wq_of_x: d["Wq"][layer] = weight(x, dq)
    `dWq` is made from what the block reads, before the norm. Which value does the forward pass multiply by `Wq`?
- d["Wk"][layer] = weight(normed, dk)
Wk_of_x: d["Wk"][layer] = weight(x, dk)
    `dWk` is made from what the block reads, before the norm. Which value does the forward pass multiply by `Wk`?
- dnormed = dq @ p["Wq"][layer].T + dk @ p["Wk"][layer].T + dv @ p["Wv"][layer].T
without_values: dnormed = dq @ p["Wq"][layer].T + dk @ p["Wk"][layer].T
    The output of the first norm is read three times. The term that comes through the values is missing.
queries_and_keys_swapped: dnormed = dq @ p["Wk"][layer].T + dk @ p["Wq"][layer].T + dv @ p["Wv"][layer].T
    Two weight matrices are swapped: `dq` and `dk` come back through each other's.
values_only: dnormed = dv @ p["Wv"][layer].T
    The output of the first norm is read three times. Two of the three terms are missing.
- through_attention, d["gain1"][layer] = rms_norm_backward(dnormed, x, p["gain1"][layer])
gain_of_the_first: through_attention, d["gain1"][layer] = rms_norm_backward(dnormed, x, p["gain1"][0])
    Each block has a gain of its own. This goes back through the first block's.
- dx = dmid + through_attention
no_residual_1: dx = through_attention
    What the block reads goes to two places: the norm, and the residual connection. What comes back through the second
    is missing.
residual_1_only: dx = dmid
    What comes back through the attention is missing: what the block reads goes to the first norm, too.
residual_1_from_above: dx = dx + through_attention
    For the residual connection of the attention, the gradient of the block's output is added. The connection ends in
    `mid`: what comes back there?

# embeddings
- d["wpe"][: X.shape[1]] = dx.sum(0)
positions_averaged: d["wpe"][: X.shape[1]] = dx.mean(0)
    `dwpe` is the mean over the batch. A row of `wpe` is added in every example: what does that do to its gradients?
positions_first_example: d["wpe"][: X.shape[1]] = dx[0]
    `dwpe` is that of the first example alone. In how many examples is a row of `wpe` added?
rows_missing: d["wpe"] = dx.sum(0)
    This has a row for each position of the batch. `wpe` has more: a row that no position reads gets zeros.
- d["wte"].index_add_(0, X.flatten(), dx.flatten(0, 1))
one_place_per_token: d["wte"][X] += dx
    Where a token occurs several times, only one place counts. Does each place add to the row? (`dwte[X] += ...` writes
    one of several values.)
written_over: d["wte"][X] = dx
    In the rows of tokens that were read, the value of one place has replaced the head's term. Both terms are added, at
    every place of the token.

# before [clip]: where no element is above the limit, clipping by value is no clipping, and this message fits both
[train]
- clipped, _ = clip(found, 1.0)
not_clipped: clipped = found
    `adam` gets gradients that no clipping has changed. It should get gradients whose norm is at most 1.
- adam(parameters, clipped, means, squares, step, learning_rate(step, max_steps), 0.1)
no_decay: adam(parameters, clipped, means, squares, step, learning_rate(step, max_steps), 0.0)
    In this run the parameters do not decay. With which weight decay is `adam` called?
step_from_one: adam(parameters, clipped, means, squares, step + 1, learning_rate(step, max_steps), 0.1)
    Adam's correction is for one step more than there were. `adam` counts steps from 0.
adam_counts_the_piece: adam(parameters, clipped, means, squares, step - start, learning_rate(step, max_steps), 0.1)
    Adam's correction begins anew with each piece of the run. How many gradients are in `means` already?
rate_of_the_end: adam(parameters, clipped, means, squares, step, learning_rate(max_steps - 1, max_steps), 0.1)
    Every step has the learning rate of the run's last step. For which step do you ask `learning_rate`?
- for step, ix in enumerate(batches, start):
start_ignored: for step, ix in enumerate(batches):
    The steps are counted from 0 in each piece of the run. `start` says how many there were before.
- losses = []
fresh_averages:
        means, squares = ({n: torch.zeros_like(v) for n, v in parameters.items()} for _ in range(2))
        losses = []
    Each piece of the run begins with averages of zero. It should go on with those of the piece before: what happens to
    `means` and `squares`?
- losses.append(float(loss))
losses_after: losses.append(float(gradients(parameters, X[ix], Y[ix], heads)[0]))
    Each loss is computed after its step. Store the one that came with the gradients.

[clip]
- norm = sum(gradient.square().sum() for gradient in gradients.values()) ** 0.5
sum_of_norms: norm = sum(gradient.norm() for gradient in gradients.values())
    The norm is the sum of the norms of the gradients. What is the norm of all of them as one vector?
squared: norm = sum(gradient.square().sum() for gradient in gradients.values())
    This is the square of the norm.
largest: norm = max(gradient.norm() for gradient in gradients.values())
    This is the norm of the largest gradient. All gradients together are one vector.
- factor = min(1.0, most / float(norm)) if norm > 0 else 1.0
always_divided: factor = most / norm
    All gradients are scaled to the limit, small ones as well. Clipping changes only what is too long.
divided_unless_zero: factor = most / float(norm) if norm > 0 else 1.0
    All gradients are scaled to the limit, small ones as well. Clipping changes only what is too long.
one_for_most: factor = most / float(norm) if norm > 1 else 1.0
    The norm is compared with 1 here. The limit is `most`.
- return {name: gradient * factor for name, gradient in gradients.items()}, norm
each_on_its_own: return {n: g * min(1.0, most / max(float(g.norm()), 1e-9)) for n, g in gradients.items()}, norm
    Each gradient is clipped by its own norm. All of them need the same factor.
in_place: return {name: gradient.mul_(factor) for name, gradient in gradients.items()}, norm
    The gradients that you were given have changed. Return new tensors.

[adam]
- mean = means[name] / (1 - 0.9 ** (step + 1))
mean_not_corrected: mean = means[name]
    The mean is not corrected. It began with zero, so it is too small in the first steps.
mean_one_step_late: mean = means[name] / (1 - 0.9 ** max(step, 1))
    `step` is counted from 0, and this step's gradient is in the mean already. How many gradients are in it?
- square = squares[name] / (1 - 0.99 ** (step + 1))
square_not_corrected: square = squares[name]
    The mean square is not corrected. It began with zero, so it is too small in the first steps.
one_beta: square = squares[name] / (1 - 0.9 ** (step + 1))
    The mean square is corrected with the factor of the mean. Each has its own.
- mean = means[name] / (1 - 0.9 ** (step + 1))
- square = squares[name] / (1 - 0.99 ** (step + 1))
neither_corrected: mean, square = means[name], squares[name]
    Neither average is corrected. Both began with zero, so they are too small in the first steps.
one_step_late:
        mean = means[name] / (1 - 0.9 ** max(step, 1))
        square = squares[name] / (1 - 0.99 ** max(step, 1))
    `step` is counted from 0, and this step's gradient is in both averages already. How many gradients are in each?
not_counted:
        mean = means[name] / (1 - 0.9 ** step)
        square = squares[name] / (1 - 0.99 ** step)
    In step 0, the correction divides by 1 - 0.9⁰, which is zero. `step` is counted from 0: how many gradients are in
    the averages?
averages_corrected_in_place:
        mean = means[name].div_(1 - 0.9 ** (step + 1))
        square = squares[name].div_(1 - 0.99 ** (step + 1))
    Your corrected averages are written back into `means` and `squares`. Correct them for this step only: the next one
    goes on with the averages as they were.
- means[name].mul_(0.9).add_(gradient, alpha=0.1)
mean_adds_up: means[name].mul_(0.9).add_(gradient)
    Your running average of the gradients adds the whole new gradient. Its weight should be 1 - 0.9.
mean_swapped: means[name].mul_(0.1).add_(gradient, alpha=0.9)
    In the running average of the gradients, the new gradient has the weight 0.9. Which weight does the old average
    have?
- squares[name].mul_(0.99).addcmul_(gradient, gradient, value=0.01)
no_square: squares[name].mul_(0.99).add_(gradient.abs(), alpha=0.01)
    This averages absolute values. The second average is that of the squares.
- if name in DECAYED:
decays_everything: if name:
    The gains decay as well. Which names are in DECAYED?
- parameter.mul_(1 - rate * decay)
decay_without_rate: parameter.mul_(1 - decay)
    The decay is not multiplied by the learning rate.
no_decay: pass
    The parameters do not decay. By how much does the weight decay move a parameter in a step?
decay_grows: parameter.mul_(1 + rate * decay)
    The decay moves parameters away from zero. It should move them towards zero.
- if name in DECAYED:
-     parameter.mul_(1 - rate * decay)
- parameter.sub_(rate * mean / (square.sqrt() + 1e-8))
decay_after_the_step:
        parameter.sub_(rate * mean / (square.sqrt() + 1e-8))
        if name in DECAYED:
            parameter.mul_(1 - rate * decay)
    The decay is that of the parameter after the step. It is rate * decay times the value *before* the step.
- gradient = gradients[name]
- means[name].mul_(0.9).add_(gradient, alpha=0.1)
- squares[name].mul_(0.99).addcmul_(gradient, gradient, value=0.01)
- mean = means[name] / (1 - 0.9 ** (step + 1))
- square = squares[name] / (1 - 0.99 ** (step + 1))
- if name in DECAYED:
-     parameter.mul_(1 - rate * decay)
decay_in_gradient_alone:
        gradient = gradients[name] + decay * parameter * (name in DECAYED)
        means[name].mul_(0.9).add_(gradient, alpha=0.1)
        squares[name].mul_(0.99).addcmul_(gradient, gradient, value=0.01)
        mean = means[name] / (1 - 0.9 ** (step + 1))
        square = squares[name] / (1 - 0.99 ** (step + 1))
    The decay is added to the gradient, and so it enters both averages (L2 regularisation). AdamW keeps it apart.
- parameter.sub_(rate * mean / (square.sqrt() + 1e-8))
eps_in_root: parameter.sub_(rate * mean / (square + 1e-8).sqrt())
    The 1e-8 is added under the root. Adam adds it outside of the root, which matters for small gradients.
no_root: parameter.sub_(rate * mean / (square + 1e-8))
    This divides by the mean square. Adam divides by its root.
epsilon_forgotten: parameter.sub_(rate * mean / square.sqrt())
    The 1e-8 in the divisor is missing. What do you divide by where a gradient has always been zero?

[learning_rate]
- return 0.01 * (step + 1) / warm
from_zero: return 0.01 * step / warm
    Your first step has the rate zero. In the first tenth, the rate rises in equal steps, to 0.01 at the last of them.
no_warm_up: return 0.01
    The rate begins at its largest value. In the first tenth of the run it should rise.
- return 0.001 + 0.009 * (1 + math.cos(math.pi * (step - warm) / (max_steps - warm))) / 2
falls_to_zero: return 0.01 * (1 + math.cos(math.pi * (step - warm) / (max_steps - warm))) / 2
    The rate falls to zero. It should end at 0.001.
share_of_the_whole_run: return 0.001 + 0.009 * (1 + math.cos(math.pi * (step - warm) / max_steps)) / 2
    The cosine does not reach its end: its share is one of the whole run. Of how many steps is it a share?
over_the_whole_run: return 0.001 + 0.009 * (1 + math.cos(math.pi * step / max_steps)) / 2
    The cosine runs over the whole run. It should begin where the first tenth ends.
linear: return 0.01 - 0.009 * (step - warm) / (max_steps - warm)
    The rate falls along a straight line. It should follow half a period of a cosine.
constant: return 0.01
    The rate stays at 0.01 after the first tenth. From there on it should fall.

[sample]
- probs = F.softmax(logits[0, -1], 0)
first_position: probs = F.softmax(logits[0, 0], 0)
    Each token is drawn as if the context were the first 0 alone. Which position has read the whole context?
over_positions: probs = F.softmax(logits[0], 0)[-1]
    The softmax runs over the positions. Probabilities of tokens add up to one.
too_varied: probs = F.softmax(logits[0, -1] / 1.3, 0)
    The logits are divided before the softmax: a temperature. Draw with the model's own probabilities.
- token = torch.multinomial(probs, 1, generator=generator).item()
always_the_likeliest: token = int(probs.argmax())
    This takes the most probable token each time, so there is only one name. Draw it.
- logits = forward(parameters, torch.tensor([context]), heads)[0]
last_token_only: logits = forward(parameters, torch.tensor([context[-1:]]), heads)[0]
    The model sees the last token only. It should read the whole context, at its positions.
- return context[1:]
with_the_beginning: return context
    The token 0 at the beginning is not part of the name.
- while len(context) <= len(parameters["wpe"]):
one_too_few: while len(context) < len(parameters["wpe"]):
    The name may have as many tokens as `wpe` has positions. Yours ends one token earlier.
""")
