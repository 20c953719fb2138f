"""The public examples that `dojo check 20` runs for the whole block: autograd's gradients on a small one.

The hidden test suite uses others.
"""

from pathlib import Path
from types import SimpleNamespace

import torch

from grader.lesson.course_modules import load_module

FORWARD = load_module(Path(__file__).with_name("forward.py"), "backprop_ninja_forward_20_example")
SIZES = {"batch": 2, "time": 3, "channels": 6, "heads": 4, "groups": 2, "size": 4, "hidden": 5, "experts": 3, "k": 2}


def agrees(check, *names):
    """Compare what `block_backward` returns under these names with autograd's gradients."""
    generator = check.generator()
    leaves = FORWARD.block_inputs(generator, **SIZES)
    t = SimpleNamespace(**leaves)
    with torch.enable_grad():
        for name in names:
            leaves[name[1:]].requires_grad_()
        FORWARD.block(t)
        dout = torch.randn(t.out.shape, generator=generator, dtype=torch.float64)
        expected = torch.autograd.grad((t.out * dout).sum() + 2 * t.balance, [leaves[name[1:]] for name in names])
    given = {name: value.detach() if isinstance(value, torch.Tensor) else value for name, value in vars(t).items()}
    found = check.on.call("block_backward", given, dout, 2.0)
    found = found if isinstance(found, dict) else {}
    check.equals({name: found.get(name) for name in names}, dict(zip(names, expected, strict=True)))


def test_block_experts(check):
    agrees(check, "dWdowns", "dWups", "dWgates", "dWr", "dgain2")


def test_block_attention(check):
    agrees(check, "dWo", "dWv", "dgain_q", "dgain_k", "dWq", "dWk", "dgain1")


def test_block_dx(check):
    agrees(check, "dx")
