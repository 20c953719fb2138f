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
no_constant:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + x * torch.exp(-(x**2) / 2))
    The density of a normal distribution has a constant in front of the exponential: here its area is not one.
value: dout * F.gelu(x)
    This multiplies by the GELU itself. Going back multiplies by its derivative.
density_of_erf:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + x * torch.exp(-(x**2)) / math.sqrt(math.pi))
    The density here belongs to a normal distribution with another variance. Which density belongs to variance one?
no_root_two:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + x * torch.exp(-(x**2) / 2) / math.sqrt(math.pi))
    The density is too large by a constant factor. The argument of `erf` is x divided by a root: what does the chain
    rule make of that?
no_half_in_the_exponent:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + x * torch.exp(-(x**2)) / math.sqrt(2 * math.pi))
    The density falls too fast: in the exponent of variance one, x² has a factor. Which one?
upstream_in_the_first_term: dout * (1 + torch.erf(x / 2**0.5)) / 2 + x * torch.exp(-(x**2) / 2) / (2 * math.pi) ** 0.5
    The upstream gradient is in the first term only. It multiplies the whole derivative.
no_root_of_two_pi:
        probability = (1 + torch.erf(x / math.sqrt(2))) / 2
        dout * (probability + x * torch.exp(-(x**2) / 2) / (2 * math.pi))
    The density is divided by 2π. Is a root missing?
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
    This treats tanh(u) as a constant. But u depends on x: which term of the product rule is missing?
no_inner_slope:
        tanh = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        dout * ((1 + tanh) / 2 + x * (1 - tanh**2) / 2)
    The derivative of tanh(u) with respect to x has one more factor: how fast does u change with x?
no_three:
        root = math.sqrt(2 / math.pi)
        tanh = torch.tanh(root * (x + 0.044715 * x**3))
        dout * ((1 + tanh) / 2 + x * (1 - tanh**2) * root * (1 + 0.044715 * x**2) / 2)
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
no_scale: torch.where(keep > 0, dout, torch.zeros_like(dout))
    What was kept is also made larger in the forward pass. By which factor?
no_mask: dout / (1 - p)
    A number that was dropped does not reach the output. What is its gradient?
divided_by_p: dout * keep / p
    This divides by the probability of dropping a number. The forward pass divides by that of keeping it.
by_p: dout * keep / max(p, 0.1)
    This divides by the probability of dropping a number. The forward pass divides by that of keeping it.
turned_round: dout * ~keep / (1 - p)
    This lets the gradient through where the number was dropped. `keep` is True where it was kept.

[rms_norm_backward]
- (dxhat - xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
no_gain_in_the_mean: (dxhat - xhat * (dout * xhat).mean(2, keepdim=True)) * rrms
    In `dx` the path through the mean of the squares lacks the gain.
sum_for_mean: (dxhat - xhat * (dxhat * xhat).sum(2, keepdim=True)) * rrms
    In `dx`, the path through the mean of the squares is too large, as if the squares were added up. By what does a mean
    divide?
factor_only: dxhat * rrms
    `dx` is as if the norm's factor were a constant, but it is computed from `x`, too. Which term is missing?
- dxhat = dout * gain
no_gain: dxhat = dout
    In `dx` the gain is missing: it lies between `dout` and the normalised x.
- rrms = ((x**2).mean(2, keepdim=True) + eps)
no_eps: rrms = (x**2).mean(2, keepdim=True)
    The epsilon is missing. It matters where the numbers of a position are small.
eps_outside: rrms = (((x**2).mean(2, keepdim=True) ** 0.5 + eps) ** 2)
    The epsilon is added to the root. RMSNorm adds it to the mean of the squares, before the root is taken.
variance: rrms = (x.var(2, keepdim=True, unbiased=False) + eps)
    `x` is divided by the root of its variance, as in layer norm. RMSNorm takes the mean of the squares: nothing is
    subtracted.
- (dout * xhat).sum((0, 1))
dgain_with_the_gain: (dout * gain * xhat).sum((0, 1))
    `dgain` has the gain itself in it. What is the derivative of `gain * xhat` with respect to the gain?
gain_of_x: (dout * x).sum((0, 1))
    `dgain` is made with x itself. What does the forward pass multiply by the gain?

[through_layers]
- h = h + branch if residual else branch
no_residual_forward: h = branch
    In the forward pass the term `h[l] +` is missing where there are residual connections.
- gradients.append(gradients[-1] + through if residual else through)
never_residual: gradients.append(through)
    With a residual connection, h[l] is read in two terms. What comes back from the one that is just h[l]?
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
    This goes back as if the GELU came after the product with `U`. Which of the two comes last in the forward pass?
gelu_at_the_wrong_place: gelu_backward(gradients[-1] @ U.T, F.gelu(z))
    The GELU's derivative is taken at its output. Which value goes into it in the forward pass?
- reversed(Ws), reversed(Us), reversed(pre)
not_reversed: Ws, Us, pre
    The way back goes through the layers in the order of the forward pass. Which layer does `dlast` meet first?

# second dropout and MLP
[backward]
- ddropped = dropout_backward(dout, keep2, p)
no_dropout_2: ddropped = dout
    The second dropout is missing on the way back. It lies between `out` and the product with `W2`.

- dpre = gelu_backward(ddropped @ W2.T, pre)
gelu_tanh: dpre = gelu_tanh_backward(ddropped @ W2.T, pre)
    This is the derivative of the tanh form. Which form does the block's `F.gelu` compute?
relu: dpre = (ddropped @ W2.T) * (pre > 0)
    The nonlinearity has the derivative of a ReLU. A GELU has a slope at negative inputs, too.

# RMSNorm and the second residual connection
- through_mlp, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
norm_skipped:
        _, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
        through_mlp = dpre @ W1.T
    `dmid` skips the norm: it uses the gradient of `scaled`. Which of the two results of `rms_norm_backward` goes on to
    `mid`?

- dmid = dout + through_mlp
residual_2_dropped: dmid = ddropped + through_mlp
    In `dmid` the direct path goes through dropout. Is `mid` dropped in the line of `out`?

# first dropout and attention
- dprojected = dropout_backward(dmid, keep1, p)
no_dropout_1: dprojected = dmid
    The first dropout is missing on the way back. It lies between `mid` and the product with `Wo`.
from_branch: dprojected = dropout_backward(through_mlp, keep1, p)
    The attention gets only what comes back through the MLP. Its output goes into `mid`, which has two readers.
from_dout: dprojected = dropout_backward(dout, keep1, p)
    The attention gets `dout` as its upstream gradient. Its output goes into `mid`: what comes back to `mid`?

- dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True))
softmax_no_sum: dscores = weights * dweights
    The softmax's second term is missing: all weights of a row share one sum.
softmax_sigmoid: dscores = weights * dweights * (1 - weights)
    In the softmax's place is the derivative of a sigmoid. In a softmax, a score also changes the other weights of its
    row.
- dproducts = dscores / q.shape[2] ** 0.5
no_root: dproducts = dscores
    The constant of the line of `scores` is missing.
root_of_channels: dproducts = dscores / x.shape[2] ** 0.5
    The gradient of the scores is divided by the root of the number of channels. Which size does the line of `scores`
    take the root of?

- dnormed = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
no_keys: dnormed = dq @ Wq.T + dv @ Wv.T
    One of three paths back to `normed` is missing: it is read in the line of `k`, too.
no_values: dnormed = dq @ Wq.T + dk @ Wk.T
    One of three paths back to `normed` is missing: it is read in the line of `v`, too.

# layer norm and the first residual connection

- dgain = (dnormed * xhat).sum((0, 1))
dgain_of_normed: dgain = (dnormed * normed).sum((0, 1))
    `dgain` is made with `normed`, which comes after the gain. What does the forward pass multiply by the gain?
dgain_of_x: dgain = (dnormed * x).sum((0, 1))
    `dgain` is made with `x`. What does the forward pass multiply by the gain?
- (dxhat - dxhat.mean(2, keepdim=True) - along) * rstd
no_rstd: dxhat - dxhat.mean(2, keepdim=True) - along
    In `dx` the norm's factor is missing: all three terms are divided by the standard deviation.
- dx = dmid + through_attention
residual_1_from_out: dx = dout + through_attention
    In `dx` you add `dout` for the direct path. `x` is added in the line of `mid`: which gradient arrives at `mid`?
residual_1_dropped: dx = dprojected + through_attention
    In `dx` the direct path goes through dropout. Is `x` dropped in the line of `mid`?
""")
