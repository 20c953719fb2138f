"""Right, with lists: a list with a gradient per layer for each parameter of the blocks; known positions only."""

import math

import torch
import torch.nn.functional as F

DECAYED = ("wte", "wpe", "Wq", "Wk", "Wv", "Wo", "W1", "W2")
OF_A_BLOCK = ("gain1", "Wq", "Wk", "Wv", "Wo", "gain2", "W1", "W2")


def rms(x):
    return 1 / torch.sqrt(torch.mean(x**2, dim=-1, keepdim=True) + 1e-5)


def rms_back(up, x, gain):
    r = rms(x)
    dscaled = up * gain
    dr = (dscaled * x).sum(-1, keepdim=True)
    dmean = -0.5 * r**3 * dr
    return dscaled * r + dmean * 2 * x / x.shape[-1], (up * x * r).sum(dim=(0, 1))


def attend(q, k, v, past):
    scores = torch.where(past, torch.matmul(q, torch.transpose(k, -1, -2)) / math.sqrt(q.shape[-1]), -math.inf)
    weights = torch.exp(scores - scores.max(-1, keepdim=True).values)
    weights = weights / weights.sum(-1, keepdim=True)
    return weights, torch.matmul(weights, v)


def forward(parameters, X, heads):
    blocks = [dict(zip(OF_A_BLOCK, each)) for each in zip(*(parameters[name] for name in OF_A_BLOCK))]
    batch, time = X.shape
    past = torch.arange(time)[:, None] >= torch.arange(time)[None, :]
    x, states = parameters["wte"][X] + parameters["wpe"][:time], []
    for block in blocks:
        state = {"x": x, "n": block["gain1"] * x * rms(x)}
        for name in "qkv":
            state[name] = (state["n"] @ block["W" + name]).view(batch, time, heads, -1).transpose(1, 2)
        state["w"], out = attend(state["q"], state["k"], state["v"], past)
        state["c"] = out.transpose(1, 2).reshape(batch, time, -1)
        state["mid"] = x + state["c"] @ block["Wo"]
        state["s"] = block["gain2"] * state["mid"] * rms(state["mid"])
        state["pre"] = state["s"] @ block["W1"]
        x = state["mid"] + F.gelu(state["pre"]) @ block["W2"]
        states.append(state)
    return blocks, states, x


def gradients(parameters, X, Y, heads):
    wte = parameters["wte"]
    blocks, states, x = forward(parameters, X, heads)
    final = parameters["gain3"] * x * rms(x)
    b, t = torch.where(Y != -1)
    y = Y[b, t]
    logits = final[b, t] @ wte.T
    probabilities = F.softmax(logits, dim=1)
    loss = -torch.log(probabilities[torch.arange(len(y)), y]).mean()
    dlogits = (probabilities - torch.eye(len(wte), dtype=wte.dtype)[y]) / len(y)
    as_head = dlogits.T @ final[b, t]
    dfinal = torch.zeros_like(final)
    dfinal[b, t] = dlogits @ wte
    dx, dgain3 = rms_back(dfinal, x, parameters["gain3"])
    found = {name: [] for name in OF_A_BLOCK}

    def flat(value):
        return value.reshape(-1, value.shape[-1])

    for block, s in zip(reversed(blocks), reversed(states)):
        d = {"W2": flat(F.gelu(s["pre"])).T @ flat(dx)}
        pre = s["pre"]
        dpre = (dx @ block["W2"].T) * (
            0.5 * torch.erfc(-pre * 0.5**0.5) + pre * torch.exp(-(pre**2) / 2) / (2 * math.pi) ** 0.5
        )
        d["W1"] = flat(s["s"]).T @ flat(dpre)
        back, d["gain2"] = rms_back(dpre @ block["W1"].T, s["mid"], block["gain2"])
        dx = dx + back
        d["Wo"] = flat(s["c"]).T @ flat(dx)
        dout = (dx @ block["Wo"].T).view(*X.shape, heads, -1).transpose(1, 2)
        dw = dout @ s["v"].transpose(2, 3)
        dz = s["w"] * dw
        dz = (dz - s["w"] * dz.sum(3, keepdim=True)) / math.sqrt(s["q"].shape[3])
        back = 0
        for name, head in (
            ("Wq", dz @ s["k"]),
            ("Wk", dz.transpose(2, 3) @ s["q"]),
            ("Wv", s["w"].transpose(2, 3) @ dout),
        ):
            merged = head.transpose(1, 2).reshape(dx.shape)
            d[name] = flat(s["n"]).T @ flat(merged)
            back = back + merged @ block[name].T
        back, d["gain1"] = rms_back(back, s["x"], block["gain1"])
        dx = dx + back
        for name in OF_A_BLOCK:
            found[name].insert(0, d[name])
    as_input = torch.stack([dx[token == X].sum(0) for token in range(len(wte))])
    unused = torch.zeros(len(parameters["wpe"]) - X.shape[1], dx.shape[2], dtype=dx.dtype)
    found |= {"gain3": dgain3, "wpe": torch.cat((dx.sum(0), unused)), "wte": as_head + as_input}
    return loss, found


def clip(gradients, most):
    norm = math.sqrt(sum(float((gradient**2).sum()) for gradient in gradients.values()))
    scale = most / norm if norm > most else 1
    return {name: scale * gradient for name, gradient in gradients.items()}, norm


def adam(parameters, gradients, means, squares, step, rate, decay):
    for name in list(parameters):
        gradient = gradients[name]
        means[name][...] = 0.9 * means[name] + (1 - 0.9) * gradient
        squares[name][...] = 0.99 * squares[name] + (1 - 0.99) * gradient * gradient
        m = means[name] / (1 - 0.9 ** (1 + step))
        s = squares[name] / (1 - 0.99 ** (1 + step))
        shrink = 1 - rate * decay if name in DECAYED else 1
        parameters[name].copy_(shrink * parameters[name] - rate * m / (s**0.5 + 1e-8))


def learning_rate(step, max_steps):
    tenth = max_steps // 10
    if step < tenth:
        return (step + 1) * 0.01 / tenth
    s = (step - tenth) / (9 * tenth)
    return 0.001 + 0.009 * (1 + math.cos(math.pi * s)) / 2


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    losses, step = [], start
    for ix in batches:
        loss, slopes = gradients(parameters, X[ix], Y[ix], heads)
        slopes = {name: torch.stack(slope) if isinstance(slope, list) else slope for name, slope in slopes.items()}
        adam(parameters, clip(slopes, 1.0)[0], means, squares, step, learning_rate(step, max_steps), 0.1)
        losses.append(loss.item())
        step += 1
    return losses


def sample(parameters, heads, generator):
    context = [0]
    while True:
        *_, x = forward(parameters, torch.tensor([context]), heads)
        logits = (parameters["gain3"] * x * rms(x))[0, -1] @ parameters["wte"].T
        context.append(torch.multinomial(F.softmax(logits, 0), 1, generator=generator).item())
        if context[-1] == 0:
            return context[1:-1]
        if len(context) > len(parameters["wpe"]):
            return context[1:]
