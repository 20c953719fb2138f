"""Known wrong formulas of lesson 20, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list


def neighbours(x):
    return x[..., 0::2], x[..., 1::2]


def interleaved(a, b):
    return torch.stack((a, b), -1).flatten(-2)


def halves(x):
    return x.chunk(2, -1)


def joined(a, b):
    return torch.cat((a, b), -1)


def silu_slope(x):
    return torch.sigmoid(x) * (1 + x * (1 - torch.sigmoid(x)))


def by_share(dshares, probs, chosen, shares):
    return chosen * (dshares - (dshares * shares).sum(1, keepdim=True)) / (probs * chosen).sum(1, keepdim=True)


def by_balance(dbalance, probs, load):
    return dbalance * probs.shape[1] * load / probs.shape[0]


def at_label(logits, Y):
    return F.one_hot(Y, logits.shape[1]).to(logits.dtype)


ROTARY = mistake_list("""
[dz]
forward_again: a, b = neighbours(drotated_z); interleaved(a * cos - b * sin, b * cos + a * sin)
    This is the rotation of the forward pass. Each feature occurs in the equations of both results: which signs do the
    sines have there?
halves: a, b = halves(drotated_z); joined(a * cos + b * sin, b * cos - a * sin)
    This pairs features of both halves. `rotate_neighbours` pairs features 0 and 1, 2 and 3, and so on.
halves_forward: a, b = halves(drotated_z); joined(a * cos - b * sin, b * cos + a * sin)
    This pairs features of both halves, and rotates as the forward pass does. Check the pairs of `rotate_neighbours`
    first.
own_term_only: a, b = neighbours(drotated_z); interleaved(a * cos, b * cos)
    The gradient has the cosine terms only. Each feature of a pair also moves its partner's result.
not_interleaved: a, b = neighbours(drotated_z); joined(a * cos + b * sin, b * cos - a * sin)
    The numbers are right, and their places are not: the forward pass puts both results of a pair next to each other.
both_plus: a, b = neighbours(drotated_z); interleaved(a * cos + b * sin, b * cos + a * sin)
    Both sines have a plus here. In the forward pass one of them has a minus: whose gradient gets it?
both_minus: a, b = neighbours(drotated_z); interleaved(a * cos - b * sin, b * cos - a * sin)
    Both sines have a minus here. In the forward pass only one has: whose gradient gets it?
sine_for_cosine: a, b = neighbours(drotated_z); interleaved(a * sin + b * cos, b * sin - a * cos)
    Sine and cosine have changed places. At position 0 the angle is 0: what should happen there?
partners_swapped: a, b = neighbours(drotated_z); interleaved(b * cos - a * sin, a * cos + b * sin)
    The two gradients of each pair have changed places.
one_partner_missing: a, b = neighbours(drotated_z); interleaved(a * cos + b * sin, b * cos)
    The second feature of a pair lacks a term: it occurs in both equations of the forward pass.
other_partner_missing: a, b = neighbours(drotated_z); interleaved(a * cos, b * cos - a * sin)
    The first feature of a pair lacks a term: it occurs in both equations of the forward pass.
other_order: b, a = neighbours(drotated_z); interleaved(a * cos + b * sin, b * cos - a * sin)
    This is as if the two features of each pair of the upstream gradient had changed places. Which of the two does
    the forward pass take first?
second_negated: a, b = neighbours(drotated_z); interleaved(a * cos + b * sin, a * sin - b * cos)
    The gradient of the second feature of each pair has the wrong sign. If you use complex numbers: which of the two
    factors is conjugated?
overwritten: a, b = neighbours(drotated_z); a = a * cos + b * sin; interleaved(a, b * cos - a * sin)
    The gradient of the second feature is computed with that of the first. Both need the upstream gradient as it
    arrived.
cosines_of_halves:
        a, b = neighbours(drotated_z)
        drotated_z * joined(cos, cos) + interleaved(b, -a) * joined(sin, sin)
    The features are paired as neighbours, and the cosines and sines laid out as for halves. Which features of a
    position share one angle?
of_the_value: a, b = neighbours(z); interleaved(a * cos + b * sin, b * cos - a * sin)
    This rotates `z` itself. What comes back is a gradient: which one?
unchanged: drotated_z
    The gradient is unchanged here. A rotation mixes two features: how much does each of them move both results?

[dnormed_q]
forward_again: a, b = halves(drotated_q); joined(a * cos - b * sin, b * cos + a * sin)
    This is the rotation of the forward pass. Each feature occurs in the equations of both results: which signs do the
    sines have there?
neighbours: a, b = neighbours(drotated_q); interleaved(a * cos + b * sin, b * cos - a * sin)
    This pairs neighbours. `rotate_halves` pairs feature i of the first half with feature i of the second.
neighbours_forward: a, b = neighbours(drotated_q); interleaved(a * cos - b * sin, b * cos + a * sin)
    This pairs neighbours, and rotates as the forward pass does. Check the pairs of `rotate_halves` first.
own_term_only: a, b = halves(drotated_q); joined(a * cos, b * cos)
    The gradient has the cosine terms only. Each feature of a pair also moves its partner's result.
interleaved: a, b = halves(drotated_q); interleaved(a * cos + b * sin, b * cos - a * sin)
    The numbers are right, and their places are not: both results of a pair are next to each other, as for neighbours.
both_plus: a, b = halves(drotated_q); joined(a * cos + b * sin, b * cos + a * sin)
    Both sines have a plus here. In the forward pass one of them has a minus: whose gradient gets it?
both_minus: a, b = halves(drotated_q); joined(a * cos - b * sin, b * cos - a * sin)
    Both sines have a minus here. In the forward pass only one has: whose gradient gets it?
sine_for_cosine: a, b = halves(drotated_q); joined(a * sin + b * cos, b * sin - a * cos)
    Sine and cosine have changed places. At position 0 the angle is 0: what should happen there?
partners_swapped: a, b = halves(drotated_q); joined(b * cos - a * sin, a * cos + b * sin)
    The two gradients of each pair have changed places.
one_partner_missing: a, b = halves(drotated_q); joined(a * cos + b * sin, b * cos)
    The second feature of a pair lacks a term: it occurs in both equations of the forward pass.
other_partner_missing: a, b = halves(drotated_q); joined(a * cos, b * cos - a * sin)
    The first feature of a pair lacks a term: it occurs in both equations of the forward pass.
cosines_of_neighbours:
        a, b = halves(drotated_q)
        drotated_q * interleaved(cos, cos) + joined(b, -a) * interleaved(sin, sin)
    The features are paired as halves, and the cosines and sines laid out as for neighbours. Which features of a
    position share one angle?
of_the_value: a, b = halves(normed_q); joined(a * cos + b * sin, b * cos - a * sin)
    This rotates `normed_q` itself. What comes back is a gradient: which one?
unchanged: drotated_q
    The gradient is unchanged here. A rotation mixes two features: how much does each of them move both results?

[dgain_q]
of_normed: (dnormed_q * normed_q).sum((0, 1, 2))
    This is as if `normed_q` were the other factor, which contains the gain already. What does the forward pass
    multiply by the gain?
of_qh: (dnormed_q * qh).sum((0, 1, 2))
    This uses the queries before the norm. What does the forward pass multiply by the gain?
before_the_rotation: (drotated_q * qhat).sum((0, 1, 2))
    This skips the rotation: it uses the gradient of `rotated_q`. The gain comes before the rotation.
as_a_bias: dnormed_q.sum((0, 1, 2))
    This would be the gradient of a bias. A gain multiplies.
gain_per_head: (dnormed_q * qhat).sum((0, 2))
    This has a gain for each head. The forward pass has one for all heads.
gain_per_position: (dnormed_q * qhat).sum((0, 1))
    This has a gain for each position. The forward pass has one for all positions.
mean_of_heads: (dnormed_q * qhat).sum((0, 2)).mean(0)
    This is a mean over the heads. All of them use the same gain: what happens to their gradients?
divided_by_gain: (dnormed_q * qhat).sum((0, 1, 2)) / gain_q
    This divides by the gain. What does the forward pass multiply by it?

[dqh]
one_path: dnormed_q * gain_q * rrms
    This treats `rrms` as a constant. Every feature is also in the mean of the squares.
no_gain: (dnormed_q - qhat * (dnormed_q * qhat).mean(3, keepdim=True)) * rrms
    The gain is missing: it lies between `qhat` and `normed_q`.
gain_outside: gain_q * (dnormed_q - qhat * (dnormed_q * qhat).mean(3, keepdim=True)) * rrms
    The gain comes too late: the path through the mean of the squares needs the gradient of `qhat`, which already
    contains it.
no_gain_in_the_mean: (dnormed_q * gain_q - qhat * (dnormed_q * qhat).mean(3, keepdim=True)) * rrms
    In the path through the mean of the squares, the gain is missing. Which gradient arrives at `qhat`?
layer_norm: g = dnormed_q * gain_q; (g - g.mean(3, keepdim=True) - qhat * (g * qhat).mean(3, keepdim=True)) * rrms
    This is a layer norm: it has a term for a mean that was subtracted. QK normalisation subtracts none.
sum_for_mean: g = dnormed_q * gain_q; (g - qhat * (g * qhat).sum(3, keepdim=True)) * rrms
    The path through the mean of the squares has a sum over the features. Which factor of the mean is missing?
all_heads: g = dnormed_q * gain_q; (g - qhat * (g * qhat).mean((1, 3), keepdim=True)) * rrms
    This averages over all heads as well. Each head of each position has an `rrms` of its own.
over_positions: g = dnormed_q * gain_q; (g - qhat * (g * qhat).mean(2, keepdim=True)) * rrms
    This averages over the positions. Which numbers share one `rrms`?
not_normalised: g = dnormed_q * gain_q; (g - qh * (g * qh).mean(3, keepdim=True)) * rrms
    In the path through the mean of the squares, factors `rrms` are missing. How many does the derivative of a power of
    -1/2 have?
half_normalised: g = dnormed_q * gain_q; (g - qhat * (g * qh).mean(3, keepdim=True)) * rrms
    In the path through the mean of the squares, one factor `rrms` is missing.
no_rrms: g = dnormed_q * gain_q; g - qhat * (g * qhat).mean(3, keepdim=True)
    A factor is missing in both paths. What does the forward pass multiply every feature by?
no_qhat_outside: g = dnormed_q * gain_q; (g - (g * qhat).mean(3, keepdim=True)) * rrms
    The path through the mean of the squares reaches every feature by the same amount here. How fast does that mean grow
    with each?
plus: g = dnormed_q * gain_q; (g + qhat * (g * qhat).mean(3, keepdim=True)) * rrms
    The path through the mean of the squares has the wrong sign. If the square of a feature grows, does `rrms` grow or
    shrink?
no_eps:
        g, r = dnormed_q * gain_q, (qh**2).mean(3, keepdim=True) ** -0.5
        (g - qh * r * (g * qh * r).mean(3, keepdim=True)) * r
    The epsilon is missing. It matters where the queries are small.
""")


SWIGLU = mistake_list("""
[dWdown]
of_up: up.T @ dy
    This uses `up`, before it is multiplied by the gate. What does the forward pass multiply by `Wdown`?
of_gate: gate.T @ dy
    This uses `gate`. What does the forward pass multiply by `Wdown`?
of_silu: F.silu(gate).T @ dy
    This uses one of the two factors of `act`. What does the forward pass multiply by `Wdown`?
no_silu: (gate * up).T @ dy
    This uses `gate * up`: the SiLU is missing. Which value does the forward pass multiply by `Wdown`?
sums_first: act.sum(0)[:, None] * dy.sum(0)
    This is the product of two sums over the tokens. A sum of products is something else: multiply token by token.
sigmoid_for_silu: (torch.sigmoid(gate) * up).T @ dy
    In `act`, the gate is opened by a sigmoid here. SiLU has one more factor.
swapped: (gate * F.silu(up)).T @ dy
    In `act`, the SiLU is applied to `up` here. Which of the two goes through it in the forward pass?
relu_for_silu: (torch.relu(gate) * up).T @ dy
    In `act`, the gate goes through a ReLU here. SwiGLU opens its gate with a SiLU.

[dact]
through_up: dy @ Wup
    This goes through `Wup`, whose shape happens to fit. Which matrix made `y` from `act`?
through_gate: dy @ Wgate
    This goes through `Wgate`, whose shape happens to fit. Which matrix made `y` from `act`?
times_act: dy @ Wdown.T * act
    This is multiplied by `act` itself. The derivative of a product with respect to one factor is the other one.
too_far_up: dy @ Wdown.T * F.silu(gate)
    This goes a step too far: it is the gradient of `up`.
times_up: dy @ Wdown.T * up
    This goes too far: the factor `up` belongs to the next step back, to the gate.
of_the_gate: dy @ Wdown.T * up * silu_slope(gate)
    This goes too far: it is the gradient of `gate`.
silu_slope: dy @ Wdown.T * silu_slope(gate)
    SiLU's derivative belongs to the next step back. What does the forward pass do with `act`?
reshaped: dy @ Wdown.reshape(Wdown.shape[1], Wdown.shape[0])
    A matrix is reshaped here where its transpose belongs: a reshape or a view leaves the numbers in their order.

[dup]
no_silu: dact * gate
    This multiplies by the gate without its SiLU. Which function does the forward pass apply to `gate`?
sigmoid: dact * torch.sigmoid(gate)
    This multiplies by the sigmoid of the gate. SiLU has one more factor.
slope: dact * silu_slope(gate)
    This is SiLU's derivative. `up` is multiplied by its value; the derivative belongs to the gate.
by_itself: dact * up
    This is multiplied by `up` itself. The derivative of a product with respect to one factor is the other one.
gate_of_up: dact * F.silu(up)
    This is the SiLU of `up` itself. Which of the two goes through it in the forward pass?
swapped: dact * gate * silu_slope(up)
    Gate and up have changed places: `up` goes through no SiLU.
relu: dact * torch.relu(gate)
    This is a ReLU. SwiGLU opens its gate with a SiLU.
gelu: dact * F.gelu(gate)
    This is the GELU of lesson 14. SwiGLU opens its gate with a SiLU.
silu_of_act: dact * F.silu(gate) * up
    This is multiplied by all of `act`. `up` is one of its two factors: what is the derivative with respect to it?
unchanged: dact
    The gate is missing: `up` is multiplied by something on its way to `act`.

[dgate]
sigmoid_only: dact * up * torch.sigmoid(gate)
    This is one of two terms. In x · σ(x), both factors depend on x.
other_term_only: dact * up * gate * torch.sigmoid(gate) * (1 - torch.sigmoid(gate))
    This is one of two terms. In x · σ(x), both factors depend on x.
of_the_sigmoid: dact * up * torch.sigmoid(gate) * (1 - torch.sigmoid(gate))
    This is the derivative of the sigmoid. SiLU is x · σ(x).
value: dact * up * F.silu(gate)
    This multiplies by SiLU itself. Going back multiplies by its derivative.
no_silu: dact * up
    The SiLU is missing on the way back.
no_up: dact * silu_slope(gate)
    This has SiLU's derivative, and lacks the other factor of `act`.
swapped: dact * gate * silu_slope(up)
    Gate and up have changed places: in the forward pass, the SiLU is applied to `gate`.
times_gate: dact * gate * silu_slope(gate)
    This is multiplied by `gate` where the other factor of `act` belongs.
no_gate_in_the_second: dact * up * (torch.sigmoid(gate) + torch.sigmoid(gate) * (1 - torch.sigmoid(gate)))
    In the second term of the product rule a factor is missing: by what is the derivative of the sigmoid multiplied?
half_of_the_slope: dact * up * (torch.sigmoid(gate) + gate * (1 - torch.sigmoid(gate)))
    Check the derivative of the sigmoid in the second term: a factor is missing.
minus: dact * up * (torch.sigmoid(gate) - gate * torch.sigmoid(gate) * (1 - torch.sigmoid(gate)))
    The second term has the wrong sign. Does the sigmoid grow or shrink with x?
at_the_output: dact * up * silu_slope(F.silu(gate))
    The derivative is taken at SiLU's output. Which value goes into it in the forward pass?
relu: dact * up * (gate > 0)
    This is the derivative of a ReLU. SiLU has a slope at negative inputs, too.
tanh_rule: dact * up * (1 - F.silu(gate)**2)
    This is the rule for a tanh. SiLU is x · σ(x): use the product rule.

[dWup]
of_gate: h.T @ dgate
    Gate and up have changed places: this is the gradient of `Wgate`.
skips_the_gate: h.T @ dact
    This skips a step: `dact` is the gradient of the product. Which gradient arrives at `up`?
sums_first: h.sum(0)[:, None] * dup.sum(0)
    This is the product of two sums over the tokens. A sum of products is something else: multiply token by token.
no_silu: h.T @ (dact * gate)
    Between `dact` and `up` there is the gate with its SiLU: here the SiLU is missing.
by_up: h.T @ (dact * up)
    The gradient of `act` is multiplied by `up` itself. The derivative of a product with respect to one factor is the
    other one.
silu_slope: h.T @ (dact * silu_slope(gate))
    SiLU's derivative belongs to the gate. `up` is multiplied by SiLU's value.
both_gradients: h.T @ (dup + dgate)
    Both gradients are here. `h` is read by two matrices; each matrix makes one value.
reshaped: h.reshape(h.shape[1], h.shape[0]) @ dup
    A matrix is reshaped here where its transpose belongs: a reshape or a view leaves the numbers in their order.

[dWgate]
of_up: h.T @ dup
    Gate and up have changed places: this is the gradient of `Wup`.
skips_the_silu: h.T @ (dact * up)
    This skips the SiLU: it is made from the gradient of SiLU's output.
skips_the_gate: h.T @ dact
    This skips two steps: `dact` is the gradient of the product. Which gradient arrives at `gate`?
sums_first: h.sum(0)[:, None] * dgate.sum(0)
    This is the product of two sums over the tokens. A sum of products is something else: multiply token by token.
sigmoid_only: h.T @ (dact * up * torch.sigmoid(gate))
    On the way to `gate`, one of two terms is here. In x · σ(x), both factors depend on x.
silu_for_its_slope: h.T @ (dact * up * F.silu(gate))
    On the way to `gate`, this multiplies by SiLU itself. Going back multiplies by its derivative.
both_gradients: h.T @ (dup + dgate)
    Both gradients are here. `h` is read by two matrices; each matrix makes one value.
reshaped: h.reshape(h.shape[1], h.shape[0]) @ dgate
    A matrix is reshaped here where its transpose belongs: a reshape or a view leaves the numbers in their order.

[dh]
swapped: dup @ Wgate.T + dgate @ Wup.T
    Gate and up have changed places: each gradient comes back through the other's matrix.
one_matrix: (dgate + dup) @ Wgate.T
    Both gradients go back through `Wgate` here. Which matrix made `up` from `h`?
other_matrix: (dgate + dup) @ Wup.T
    Both gradients go back through `Wup` here. Which matrix made `gate` from `h`?
sums_first: (dgate + dup) @ (Wgate + Wup).T
    This is the product of two sums: each gradient also goes through the other's matrix. Which matrix made which value?
skips_the_gate: dact @ (Wgate + Wup).T
    This skips a step: `dact` is the gradient of the product. Which gradients arrive at `gate` and at `up`?
product: (dgate @ Wgate.T) * (dup @ Wup.T)
    The two paths are multiplied here. What happens to the gradients of a value that is read twice?
skips_the_silu: dact * up @ Wgate.T + dup @ Wup.T
    The path through `Wgate` skips the SiLU: it is made from the gradient of SiLU's output.
skips_the_product: dgate @ Wgate.T + dact @ Wup.T
    The path through `Wup` skips the product with the gate. Which gradient arrives at `up`?
averaged: (dgate @ Wgate.T + dup @ Wup.T) / 2
    This is the mean of the two paths. `h` is read twice: its gradients add up.
""")


ROUTER = mistake_list("""
[ddone]
no_share: dmixed[token]
    The shares are missing. By what is a row of `done` multiplied before it is added to `mixed`?
by_probability: probs[token, expert][:, None] * dmixed[token]
    This multiplies by the probabilities before they are divided by their sum. Which value does the forward pass use?
equal_shares: dmixed[token] / k
    All experts of a token get the same part here. By what does the forward pass multiply?
shares_by_token: shares[chosen][:, None] * dmixed[token]
    The shares are in another order than the rows of `done`: they go token by token here, and `done` goes expert by
    expert.
rows_by_token: dmixed.repeat_interleave(k, 0) * shares[token, expert][:, None]
    The rows of `dmixed` are taken token by token. The rows of `done` go expert by expert: `token` says whose each is.
in_turns: dmixed.repeat(k, 1) * shares[token, expert][:, None]
    All tokens follow each other here, k times. The rows of `done` go expert by expert: `token` says whose each is.
rows_of_experts: shares[token, expert][:, None] * dmixed[expert % len(dmixed)]
    The rows of `dmixed` are chosen with `expert`. To which row of `mixed` is a row of `done` added?
largest_share: dmixed[token] * shares[token].amax(1, keepdim=True)
    Every expert of a token gets the token's largest share. Which share belongs to a row of `done`?
by_load: dmixed[token] * load[expert][:, None]
    This multiplies by the load, which says how often an expert was chosen. By what does the forward pass multiply?
divided_by_share: dmixed[token] / shares[token, expert][:, None]
    This divides by the share. The forward pass multiplies by it.

[dshares]
mean_of_channels:
        gradient = torch.zeros_like(shares)
        gradient[token, expert] = (dmixed[token] * done).mean(1)
        gradient
    This is a mean over the channels. A share multiplies all of them: what happens to the terms?
in_the_order_of_tokens:
        gradient = torch.zeros_like(shares)
        gradient[chosen] = (dmixed[token] * done).sum(1)
        gradient
    The numbers are right, and their places are not: the table is filled token by token, and the rows of `done` go
    expert by expert.
times_share:
        gradient = torch.zeros_like(shares)
        gradient[token, expert] = (dmixed[token] * done).sum(1) * shares[token, expert]
        gradient
    This is multiplied by the share itself. The derivative of a product with respect to one factor is the other one.
of_the_mixture: (dmixed * mixed).sum(1, keepdim=True) * chosen
    This uses `mixed`, the sum over the experts of a token. A share multiplies the output of one expert.
mixture_everywhere: (dmixed * mixed).sum(1, keepdim=True).expand_as(shares)
    In a row, every expert gets the same number here, chosen or not. What does the share of an expert multiply?
rows_in_token_order:
        gradient = torch.zeros_like(shares)
        gradient[chosen] = (dmixed.repeat_interleave(k, 0) * done).sum(1)
        gradient
    The rows of `done` are taken token by token. They go expert by expert: `token` says whose each is.
no_output:
        gradient = torch.zeros_like(shares)
        gradient[token, expert] = dmixed[token].sum(1)
        gradient
    The experts' outputs are missing. What does a share multiply?
no_upstream:
        gradient = torch.zeros_like(shares)
        gradient[token, expert] = done.sum(1)
        gradient
    The upstream gradient is missing: this only sums the experts' outputs.
rows_of_experts:
        gradient = torch.zeros_like(shares)
        gradient[token, expert] = (dmixed[expert % len(dmixed)] * done).sum(1)
        gradient
    The rows of `dmixed` are chosen with `expert`. To which row of `mixed` is a row of `done` added?
rows_by_token:
        gradient = torch.zeros_like(shares)
        gradient[token, expert] = (dmixed[token] * done[token]).sum(1)
        gradient
    The rows of `done` are chosen with `token`. Row i of `done` belongs to choice i: it needs no index.
one_list: (dmixed[token] * done).sum(1)
    The numbers are right; they have one axis. The gradient has the shape of `shares`: which place has each?

[dprobs]
sum_is_constant: chosen * dshares / (probs * chosen).sum(1, keepdim=True) + by_balance(dbalance, probs, load)
    The sum by which the probabilities are divided is a constant here. But each chosen probability is a term of it.
no_renormalisation: chosen * dshares + by_balance(dbalance, probs, load)
    Here the shares are the probabilities themselves. The forward pass divides them by their sum.
choice_differentiated:
        total = (probs * chosen).sum(1, keepdim=True)
        (dshares - (dshares * shares).sum(1, keepdim=True)) / total + by_balance(dbalance, probs, load)
    Experts that were not chosen get a gradient through `shares` here. A tiny change does not change the choice: their
    shares stay 0.
diagonal_only:
        total = (probs * chosen).sum(1, keepdim=True)
        chosen * dshares * (total - probs) / total**2 + by_balance(dbalance, probs, load)
    This is the Jacobian's diagonal: a probability also changes the other shares of its token, through the sum.
constant_everywhere:
        total = (probs * chosen).sum(1, keepdim=True)
        (chosen * dshares - (dshares * shares).sum(1, keepdim=True)) / total + by_balance(dbalance, probs, load)
    The denominator's term reaches experts that were not chosen. Are their probabilities in the sum?
through_shares_only: by_share(dshares, probs, chosen, shares)
    A path is missing: `probs` is read in the line of `balance`, too.
through_balance_only: by_balance(dbalance, probs, load).expand_as(probs)
    A path is missing: `probs` is read in the line of `shares`, too.
not_divided:
        total = (probs * chosen).sum(1, keepdim=True)
        by_share(dshares, probs, chosen, shares) * total + by_balance(dbalance, probs, load)
    Through `shares`, a division by the sum of the chosen probabilities is missing in both terms.
weighted_with_probabilities:
        total = (probs * chosen).sum(1, keepdim=True)
        chosen * (dshares - (dshares * probs * chosen).sum(1, keepdim=True)) / total + by_balance(dbalance, probs, load)
    The denominator's term is divided by the sum only once. How often does the derivative of 1 / x divide by x?
all_probabilities:
        total = (probs * chosen).sum(1, keepdim=True)
        inner = (dshares * probs).sum(1, keepdim=True) / total
        chosen * (dshares - inner) / total + by_balance(dbalance, probs, load)
    The denominator's term collects from all experts here. Which ones have a share?
plain_mean:
        total = (probs * chosen).sum(1, keepdim=True)
        inner = (dshares * chosen).sum(1, keepdim=True) / chosen.sum(1, keepdim=True)
        chosen * (dshares - inner) / total + by_balance(dbalance, probs, load)
    In the denominator's term the mean is not weighted. How much does a share change with the sum, if the share is
    small?
unweighted_sum:
        total = (probs * chosen).sum(1, keepdim=True)
        chosen * (dshares - dshares.sum(1, keepdim=True)) / total + by_balance(dbalance, probs, load)
    In the denominator's term the sum over the experts is not weighted. How much does a share change with its
    denominator, if the share is small?
plus:
        total = (probs * chosen).sum(1, keepdim=True)
        chosen * (dshares + (dshares * shares).sum(1, keepdim=True)) / total + by_balance(dbalance, probs, load)
    The denominator's term has the wrong sign. If a probability grows, the sum grows: what happens to the other shares?
softmax_of_the_chosen: shares * (dshares - (dshares * shares).sum(1, keepdim=True)) + by_balance(dbalance, probs, load)
    This is the rule for a softmax: it goes back to scores. In the line of `shares` the probabilities themselves are
    divided by their sum.
softmax_already: probs * (dshares - (dshares * probs).sum(1, keepdim=True)) + by_balance(dbalance, probs, load)
    This is the backward pass of the softmax, which is the next step. `shares` is a division.
balance_is_a_sum: by_share(dshares, probs, chosen, shares) + dbalance * probs.shape[1] * load
    Through `balance`, each probability counts in full. In the forward pass it is one of several in a mean.
balance_without_experts: by_share(dshares, probs, chosen, shares) + dbalance * load / probs.shape[0]
    Through `balance`, the factor in front of the sum is missing.
balance_mean_of_all: by_share(dshares, probs, chosen, shares) + dbalance * load / probs.numel()
    Through `balance` you divide by the number of all probabilities. Over which axis is the mean, and what stands in
    front of the sum?
balance_with_k: by_share(dshares, probs, chosen, shares) + dbalance * k * load / probs.shape[0]
    Through `balance`, the load is multiplied by `k`. What stands in front of the sum?
balance_sizes_swapped: by_share(dshares, probs, chosen, shares) + dbalance * probs.shape[0] * load / probs.shape[1]
    Through `balance`, the numbers of tokens and of experts have changed places. Which of the two does the mean divide
    by?
balance_of_each_token: by_share(dshares, probs, chosen, shares) + by_balance(dbalance, probs, chosen)
    Through `balance`, each token's own choice stands where the load belongs, which is a mean over all tokens.
balance_of_the_chosen: by_share(dshares, probs, chosen, shares) + chosen * by_balance(dbalance, probs, load)
    Through `balance`, only the chosen experts get a gradient here. Over which experts is the mean of `probs`?
balance_per_assignment: by_share(dshares, probs, chosen, shares) + by_balance(dbalance, probs, load) / k
    Through `balance`, there is one division by `k` too many. Over what is the mean, and what is `load` divided by
    already?
balance_without_load: by_share(dshares, probs, chosen, shares) + by_balance(dbalance, probs, torch.ones_like(load))
    Through `balance`, the load is missing: by what is an expert's mean probability multiplied?
load_differentiated: by_share(dshares, probs, chosen, shares) + by_balance(dbalance, probs, load + probs.mean(0))
    Through `balance`, the load has a gradient here. It counts choices, and a tiny change does not change the choice.
probabilities_for_load: by_share(dshares, probs, chosen, shares) + by_balance(dbalance, probs, probs.mean(0))
    Through `balance`, the mean probabilities stand where another factor belongs. By what is an expert's mean
    probability multiplied?
no_upstream_of_balance: by_share(dshares, probs, chosen, shares) + by_balance(1.0, probs, load)
    Through `balance`, the upstream gradient is missing.

[droute]
elementwise: dprobs * probs * (1 - probs)
    This is the derivative of a sigmoid: the Jacobian's diagonal. A score also changes the other probabilities of its
    row.
no_sum: dprobs * probs
    The softmax's second term is missing: all probabilities of a row share one sum.
no_p_outside: dprobs - (dprobs * probs).sum(1, keepdim=True)
    A factor is missing: how fast does a probability change that is nearly zero?
plain_mean: probs * (dprobs - dprobs.mean(1, keepdim=True))
    The mean over the row is not weighted. With what does each term count?
unweighted_sum: probs * (dprobs - dprobs.sum(1, keepdim=True))
    The sum over the row is not weighted. With what does each term count?
columns: probs * (dprobs - (dprobs * probs).sum(0, keepdim=True))
    This sums over the tokens. The softmax of a token is a row.
log_softmax: dprobs - probs * dprobs.sum(1, keepdim=True)
    This is the rule for a log-softmax. `probs` is a softmax without a logarithm.
sum_over_everything: probs * (dprobs - (dprobs * probs).sum())
    The sum goes over all tokens. The softmax of a token is a row.
of_the_chosen: shares * (dprobs - (dprobs * shares).sum(1, keepdim=True))
    This is a softmax of the chosen scores only. In the forward pass the softmax comes first, over all experts.
only_the_chosen: chosen * probs * (dprobs - (dprobs * probs).sum(1, keepdim=True))
    The scores of experts that were not chosen get no gradient here. They are in the softmax's sum.

[dWr]
skips_the_softmax: u.T @ dprobs
    This skips the softmax: it uses the gradient of the probabilities.
from_shares: u.T @ dshares
    This skips two steps: it uses the gradient of the shares. Which gradient arrives at the result of `u @ Wr`?
chosen_only: u.T @ (droute * chosen)
    A token's gradient reaches only the experts that it chose. Each expert's score is in the softmax of every token.
once_per_choice: u[token].T @ droute[token]
    Each token counts as often as it was sent to an expert. How often does the router read it?
sums_first: u.sum(0)[:, None] * droute.sum(0)
    This is the product of two sums over the tokens. A sum of products is something else: multiply token by token.
own_score_only: u.T @ (dprobs * probs * (1 - probs))
    This goes through the diagonal of the softmax's derivative only. Each score also lowers the other probabilities.
probabilities_again: u.T @ (droute * probs)
    The probabilities are already in `droute`, which is the gradient of the scores.
reshaped: u.reshape(u.shape[1], u.shape[0]) @ droute
    A matrix is reshaped here where its transpose belongs: a reshape or a view leaves the numbers in their order.

[du]
overwritten: gradient = torch.zeros_like(u); gradient[token] = dsent; gradient + droute @ Wr.T
    A token that several experts read gets the gradient of one of them only: with repeated indices, `[token] =` and
    `[token] +=` keep a single row.
mean_of_experts: torch.zeros_like(u).index_add(0, token, dsent) / k + droute @ Wr.T
    The experts' gradients are averaged. What happens to the gradients of a value that is read several times?
shares_again: torch.zeros_like(u).index_add(0, token, shares[token, expert][:, None] * dsent) + droute @ Wr.T
    The shares are applied a second time. They are in `ddone` already, and so in `dsent`.
rows_by_token: dsent.view(len(u), -1, u.shape[1]).sum(1) + droute @ Wr.T
    You take the rows of `dsent` in the order of the tokens. They go expert by expert: `token` says whose each is.
in_turns: dsent.view(-1, *u.shape).sum(0) + droute @ Wr.T
    You take the rows of `dsent` as if all tokens followed each other. They go expert by expert: `token` says whose each
    is.
rows_of_experts: torch.zeros_like(u).index_add(0, expert % len(u), dsent) + droute @ Wr.T
    The rows are added at `expert`. Which row of `u` did row n of `sent` come from?
router_per_choice: torch.zeros_like(u).index_add(0, token, dsent + (droute @ Wr.T)[token])
    The router's gradient is added once for each expert of a token. How often does the router read a token?
experts_only: torch.zeros_like(u).index_add(0, token, dsent)
    A path is missing: the router reads `u` as well.
router_only: droute @ Wr.T
    A path is missing: the experts read `u` as well.
chosen_scores: torch.zeros_like(u).index_add(0, token, dsent) + (droute * chosen) @ Wr.T
    Through the router, only the chosen experts' scores send a gradient here. All scores of a token are computed.
""")


LOSS = mistake_list("""
[dlogits]
no_z_loss: (F.softmax(logits, 1) - at_label(logits, Y)) / len(Y)
    This is the gradient of the cross-entropy. The loss has a second term.
no_cross_entropy: 2 * penalty * log_sum[:, None] * F.softmax(logits, 1) / len(Y)
    This is the gradient of the z-loss. The loss has another term.
z_loss_is_a_sum: p = F.softmax(logits, 1); (p - at_label(logits, Y)) / len(Y) + 2 * penalty * log_sum[:, None] * p
    The z-loss's term is that of a sum over the tokens. In the forward pass it is a mean.
cross_entropy_is_a_sum: p = F.softmax(logits, 1); p - at_label(logits, Y) + 2 * penalty * log_sum[:, None] * p / len(Y)
    The cross-entropy's term is that of a sum over the tokens. In the forward pass it is a mean.
no_two: p = F.softmax(logits, 1); (p * (1 + penalty * log_sum[:, None]) - at_label(logits, Y)) / len(Y)
    In the z-loss's term, check the derivative of a square.
no_log_sum: p = F.softmax(logits, 1); (p * (1 + 2 * penalty) - at_label(logits, Y)) / len(Y)
    In the z-loss's term, check the derivative of a square: it still depends on `log_sum`.
square_kept: p = F.softmax(logits, 1); (p * (1 + 2 * penalty * log_sum[:, None] ** 2) - at_label(logits, Y)) / len(Y)
    In the z-loss's term `log_sum` is squared. What is the derivative of a square?
value_of_the_square:
        p = F.softmax(logits, 1)
        (p * (1 + penalty * log_sum[:, None] ** 2) - at_label(logits, Y)) / len(Y)
    The z-loss's term contains the square itself. What is its derivative?
no_softmax: p = F.softmax(logits, 1); (p + 2 * penalty * log_sum[:, None] - at_label(logits, Y)) / len(Y)
    In the z-loss's term, every logit of a token gets the same gradient. How much does each of them move the logsumexp?
no_penalty: p = F.softmax(logits, 1); (p * (1 + 2 * log_sum[:, None]) - at_label(logits, Y)) / len(Y)
    In the z-loss's term the penalty is missing.
label_in_the_z_loss: (F.softmax(logits, 1) - at_label(logits, Y)) * (1 + 2 * penalty * log_sum[:, None]) / len(Y)
    The z-loss pulls on the label's logit here. Does `log_sum` know the label?
minus_z_loss: p = F.softmax(logits, 1); (p * (1 - 2 * penalty * log_sum[:, None]) - at_label(logits, Y)) / len(Y)
    The z-loss's term has the wrong sign. The loss adds the penalty.
of_the_logits: p = F.softmax(logits, 1); (p + 2 * penalty * logits - at_label(logits, Y)) / len(Y)
    This penalises the squares of the logits. The z-loss penalises the square of their logsumexp.
logits_for_log_sum: p = F.softmax(logits, 1); (p * (1 + 2 * penalty * logits) - at_label(logits, Y)) / len(Y)
    In the z-loss's term, each probability is multiplied by its own logit. What does the z-loss square?
mean_of_log_sum: p = F.softmax(logits, 1); (p * (1 + 2 * penalty * log_sum.mean()) - at_label(logits, Y)) / len(Y)
    The mean is taken before the square here. Each token has a `log_sum` of its own.
no_minus_one: F.softmax(logits, 1) * (1 + 2 * penalty * log_sum[:, None]) / len(Y)
    A term is missing: the pull on the token that comes next.
minus_one_after:
        gradient = F.softmax(logits, 1) * (1 + 2 * penalty * log_sum[:, None]) / len(Y)
        gradient - at_label(logits, Y)
    The 1 at the label is not divided by the number of tokens, and the other terms are.
columns: p = F.softmax(logits, 0); (p * (1 + 2 * penalty * log_sum[:, None]) - at_label(logits, Y)) / len(Y)
    The softmax runs over the tokens. Which axis is the vocabulary?

[duncapped]
not_divided: dlogits * (1 - logits**2)
    This takes the logits for the tanh, and they are the tanh times the cap. The derivative needs the tanh itself.
at_the_input: dlogits * (1 - (uncapped / cap) ** 2)
    The derivative of tanh is written with its output. This is its input.
tanh_twice: dlogits * (1 - torch.tanh(logits / cap) ** 2)
    This takes the tanh of a tanh: the logits have been through it already.
no_cap_inside: dlogits * (1 - torch.tanh(uncapped) ** 2)
    Inside the tanh a divisor is missing.
cap_outside: dlogits * cap * (1 - (logits / cap) ** 2)
    The cap in front is here. The chain rule has one more factor, from inside the tanh.
cap_inside: dlogits * (1 - (logits / cap) ** 2) / cap
    The divisor inside the tanh is here. The forward pass also multiplies by the cap.
clamped: dlogits * (uncapped.abs() < cap)
    This is the derivative of a hard limit. A tanh bends long before its limit.
unchanged: dlogits
    The cap is missing on the way back. Where is its slope 1, and where is it nearly 0?
the_value: dlogits * logits / cap
    This multiplies by the tanh. Going back multiplies by its derivative.
no_square: dlogits * (1 - logits / cap)
    Check the derivative of tanh: something is missing at its output.
sigmoid_rule: dlogits * (logits / cap) * (1 - logits / cap)
    This is the rule for a sigmoid. The cap is a tanh.

[dfinal]
skips_the_cap: dlogits @ wte
    This skips a step: it uses the gradient of the capped logits.
pull_only: duncapped[torch.arange(len(Y)), Y][:, None] * wte[Y]
    Only the label's row of `wte` sends a gradient here. Every row has a logit.
times_final: (duncapped @ wte) * final
    This is multiplied by `final` itself. The derivative of a product with respect to one factor is the other one.
slope_again: (duncapped * (1 - (logits / cap) ** 2)) @ wte
    The derivative of the cap is already in `duncapped`, which is the gradient of the logits before the cap.
divided_by_cap: duncapped @ wte / cap
    The cap is not part of this step. What does the forward pass do with `final`?
mean_again: duncapped @ wte / len(Y)
    The mean over the tokens is already in the gradient of the logits.
label_again: duncapped @ wte - wte[Y]
    The label's row of `wte` is subtracted once more: its part is already in `duncapped`.
from_the_loss: (F.softmax(logits, 1) - at_label(logits, Y)) / len(Y) @ wte
    This starts from the loss again. Which gradient arrives at the result of `final @ wte.T`?

[dwte]
overwritten: gradient = duncapped.T @ final; gradient[X] += dfinal; gradient
    From the embedding, a token that occurs several times gets only one of its gradients: with repeated indices,
    `[X] +=` keeps a single row.
replaced: gradient = duncapped.T @ final; gradient[X] = dfinal; gradient
    In the rows of `X`, the embedding's gradient replaces the head's. `wte` is read twice: what happens to the two
    gradients?
head_only: duncapped.T @ final
    A path is missing: `wte` is also the embedding.
embedding_only: torch.zeros_like(wte).index_add(0, X, dfinal)
    A path is missing: `wte` is also the head.
at_the_labels: (duncapped.T @ final).index_add(0, Y, dfinal)
    The embedding's gradient is added at the tokens that come next. Which rows does the forward pass read?
of_the_embedding: (duncapped.T @ wte[X]).index_add(0, X, dfinal)
    In the head's term the other factor is the embedding alone. What does the forward pass multiply by the head?
skips_the_cap: (dlogits.T @ final).index_add(0, X, dfinal)
    The head's term skips a step: it uses the gradient of the capped logits.
mean_per_token:
        count = torch.bincount(X, minlength=len(wte)).clamp(min=1)[:, None]
        duncapped.T @ final + torch.zeros_like(wte).index_add(0, X, dfinal) / count
    The gradients of a token's places are averaged. Each place reads the same row: what happens to them?
""")


BLOCK = mistake_list("""
# the experts
[block_backward]
- mixed = dout.flatten(0, 1)
batch_and_time_swapped: mixed = dout.transpose(0, 1).flatten(0, 1)
    The rows of `dout` are taken in another order than those of `u`: first all examples of a position, then the next.
- done = ddone(mixed, t["shares"], token, expert)
no_share: done = mixed[token]
    The shares are missing on the way back through the experts.
by_probability: done = ddone(mixed, t["probs"], token, expert)
    On the way back through the experts you multiply by the probabilities before they are divided by their sum.
first_k_experts: done = ddone(mixed, t["shares"], token, expert) * (expert < t["k"])[:, None]
    On the way back only the experts 0 to k - 1 take part. `k` says how many of them a token is sent to: how many
    are there?
- return products.new_zeros(t["probs"].shape[1], *products.shape[1:]).index_add(0, expert, products)
all_experts_alike: return products.sum(0).expand(t["probs"].shape[1], *products.shape[1:])
    Every expert gets the gradient of all tokens. An expert's weights are read by its own tokens only.
mean_per_expert:
        zeros, count = products.new_zeros(t["probs"].shape[1], *products.shape[1:]), t["chosen"].sum(0).clamp(min=1)
        return zeros.index_add(0, expert, products) / count[:, None, None]
    The gradient of an expert's weights is a mean over its tokens. Each of them moves the weights: take the sum.
last_token_only:
        gradient = products.new_zeros(t["probs"].shape[1], *products.shape[1:])
        gradient[expert] = products
        return gradient
    An expert's weights get the gradient of one token only. With repeated indices, `[expert] =` and `[expert] +=`
    keep a single entry.
- act = torch.einsum("nc,njc->nj", done, t["Wdowns"][expert])
all_experts_act: act = torch.einsum("nc,ejc->nj", done, t["Wdowns"])
    In the gradient of `act`, each row goes through the `Wdowns` of all experts. Which one made it?
first_expert_act: act = done @ t["Wdowns"][0].T
    In the gradient of `act`, every row goes through the first expert's `Wdowns`. Which one made it?
- d["dWdowns"] = for_each_expert(t["act"], done)
down_of_all_rows: d["dWdowns"] = (t["act"].T @ done).expand_as(t["Wdowns"])
    In `dWdowns`, every expert gets the gradient of all rows. An expert's weights are read by its own rows only.
down_of_silu: d["dWdowns"] = for_each_expert(F.silu(t["gate"]), done)
    `dWdowns` is made with one of the two factors of `act`. Which value does the forward pass multiply by `Wdowns`?
down_without_share: d["dWdowns"] = for_each_expert(t["act"], mixed[token])
    In `dWdowns` the shares are missing. Which gradient arrives at `done`?
no_silu_in_down: d["dWdowns"] = for_each_expert(t["gate"] * t["up"], done)
    `dWdowns` is made with `gate * up`. Which value does the forward pass multiply by `Wdowns`?
- gate = dgate(act, t["gate"], t["up"])
gate_and_up_swapped: gate, up = up, dgate(act, t["gate"], t["up"])
    In the experts, gate and up have changed places.
- sent = torch.einsum("nj,ncj->nc", gate, t["Wgates"][expert]) + torch.einsum("nj,ncj->nc", up, t["Wups"][expert])
no_gate_path: sent = torch.einsum("nj,ncj->nc", up, t["Wups"][expert])
    In the gradient of `sent` the path through `gate` is missing. `sent` is read by two products.
no_up_path: sent = torch.einsum("nj,ncj->nc", gate, t["Wgates"][expert])
    In the gradient of `sent` the path through `up` is missing. `sent` is read by two products.
shares_again:
        sent = torch.einsum("nj,ncj->nc", gate, t["Wgates"][expert])
        sent = t["shares"][token, expert][:, None] * (sent + torch.einsum("nj,ncj->nc", up, t["Wups"][expert]))
    In the gradient of `sent` the shares are applied a second time. They are in the gradient of `done` already.
matrices_swapped:
        sent = torch.einsum("nj,ncj->nc", up, t["Wgates"][expert])
        sent = sent + torch.einsum("nj,ncj->nc", gate, t["Wups"][expert])
    In the gradient of `sent`, gate and up have changed places.

# the router
- probs = dprobs(shares, dbalance, t["probs"], t["chosen"], t["shares"], t["load"])
balance_as_a_loss: probs = dprobs(shares, 1.0, t["probs"], t["chosen"], t["shares"], t["load"])
    The upstream gradient of `balance` is taken as 1. It is `dbalance`.
balance_is_a_sum: probs = dprobs(shares, dbalance * len(mixed), t["probs"], t["chosen"], t["shares"], t["load"])
    Through `balance`, each probability counts in full. In the forward pass it is one of several in a mean.
balance_by_batch: probs = dprobs(shares, dbalance * dout.shape[1], t["probs"], t["chosen"], t["shares"], t["load"])
    Through `balance` you divide by the number of examples. A token is a position of an example: how many are there?
no_balance: probs = dprobs(shares, 0.0, t["probs"], t["chosen"], t["shares"], t["load"])
    What comes back from `balance` is missing. It reaches the router's probabilities.
sum_is_constant:
        total = (t["probs"] * t["chosen"]).sum(1, keepdim=True)
        probs = dprobs(0 * shares, dbalance, t["probs"], t["chosen"], t["shares"], t["load"])
        probs = probs + t["chosen"] * shares / total
    In the router, the sum by which the probabilities are divided is a constant here. Each chosen one is a term of it.
no_router_through_shares: probs = dprobs(0 * shares, dbalance, t["probs"], t["chosen"], t["shares"], t["load"])
    The router learns from `balance` alone here. The shares send a gradient to it, too.
- route = droute(probs, t["probs"])
no_router_softmax: route = probs
    The router's softmax is missing on the way back.
- d["dWr"] = dWr(route, t["u"])
Wr_of_probabilities: d["dWr"] = dWr(probs, t["u"])
    `dWr` is made with the gradient of the probabilities. Which gradient arrives at `u @ Wr`?
- u = du(sent, route, t["u"], t["Wr"], token)
router_detached: u = torch.zeros_like(t["u"]).index_add(0, token, sent)
    In the gradient of `u` the router's path is missing.
experts_detached: u = route @ t["Wr"].T
    In the gradient of `u` the experts' path is missing.
tokens_overwritten:
        u = route @ t["Wr"].T
        u[token] += sent
    A token that several experts read gets the gradient of one of them only. Each of them has to be added: `[token] =`
    overwrites, and `[token] +=` keeps a single row of a repeated token.

# the second norm and residual connection
- mid = dout + through_experts
no_residual_2: mid = through_experts
    The second residual connection is missing: `mid` is also a term of `out`.
residual_2_only: mid = dout
    `mid` gets `dout` alone. What comes back through the experts and the norm?
- through_experts, d["dgain2"] = back_through_norm(u.view(dout.shape), t["mid"], t["gain2"])
norm_2_at_x: through_experts, d["dgain2"] = back_through_norm(u.view(dout.shape), t["x"], t["gain2"])
    The second norm's backward pass is taken at `x`. Which value does this norm read?
norm_2_skipped:
        _, d["dgain2"] = back_through_norm(u.view(dout.shape), t["mid"], t["gain2"])
        through_experts = u.view(dout.shape)
    The second norm is missing on the way from `u` to `mid`.
gain_2_of_u:
        through_experts, _ = back_through_norm(u.view(dout.shape), t["mid"], t["gain2"])
        d["dgain2"] = (u * t["u"]).sum(0)
    `dgain2` is as if `u` were the other factor, which contains the gain already. What does the forward pass
    multiply by the gain?
rms_2_of_x:
        upstream, rrms = u.view(dout.shape), ((t["x"] ** 2).mean(-1, keepdim=True) + t["eps"]) ** -0.5
        midhat, direct = t["mid"] * rrms, upstream * t["gain2"] * rrms
        through_experts = direct - midhat * (direct * midhat).mean(-1, keepdim=True)
        d["dgain2"] = (upstream * midhat).sum((0, 1))
    The second norm's root mean square is that of `x`. Which value does this norm read?
- dx = (dxhat - x * rrms * (dxhat * x * rrms).mean(-1, keepdim=True)) * rrms
norm_not_normalised: dx = (dxhat - x * (dxhat * x).mean(-1, keepdim=True)) * rrms
    In the norms' second path, factors `rrms` are missing. How many does the derivative of a power of -1/2 have?
norm_without_gain: dx = (upstream - x * rrms * (upstream * x * rrms).mean(-1, keepdim=True)) * rrms
    In the backward pass of the norms, the gain is missing.
norm_with_a_sum: dx = (dxhat - x * rrms * (dxhat * x * rrms).sum(-1, keepdim=True)) * rrms
    In the norms' second path there is a sum. The squares are averaged.
norms_directly: dx = dxhat * rrms
    A path through the norms is missing: each number is also in the mean of the squares.
- .mean(-1, keepdim=True)) * rrms
norms_plus: .mean(-1, keepdim=True) * -1) * rrms
    In the norms, the path through the mean of the squares has the wrong sign.
norm_1_plus: .mean(-1, keepdim=True) * (-1 if x is t["x"] else 1)) * rrms
    In the first norm, the path through the mean of the squares has the wrong sign.
norm_1_with_a_sum: .mean(-1, keepdim=True) * (x.shape[2] if x is t["x"] else 1)) * rrms
    In the first norm's second path there is a sum. The squares are averaged.
norm_1_directly: .mean(-1, keepdim=True) * (x is not t["x"])) * rrms
    A path through the first norm is missing: each number is also in the mean of the squares.
norm_q_directly: .mean(-1, keepdim=True) * (x is not t["qh"])) * rrms
    A path through the queries' norm is missing: each number is also in the mean of the squares.
- + t["eps"]) ** -0.5
norms_without_eps: ) ** -0.5
    An epsilon is missing. Each norm has it, and it matters where the values are small.
norm_1_without_eps: + (x is not t["x"]) * t["eps"]) ** -0.5
    The epsilon is missing in the first norm. It matters where the values are small.
eps_1_after_the_root:
        + t["eps"]) ** -0.5
        if x is t["x"]:
            rrms = 1 / ((x**2).mean(-1, keepdim=True) ** 0.5 + t["eps"])
    In the first norm, the epsilon is added after the root. The forward pass adds it under the root.
- return dx, (upstream * x * rrms).flatten(0, -2).sum(0)
gain_of_x: return dx, (upstream * x).flatten(0, -2).sum(0)
    A gain's gradient is made with the input of its norm. What does the forward pass multiply by the gain?

# attention
- contexts = (mid @ t["Wo"].T).unflatten(2, (t["heads"], -1)).transpose(1, 2)
heads_by_view: contexts = (mid @ t["Wo"].T).reshape(t["qh"].shape)
    The heads get the wrong numbers: a view from (batch, time, features) to (batch, heads, time, size) mixes positions.
- d["dWo"] = torch.einsum("btd,btc->dc", t["merged"], mid)
Wo_of_dout: d["dWo"] = torch.einsum("btd,btc->dc", t["merged"], dout)
    `dWo` is made with `dout`. What is added to it on the way to `mid`?
- values = t["weights"].mT @ contexts
values_not_transposed: values = t["weights"] @ contexts
    A value collects from the positions that read it. Are these along a row of the weights, or along a column?
- scores = t["weights"] * (weights - (weights * t["weights"]).sum(3, keepdim=True))
softmax_no_sum: scores = t["weights"] * weights
    In the attention's softmax the second term is missing: all weights of a row share one sum.
softmax_over_queries: scores = t["weights"] * (weights - (weights * t["weights"]).sum(2, keepdim=True))
    In the attention's softmax the sum goes over the queries. Over which axis do the weights add up to 1?
softmax_unweighted: scores = t["weights"] * (weights - weights.sum(3, keepdim=True))
    In the attention's softmax the sum is not weighted. With what does each term count?
- products = scores / t["qh"].shape[3] ** 0.5
no_root: products = scores
    The scores are divided by a root in the forward pass. It is missing on the way back.
root_of_channels: products = scores / t["x"].shape[2] ** 0.5
    The root is that of the number of channels. Which size does the line of `scores` take?
root_of_all_heads: products = scores / t["merged"].shape[2] ** 0.5
    The root is that of all heads' features together. Which size does the line of `scores` take?
- keys = products.mT @ t["rotated_q"]
keys_of_unrotated: keys = products.mT @ t["normed_q"]
    The keys were compared with rotated queries. Here the other factor is the query before its rotation.
keys_of_raw: keys = products.mT @ t["qh"]
    The keys were compared with queries after their norm and rotation. Here the other factor is `qh`.
keys_not_transposed: keys = products @ t["rotated_q"]
    A key collects from the queries that read it. Which axis of the scores are they on?
- copies.unflatten(1, (t["groups"], -1)).sum(2)
copies_not_summed: copies[:, :: t["heads"] // t["groups"]]
    Only the first head of each group sends its gradient to the group's key and value.
first_groups: copies[:, : t["groups"]]
    Only the first heads send their gradients to keys and values. Which heads read group 0?
copies_averaged: copies.unflatten(1, (t["groups"], -1)).mean(2)
    The heads of a group are averaged. A copy forward is a sum backward.
other_groups: copies.unflatten(1, (-1, t["groups"])).sum(1)
    This adds up heads of different groups: the heads of a group are next to each other.
- in (values, keys))
values_of_other_groups: in (values.unflatten(1, (-1, t["groups"])).transpose(1, 2).flatten(1, 2), keys))
    For the values, you add up heads of different groups: the heads of a group are next to each other.
keys_of_other_groups: in (values, keys.unflatten(1, (-1, t["groups"])).transpose(1, 2).flatten(1, 2)))
    For the keys, you add up heads of different groups: the heads of a group are next to each other.
values_of_first_head: in (values * (torch.arange(t["heads"]) % (t["heads"] // t["groups"]) == 0)[:, None, None], keys))
    Only the first head of each group sends its gradient to the group's values.
- normed_q = dnormed_q(products @ t["keys"], t["cos"], t["sin"])
queries_of_raw:
        normed_q = dnormed_q(products @ t["kh"].repeat_interleave(t["heads"] // t["groups"], 1), t["cos"], t["sin"])
    The queries were compared with keys after their norm and rotation. Here the other factor is `kh`.
queries_of_unrotated:
        unrotated = t["normed_k"].repeat_interleave(t["heads"] // t["groups"], 1)
        normed_q = dnormed_q(products @ unrotated, t["cos"], t["sin"])
    The queries were compared with rotated keys. Here the other factor is the key before its rotation.
queries_not_rotated: normed_q = products @ t["keys"]
    The rotation of the queries is missing on the way back.
queries_forward: normed_q = dnormed_q(products @ t["keys"], t["cos"], -t["sin"])
    The queries' gradient is rotated in the direction of the forward pass.
queries_as_neighbours: normed_q = dz(products @ t["keys"], t["cos"], t["sin"])
    The queries' gradient is rotated with neighbours as pairs. `block` rotates the halves.
- normed_k = dnormed_q(rotated_k, t["cos"], t["sin"])
keys_not_rotated: normed_k = rotated_k
    The rotation of the keys is missing on the way back.
keys_forward: normed_k = dnormed_q(rotated_k, t["cos"], -t["sin"])
    The keys' gradient is rotated in the direction of the forward pass.
keys_as_neighbours: normed_k = dz(rotated_k, t["cos"], t["sin"])
    The keys' gradient is rotated with neighbours as pairs. `block` rotates the halves.
- normed_q = dnormed_q(products @ t["keys"], t["cos"], t["sin"])
- normed_k = dnormed_q(rotated_k, t["cos"], t["sin"])
neither_rotated: normed_q, normed_k = products @ t["keys"], rotated_k
    The rotations of queries and keys are missing on the way back.
- qh, d["dgain_q"] = back_through_norm(normed_q, t["qh"], t["gain_q"])
queries_norm_skipped:
        _, d["dgain_q"] = back_through_norm(normed_q, t["qh"], t["gain_q"])
        qh = normed_q
    The norm of the queries is missing on the way back from `normed_q`.
queries_norm_of_normed: qh, d["dgain_q"] = back_through_norm(normed_q, t["normed_q"], t["gain_q"])
    The norm of the queries is taken at `normed_q`, which is its result. Which value does this norm read?
gain_q_before_rotation:
        qh, _ = back_through_norm(normed_q, t["qh"], t["gain_q"])
        _, d["dgain_q"] = back_through_norm(products @ t["keys"], t["qh"], t["gain_q"])
    `dgain_q` skips the rotation: it uses the gradient of `rotated_q`. The gain comes before the rotation.
gain_q_in_the_rotation:
        turned = dnormed_q(products @ t["keys"] * t["gain_q"], t["cos"], t["sin"])
        qh, _ = back_through_norm(turned / t["gain_q"], t["qh"], t["gain_q"])
        _, d["dgain_q"] = back_through_norm(normed_q, t["qh"], t["gain_q"])
    The queries' gradient is multiplied by the gain before it is rotated back. In which order do the two come?
- kh, d["dgain_k"] = back_through_norm(normed_k, t["kh"], t["gain_k"])
keys_norm_skipped:
        _, d["dgain_k"] = back_through_norm(normed_k, t["kh"], t["gain_k"])
        kh = normed_k
    The norm of the keys is missing on the way back from `normed_k`.
keys_with_gain_q: kh, d["dgain_k"] = back_through_norm(normed_k, t["kh"], t["gain_q"])
    The norm of the keys is taken with the queries' gain.
- (("Wq", qh), ("Wk", kh), ("Wv", vh))
values_rotated: (("Wq", qh), ("Wk", kh), ("Wv", dnormed_q(vh, t["cos"], t["sin"])))
    The values' gradient is rotated. Are values rotated in the forward pass?
- merged = heads.transpose(1, 2).flatten(2)
merged_by_view: merged = heads.reshape(heads.shape[0], heads.shape[2], -1)
    The heads are put together wrongly: a view from (batch, heads, time, size) to (batch, time, features) mixes
    positions.
queries_merged_by_view:
        merged = heads.transpose(1, 2).flatten(2)
        merged = heads.reshape(merged.shape) if name == "Wq" else merged
    The queries' heads are put together wrongly: a view from (batch, heads, time, size) to (batch, time, features) mixes
    positions.
- d["d" + name] = torch.einsum("btc,btd->cd", t["normed"], merged)
Wq_of_x: d["d" + name] = torch.einsum("btc,btd->cd", t["x"] if name == "Wq" else t["normed"], merged)
    `dWq` is made from `x`, before the norm. Which value is multiplied by this matrix?
weights_of_x: d["d" + name] = torch.einsum("btc,btd->cd", t["x"], merged)
    `dWq`, `dWk` and `dWv` are made from `x`, before the norm. Which value is multiplied by these matrices?

- normed += merged @ t[name].T
last_path_only: normed = merged @ t[name].T
    The first norm's result gets the gradient of the values only. Three matrices read it.
no_values_path: normed += (name != "Wv") * merged @ t[name].T
    The first norm's result lacks the path through the values. Three matrices read it.

# the first norm and residual connection
- through_attention, d["dgain1"] = back_through_norm(normed, t["x"], t["gain1"])
norm_1_without_gain: through_attention, d["dgain1"] = back_through_norm(normed, t["x"], torch.ones_like(t["gain1"]))
    In the first norm's backward pass, the gain is missing.
norm_1_with_gain_2: through_attention, d["dgain1"] = back_through_norm(normed, t["x"], t["gain2"])
    The first norm is taken with the second one's gain.
norm_1_at_mid:
        through_attention, _ = back_through_norm(normed, t["mid"], t["gain1"])
        _, d["dgain1"] = back_through_norm(normed, t["x"], t["gain1"])
    The first norm's backward pass is taken at `mid`. Which value does this norm read?
norm_1_skipped:
        _, d["dgain1"] = back_through_norm(normed, t["x"], t["gain1"])
        through_attention = normed
    The first norm is missing on the way from its result to `x`.
gain_1_of_normed:
        through_attention, _ = back_through_norm(normed, t["x"], t["gain1"])
        d["dgain1"] = (normed * t["normed"]).sum((0, 1))
    `dgain1` is as if the norm's result were the other factor, which contains the gain already. What is multiplied
    by the gain?
- d["dx"] = mid + through_attention
dx_from_dout: d["dx"] = dout + through_attention
    In `dx` the direct path carries `dout`. `x` is added in the line of `mid`: which gradient arrives there?
residual_1_minus: d["dx"] = mid - through_attention
    In `dx` the path through the attention has the wrong sign. Both gradients of `x` are added.
no_residual_1: d["dx"] = through_attention
    The first residual connection is missing: `x` is also a term of `mid`.
residual_1_only: d["dx"] = mid
    `dx` has the direct path alone. What comes back through the attention?
""")
