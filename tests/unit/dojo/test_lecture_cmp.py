"""`from grader import cmp`: the lecture's row, and below it what the row does not tell."""

from __future__ import annotations

import pytest
import torch

import grader


@pytest.fixture(scope="module")
def net() -> dict[str, torch.Tensor]:
    """x @ W + b through tanh, with every gradient kept."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(6, 4, generator=generator)
    W = torch.randn(4, 3, generator=generator, requires_grad=True)
    b = torch.randn(3, generator=generator, requires_grad=True)
    z = x @ W + b
    h = torch.tanh(0.3 * z)
    for value in (z, h):
        value.retain_grad()
    (h**2).sum().backward()
    return {"x": x, "W": W, "b": b, "z": z, "h": h, "dz": z.grad.clone()}


def test_cmp_prints_the_lecture_s_row(net, capsys):
    """As the lecture's notebook has it."""
    for name, dt in (("h", 2 * net["h"].detach()), ("b", net["dz"].sum(0)), ("W", net["x"].T @ net["dz"] + 1)):
        t, maxdiff = net[name], (dt - net[name].grad).abs().max().item()
        ex, app = torch.all(dt == t.grad).item(), torch.allclose(dt, t.grad)
        grader.cmp(name, dt, t)
        expected = f"{name:15s} | exact: {ex!s:5s} | approximate: {app!s:5s} | maxdiff: {maxdiff}\n"
        assert capsys.readouterr().out.startswith(expected)


def test_cmp_tells_what_the_row_does_not(net, capsys):
    x, dz, W = net["x"], net["dz"], torch.ones(2, requires_grad=True)
    dW, h = x.T @ dz, W * 2
    for name, gradient, value, message in (
        ("b", dz.sum(0), net["b"], "\n"),
        (
            "b",
            dz.sum(0, keepdim=True),
            net["b"],
            "are right, their shape is not: (1, 3) where (3,) is expected.",
        ),
        ("b", dz, net["b"], "`db` still needs a sum over axis 0: its shape is (6, 3) where (3,) is expected."),
        ("W", dW.T, net["W"], "`dW` is the transpose of what it should be."),
        ("W", -dW, net["W"], "`dW` is exactly minus what it should be"),
        ("W", dW / 6, net["W"], "`dW` is exactly 0.16667 times what it should be."),
        ("z", torch.zeros(6, 3), net["z"], "Every element of `dz` is zero."),
        ("z", dz / 0, net["z"], "inf, not a finite number."),
        ("z", dz.double(), net["z"], "`dz` is float64 and `z` is float32"),
        ("z", dz.long(), net["z"], "`dz` is int64 and `z` is float32"),
        ("z", dz + (torch.arange(18).view(6, 3) == 4), net["z"], "Worst element [1, 1]: found "),
        ("z", None, net["z"], "`dz` is None; expected a tensor of shape (6, 3)."),
        ("x", x, x, "`x` requires no gradient"),
        ("W", torch.ones(2), W, "W               | `W` has no .grad yet: call loss.backward() first.\n"),
        ("h", torch.ones(2), h, "`h` has no .grad: call h.retain_grad() before loss.backward().\n"),
        ("n", torch.ones(2), 3, "the third argument is a int; expected the tensor `n` of your forward pass.\n"),
    ):
        grader.cmp(name, gradient, value)
        printed = capsys.readouterr().out
        assert message in printed and (message != "\n" or printed.count("\n") == 1), (name, message, printed)
    grader.cmp("z", dz * (1 + 3e-7), net["z"])
    assert "times 1:" not in capsys.readouterr().out
