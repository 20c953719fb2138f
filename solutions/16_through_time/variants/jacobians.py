"""With the Jacobian of every step: one matrix per example, and the chain rule as a product of a row and matrices."""

import torch


def rnn(x, h0, Wx, Wh, b):
    h = [h0]
    for t in range(len(x)):
        h.append(torch.tanh(x[t] @ Wx + h[t] @ Wh + b))
    return torch.stack(h)


def through(row, jacobian):
    """Multiply each example's gradient (batch, out) by its Jacobian (batch, out, in)."""
    return (row[:, None, :] @ jacobian)[:, 0]


def slopes(h):
    """The Jacobian of tanh for each example: a diagonal matrix."""
    return torch.diag_embed(1 - h**2)


def weights_gradient(values, da):
    return torch.einsum("...bi,...bj->ij", values, da)


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = through(dh, slopes(h))
    return (
        through(dh, slopes(h) @ Wx.T),
        through(dh, slopes(h) @ Wh.T),
        weights_gradient(x, da),
        weights_gradient(h_before, da),
        da.sum(0),
    )


def rnn_backward(dh, x, h0, Wx, Wh, b):
    return truncated_backward(dh, x, h0, Wx, Wh, b, len(x))


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    h = rnn(x, h0, Wx, Wh, b)
    gradients = [dh[-1]]  # of the states, the last one first
    for t in range(len(x), 1, -1):
        is_first_of_its_chunk = (t - 1) % k == 0
        back = 0 if is_first_of_its_chunk else through(gradients[-1], slopes(h[t]) @ Wh.T)
        gradients.append(dh[t - 1] + back)
    # The gradients of all states are known, so the rest needs no loop.
    da = torch.stack(gradients[::-1]) * (1 - h[1:] ** 2)
    return da @ Wx.T, dh[0] + da[0] @ Wh.T, weights_gradient(x, da), weights_gradient(h[:-1], da), da.sum((0, 1))


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    """With the product of the Jacobians of the last steps: the more steps, the more factors."""
    h = rnn(x, h0, Wx, Wh, b)
    product = torch.eye(h0.shape[1], dtype=h0.dtype).expand(len(h0), -1, -1)
    norms = [dlast.norm()]
    for t in range(len(x), 0, -1):
        product = product @ (slopes(h[t]) @ Wh.T)
        norms.append(through(dlast, product).norm())
    return torch.stack(norms).flip(0)


def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    tanh_c = torch.tanh(c)
    h_by_c = o * (1 - tanh_c**2)
    # of c, by the four parts of a; h reads a through c, and by its output gate
    c_by_a = torch.cat(
        [torch.diag_embed(d) for d in (g * i * (1 - i), c_before * f * (1 - f), i * (1 - g**2), torch.zeros_like(o))],
        2,
    )
    gate = torch.zeros_like(c_by_a)
    gate[:, :, -o.shape[1] :] = torch.diag_embed(tanh_c * o * (1 - o))
    h_by_a = torch.diag_embed(h_by_c) @ c_by_a + gate
    da = through(torch.cat((dh, dc), 1), torch.cat((h_by_a, c_by_a), 1))
    by_c_before = torch.cat((torch.diag_embed(h_by_c * f), torch.diag_embed(f)), 1)
    dc_before = through(torch.cat((dh, dc), 1), by_c_before)
    return da @ Wx.T, da @ Wh.T, dc_before, weights_gradient(x, da), weights_gradient(h_before, da), da.sum(0)


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    h, c, kept = h0, c0, []
    for each in x:
        a = (each @ Wx + h @ Wh + b).split(h0.shape[1], 1)
        i, f, g, o = a[0].sigmoid(), a[1].sigmoid(), a[2].tanh(), a[3].sigmoid()
        kept.append([i, f, g, o, f * c + i * g, c, h, each])
        c = f * c + i * g
        h = o * c.tanh()
    dh_back, dc_back, dx, sums = 0, torch.zeros_like(c0), [], (0, 0, 0)
    for upstream, step in zip(reversed(dh), reversed(kept), strict=True):
        dx_t, dh_back, dc_back, *terms = lstm_step_backward(upstream + dh_back, dc_back, *step, Wx, Wh)
        dx.append(dx_t)
        sums = tuple(total + term for total, term in zip(sums, terms, strict=True))
    return torch.stack(dx).flip(0), dh_back, dc_back, *sums


def gradients(parameters, X, Y):
    C, h0, Wx, Wh, b, Wo, bo = (parameters[name] for name in ("C", "h0", "Wx", "Wh", "b", "Wo", "bo"))
    reads = torch.eye(len(C), dtype=C.dtype)[X]  # (batch, time, vocabulary)
    x = torch.einsum("btv,vf->tbf", reads, C)
    start = torch.outer(torch.ones(len(X), dtype=C.dtype), h0)
    h = rnn(x, start, Wx, Wh, b)
    probs = torch.softmax(torch.einsum("tbh,hv->btv", h[1:], Wo) + bo, 2)
    known = (Y >= 0).to(C.dtype)[..., None]
    came = torch.eye(len(C), dtype=C.dtype)[Y.clamp(min=0)] * known
    loss = -(came * probs.log()).sum() / known.sum()
    # through the Jacobian of the softmax
    dprobs = -came / probs / known.sum()
    jacobian = torch.diag_embed(probs) - probs[..., :, None] * probs[..., None, :]
    dlogits = torch.einsum("btv,btvw->btw", dprobs, jacobian)
    dh = torch.cat((torch.zeros_like(start)[None], torch.einsum("btv,hv->tbh", dlogits, Wo)))
    dx, dstart, dWx, dWh, db = rnn_backward(dh, x, start, Wx, Wh, b)
    return loss, {
        "dC": torch.einsum("btv,tbf->vf", reads, dx),
        "dh0": dstart.sum(0),
        "dWx": dWx,
        "dWh": dWh,
        "db": db,
        "dWo": torch.einsum("tbh,btv->hv", h[1:], dlogits),
        "dbo": dlogits.sum((0, 1)),
    }


def clip(gradients, most):
    norm = torch.cat([each.reshape(-1) for each in gradients.values()]).norm()
    return {name: each * torch.clamp(most / norm, max=1.0) if norm else each for name, each in gradients.items()}, norm
