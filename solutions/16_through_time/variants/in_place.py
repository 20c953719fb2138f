"""In place, on tensors of its own."""

import torch


def rnn(x, h0, Wx, Wh, b):
    h = x.new_zeros(x.shape[0] + 1, *h0.shape)
    h[0].copy_(h0)
    for t, each in enumerate(x):
        torch.tanh(each.mm(Wx).add_(h[t].mm(Wh)).add_(b), out=h[t + 1])
    return h


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = h.square().neg_().add_(1).mul_(dh)
    return da @ Wx.T, da @ Wh.T, x.T @ da, h_before.T @ da, da.sum(0)


def accumulate(into, terms):
    for total, term in zip(into, terms):
        total.add_(term)


def rnn_backward(dh, x, h0, Wx, Wh, b):
    h, gradients = rnn(x, h0, Wx, Wh, b), dh.clone()
    dx, weights = x.new_zeros(x.shape), [Wx.new_zeros(Wx.shape), Wh.new_zeros(Wh.shape), b.new_zeros(b.shape)]
    for t in range(len(x))[::-1]:
        dx[t], before, *terms = rnn_step_backward(gradients[t + 1], h[t + 1], h[t], x[t], Wx, Wh)
        gradients[t] += before
        accumulate(weights, terms)
    return dx, gradients[0], *weights


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    h, gradients = rnn(x, h0, Wx, Wh, b), dh.clone()
    dx, weights = x.new_zeros(x.shape), [Wx.new_zeros(Wx.shape), Wh.new_zeros(Wh.shape), b.new_zeros(b.shape)]
    for t in range(len(x))[::-1]:
        dx[t], before, *terms = rnn_step_backward(gradients[t + 1], h[t + 1], h[t], x[t], Wx, Wh)
        if t == 0 or t % k:
            gradients[t] += before
        accumulate(weights, terms)
    return dx, gradients[0], *weights


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    h, gradient = rnn(x, h0, Wx, Wh, b), dlast.clone()
    norms = gradient.new_zeros(len(h))
    norms[-1] = gradient.norm()
    for t in range(len(x), 0, -1):
        gradient.mul_(1 - h[t] ** 2)
        gradient = gradient @ Wh.T
        norms[t - 1] = gradient.norm()
    return norms


def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    t = c.tanh()
    dc = dc.clone().add_(dh * o * (1 - t**2))
    da = Wx.new_zeros(len(x), Wx.shape[1])
    for part, value in zip(
        da.chunk(4, 1), (dc * g * i * (1 - i), dc * c_before * f * (1 - f), dc * i * (1 - g**2), dh * t * o * (1 - o))
    ):
        part.copy_(value)
    return da @ Wx.T, da @ Wh.T, dc.mul_(f), x.T @ da, h_before.T @ da, da.sum(0)


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    h, c, saved = h0, c0, []
    for each in x:
        i, f, g, o = torch.addmm(b, each, Wx).addmm_(h, Wh).chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        after = torch.addcmul(f * c, i, g)
        saved.append((i, f, g, o, after, c, h, each))
        h, c = o * after.tanh(), after
    dx, weights = x.new_zeros(x.shape), [Wx.new_zeros(Wx.shape), Wh.new_zeros(Wh.shape), b.new_zeros(b.shape)]
    dh_back, dc_back = torch.zeros_like(h0), torch.zeros_like(c0)
    for t in range(len(x))[::-1]:
        dx[t], dh_back, dc_back, *terms = lstm_step_backward(dh_back.add(dh[t]), dc_back, *saved[t], Wx, Wh)
        accumulate(weights, terms)
    return dx, dh_back, dc_back, *weights


def gradients(parameters, X, Y):
    p = parameters
    x = p["C"][X.T]
    h0 = p["h0"].expand(X.shape[0], -1)
    h = rnn(x, h0, p["Wx"], p["Wh"], p["b"])
    rows, targets = h[1:].reshape(-1, h.shape[2]), Y.T.reshape(-1)
    known = targets >= 0
    probs = torch.addmm(p["bo"], rows, p["Wo"])
    probs.sub_(probs.max(1, keepdim=True).values).exp_()
    probs.div_(probs.sum(1, keepdim=True))
    places = known.nonzero()[:, 0]
    loss = -probs[places, targets[places]].log_().mean()
    probs[places, targets[places]] -= 1
    dlogits = probs.mul_(known[:, None]).div_(len(places))
    dh = h.new_zeros(h.shape)
    dh[1:].copy_((dlogits @ p["Wo"].T).view_as(dh[1:]))
    dx, dh0, dWx, dWh, db = rnn_backward(dh, x, h0, p["Wx"], p["Wh"], p["b"])
    dC = p["C"].new_zeros(p["C"].shape).index_put_((X.T,), dx, accumulate=True)
    found = (dC, dh0.sum(0), dWx, dWh, db, rows.T @ dlogits, dlogits.sum(0))
    return loss, dict(zip(("C", "h0", "Wx", "Wh", "b", "Wo", "bo"), found))


def clip(gradients, most):
    norm = sum(each.pow(2).sum().item() for each in gradients.values()) ** 0.5
    clipped = {name: each.clone() for name, each in gradients.items()}
    if norm > most:
        for each in clipped.values():
            each *= most / norm
    return clipped, norm
