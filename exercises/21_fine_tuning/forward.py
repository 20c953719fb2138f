"""Four losses of fine-tuning, each a graph of its own: an adapter with a loss mask, distillation, DPO, and GRPO.

Sources: the adapter is LoRA (Hu and others 2021, equation 3), distillation is that of Hinton and others (2015), DPO is
equation 7 of Rafailov and others (2023), and GRPO is equations 3 and 4 of Shao and others (2024, "DeepSeekMath").
`t.name = expression` names a value; your gradients are with respect to these names.
"""

import torch
import torch.nn.functional as F


def inputs(
    generator,
    batch=4,
    time=6,
    features=9,
    rank=3,
    vocabulary=11,
    positions=7,
    pairs=5,
    answers=8,
    longest=10,
    alpha=2.5,
    T=2.5,
    beta=0.3,
    clip=0.2,
    weight=0.04,
):
    """For each graph, what it reads.

    Adapter: x (batch, time, features), W (features, vocabulary), A (features, rank), B (rank, vocabulary).
    `targets` (batch, time) are the tokens to predict. `answer` (batch, time) is 1 where a token belongs to the answer,
    and 0 in the prompt and in padding.
    Distillation: the logits of the student, z, and of the teacher, v, both (positions, vocabulary).
    DPO: for each pair the logits (pairs, time, vocabulary), tokens and mask of the winning answer, _w, and of the
    losing one, _l; ref_w and ref_l (pairs,) are their log-probabilities in the reference model.
    GRPO: the log-probability of each token now, when it was drawn, and in the reference model: logp, old and ref
    (answers, longest). `said` is 1 where the answer has a token, else 0, and `advantage` is (answers, 1).
    The constants of the losses (alpha, T, beta, clip, weight) differ from problem to problem, as the sizes do.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    def tokens(*shape):
        return torch.randint(0, vocabulary, shape, generator=generator)

    def span(rows, length, first=0):
        """(rows, length), 1 from a random place of each row to another one, at least once, and 0 elsewhere."""
        start = torch.randint(0, length, (rows, 1), generator=generator) if first is None else first
        end = start + 1 + (torch.rand((rows, 1), generator=generator) * (length - start)).long()
        place = torch.arange(length)
        return ((place >= start) & (place < end)).float()

    old = -3 * torch.rand((answers, longest), generator=generator)
    return {
        "x": normal(batch, time, features),
        "W": normal(features, vocabulary) * features**-0.5,
        "A": normal(features, rank) * features**-0.5,
        "B": normal(rank, vocabulary) * 0.5,
        "alpha": alpha,
        "rank": rank,
        "targets": tokens(batch, time),
        "answer": span(batch, time, None),
        "z": normal(positions, vocabulary) * 2,
        "v": normal(positions, vocabulary) * 2,
        "T": T,
        "logits_w": normal(pairs, time, vocabulary),
        "logits_l": normal(pairs, time, vocabulary),
        "tokens_w": tokens(pairs, time),
        "tokens_l": tokens(pairs, time),
        "mask_w": span(pairs, time, None),
        "mask_l": span(pairs, time, None),
        "ref_w": normal(pairs) * 3 - 8,
        "ref_l": normal(pairs) * 3 - 8,
        "beta": beta,
        "old": old,
        "logp": old + normal(answers, longest) * 0.3,
        "ref": old + normal(answers, longest) * 0.5,
        "said": span(answers, longest),
        "advantage": normal(answers, 1),
        "clip": clip,
        "weight": weight,
    }


def log_probability(logits, tokens, mask):
    """The log-probability of each answer: the sum over its tokens, those where the mask is 1."""
    return (F.log_softmax(logits, 2).gather(2, tokens[..., None])[..., 0] * mask).sum(1)


def forward(t):
    # a frozen layer with an adapter, and the loss of the answers
    t.down = t.x @ t.A
    t.up = t.down @ t.B
    t.logits = t.x @ t.W + t.up * (t.alpha / t.rank)
    t.sft = -log_probability(t.logits, t.targets, t.answer).sum() / t.answer.sum()

    # distillation
    t.p = F.softmax(t.v / t.T, 1)
    t.logq = F.log_softmax(t.z / t.T, 1)
    t.kl = (t.p * (t.p.log() - t.logq)).sum(1)
    t.kd = t.T**2 * t.kl.mean()

    # DPO
    t.logp_w = log_probability(t.logits_w, t.tokens_w, t.mask_w)
    t.logp_l = log_probability(t.logits_l, t.tokens_l, t.mask_l)
    t.margin = t.beta * ((t.logp_w - t.ref_w) - (t.logp_l - t.ref_l))
    t.dpo = -F.logsigmoid(t.margin).mean()

    # GRPO
    t.ratio = (t.logp - t.old).exp()
    t.gain = torch.minimum(t.ratio * t.advantage, t.ratio.clamp(1 - t.clip, 1 + t.clip) * t.advantage)
    t.penalty = (t.ref - t.logp).exp() - (t.ref - t.logp) - 1
    t.grpo = -(((t.gain - t.weight * t.penalty) * t.said).sum(1) / t.said.sum(1)).mean()


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def on_policy(inputs):
    """One step is taken with each set of answers: the policy is still the one that drew them."""
    inputs["logp"] = inputs["old"].clone()


def everything_counts(inputs):
    """No prompt and no padding: every mask is 1 everywhere."""
    for name in ("answer", "mask_w", "mask_l", "said"):
        inputs[name] = torch.ones_like(inputs[name])


def far_away(inputs):
    """The policy is far from the one that drew the answers, and the student far from the teacher.

    The first tokens of each answer have ratios just outside and just inside of each limit of the clip.
    """
    inputs["logp"] = inputs["old"] + 3 * (inputs["logp"] - inputs["old"])
    first = inputs["old"][:, :4]
    limits = 1 + inputs["clip"] * torch.tensor([-1.03, -0.97, 0.97, 1.03])
    inputs["logp"][:, :4] = first + limits[: first.shape[1]].log()
    inputs["z"] = inputs["z"] * 2
    inputs["advantage"][-1] = 0.0  # all answers to one prompt had the same reward
