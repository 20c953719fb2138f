"""Known wrong lines of lesson 14, each with the message that its author gets.

Those of `backward` are edits of the solution. A wrong line makes all gradients below it wrong, too, and they get the
same message.
"""

import math

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[gelu_backward]
probability_only: dout * (1 + torch.erf(x / math.sqrt(2))) / 2
    This treats the probability as a constant, but it is a function of x as well. Which term is missing?
no_root_in_erf:
        probability = (1 + torch.erf(x)) / 2
        dout * (probability + x * torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi))
    `erf` is not yet the normal distribution: its argument is x divided by a constant. Which one?
no_half_in_the_exponent:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + x * torch.exp(-(x**2)) / math.sqrt(2 * math.pi))
    Check the exponent of the density: something is missing next to the square.
value: dout * F.gelu(x)
    This multiplies by the GELU itself. Going back multiplies by its derivative.
density_of_erf:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + x * torch.exp(-(x**2)) / math.sqrt(math.pi))
    The density here belongs to a normal distribution with another variance. Which density belongs to variance one?
no_x:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi))
    The second term of the product rule keeps the other factor. By what is the density multiplied?
tanh_form: gelu_tanh_backward(dout, x)
    This is the derivative of the tanh form. It is close, but not equal: `F.gelu` is the exact form.

[gelu_tanh_backward]
exact_form: gelu_backward(dout, x)
    This is the derivative of the exact form. It is close, but not equal: this function goes back through the tanh form.
gate_only:
        u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        dout * (1 + torch.tanh(u)) / 2
    Here tanh(u) is a constant. But u depends on x: which term of the product rule is missing?
no_inner_slope:
        tanh = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        dout * ((1 + tanh) / 2 + x * (1 - tanh**2) / 2)
    The derivative of tanh(u) with respect to x has one more factor: how fast does u change with x?
no_three:
        root = math.sqrt(2 / math.pi)
        tanh = torch.tanh(root * (x + 0.044715 * x**3))
        dout * ((1 + tanh) / 2 + x * (1 - tanh**2) * root * (1 + 0.044715 * x**2) / 2)
    Check how fast u changes with x: what is the derivative of x³?
cube_kept:
        root = math.sqrt(2 / math.pi)
        tanh = torch.tanh(root * (x + 0.044715 * x**3))
        dout * ((1 + tanh) / 2 + x * (1 - tanh**2) * root * (1 + 3 * 0.044715 * x**3) / 2)
    Check how fast u changes with x: what is the derivative of x³?
slope_at_u:
        root = math.sqrt(2 / math.pi)
        u = root * (x + 0.044715 * x**3)
        dout * ((1 + torch.tanh(u)) / 2 + x * (1 - u**2) * root * (1 + 3 * 0.044715 * x**2) / 2)
    The derivative of tanh is written with its output. Here u is in that place.
no_constant:
        tanh = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        dout * ((1 + tanh) / 2 + x * (1 - tanh**2) * (1 + 3 * 0.044715 * x**2) / 2)
    The constant in front of the bracket in u is missing in the second term.

[dropout_backward]
no_scale: dout * keep
    What was kept is also made larger in the forward pass. By which factor?
no_mask: dout / (1 - p)
    A number that was dropped does not reach the output. What is its gradient?
times: dout * keep * (1 - p)
    This multiplies where the forward pass divides. The local derivative is the factor of x: what is it?
divided_by_p: dout * keep / p
    This divides by the probability of dropping a number. The forward pass divides by that of keeping it.
by_p: dout * keep / max(p, 0.1)
    This divides by the probability of dropping a number. The forward pass divides by that of keeping it.
turned_round: dout * ~keep / (1 - p)
    This lets the gradient through where the number was dropped. `keep` is True where it was kept.

[rms_norm_backward]
- (dxhat - xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
direct_only: dxhat * rrms
    In `dx` one path is missing: the mean of the squares depends on every x of its position.
sum_not_mean: (dxhat - xhat * (dxhat * xhat).sum(2, keepdim=True)) * rrms
    In `dx` the second term is as many times too large as there are channels. RMSNorm contains a mean.
layer_norm: (dxhat - dxhat.mean(2, keepdim=True) - xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
    In `dx` there is one term too many: it is layer norm's. Does RMSNorm subtract a mean?
half_missing: (dxhat - xhat * (dxhat * xhat).mean(2, keepdim=True) / 2) * rrms
    In `dx` the second term is half as large as it should be. What is the derivative of a square?
no_gain_in_the_mean: (dxhat - xhat * (dout * xhat).mean(2, keepdim=True)) * rrms
    In `dx` the path through the mean of the squares lacks the gain.
over_positions: (dxhat - xhat * (dxhat * xhat).mean(1, keepdim=True)) * rrms
    In `dx` the mean is over the positions. Which numbers share one `rrms`?
plus: (dxhat + xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
    In `dx` the second term has the wrong sign: a larger mean of squares makes the results smaller.
- dxhat = dout * gain
no_gain: dxhat = dout
    In `dx` the gain is missing: it lies between `dout` and the normalised x.
- rrms = ((x**2).mean(2, keepdim=True) + eps)
no_eps: rrms = (x**2).mean(2, keepdim=True)
    The epsilon is missing. It matters where the numbers of a position are small.
eps_outside: rrms = (((x**2).mean(2, keepdim=True) ** 0.5 + eps) ** 2)
    The epsilon is added to the root. RMSNorm adds it to the mean of the squares, before the root is taken.
variance: rrms = (x.var(2, keepdim=True, unbiased=False) + eps)
    This is the root of the variance, as in layer norm. RMSNorm takes the mean of the squares: nothing is subtracted.
- (dout * xhat).sum((0, 1))
per_example: (dout * xhat).sum(1)
    `dgain` still has a row per example. The same gain serves all examples and positions.
gain_of_x: (dout * x).sum((0, 1))
    `dgain` is made with x itself. What does the forward pass multiply by the gain?
gain_mean: (dout * xhat).mean((0, 1))
    `dgain` is a mean over the positions. Nothing in the forward pass divides by their number.

[through_layers]
- h = h + branch if residual else branch
no_residual_forward: h = branch
    In the forward pass the term `h[l] +` is missing where there are residual connections.
- else branch
always_residual: else h + branch
    Without residual connections, the term `h[l] +` is missing in the forward pass. Your states still contain it.
- gradients.append(gradients[-1] + through if residual else through)
never_residual: gradients.append(through)
    With a residual connection, h[l] is read in two terms. What comes back from the one that is just h[l]?
adds_dlast: gradients.append(gradients[0] + through if residual else through)
    You add `dlast` in every layer. It is the gradient of the last h: which one arrives at this layer's output?
adds_always: gradients.append(gradients[-1] + through)
    Without residual connections there is one path only. You add the direct one all the same.
- gelu_backward(gradients[-1] @ U.T, z)
no_gelu: (gradients[-1] @ U.T)
    The GELU between the two matrices is missing on the way back.
gelu_value: F.gelu(gradients[-1] @ U.T)
    This applies the GELU to the gradient. Going back multiplies by its derivative, taken at the forward pass's input.
times_its_input: (gradients[-1] @ U.T * z)
    This multiplies by the input of the GELU. Going back multiplies by its derivative there: see your `gelu_backward`.
gelu_before_the_product: (gelu_backward(gradients[-1], z @ U) @ U.T)
    Here the GELU comes last, after the product with `U`. Which of the two comes last in the forward pass?
gelu_at_the_wrong_place: gelu_backward(gradients[-1] @ U.T, F.gelu(z))
    The GELU's derivative is taken at its output. Which value goes into it in the forward pass?
- gradients[::-1]
last_first: gradients
    The gradients are in the opposite order: yours begin with that of the last h.
- reversed(Ws), reversed(Us), reversed(pre)
not_reversed: Ws, Us, pre
    The way back goes through the layers in the order of the forward pass. Which layer does `dlast` meet first?

# second dropout and MLP
[backward]
- ddropped = dropout_backward(dout, keep2, p)
no_dropout_2: ddropped = dout
    The second dropout is missing on the way back. It lies between `out` and the product with `W2`.
masks_swapped_2: ddropped = dropout_backward(dout, keep1, p)
    Each dropout has a mask of its own. Which one is in the line of `out`?
divided_by_p_2: ddropped = dout * keep2 / max(p, 0.1)
    The second dropout divides by the probability of dropping a number here. By what does the forward pass divide?
unscaled_2: ddropped = dout * keep2
    In the second dropout what was kept is also made larger. By which factor?

- dW2 = torch.einsum("btj,btc->jc", act, ddropped)
dW2_before_gelu: dW2 = torch.einsum("btj,btc->jc", pre, ddropped)
    `dW2` is made from `pre`. Which value does the forward pass multiply by `W2`?
dW2_mean: dW2 = torch.einsum("btj,btc->jc", act, ddropped) / len(x)
    `dW2` is a mean over the examples. Nothing in the forward pass divides by their number.
dW2_per_example: dW2 = act.transpose(1, 2) @ ddropped
    `dW2` is the gradient for each example alone. All examples use the same weight: what happens to their gradients?

- db2 = ddropped.sum((0, 1))
db2_keepdim: db2 = ddropped.sum((0, 1), keepdim=True)
    The numbers of `db2` are right, its shape is not: `b2` is a plain vector. Check `keepdim`.
db2_batch_only: db2 = ddropped.sum(0)
    `db2` is summed over the examples only. Along which axes was `b2` copied?
db2_mean: db2 = ddropped.mean((0, 1))
    `db2` is a mean. A copy forward is a sum backward, and nothing divides.

- dpre = gelu_backward(ddropped @ W2.T, pre)
no_gelu: dpre = ddropped @ W2.T
    The GELU is missing: `dpre` here is the gradient of `act`.
gelu_at_act: dpre = gelu_backward(ddropped @ W2.T, act)
    The derivative of the GELU is taken at its output, `act`. Which value goes into it?
gelu_tanh: dpre = gelu_tanh_backward(ddropped @ W2.T, pre)
    This is the derivative of the tanh form. Which form does the block's `F.gelu` compute?
relu: dpre = (ddropped @ W2.T) * (pre > 0)
    This is the derivative of a ReLU. A GELU has a slope at negative inputs, too.

- dW1 = torch.einsum("btc,btj->cj", scaled, dpre)
dW1_of_mid: dW1 = torch.einsum("btc,btj->cj", mid, dpre)
    `dW1` is made from `mid`, before the norm. Which value does the forward pass multiply by `W1`?
dW1_mean: dW1 = torch.einsum("btc,btj->cj", scaled, dpre) / len(x)
    `dW1` is a mean over the examples. Nothing in the forward pass divides by their number.
dW1_per_example: dW1 = scaled.transpose(1, 2) @ dpre
    `dW1` is the gradient for each example alone. All examples use the same weight: what happens to their gradients?

- db1 = dpre.sum((0, 1))
db1_batch_only: db1 = dpre.sum(0)
    `db1` is summed over the examples only. Along which axes was `b1` copied?
db1_mean: db1 = dpre.mean((0, 1))
    `db1` is a mean. A copy forward is a sum backward, and nothing divides.
db1_keepdim: db1 = dpre.sum((0, 1), keepdim=True)
    The numbers of `db1` are right, its shape is not: `b1` is a plain vector. Check `keepdim`.

# RMSNorm and the second residual connection
- through_mlp, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
norm_of_x: through_mlp, dgain2 = rms_norm_backward(dpre @ W1.T, x, gain2, eps)
    You go back through the second norm as if its input were `x`. Which value goes into it in the forward pass?
norm_with_dout: through_mlp, dgain2 = rms_norm_backward(dpre @ W1.T + dout, mid, gain2, eps)
    Here `dout` goes through the norm as well. Where does the residual connection leave: before the norm or after it?
norm_skipped:
        _, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
        through_mlp = dpre @ W1.T
    `dmid` skips the norm: it uses the gradient of `scaled`. Which of the two results goes on to `mid`?

- dmid = dout + through_mlp
residual_2_forgotten: dmid = through_mlp
    In `dmid` the residual connection is missing: `mid` is read in the line of `out` as well.
residual_2_only: dmid = dout.clone()
    `dmid` has the residual connection only. `mid` also goes through the norm and the MLP.
residual_2_dropped: dmid = ddropped + through_mlp
    In `dmid` the direct path goes through dropout. Is `mid` dropped in the line of `out`?

# first dropout and attention
- dprojected = dropout_backward(dmid, keep1, p)
no_dropout_1: dprojected = dmid
    The first dropout is missing on the way back. It lies between `mid` and the product with `Wo`.
masks_swapped_1: dprojected = dropout_backward(dmid, keep2, p)
    Each dropout has a mask of its own. Which one is in the line of `mid`?
unscaled_1: dprojected = dmid * keep1
    In the first dropout what was kept is also made larger. By which factor?
from_branch: dprojected = dropout_backward(through_mlp, keep1, p)
    The attention gets only what comes back through the MLP. Its output goes into `mid`, which has two readers.
from_dout: dprojected = dropout_backward(dout, keep1, p)
    The attention gets `dout` as its upstream gradient. Its output goes into `mid`: what comes back to `mid`?

- dWo = torch.einsum("bts,btc->sc", context, dprojected)
dWo_mean: dWo = torch.einsum("bts,btc->sc", context, dprojected) / len(x)
    `dWo` is a mean over the examples. Nothing in the forward pass divides by their number.
dWo_of_v: dWo = torch.einsum("bts,btc->sc", v, dprojected)
    `dWo` is made from `v`. Which value does the forward pass multiply by `Wo`?
dWo_per_example: dWo = context.transpose(1, 2) @ dprojected
    `dWo` is the gradient for each example alone. All examples use the same weight: what happens to their gradients?

- dv = weights.transpose(1, 2) @ dcontext
dv_not_transposed: dv = weights @ dcontext
    In `dv` value s collects from the positions that s reads. Which positions read s?
dv_no_weights: dv = dcontext
    In `dv` the weights are missing. With which factor does each position read a value?
- dweights = dcontext @ v.transpose(1, 2)
dweights_of_k: dweights = dcontext @ k.transpose(1, 2)
    The gradient of `weights` is made with the keys. What do the weights add up?
- dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True))
softmax_no_sum: dscores = weights * dweights
    The softmax's second term is missing: all weights of a row share one sum.
softmax_columns: dscores = weights * (dweights - (dweights * weights).sum(1, keepdim=True))
    The softmax's sum is over the positions that read. Which weights share a sum?
softmax_sigmoid: dscores = weights * dweights * (1 - weights)
    This is the derivative of a sigmoid. In a softmax, a score also changes the other weights of its row.
- dproducts = dscores / q.shape[2] ** 0.5
no_root: dproducts = dscores
    The constant of the line of `scores` is missing.
root_of_channels: dproducts = dscores / x.shape[2] ** 0.5
    The root is that of the number of channels. Which size does the line of `scores` take?
- dq = dproducts @ k
dq_transposed: dq = dproducts.transpose(1, 2) @ k
    In `dq` query t collects from column t of the scores. In which row or column are the scores of query t?
- dk = dproducts.transpose(1, 2) @ q
dk_not_transposed: dk = dproducts @ q
    In `dk` key s collects from row s of the scores. In which row or column are the scores of key s?

- dWv = torch.einsum("btc,bts->cs", normed, dv)
dWv_of_x: dWv = torch.einsum("btc,bts->cs", x, dv)
    `dWv` is made from `x`, before the norm. Which value does the forward pass multiply by `Wv`?
dWv_mean: dWv = torch.einsum("btc,bts->cs", normed, dv) / len(x)
    `dWv` is a mean over the examples. Nothing in the forward pass divides by their number.
- dWq = torch.einsum("btc,bts->cs", normed, dq)
dWq_of_x: dWq = torch.einsum("btc,bts->cs", x, dq)
    `dWq` is made from `x`, before the norm. Which value does the forward pass multiply by `Wq`?
dWq_swapped: dWq = torch.einsum("btc,bts->cs", normed, dk)
    `dWq` is the gradient of `Wk`. Which gradient comes back to the line of `q`?
- dWk = torch.einsum("btc,bts->cs", normed, dk)
dWk_of_x: dWk = torch.einsum("btc,bts->cs", x, dk)
    `dWk` is made from `x`, before the norm. Which value does the forward pass multiply by `Wk`?
dWk_swapped: dWk = torch.einsum("btc,bts->cs", normed, dq)
    `dWk` is the gradient of `Wq`. Which gradient comes back to the line of `k`?

- dnormed = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
no_keys: dnormed = dq @ Wq.T + dv @ Wv.T
    One of three paths back to `normed` is missing: it is read in the line of `k`, too.
no_queries: dnormed = dk @ Wk.T + dv @ Wv.T
    One of three paths back to `normed` is missing: it is read in the line of `q`, too.
only_values: dnormed = dv @ Wv.T
    Two of three paths back to `normed` are missing: it is read in the lines of `q` and `k`, too.
no_values: dnormed = dq @ Wq.T + dk @ Wk.T
    One of three paths back to `normed` is missing. Which projection does not go through the scores?

# layer norm and the first residual connection
- dgain = (dnormed * xhat).sum((0, 1))
dgain_of_normed: dgain = (dnormed * normed).sum((0, 1))
    `dgain` is made with `normed`, which comes after the gain. What does the forward pass multiply by the gain?
dgain_mean: dgain = (dnormed * xhat).mean((0, 1))
    `dgain` is a mean. A copy forward is a sum backward, and nothing divides.
dgain_of_x: dgain = (dnormed * x).sum((0, 1))
    `dgain` is made with `x`. What does the forward pass multiply by the gain?
dgain_batch_only: dgain = (dnormed * xhat).sum(0)
    `dgain` is summed over the examples only. At which positions does the forward pass use the gain?
- dbias = dnormed.sum((0, 1))
dbias_batch_only: dbias = dnormed.sum(0)
    `dbias` is summed over the examples only. Along which axes was `bias` copied?
dbias_mean: dbias = dnormed.mean((0, 1))
    `dbias` is a mean. A copy forward is a sum backward, and nothing divides.

- dxhat = dnormed * gain
no_gain: dxhat = dnormed
    In `dx` the gain is missing: it lies between `normed` and `xhat`.
- (dxhat - dxhat.mean(2, keepdim=True) - along) * rstd
rms_norm: (dxhat - along) * rstd
    In `dx` you go back through the first norm as through an RMSNorm. A layer norm also subtracts a mean: what follows?
norm_direct_only: dxhat * rstd
    In `dx` the paths through the mean and the variance are missing. Every feature of a position changes both.
no_rstd: dxhat - dxhat.mean(2, keepdim=True) - along
    In `dx` the norm's factor is missing: all three terms are divided by the standard deviation.
- dx = dmid + through_attention
residual_1_forgotten: dx = through_attention
    In `dx` the residual connection is missing: `x` is read in the line of `mid` as well.
residual_1_from_out: dx = dout + through_attention
    In `dx` you add `dout` for the direct path. `x` is added in the line of `mid`: which gradient arrives at `mid`?
residual_1_dropped: dx = dprojected + through_attention
    In `dx` the direct path goes through dropout. Is `x` dropped in the line of `mid`?
""")
