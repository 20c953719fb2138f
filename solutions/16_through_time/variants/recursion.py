"""By recursion: the gradient of the first step is asked of the steps after it."""

import torch


def step(x, h, Wx, Wh, b):
    return torch.tanh(torch.addmm(b, x, Wx) + h.mm(Wh))


def rnn(x, h0, Wx, Wh, b):
    if len(x) == 0:
        return h0[None]
    return torch.cat((h0[None], rnn(x[1:], step(x[0], h0, Wx, Wh, b), Wx, Wh, b)))


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h) * (1 + h)
    return [da @ Wx.T, da @ Wh.T, x.T @ da, h_before.T @ da, da.sum(0)]


def back(dh, h, x, Wx, Wh, may_pass, at=0):
    """(the gradients of the inputs from step `at` on, that of h[at], and those of the weights)"""
    if at == len(x):
        return [], dh[at], torch.zeros_like(Wx), torch.zeros_like(Wh), torch.zeros_like(Wh[0])
    later, arriving, *sums = back(dh, h, x, Wx, Wh, may_pass, at + 1)
    dx, before, *terms = rnn_step_backward(arriving, h[at + 1], h[at], x[at], Wx, Wh)
    passing = before if may_pass(at) else torch.zeros_like(before)
    return [dx, *later], dh[at] + passing, *(a + b for a, b in zip(sums, terms))


def rnn_backward(dh, x, h0, Wx, Wh, b):
    dx, *others = back(dh, rnn(x, h0, Wx, Wh, b), x, Wx, Wh, lambda at: True)
    return torch.stack(dx), *others


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    dx, *others = back(dh, rnn(x, h0, Wx, Wh, b), x, Wx, Wh, lambda at: at == 0 or at % k != 0)
    return torch.stack(dx), *others


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    def norms(h, gradient):
        if len(h) == 1:
            return [gradient.norm()]
        return [*norms(h[:-1], (gradient * (1 - h[-1] ** 2)) @ Wh.T), gradient.norm()]

    return torch.stack(norms(rnn(x, h0, Wx, Wh, b), dlast))


def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    t = c.tanh()
    dc = dc + dh * o * (1 - t) * (1 + t)
    da = torch.cat(
        [dc * g * i * (1 - i), dc * c_before * f * (1 - f), dc * i * (1 - g) * (1 + g), dh * t * o * (1 - o)], -1
    )
    return [da @ Wx.T, da @ Wh.T, dc * f, x.T @ da, h_before.T @ da, da.sum(0)]


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    def run(at, h, c):
        """(the gradients of the inputs from step `at` on, those of h and c before it, and those of the weights)"""
        if at == len(x):
            return [], torch.zeros_like(h), torch.zeros_like(c), *map(torch.zeros_like, (Wx, Wh, b))
        i, f, g, o = (x[at] @ Wx + h @ Wh + b).chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        after = f * c + i * g
        later, dh_after, dc_after, *sums = run(at + 1, o * after.tanh(), after)
        dx, dh_before, dc_before, *terms = lstm_step_backward(
            dh[at] + dh_after, dc_after, i, f, g, o, after, c, h, x[at], Wx, Wh
        )
        return [dx, *later], dh_before, dc_before, *(a + b for a, b in zip(sums, terms))

    dx, *others = run(0, h0, c0)
    return torch.stack(dx), *others


def gradients(parameters, X, Y):
    C, h0, Wx, Wh, b, Wo, bo = (parameters[name] for name in ("C", "h0", "Wx", "Wh", "b", "Wo", "bo"))
    known, sums = Y >= 0, {name: torch.zeros_like(value) for name, value in parameters.items()}

    def back(t, h):
        """(the loss of the steps from t on, the gradient of `h`, the state before step t)"""
        if t == X.shape[1]:
            return 0.0, torch.zeros_like(h)
        x = C[X[:, t]]
        after = torch.tanh(x @ Wx + h @ Wh + b)
        logprobs = torch.log_softmax(after @ Wo + bo, 1)
        dlogits = logprobs.exp()
        rows = torch.arange(len(X))[known[:, t]]
        dlogits[rows, Y[rows, t]] -= 1
        dlogits = dlogits * known[:, t, None] / known.sum()
        loss, arriving = back(t + 1, after)
        dx, dh, *terms = rnn_step_backward(arriving + dlogits @ Wo.T, after, h, x, Wx, Wh)
        for name, term in zip(("Wx", "Wh", "b", "Wo", "bo"), (*terms, after.T @ dlogits, dlogits.sum(0))):
            sums[name] += term
        sums["C"].index_add_(0, X[:, t], dx)
        return loss - logprobs[rows, Y[rows, t]].sum() / known.sum(), dh

    loss, dh = back(0, h0.expand(len(X), -1))
    sums["h0"] += dh.sum(0)
    return loss, sums


def clip(gradients, most):
    norm = sum(float((gradient**2).sum()) for gradient in gradients.values()) ** 0.5
    scale = most / norm if norm > most else 1
    return {name: scale * gradient for name, gradient in gradients.items()}, norm
