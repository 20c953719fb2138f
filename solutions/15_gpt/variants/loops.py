"""Right, one example and one head at a time; each example is cut to its own length, which pads nothing."""

import math

import torch
import torch.nn.functional as F


def norm(x, gain):
    return torch.stack([gain * row / (row @ row / len(row) + 1e-5) ** 0.5 for row in x])


def norm_backward(up, x, gain):
    dx, dgain, n = torch.zeros_like(x), torch.zeros_like(gain), x.shape[1]
    for t in range(len(x)):
        square = x[t] @ x[t] / n + 1e-5
        dgain += up[t] * x[t] / square**0.5
        dx[t] = up[t] * gain / square**0.5 - x[t] * ((up[t] * gain) @ x[t]) / n / square**1.5
    return dx, dgain


def block(x, P, layer, heads):
    normed = norm(x, P["gain1"][layer])
    q, k, v = normed @ P["Wq"][layer], normed @ P["Wk"][layer], normed @ P["Wv"][layer]
    size, weights, contexts = x.shape[1] // heads, [], torch.zeros_like(x)
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        w = torch.zeros(len(x), len(x), dtype=x.dtype)
        for t in range(len(x)):
            w[t, : t + 1] = torch.softmax(k[: t + 1, part] @ q[t, part] / math.sqrt(size), 0)
        weights.append(w)
        contexts[:, part] = w @ v[:, part]
    mid = x + contexts @ P["Wo"][layer]
    scaled = norm(mid, P["gain2"][layer])
    pre = scaled @ P["W1"][layer]
    return mid + F.gelu(pre) @ P["W2"][layer], (x, normed, q, k, v, weights, contexts, mid, scaled, pre)


def block_backward(dx, P, layer, heads, kept, d):
    x, normed, q, k, v, weights, contexts, mid, scaled, pre = kept
    d["W2"][layer] += F.gelu(pre).T @ dx
    density = torch.exp(-pre * pre / 2) / math.sqrt(2 * math.pi)
    dpre = dx @ P["W2"][layer].T * ((1 + torch.erf(pre / math.sqrt(2))) / 2 + pre * density)
    d["W1"][layer] += scaled.T @ dpre
    more, dgain2 = norm_backward(dpre @ P["W1"][layer].T, mid, P["gain2"][layer])
    d["gain2"][layer] += dgain2
    dmid = dx + more
    d["Wo"][layer] += contexts.T @ dmid
    dcontexts = dmid @ P["Wo"][layer].T
    dq, dk, dv, size = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v), x.shape[1] // heads
    for head, w in enumerate(weights):
        part = slice(head * size, (head + 1) * size)
        for t in range(len(x)):
            for s in range(t + 1):
                dv[s, part] += w[t, s] * dcontexts[t, part]
            dw = v[: t + 1, part] @ dcontexts[t, part]
            dscore = w[t, : t + 1] * (dw - dw @ w[t, : t + 1]) / math.sqrt(size)
            dq[t, part] = dscore @ k[: t + 1, part]
            dk[: t + 1, part] += torch.outer(dscore, q[t, part])
    dnormed = torch.zeros_like(x)
    for name, each in (("Wq", dq), ("Wk", dk), ("Wv", dv)):
        d[name][layer] += normed.T @ each
        dnormed += each @ P[name][layer].T
    more, dgain1 = norm_backward(dnormed, x, P["gain1"][layer])
    d["gain1"][layer] += dgain1
    return dmid + more


def gradients(parameters, X, Y, heads):
    P, d = parameters, {name: torch.zeros_like(value) for name, value in parameters.items()}
    count = int((Y >= 0).sum())
    loss = 0.0
    for tokens, following in zip(X, Y):
        places = [t for t in range(len(following)) if following[t] >= 0]
        if not places:
            continue
        length = places[-1] + 1
        x, kept = P["wte"][tokens[:length]] + P["wpe"][:length], []
        for layer in range(len(P["Wq"])):
            x, values = block(x, P, layer, heads)
            kept.append(values)
        final = norm(x, P["gain3"])
        dfinal = torch.zeros_like(final)
        for t in places:
            logits = P["wte"] @ final[t]
            loss = loss + (torch.logsumexp(logits, 0) - logits[following[t]]) / count
            dlogits = torch.softmax(logits, 0) / count
            dlogits[following[t]] -= 1 / count
            d["wte"] += torch.outer(dlogits, final[t])
            dfinal[t] = dlogits @ P["wte"]
        dx, dgain3 = norm_backward(dfinal, x, P["gain3"])
        d["gain3"] += dgain3
        for layer in reversed(range(len(kept))):
            dx = block_backward(dx, P, layer, heads, kept[layer], d)
        d["wpe"][:length] += dx
        for t in range(length):
            d["wte"][tokens[t]] += dx[t]
    return loss, d


def clip(gradients, most):
    total = 0.0
    for gradient in gradients.values():
        total += sum(number * number for number in gradient.flatten().tolist())
    norm = math.sqrt(total)
    return {name: gradient * most / max(norm, most) for name, gradient in gradients.items()}, norm


def adam(parameters, gradients, means, squares, step, rate, decay):
    for name, parameter in parameters.items():
        mean, square, gradient = means[name].view(-1), squares[name].view(-1), gradients[name].flatten()
        mean[:] = 0.9 * mean + 0.1 * gradient
        square[:] = 0.99 * square + 0.01 * gradient**2
        move = mean / (1 - 0.9 ** (step + 1)) / (torch.sqrt(square / (1 - 0.99 ** (step + 1))) + 1e-8)
        if not name.startswith("gain"):
            move += decay * parameter.flatten()
        parameter.sub_(rate * move.view_as(parameter))


def learning_rate(step, max_steps):
    if 10 * step < max_steps:
        return 0.1 * (step + 1) / max_steps
    share = (10 * step - max_steps) / (9 * max_steps)
    return 0.01 - 0.009 * math.sin(math.pi * share / 2) ** 2


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    losses = []
    for step, ix in enumerate(batches, start=start):
        loss, slopes = gradients(parameters, X[ix], Y[ix], heads)
        slopes, _ = clip(slopes, 1.0)
        adam(parameters, slopes, means, squares, step, learning_rate(step, max_steps), 0.1)
        losses += [float(loss)]
    return losses


def sample(parameters, heads, generator):
    P, tokens = parameters, [0]
    for _ in range(len(P["wpe"])):
        x = P["wte"][tokens] + P["wpe"][: len(tokens)]
        for layer in range(len(P["Wq"])):
            x, _ = block(x, P, layer, heads)
        row = torch.softmax(P["wte"] @ norm(x, P["gain3"])[-1], 0).tolist()
        left, token = torch.rand(1, generator=generator, dtype=torch.float64).item(), 0
        while token < len(row) - 1 and left >= row[token]:
            left -= row[token]
            token += 1
        if token == 0:
            break
        tokens.append(token)
    return tokens[1:]
