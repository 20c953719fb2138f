"""Known mistakes of lesson 16, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[rnn]
- h.append(torch.tanh(each @ Wx + h[-1] @ Wh + b))
from_h0: h.append(torch.tanh(each @ Wx + h0 @ Wh + b))
    Every step starts from `h0` here. Which state does a step read?
no_tanh: h.append(each @ Wx + h[-1] @ Wh + b)
    The states are the sums themselves, as if there were no tanh.
no_bias: h.append(torch.tanh(each @ Wx + h[-1] @ Wh))
    The states are as if `b` were zero. Does every step add it?
- return torch.stack(h)
without_h0: return torch.stack(h[1:])
    The result has a state for each step, but it should begin with `h0`.

[rnn_step_backward]
- da = dh * (1 - h**2)
no_tanh: da = dh
    You go back through a step as if it had no tanh. What is the derivative of tanh?
sigmoid: da = dh * h * (1 - h)
    That is the slope of a sigmoid, h·(1 - h). The step has a tanh.

[truncated_backward]
- if t > 0 and t % k == 0:  # the first step of a chunk: its state was given
never_cut: if False:
    Nothing is cut off: this is the gradient of the whole sequence. What may not pass the border between two chunks?
start_cut_off: if t % k == 0:
    `dh0` lacks what comes back from the first step. `h0` is at no border, because no chunk computes it.
late_but_for_the_first: if t > 0 and (t + 1) % k == 0:
    What comes back from the last step of a chunk is cut off. Which step of a chunk reads the state before the chunk?
one_step_late: if (t + 1) % k == 0:
    What comes back from the last step of a chunk is cut off. Which step of a chunk reads the state before the chunk?
from_the_end: if t > 0 and (len(x) - t) % k == 0:
    The chunks are counted from the end here. The first one begins at step 0; the last one may be shorter.
- dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
outside_only: dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1], h[t + 1], h[t], x[t], Wx, Wh)
    The states after `h[0]` get a gradient from outside only. From where else does a state get one?
nothing_at_a_border:
        back = dh[t + 1] + carried if (t + 1) % k or t + 1 == len(x) else torch.zeros_like(carried)
        dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(back, h[t + 1], h[t], x[t], Wx, Wh)
    The states at a border get no gradient at all. Which part of it is cut off there, and which comes from outside?
inside_only:
        outside = dh[t + 1] if t == len(x) - 1 else 0
        dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(outside + carried, h[t + 1], h[t], x[t], Wx, Wh)
    The states between `h[0]` and the last one get no gradient from outside. Every state has one in `dh`.
state_before: dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t] + carried, h[t + 1], h[t], x[t], Wx, Wh)
    Step t goes back with what `h[t]` gets from outside. Which state does step t compute?
- h = rnn(x, h0, Wx, Wh, b)
- dx, dWx, dWh, db = (torch.zeros_like(value) for value in (x, Wx, Wh, b))
- carried = torch.zeros_like(h0)  # what comes back from the step after this one
- for t in reversed(range(len(x))):
-     dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
each_chunk_from_h0:
        h = torch.cat([h0[None], *(rnn(x[s : s + k], h0, Wx, Wh, b)[1:] for s in range(0, len(x), k))])
        dx, dWx, dWh, db = (torch.zeros_like(value) for value in (x, Wx, Wh, b))
        carried = torch.zeros_like(h0)
        for t in reversed(range(len(x))):
            before = h0 if t % k == 0 else h[t]
            dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1] + carried, h[t + 1], before, x[t], Wx, Wh)
    Every chunk runs forward from `h0` here. Only the gradient stops at a border; the state is passed on.

- carried = torch.zeros_like(h0)  # what comes back from the step after this one
- for t in reversed(range(len(x))):
rest_left_out:
        carried = torch.zeros_like(h0)
        for t in reversed(range(len(x) // k * k)):
    The steps after the last whole chunk are left out. The last chunk may be shorter than the others.
- return dx, dh[0] + carried, dWx, dWh, db
start_without_outside: return dx, carried, dWx, dWh, db
    `dh0` is only what comes back from step 0. What does `h[0]` get from outside?

[rnn_backward]
- return truncated_backward(dh, x, h0, Wx, Wh, b, len(x))
last_loss_only: return truncated_backward(torch.cat((torch.zeros_like(dh[:-1]), dh[-1:])), x, h0, Wx, Wh, b, len(x))
    Only the last state gets its gradient from outside. Every state has one in `dh`.
state_before:
        shifted = torch.cat((torch.zeros_like(dh[:1]), dh[:-1]))
        return truncated_backward(shifted, x, h0, Wx, Wh, b, len(x))
    Step t goes back with what `h[t]` gets from outside. Which state does step t compute?
first_step_first:
        h, dx, carried = rnn(x, h0, Wx, Wh, b), torch.zeros_like(x), torch.zeros_like(h0)
        dWx, dWh, db = (torch.zeros_like(value) for value in (Wx, Wh, b))
        for t in range(len(x)):
            dx[t], carried, a, c, d = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
            dWx, dWh, db = dWx + a, dWh + c, db + d
        return dx, dh[0] + carried, dWx, dWh, db
    You go through the steps in the order of the forward pass. Which state has its whole gradient first?
first_step_s_weights:
        dx, dh0, *_ = truncated_backward(dh, x, h0, Wx, Wh, b, len(x))
        h = rnn(x, h0, Wx, Wh, b)
        later = truncated_backward(dh[1:], x[1:], h[1], Wx, Wh, b, len(x))
        return dx, dh0, *rnn_step_backward(later[1], h[1], h0, x[0], Wx, Wh)[2:]
    The gradients of the weights are those of one step: `=` where `+=` belongs? Every step uses the same weights.
last_step_s_weights:
        dx, dh0, *_ = truncated_backward(dh, x, h0, Wx, Wh, b, len(x))
        h = rnn(x, h0, Wx, Wh, b)
        return dx, dh0, *rnn_step_backward(dh[-1], h[-1], h[-2], x[-1], Wx, Wh)[2:]
    The gradients of the weights are those of one step. Every step uses the same weights: what happens to their terms?

[norms_through_time]
- dlast = (dlast * (1 - state**2)) @ Wh.T
no_tanh: dlast = dlast @ Wh.T
    The norms are as if the steps had no tanh. Its derivative makes gradients vanish where states are near 1 or -1.
- return torch.stack(norms[::-1])
last_state_left_out: return torch.stack(norms[:0:-1])
    The norm for the last state is missing. Its gradient is `dlast` itself.

[lstm_step_backward]
- dc = dc + dh * o * (1 - tanh_c**2)
from_the_next_step_only: dc = dc
    The gradient of `c` is as if `c` were not read in the line of `h`. Which term comes from there?
from_h_only: dc = dh * o * (1 - tanh_c**2)
    The gradient that comes back from the next step, the `dc` that you are given, is lost.
slope_of_c: dc = dc + dh * o * (1 - c**2)
    The derivative of tanh is not 1 - c² here: that form takes the output of tanh, and `c` is its input.
no_tanh: dc = dc + dh * o
    Between `c` and `h` there is a tanh. The gradient of `c` is as if it were not there.
no_gate: dc = dc + dh * (1 - tanh_c**2)
    In `h = o * tanh(c)` the gate `o` is a factor. It is missing in the term that comes through `h`.
- do = dh * tanh_c
without_tanh_of_c: do = dh * c
    The other factor of `o` is not `c` itself. Which one is it in the line of `h`?
- di, df, dg = dc * g, dc * c_before, dc * i
state_after: di, df, dg = dc * g, dc * c, dc * i
    The forget gate multiplies a state of the cell. Which one: that before the step, or that after it?
exchanged: di, df, dg = dc * i, dc * c_before, dc * g
    In `i * g`, each factor gets the upstream gradient times the other factor.
i_and_f_exchanged: di, df, dg = dc * c_before, dc * g, dc * i
    The input gate has the forget gate's factor, and the forget gate has that of the input gate. What does each of them
    multiply?
gates_as_factors: di, df, dg = dc * f, dc * i, dc * i
    The gates `i` and `f` do not multiply each other. Which factor does each of them have in the line of `c`?
- da = torch.cat((di * i * (1 - i), df * f * (1 - f), dg * (1 - g**2), do * o * (1 - o)), 1)
order_f_i_g_o: da = torch.cat((df * f * (1 - f), di * i * (1 - i), dg * (1 - g**2), do * o * (1 - o)), 1)
    The parts of the forget gate and of the input gate have changed places. The definition has i, f, g, o.
order_i_f_o_g: da = torch.cat((di * i * (1 - i), df * f * (1 - f), do * o * (1 - o), dg * (1 - g**2)), 1)
    The parts are in another order. The definition has i, f, g, o.
sigmoid_for_g: da = torch.cat((di * i * (1 - i), df * f * (1 - f), dg * g * (1 - g), do * o * (1 - o)), 1)
    `g` is a tanh. Here it has the derivative of a sigmoid.
tanh_for_gates: da = torch.cat((di * (1 - i**2), df * (1 - f**2), dg * (1 - g**2), do * (1 - o**2)), 1)
    The gates i, f and o are sigmoids. Here they have the derivative of a tanh.
no_activations: da = torch.cat((di, df, dg, do), 1)
    The gradients of `i`, `f`, `g` and `o` are used as that of `a`. Which functions are between `a` and these four?
- return da @ Wx.T, da @ Wh.T, dc * f, x.T @ da, h_before.T @ da, da.sum(0)
cell_by_input_gate: return da @ Wx.T, da @ Wh.T, dc * i, x.T @ da, h_before.T @ da, da.sum(0)
    `dc_before` has the input gate as its factor. Which factor does `c_before` have in the line of `c`?
cell_ungated: return da @ Wx.T, da @ Wh.T, dc, x.T @ da, h_before.T @ da, da.sum(0)
    `dc_before` is the gradient of `c`, unchanged. In `f * c_before` the forget gate is a factor.

[lstm_backward]
- i, f, g, o = (each @ Wx + h @ Wh + b).chunk(4, 1)
order_i_f_o_g: i, f, o, g = (each @ Wx + h @ Wh + b).chunk(4, 1)
    The forward pass takes the parts in another order. The definition has i, f, g, o.
- found = lstm_step_backward(dh[t] + dh_back, dc_back, *steps[t], Wx, Wh)
no_h_back: found = lstm_step_backward(dh[t], dc_back, *steps[t], Wx, Wh)
    The hidden state after a step gets a gradient from outside only. What comes back to it from the next step?
- dx[t], dh_back, dc_back = found[:3]
c_never_stored: dx[t], dh_back = found[:2]
    `dc` is zero at every step, and so is `dc0`. Where does the `dc_before` of a step go?
- steps.append((i, f, g, o, c, c_before, h_before, each))
h_after: steps.append((i, f, g, o, c, c_before, h, each))
    `dWh` is made with the state after each step. From which state is `a` computed?
- dWx += found[3]
last_weights: dWx = found[3]
    `dWx` is that of a single step. Every step uses the same weights: what happens to their terms?

[gradients]
- loss = F.cross_entropy(logits[known], Y[known])
loss_over_all_positions: loss = F.cross_entropy(logits[known], Y[known], reduction="sum") / Y.numel()
    The loss is divided by the number of all positions. Which positions have a next token?
padding_as_token: loss = F.cross_entropy(logits.flatten(0, 1), Y.clamp(min=0).flatten())
    The positions after the end of a name are counted, as if token 0 came next there. `Y` is -1: leave them out.
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
no_minus_one: dlogits[known] = F.softmax(logits[known], 1) / count
    `dlogits` has only the term of the softmax. What do its rows have to sum to?
- dWo = states.flatten(0, 1).T @ dlogits.flatten(0, 1)
states_before: dWo = h[:-1].transpose(0, 1).flatten(0, 1).T @ dlogits.flatten(0, 1)
    `dWo` is made with the states before the tokens were read. Which states does the head read?
last_logits_only: dWo = states[:, -1].T @ dlogits[:, -1]
    `dWo` has the term of the last step only. The head is used at every step.
- dh[1:] = (dlogits @ p["Wo"].T).transpose(0, 1)
one_state_too_early: dh[:-1] = (dlogits @ p["Wo"].T).transpose(0, 1)
    The gradients of the states are shifted by one. From which state are the first logits made?
last_state_only: dh[-1] = dlogits[:, -1] @ p["Wo"].T
    Only the last state gets a gradient from the head. The head reads every state after `h[0]`.
- da = dh * (1 - h**2)
step_without_tanh: da = dh
    You go back through the steps as if they had no tanh. Is your `rnn_step_backward` right?
- carried = torch.zeros_like(h0)  # what comes back from the step after this one
- for t in reversed(range(len(x))):
steps_forward:
        carried = torch.zeros_like(h0)
        for t in range(len(x)):
    You go back through the steps in the order of the forward pass. Which state has its whole gradient first?
- dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
gradient_of_the_state_before:
        dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t] + carried, h[t + 1], h[t], x[t], Wx, Wh)
    Step t goes back with what `h[t]` gets from outside. Which state does step t compute?
- dx[t], carried, dWx_t, dWh_t, db_t = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
- dWx += dWx_t
- dWh += dWh_t
- db += db_t
weights_of_the_first_step:
        dx[t], carried, dWx, dWh, db = rnn_step_backward(dh[t + 1] + carried, h[t + 1], h[t], x[t], Wx, Wh)
    The gradients of the weights are those of one step: `=` where `+=` belongs? Every step uses the same weights.
- dC.index_add_(0, X.flatten(), dx.transpose(0, 1).flatten(0, 1))
time_and_batch_mixed: dC.index_add_(0, X.flatten(), dx.flatten(0, 1))
    Tokens and gradients are in different orders: `X` has the examples first, `dx` the steps.
- return loss, {"C": dC, "h0": dh0.sum(0), "Wx": dWx, "Wh": dWh, "b": db, "Wo": dWo, "bo": dbo}
h0_of_one: return loss, {"C": dC, "h0": dh0[0], "Wx": dWx, "Wh": dWh, "b": db, "Wo": dWo, "bo": dbo}
    `dh0` is that of the first example only. All of them begin with `h0`.

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
""")
