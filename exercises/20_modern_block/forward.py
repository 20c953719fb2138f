"""The parts of a transformer block as models have had it since about 2023, and the whole block.

`forward` has four graphs, one for each part: rotary positions, SwiGLU, a router with its experts, and the loss. Your
gradients are with respect to the names that it gives: `t.name = expression`. `block` puts the parts together.
"""

import math

import torch
import torch.nn.functional as F


def inputs(
    generator,
    batch=2,
    heads=3,
    time=5,
    size=8,
    tokens=12,
    channels=10,
    hidden=7,
    experts=4,
    k=2,
    vocabulary=9,
    base=10_000,
    cap=5.0,
    penalty=0.02,
):
    """What the four graphs read, see README.md. `size` is even: two features of a position are rotated together.

    angles: (time, size / 2), position t times the speed of pair i, base ** (-i / (size / 2)).
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    def token_numbers():
        return torch.randint(0, vocabulary, (tokens,), generator=generator)

    speeds = float(base) ** (-torch.arange(size // 2) / (size // 2))
    return {
        "z": normal(batch, time, size),
        "qh": normal(batch, heads, time, size),
        "gain_q": 1 + normal(size) * 0.2,
        "angles": torch.arange(time)[:, None] * speeds,
        "eps": 1e-5,
        "h": normal(tokens, channels),
        "Wgate": normal(channels, hidden) * channels**-0.5,
        "Wup": normal(channels, hidden) * channels**-0.5,
        "Wdown": normal(hidden, channels) * hidden**-0.5,
        "u": normal(tokens, channels),
        "Wr": normal(channels, experts) * channels**-0.5,
        "Wgates": normal(experts, channels, hidden) * channels**-0.5,
        "Wups": normal(experts, channels, hidden) * channels**-0.5,
        "Wdowns": normal(experts, hidden, channels) * hidden**-0.5,
        "k": k,
        "wte": normal(vocabulary, channels),
        "added": normal(tokens, channels),
        "X": token_numbers(),
        "Y": token_numbers(),
        "cap": cap,
        "penalty": penalty,
    }


def rms_norm(x, gain, eps):
    return gain * x * ((x**2).mean(-1, keepdim=True) + eps) ** -0.5


def rotate_neighbours(x, cos, sin):
    """Rotate features 0 and 1, 2 and 3, ..., of each position."""
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)


def rotate_halves(x, cos, sin):
    """Rotate feature 0 of the first half with feature 0 of the second half, 1 with 1, ..., of each position."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def top_k(probs, k):
    """True at the k largest probabilities of each row."""
    return torch.zeros_like(probs, dtype=torch.bool).scatter(1, probs.topk(k).indices, True)


def expert_outputs(sent, expert, Wgates, Wups, Wdowns):
    """Row n of `sent` goes through the SwiGLU of expert number `expert[n]`."""
    gate = torch.einsum("nc,ncj->nj", sent, Wgates[expert])
    up = torch.einsum("nc,ncj->nj", sent, Wups[expert])
    return torch.einsum("nj,njc->nc", F.silu(gate) * up, Wdowns[expert])


def forward(t):
    # rotary positions: neighbours are a pair
    with t.fused():
        t.cos = t.angles.cos()
        t.sin = t.angles.sin()
    t.rotated_z = rotate_neighbours(t.z, t.cos, t.sin)

    # QK normalisation, and rotary positions: feature i of either half are a pair
    with t.fused():
        t.rrms = ((t.qh**2).mean(3, keepdim=True) + t.eps) ** -0.5
        t.qhat = t.qh * t.rrms
    t.normed_q = t.gain_q * t.qhat
    t.rotated_q = rotate_halves(t.normed_q, t.cos, t.sin)

    # SwiGLU
    t.gate = t.h @ t.Wgate
    t.up = t.h @ t.Wup
    t.act = F.silu(t.gate) * t.up
    t.y = t.act @ t.Wdown

    # a router, and its experts
    t.route = t.u @ t.Wr
    t.probs = F.softmax(t.route, 1)
    with t.fused():
        t.chosen = top_k(t.probs, t.k)
        t.load = t.chosen.to(t.probs.dtype).mean(0) / t.k
        t.expert = t.chosen.T.nonzero()[:, 0]
        t.token = t.chosen.T.nonzero()[:, 1]
    t.shares = t.probs * t.chosen / (t.probs * t.chosen).sum(1, keepdim=True)
    t.sent = t.u[t.token]
    t.done = expert_outputs(t.sent, t.expert, t.Wgates, t.Wups, t.Wdowns)
    t.mixed = torch.zeros_like(t.u).index_add(0, t.token, t.shares[t.token, t.expert][:, None] * t.done)
    t.balance = t.probs.shape[1] * (t.load * t.probs.mean(0)).sum()

    # the loss: a tied head, capped logits, cross-entropy and z-loss
    t.final = t.wte[t.X] + t.added
    t.uncapped = t.final @ t.wte.T
    t.logits = t.cap * torch.tanh(t.uncapped / t.cap)
    with t.fused():
        t.log_sum = t.logits.logsumexp(1)
    t.loss = F.cross_entropy(t.logits, t.Y) + t.penalty * (t.log_sum**2).mean()


def block_inputs(generator, batch=2, time=5, channels=10, heads=4, groups=2, size=6, hidden=7, experts=4, k=2):
    """The inputs of `block`: x (batch, time, channels), the parameters, and numbers."""

    def normal(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    return {
        "x": normal(batch, time, channels),
        "gain1": 1 + normal(channels) * 0.2,
        "Wq": normal(channels, heads * size) * channels**-0.5,
        "Wk": normal(channels, groups * size) * channels**-0.5,
        "Wv": normal(channels, groups * size) * channels**-0.5,
        "gain_q": 1.5 + normal(size) * 0.2,
        "gain_k": 1 + normal(size) * 0.2,
        "Wo": normal(heads * size, channels) * (heads * size) ** -0.5,
        "gain2": 1 + normal(channels) * 0.2,
        "Wr": normal(channels, experts) * channels**-0.5,
        "Wgates": normal(experts, channels, hidden) * channels**-0.5,
        "Wups": normal(experts, channels, hidden) * channels**-0.5,
        "Wdowns": normal(experts, hidden, channels) * hidden**-0.5,
        "angles": torch.arange(time)[:, None] * 100.0 ** (-torch.arange(size // 2, dtype=torch.float64) / (size // 2)),
        "heads": heads,
        "groups": groups,
        "k": k,
        "eps": 1e-5,
    }


def block(t):
    """The whole block. `t` has the inputs as attributes, and gets every value."""
    past = torch.ones(t.x.shape[1], t.x.shape[1], dtype=torch.bool).tril()
    t.cos, t.sin = t.angles.cos(), t.angles.sin()
    # attention with normalised and rotated queries and keys
    t.normed = rms_norm(t.x, t.gain1, t.eps)
    t.qh = (t.normed @ t.Wq).unflatten(2, (t.heads, -1)).transpose(1, 2)
    t.kh = (t.normed @ t.Wk).unflatten(2, (t.groups, -1)).transpose(1, 2)
    t.vh = (t.normed @ t.Wv).unflatten(2, (t.groups, -1)).transpose(1, 2)
    t.normed_q, t.normed_k = rms_norm(t.qh, t.gain_q, t.eps), rms_norm(t.kh, t.gain_k, t.eps)
    t.rotated_q, t.rotated_k = rotate_halves(t.normed_q, t.cos, t.sin), rotate_halves(t.normed_k, t.cos, t.sin)
    t.keys = t.rotated_k.repeat_interleave(t.heads // t.groups, 1)
    t.values = t.vh.repeat_interleave(t.heads // t.groups, 1)
    t.scores = t.rotated_q @ t.keys.mT / t.qh.shape[3] ** 0.5
    t.weights = F.softmax(t.scores.masked_fill(~past, -math.inf), 3)
    t.merged = (t.weights @ t.values).transpose(1, 2).flatten(2)
    t.mid = t.x + t.merged @ t.Wo
    # experts; a token is a position of an example: `u` has the positions of all examples as its rows
    t.u = rms_norm(t.mid, t.gain2, t.eps).flatten(0, 1)
    t.probs = F.softmax(t.u @ t.Wr, 1)
    t.chosen = top_k(t.probs, t.k)
    t.load = t.chosen.to(t.probs.dtype).mean(0) / t.k
    t.expert, t.token = t.chosen.T.nonzero(as_tuple=True)
    t.shares = t.probs * t.chosen / (t.probs * t.chosen).sum(1, keepdim=True)
    t.sent = t.u[t.token]
    t.gate = torch.einsum("nc,ncj->nj", t.sent, t.Wgates[t.expert])
    t.up = torch.einsum("nc,ncj->nj", t.sent, t.Wups[t.expert])
    t.act = F.silu(t.gate) * t.up
    t.done = torch.einsum("nj,njc->nc", t.act, t.Wdowns[t.expert])
    t.mixed = torch.zeros_like(t.u).index_add(0, t.token, t.shares[t.token, t.expert][:, None] * t.done)
    t.balance = t.probs.shape[1] * (t.load * t.probs.mean(0)).sum()
    t.out = t.mid + t.mixed.view(t.x.shape)


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def idle_expert(inputs):
    """No token chooses the first expert: its score is far below the others'."""
    inputs["u"][:, 0] = 1.0
    inputs["Wr"][0, 0] = -30.0


def few_tokens(inputs):
    """Only two tokens are read, and one of these two or a third one comes next."""
    inputs["X"] = inputs["X"] % 2
    inputs["Y"] = inputs["Y"] % 2 + 1


def tiny_queries(inputs):
    """Queries so small that the epsilon matters, and positions that do not begin at 0."""
    inputs["qh"] *= 0.003
    inputs["angles"] += inputs["angles"][1] * 3
