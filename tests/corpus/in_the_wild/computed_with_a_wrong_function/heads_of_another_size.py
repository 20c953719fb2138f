"""The forward pass is wrong, and all gradients belong to it.

lesson: 15
by: dojo
dgain3: failed | = Your `loss` is wrong, too, and it comes first: start there. The value is wrong: the error is 0.071
    of the gradient's size. Worst element [14]: found 0.296187038, expected 0.346751044. It is right on the other
    problem, where heads is 1.
dwte: failed | = Your `loss` is wrong, too, and it comes first: start there. The value is wrong: the error is 0.13 of
    the gradient's size. Worst element [15, 10]: found 0.282822836, expected 0.217040962. It is right on the
    other problem, where heads is 1.
loss: failed | = `loss` is 3.15259441; expected 3.28323692. Its public example: exercises/15_gpt/examples.py:36
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
        scores = (q @ k.transpose(2, 3) / p['wte'].shape[1] ** 0.5).masked_fill(~past, -math.inf)
        weights = F.softmax(scores, 3)
        merged = merge_heads(weights @ v)
        mid = x + merged @ p["Wo"][layer]
        scaled = rms_norm(mid, p["gain2"][layer])
        pre = scaled @ p["W1"][layer]
        act = F.gelu(pre)
        blocks.append((x, normed, q, k, v, weights, merged, mid, scaled, pre, act))
        x = mid + act @ p["W2"][layer]
    final = rms_norm(x, p["gain3"])
    return final @ p["wte"].T, blocks, x, final
