"""Right, with einsum: b examples, t and s positions, c and d channels, h heads, e features, j hidden units."""

import math

import torch
import torch.nn.functional as F

DECAYED = ("wte", "wpe", "Wq", "Wk", "Wv", "Wo", "W1", "W2")


def normalised(x, gain):
    size = torch.einsum("btc,btc->bt", x, x) / x.shape[2] + 1e-5
    return torch.einsum("btc,c,bt->btc", x, gain, size**-0.5), size


def normalised_backward(up, x, gain, size):
    product = torch.einsum("btc,btc,c->bt", x, up, gain) / x.shape[2]
    direct = torch.einsum("btc,c,bt->btc", up, gain, size**-0.5)
    return direct - torch.einsum("btc,bt->btc", x, product * size**-1.5), torch.einsum(
        "btc,btc,bt->c", up, x, size**-0.5
    )


def through(parameters, X, heads):
    P, time = parameters, X.shape[1]
    rows = F.one_hot(X, len(P["wte"])).to(P["wte"].dtype)
    x = torch.einsum("btv,vc->btc", rows, P["wte"]) + P["wpe"][None, :time]
    channels = x.shape[2]
    size = channels // heads
    future = torch.full((time, time), -math.inf, dtype=x.dtype).triu(1)
    kept = []
    for layer in range(P["Wo"].shape[0]):
        normed, size1 = normalised(x, P["gain1"][layer])
        q, k, v = (
            torch.einsum("btc,che->bhte", normed, P[name][layer].view(channels, heads, size))
            for name in ("Wq", "Wk", "Wv")
        )
        weights = torch.softmax(torch.einsum("bhte,bhse->bhts", q, k) * size**-0.5 + future, -1)
        contexts = torch.einsum("bhts,bhse->bhte", weights, v)
        mid = x + torch.einsum("bhte,hed->btd", contexts, P["Wo"][layer].view(heads, size, channels))
        scaled, size2 = normalised(mid, P["gain2"][layer])
        pre = torch.einsum("btc,cj->btj", scaled, P["W1"][layer])
        kept.append((x, size1, normed, q, k, v, weights, contexts, mid, size2, scaled, pre))
        x = mid + torch.einsum("btj,jc->btc", F.gelu(pre), P["W2"][layer])
    final, size3 = normalised(x, P["gain3"])
    return torch.einsum("btc,vc->btv", final, P["wte"]), kept, x, size3, final, rows


def gradients(parameters, X, Y, heads):
    P = parameters
    logits, kept, x, size3, final, rows = through(P, X, heads)
    logp = logits.log_softmax(2)
    true = F.one_hot(Y.clamp(min=0), logits.shape[2]).to(x.dtype) * (Y != -1).to(x.dtype)[:, :, None]
    n = true.sum()
    loss = -torch.einsum("btv,btv->", true, logp) / n
    up = (logp.exp() * true.sum(2, keepdim=True) - true) / n
    channels = x.shape[2]
    dwte = torch.einsum("btv,btc->vc", up, final)
    dx, dgain3 = normalised_backward(torch.einsum("btv,vc->btc", up, P["wte"]), x, P["gain3"], size3)
    by_layer = []
    for layer in range(len(kept) - 1, -1, -1):
        x, size1, normed, q, k, v, weights, contexts, mid, size2, scaled, pre = kept[layer]
        slope = torch.special.ndtr(pre) + pre * torch.exp(-pre * pre / 2) / (2 * math.pi) ** 0.5
        dpre = torch.einsum("btc,jc->btj", dx, P["W2"][layer]) * slope
        dW2 = torch.einsum("btj,btc->jc", F.gelu(pre), dx)
        dW1 = torch.einsum("btc,btj->cj", scaled, dpre)
        more, dgain2 = normalised_backward(
            torch.einsum("btj,cj->btc", dpre, P["W1"][layer]), mid, P["gain2"][layer], size2
        )
        dmid = dx + more
        per_head = P["Wo"][layer].view(heads, -1, channels)
        dWo = torch.einsum("bhte,btd->hed", contexts, dmid).reshape(channels, channels)
        dcontexts = torch.einsum("btd,hed->bhte", dmid, per_head)
        dv = torch.einsum("bhts,bhte->bhse", weights, dcontexts)
        dweights = torch.einsum("bhte,bhse->bhts", dcontexts, v)
        dscores = weights * dweights - weights * torch.einsum("bhts,bhts->bht", weights, dweights)[..., None]
        dscores = dscores * q.shape[3] ** -0.5
        dq, dk = torch.einsum("bhts,bhse->bhte", dscores, k), torch.einsum("bhts,bhte->bhse", dscores, q)
        dW = [torch.einsum("btc,bhte->che", normed, each).reshape(channels, channels) for each in (dq, dk, dv)]
        dnormed = sum(
            torch.einsum("bhte,che->btc", each, P[name][layer].view(channels, heads, -1))
            for name, each in (("Wq", dq), ("Wk", dk), ("Wv", dv))
        )
        more, dgain1 = normalised_backward(dnormed, x, P["gain1"][layer], size1)
        dx = dmid + more
        by_layer.append([dgain1, *dW, dWo, dgain2, dW1, dW2])
    names = ("gain1", "Wq", "Wk", "Wv", "Wo", "gain2", "W1", "W2")
    found = {name: torch.stack(each[::-1]) for name, each in zip(names, zip(*by_layer))}
    dwpe = F.pad(torch.einsum("btc->tc", dx), (0, 0, 0, len(P["wpe"]) - X.shape[1]))
    dwte = dwte + torch.einsum("btv,btc->vc", rows, dx)
    return loss, {**found, "wte": dwte, "wpe": dwpe, "gain3": dgain3}


def clip(gradients, most):
    norm = (
        torch.stack([torch.einsum("i,i->", each.flatten(), each.flatten()) for each in gradients.values()]).sum().sqrt()
    )
    if norm <= most:
        return gradients, norm
    return {name: each * (most / norm) for name, each in gradients.items()}, norm


def adam(parameters, gradients, means, squares, step, rate, decay):
    n = step + 1
    for name in parameters:
        means[name] += (gradients[name] - means[name]) / 10
        squares[name] += (gradients[name] ** 2 - squares[name]) / 100
        move = means[name] / (1 - 0.9**n) / ((squares[name] / (1 - 0.99**n)).sqrt() + 1e-8)
        if name in DECAYED:
            move = move + decay * parameters[name]
        parameters[name] -= rate * move


def learning_rate(step, max_steps):
    warm = max_steps / 10
    if step < warm:
        return (step + 1) / warm / 100
    return 0.0055 + 0.0045 * math.cos((step - warm) / (max_steps - warm) * math.pi)


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    losses = []
    for ix in batches:
        step = start + len(losses)
        loss, slopes = gradients(parameters, X[ix], Y[ix], heads)
        adam(parameters, clip(slopes, 1)[0], means, squares, step, learning_rate(step, max_steps), 0.1)
        losses.append(loss.item())
    return losses


def sample(parameters, heads, generator):
    name = []
    while len(name) < len(parameters["wpe"]):
        logits = through(parameters, torch.tensor([[0, *name]]), heads)[0]
        token = int(torch.multinomial(logits[0, -1].softmax(-1), 1, generator=generator))
        if not token:
            break
        name.append(token)
    return name
