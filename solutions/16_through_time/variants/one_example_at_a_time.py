"""Each example of the batch alone; the gradients of the weights are added up, the others put side by side."""

import torch


def rnn(x, h0, Wx, Wh, b):
    found = []
    for n in range(h0.shape[0]):
        h = [h0[n]]
        for t in range(x.shape[0]):
            h.append(torch.tanh(Wx.T @ x[t, n] + Wh.T @ h[-1] + b))
        found.append(torch.stack(h))
    return torch.stack(found, 1)


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    da = dh * (1 - h**2)
    dWx = sum(torch.outer(a, d) for a, d in zip(x, da))
    dWh = sum(torch.outer(a, d) for a, d in zip(h_before, da))
    return torch.stack([Wx @ d for d in da]), torch.stack([Wh @ d for d in da]), dWx, dWh, sum(da)


def rnn_backward(dh, x, h0, Wx, Wh, b):
    return truncated_backward(dh, x, h0, Wx, Wh, b, 10**6)


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    h = rnn(x, h0, Wx, Wh, b)
    dx, dWx, dWh, db = torch.zeros_like(x), torch.zeros_like(Wx), torch.zeros_like(Wh), torch.zeros_like(b)
    first = torch.zeros_like(h0)
    for n in range(h0.shape[0]):
        gradient = dh[-1, n]
        for t in range(x.shape[0] - 1, -1, -1):
            da = gradient * (1 - h[t + 1, n] ** 2)
            dx[t, n] = Wx @ da
            dWx += torch.outer(x[t, n], da)
            dWh += torch.outer(h[t, n], da)
            db += da
            gradient = dh[t, n] + (Wh @ da if t % k or t == 0 else 0)
        first[n] = gradient
    return dx, first, dWx, dWh, db


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    h = rnn(x, h0, Wx, Wh, b)
    squares = torch.zeros(len(h), dtype=dlast.dtype)
    for n in range(h0.shape[0]):
        gradient = dlast[n]
        squares[-1] += gradient @ gradient
        for t in range(len(x), 0, -1):
            gradient = Wh @ (gradient * (1 - h[t, n] ** 2))
            squares[t - 1] += gradient @ gradient
    return squares.sqrt()


def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    t = torch.tanh(c)
    dc = dc + dh * o * (1 - t**2)
    da = torch.cat((dc * g * i * (1 - i), dc * c_before * f * (1 - f), dc * i * (1 - g**2), dh * t * o * (1 - o)), 1)
    dWx = sum(torch.outer(a, d) for a, d in zip(x, da))
    dWh = sum(torch.outer(a, d) for a, d in zip(h_before, da))
    return torch.stack([Wx @ d for d in da]), torch.stack([Wh @ d for d in da]), dc * f, dWx, dWh, sum(da)


def lstm_backward(dh, x, h0, c0, Wx, Wh, b):
    hidden, found = h0.shape[1], []
    for n in range(h0.shape[0]):
        h, c, steps = h0[n : n + 1], c0[n : n + 1], []
        for t in range(len(x)):
            a = x[t, n : n + 1] @ Wx + h @ Wh + b
            i, f = torch.sigmoid(a[:, :hidden]), torch.sigmoid(a[:, hidden : 2 * hidden])
            g, o = torch.tanh(a[:, 2 * hidden : 3 * hidden]), torch.sigmoid(a[:, 3 * hidden :])
            new = f * c + i * g
            steps.append((i, f, g, o, new, c, h, x[t, n : n + 1]))
            h, c = o * torch.tanh(new), new
        dx, dh_back, dc_back, weights = [], 0, torch.zeros_like(c), 0
        for t in range(len(x) - 1, -1, -1):
            each, dh_back, dc_back, *terms = lstm_step_backward(dh[t, n : n + 1] + dh_back, dc_back, *steps[t], Wx, Wh)
            dx.insert(0, each)
            weights = terms if weights == 0 else [a + b for a, b in zip(weights, terms)]
        found.append((torch.stack(dx), dh_back, dc_back, *weights))
    dx, dh0, dc0, dWx, dWh, db = zip(*found)
    return torch.cat(dx, 1), torch.cat(dh0), torch.cat(dc0), sum(dWx), sum(dWh), sum(db)


def gradients(parameters, X, Y):
    p = parameters
    sums = {name: torch.zeros_like(value) for name, value in p.items()}
    loss, count = 0.0, int((Y >= 0).sum())
    for tokens, targets in zip(X, Y):
        x = p["C"][tokens][:, None]
        h = rnn(x, p["h0"][None], p["Wx"], p["Wh"], p["b"])
        dh = torch.zeros_like(h)
        for t, target in enumerate(targets.tolist()):
            if target < 0:
                continue
            probs = torch.softmax(h[t + 1, 0] @ p["Wo"] + p["bo"], 0)
            loss = loss - torch.log(probs[target]) / count
            dlogits = probs.clone()
            dlogits[target] -= 1
            dlogits /= count
            sums["Wo"] += torch.outer(h[t + 1, 0], dlogits)
            sums["bo"] += dlogits
            dh[t + 1, 0] = p["Wo"] @ dlogits
        dx, dh0, dWx, dWh, db = rnn_backward(dh, x, p["h0"][None], p["Wx"], p["Wh"], p["b"])
        for name, term in (("h0", dh0[0]), ("Wx", dWx), ("Wh", dWh), ("b", db)):
            sums[name] += term
        for token, term in zip(tokens.tolist(), dx):
            sums["C"][token] += term[0]
    return loss, sums


def clip(gradients, most):
    total = 0.0
    for gradient in gradients.values():
        total += sum(number * number for number in gradient.flatten().tolist())
    norm = total**0.5
    return {name: gradient * most / max(norm, most) for name, gradient in gradients.items()}, norm
