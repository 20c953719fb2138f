"""The model has the tanh form of GELU.

lesson: 15
dgain3: failed | = The forward pass has GELU's tanh form, which is close to the exact one and not equal to it.
dwte: failed | = The forward pass has GELU's tanh form, which is close to the exact one and not equal to it.
loss: failed | = The forward pass has GELU's tanh form, which is close to the exact one and not equal to it.
others: any
"""

def forward(parameters, X, heads):
    """The forward pass for tokens X (batch, time): the logits (batch, time, vocabulary), and what you need again.

    `gradients` needs values of all blocks, `sample` only the logits.
    """
    p, time = parameters, X.shape[1]
    past = torch.ones(time, time, dtype=torch.bool).tril()

    def rms_norm(x, gain):
        return gain * x * (x.square().mean(2, keepdim=True) + 1e-5) ** -0.5

    x, blocks = p["wte"][X] + p["wpe"][:time], []
    for layer in range(len(p["Wq"])):
        normed = rms_norm(x, p["gain1"][layer])
        q, k, v = (split_heads(normed @ p[name][layer], heads) for name in ("Wq", "Wk", "Wv"))
        scores = (q @ k.transpose(2, 3) / q.shape[3] ** 0.5).masked_fill(~past, -math.inf)
        weights = F.softmax(scores, 3)
        merged = merge_heads(weights @ v)
        mid = x + merged @ p["Wo"][layer]
        scaled = rms_norm(mid, p["gain2"][layer])
        pre = scaled @ p["W1"][layer]
        act = F.gelu(pre, approximate='tanh')
        blocks.append((x, normed, q, k, v, weights, merged, mid, scaled, pre, act))
        x = mid + act @ p["W2"][layer]
    final = rms_norm(x, p["gain3"])
    return final @ p["wte"].T, blocks, x, final
