"""Input and state side by side, so that a step is a single product with a single matrix."""

import torch
import torch.nn.functional as F


def rnn(x, h0, Wx, Wh, b):
    W, states = torch.cat((Wx, Wh)), [h0]
    for each in x:
        states.append(torch.tanh(torch.cat((each, states[-1]), 1) @ W + b))
    return torch.stack(states)


def linear_backward(da, x, h, Wx, Wh):
    both = da @ torch.cat((Wx, Wh)).T
    dW = torch.cat((x, h), 1).T @ da
    return both[:, : x.shape[1]], both[:, x.shape[1] :], dW[: x.shape[1]], dW[x.shape[1] :], da.sum(0)


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    return linear_backward(dh * (1 - h.square()), x, h_before, Wx, Wh)


def rnn_backward(dh, x, h0, Wx, Wh, b):
    return truncated_backward(dh, x, h0, Wx, Wh, b, k=len(x) + 1)


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    h = rnn(x, h0, Wx, Wh, b)
    inputs, sums, arriving = [], None, dh[-1]
    for t in range(len(x) - 1, -1, -1):
        dx, back, *weights = rnn_step_backward(arriving, h[t + 1], h[t], x[t], Wx, Wh)
        inputs.insert(0, dx)
        sums = weights if sums is None else [a + b for a, b in zip(sums, weights)]
        is_cut = t != 0 and t % k == 0
        arriving = dh[t] if is_cut else dh[t] + back
    return (torch.stack(inputs), arriving, *sums)


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    h, gradients = rnn(x, h0, Wx, Wh, b), [dlast]
    for t in range(len(x), 0, -1):
        gradients.insert(0, (gradients[0] * (1 - h[t].square())) @ Wh.T)
    return torch.stack(gradients).flatten(1).norm(dim=1)


def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    slope = 1 - c.tanh().square()
    dc = dc + dh * o * slope
    da = torch.stack(
        (dc * g * (i - i * i), dc * c_before * (f - f * f), dc * i * (1 - g * g), dh * c.tanh() * (o - o * o))
    )
    dx, dh_before, *weights = linear_backward(da.transpose(0, 1).flatten(1), x, h_before, Wx, Wh)
    return (dx, dh_before, dc * f, *weights)


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    W, h, c, kept = torch.cat((Wx, Wh)), h0, c0, []
    for each in x:
        a = (torch.cat((each, h), 1) @ W + b).unflatten(1, (4, -1))
        i, f, g, o = a[:, 0].sigmoid(), a[:, 1].sigmoid(), a[:, 2].tanh(), a[:, 3].sigmoid()
        before = (c, h)
        c = f * c + i * g
        h = o * c.tanh()
        kept.append((i, f, g, o, c, *before, each))
    inputs, sums, back, cell = [], None, 0, 0
    for outside, saved in zip(dh.flip(0), reversed(kept)):
        dx, back, cell, *weights = lstm_step_backward(outside + back, cell, *saved, Wx, Wh)
        inputs.append(dx)
        sums = weights if sums is None else [a + b for a, b in zip(sums, weights)]
    return (torch.stack(inputs[::-1]), back, cell, *sums)


def gradients(parameters, X, Y):
    p = parameters
    x, h0 = p["C"][X.T], p["h0"].unsqueeze(0).repeat(len(X), 1)
    h = rnn(x, h0, p["Wx"], p["Wh"], p["b"])
    head = torch.cat((p["Wo"], p["bo"][None]))
    states = torch.cat((h[1:], torch.ones_like(h[1:, :, :1])), 2)
    logits, targets = states @ head, Y.T
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
    weights = (targets >= 0) / (targets >= 0).sum()
    dlogits = weights[..., None] * (logits.softmax(2) - F.one_hot(targets.clamp(min=0), logits.shape[2]))
    dhead = torch.tensordot(states, dlogits, ([0, 1], [0, 1]))
    dh = torch.cat((torch.zeros_like(h[:1]), (dlogits @ head.T)[..., :-1]))
    dx, dh0, dWx, dWh, db = rnn_backward(dh, x, h0, p["Wx"], p["Wh"], p["b"])
    dC = torch.zeros_like(p["C"]).index_add(0, X.T.flatten(), dx.flatten(0, 1))
    return loss, {"bo": dhead[-1], "Wo": dhead[:-1], "b": db, "Wh": dWh, "Wx": dWx, "h0": dh0.sum(0), "C": dC}


def clip(gradients, most):
    norm = (
        torch.stack([torch.einsum("i,i->", each.flatten(), each.flatten()) for each in gradients.values()]).sum().sqrt()
    )
    if norm <= most:
        return gradients, norm
    return {name: each * (most / norm) for name, each in gradients.items()}, norm
