import math

import torch
import torch.nn.functional as F


def logits_of(p, X, heads, mlp=1.0):
    def norm(x, gain):
        return gain * x * (x.square().mean(2, keepdim=True) + 1e-5) ** -0.5

    time = X.shape[1]
    past = torch.ones(time, time, dtype=torch.bool).tril()
    x = p["wte"][X] + p["wpe"][:time]
    for at in range(len(p["Wq"])):
        q, k, v = (
            (norm(x, p["gain1"][at]) @ p[name][at]).unflatten(2, (heads, -1)).transpose(1, 2)
            for name in ("Wq", "Wk", "Wv")
        )
        scores = (q @ k.transpose(2, 3) / q.shape[3] ** 0.5).masked_fill(~past, -math.inf)
        x = x + (F.softmax(scores, 3) @ v).transpose(1, 2).flatten(2) @ p["Wo"][at]
        x = x + mlp * F.gelu(norm(x, p["gain2"][at]) @ p["W1"][at]) @ p["W2"][at]
    return norm(x, p["gain3"]) @ p["wte"].T


def drawn(parameters, heads, generator, choose=None, **of):
    context = [0]
    while len(context) <= len(parameters["wpe"]):
        probs = F.softmax(logits_of(parameters, torch.tensor([context]), heads, **of)[0, -1], 0)
        token = choose(probs) if choose else torch.multinomial(probs, 1, generator=generator).item()
        if token == 0:
            break
        context.append(token)
    return context[1:]
