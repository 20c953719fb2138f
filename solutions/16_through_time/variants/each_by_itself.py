"""Every function by itself, with lists that are stacked and summed at the end."""

import torch


def rnn(x, h0, Wx, Wh, b):
    h = torch.empty(len(x) + 1, *h0.shape, dtype=x.dtype)
    h[0] = h0
    for t in range(len(x)):
        h[t + 1] = (x[t] @ Wx + h[t] @ Wh + b).tanh()
    return h


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh - dh * h * h
    return torch.mm(da, Wx.t()), torch.mm(da, Wh.t()), torch.mm(x.t(), da), torch.mm(h_before.t(), da), da.sum(dim=0)


def rnn_backward(dh, x, h0, Wx, Wh, b):
    h = rnn(x, h0, Wx, Wh, b)
    da = [None] * len(x)
    arriving = dh[-1]
    for t in range(len(x) - 1, -1, -1):
        da[t] = arriving * (1 - h[t + 1] ** 2)
        arriving = da[t] @ Wh.T + dh[t]
    da = torch.stack(da)
    dWx = torch.einsum("tbi,tbj->ij", x, da)
    dWh = torch.einsum("tbi,tbj->ij", h[:-1], da)
    return da @ Wx.T, arriving, dWx, dWh, da.sum((0, 1))


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    h = rnn(x, h0, Wx, Wh, b)
    dx, dWx, dWh, db = [], 0, 0, 0
    first = dh[0]
    for start in range(0, len(x), k):
        piece, states = x[start : start + k], h[start : start + k + 1]
        outside = dh[start : start + k + 1].clone()
        outside[0] = 0
        found = rnn_backward(outside, piece, states[0], Wx, Wh, b)
        dx.append(found[0])
        if start == 0:
            first = first + found[1]
        dWx, dWh, db = dWx + found[2], dWh + found[3], db + found[4]
    return torch.cat(dx), first, dWx, dWh, db


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    h = rnn(x, h0, Wx, Wh, b)
    norms = torch.zeros(len(h), dtype=dlast.dtype)
    gradient = dlast
    for t in range(len(h) - 1, -1, -1):
        norms[t] = (gradient**2).sum().sqrt()
        if t:
            gradient = (gradient * (1 - h[t] ** 2)) @ Wh.T
    return norms


def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    t = torch.tanh(c)
    total = dc + o * (1 - t * t) * dh
    parts = [total * g * i * (1 - i), total * c_before * f * (1 - f), total * i * (1 - g * g), dh * t * o * (1 - o)]
    da = torch.hstack(parts)
    return da @ Wx.T, da @ Wh.T, total * f, x.T @ da, h_before.T @ da, da.sum(0)


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    hidden = h0.shape[1]
    hs, cs, gates = [h0], [c0], []
    for each in x:
        a = each @ Wx + hs[-1] @ Wh + b
        i, f, g, o = (a[:, n * hidden : (n + 1) * hidden] for n in range(4))
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        gates.append((i, f, g, o))
        cs.append(f * cs[-1] + i * g)
        hs.append(o * cs[-1].tanh())
    dx = torch.empty_like(x)
    sums = [torch.zeros_like(Wx), torch.zeros_like(Wh), torch.zeros_like(b)]
    dh_next = dc_next = torch.zeros_like(h0)
    for t in range(len(x) - 1, -1, -1):
        dx[t], dh_next, dc_next, *more = lstm_step_backward(
            dh[t] + dh_next, dc_next, *gates[t], cs[t + 1], cs[t], hs[t], x[t], Wx, Wh
        )
        for total, term in zip(sums, more):
            total += term
    return (dx, dh_next, dc_next, *sums)


def gradients(parameters, X, Y):
    C, h0, Wx, Wh, b, Wo, bo = (parameters[name] for name in ("C", "h0", "Wx", "Wh", "b", "Wo", "bo"))
    batch, time = X.shape
    x = torch.stack([C[X[:, t]] for t in range(time)])
    h = rnn(x, h0.repeat(batch, 1), Wx, Wh, b)
    known = (Y != -1).to(C.dtype)
    n = known.sum()
    loss, dh = 0, [torch.zeros_like(h[0])]
    dWo, dbo = torch.zeros_like(Wo), torch.zeros_like(bo)
    for t in range(time):
        logprobs = torch.log_softmax(h[t + 1] @ Wo + bo, 1)
        target = torch.nn.functional.one_hot(Y[:, t].clamp(min=0), len(bo)).to(C.dtype)
        loss = loss - ((logprobs * target).sum(1) * known[:, t]).sum() / n
        dlogits = (logprobs.exp() - target) * known[:, t, None] / n
        dWo, dbo = dWo + h[t + 1].T @ dlogits, dbo + dlogits.sum(0)
        dh.append(dlogits @ Wo.T)
    dx, dh0, dWx, dWh, db = rnn_backward(torch.stack(dh), x, h0.repeat(batch, 1), Wx, Wh, b)
    dC = torch.zeros_like(C)
    for t in range(time):
        dC.index_add_(0, X[:, t], dx[t])
    return loss, {"C": dC, "h0": dh0.sum(0), "Wx": dWx, "Wh": dWh, "b": db, "Wo": dWo, "bo": dbo}


def clip(gradients, most):
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(each) for each in gradients.values()]))
    if norm > most:
        gradients = {name: each / norm * most for name, each in gradients.items()}
    return gradients, norm
