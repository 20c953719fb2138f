"""The hidden suite of lesson 20. In every draw all sizes differ from each other, and the constants from README.md's."""

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


def sizes(*numbers, **others):
    names = ("batch", "heads", "time", "size", "tokens", "channels", "hidden", "experts")
    return dict(zip(names, numbers, strict=True)) | others


DRAWS = (
    Draw(sizes(3, 4, 5, 12, 11, 7, 9, 8, cap=3.5, penalty=0.03)),
    Draw(sizes(2, 3, 4, 10, 9, 6, 8, 7, k=1, cap=6.5, penalty=0.05), fast_angles),
    Draw(sizes(5, 2, 4, 8, 13, 10, 7, 6, k=3, cap=4.5, penalty=0.01), FORWARD.idle_expert),
    Draw(sizes(4, 1, 7, 6, 8, 5, 11, 9, k=2, cap=7.5, penalty=0.08), FORWARD.tiny_queries),
    Draw(sizes(3, 5, 6, 4, 10, 12, 7, 9, vocabulary=8, cap=2.5, penalty=0.015), FORWARD.few_tokens),
    Draw(sizes(2, 6, 3, 10, 7, 8, 4, 5, cap=4.2, penalty=0.04), one_token_repeated),
    Draw(sizes(4, 3, 2, 14, 6, 9, 7, 8, k=5, cap=5.5, penalty=0.025), far_apart),
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
