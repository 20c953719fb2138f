"""The hidden suite of lesson 20. In every draw all sizes differ from each other."""

from types import SimpleNamespace

import torch

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def one_token_repeated(inputs):
    """Two rows are equal in every part: equal queries, equal tokens that choose equal experts."""
    for name in ("h", "u", "added", "X"):
        inputs[name][-1] = inputs[name][-2]
    inputs["qh"][:, :, -1] = inputs["qh"][:, :, -2]


def far_apart(inputs):
    """Gates far from zero, a router that is nearly sure, and logits near the cap."""
    inputs["h"] *= 3
    inputs["Wr"] *= 3
    inputs["wte"] *= 1.5


def fast_angles(inputs):
    """Every pair turns quickly, and no position has the angle 0."""
    inputs["angles"] = inputs["angles"] * 0.5 + 1


DRAWS = (
    Draw({"batch": 3, "heads": 4, "time": 5, "size": 12, "tokens": 11, "channels": 7, "hidden": 9, "experts": 8}),
    Draw(
        {"batch": 2, "heads": 3, "time": 4, "size": 10, "tokens": 9, "channels": 6, "hidden": 8, "experts": 7, "k": 1},
        fast_angles,
    ),
    Draw(
        {"batch": 5, "heads": 2, "time": 4, "size": 8, "tokens": 13, "channels": 10, "hidden": 7, "experts": 6, "k": 3},
        FORWARD.idle_expert,
    ),
    Draw(
        {"batch": 4, "heads": 1, "time": 7, "size": 6, "tokens": 8, "channels": 5, "hidden": 11, "experts": 9, "k": 2},
        FORWARD.tiny_queries,
    ),
    Draw(
        {"batch": 3, "heads": 5, "time": 6, "size": 4, "tokens": 10, "channels": 12, "hidden": 7, "vocabulary": 8},
        FORWARD.few_tokens,
    ),
    Draw({"batch": 2, "heads": 6, "time": 3, "size": 10, "tokens": 7, "channels": 8, "hidden": 4}, one_token_repeated),
    Draw({"batch": 4, "heads": 3, "time": 2, "size": 14, "tokens": 6, "channels": 9, "experts": 8, "k": 5}, far_apart),
)

BLOCKS = (
    {"batch": 10, "time": 4, "channels": 9, "heads": 6, "groups": 3, "size": 8, "hidden": 7, "experts": 5, "k": 2},
    {"batch": 2, "time": 6, "channels": 5, "heads": 3, "groups": 1, "size": 10, "hidden": 8, "experts": 7, "k": 4},
    {"batch": 4, "time": 3, "channels": 7, "heads": 2, "groups": 2, "size": 6, "hidden": 5, "experts": 9, "k": 1},
)
PARTS = {
    "experts": ("dWdowns", "dWups", "dWgates", "dWr", "dgain2"),
    "attention": ("dWo", "dWv", "dgain_q", "dgain_k", "dWq", "dWk", "dgain1"),
    "x": ("dx",),
}


class Autograd:
    """`block_backward` by autograd."""

    @staticmethod
    def block_backward(t, dout, dbalance):
        names = [name[1:] for part in PARTS.values() for name in part]
        given = set(FORWARD.block_inputs(torch.Generator()))
        with torch.enable_grad():
            values = SimpleNamespace(**{name: t[name] for name in given})
            for name in names:
                setattr(values, name, t[name].clone().requires_grad_())
            FORWARD.block(values)
            ends = (values.out * dout).sum() + values.balance * dbalance
            slopes = torch.autograd.grad(ends, [getattr(values, name) for name in names])
        return {f"d{name}": slope for name, slope in zip(names, slopes, strict=True)}


def of_the_block(part):
    """The scenario of a row: the gradients of this part of the block, and whether a value was changed."""

    def scenario(on, generator, **sizes):
        inputs = FORWARD.block_inputs(generator, **sizes)
        values = SimpleNamespace(**inputs)
        FORWARD.block(values)
        dout = torch.randn(values.out.shape, generator=generator, dtype=torch.float64)
        dbalance = float(torch.rand((), generator=generator, dtype=torch.float64) * 10 + 5)
        found, arguments = on.apply("block_backward", vars(values), dout, dbalance)
        found = found if isinstance(found, dict) else {}
        return {name: found.get(name) for name in PARTS[part]} | {"an argument after the call": arguments[:2]}

    return scenario


def test_gradient(gradient):
    gradient.check(DRAWS)


def test_block_experts(check):
    check.agrees(of_the_block("experts"), draws=BLOCKS, reference=Autograd)


def test_block_attention(check):
    check.agrees(of_the_block("attention"), draws=BLOCKS, reference=Autograd)


def test_block_dx(check):
    check.agrees(of_the_block("x"), draws=BLOCKS, reference=Autograd)
