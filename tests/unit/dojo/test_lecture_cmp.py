"""`from grader import cmp`: the lecture's row, and below it what the row does not tell."""

from __future__ import annotations

import pytest
import torch

import grader


def lecture_cmp(s, dt, t):
    """As the lecture's notebook has it."""
    ex = torch.all(dt == t.grad).item()
    app = torch.allclose(dt, t.grad)
    maxdiff = (dt - t.grad).abs().max().item()
    print(f"{s:15s} | exact: {ex!s:5s} | approximate: {app!s:5s} | maxdiff: {maxdiff}")


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
    for name, gradient in (("h", 2 * net["h"].detach()), ("b", net["dz"].sum(0)), ("W", net["x"].T @ net["dz"] + 1)):
        lecture_cmp(name, gradient, net[name])
        expected = capsys.readouterr().out
        grader.cmp(name, gradient, net[name])
        assert capsys.readouterr().out.startswith(expected)


@pytest.mark.parametrize(
    ("name", "gradient", "message"),
    [
        ("b", lambda n: n["dz"].sum(0), []),
        (
            "b",
            lambda n: n["dz"].sum(0, keepdim=True),
            ["The numbers of `db` are right, their shape is not: (1, 3) where (3,) is expected."],
        ),
        ("b", lambda n: n["dz"], ["`db` still needs a sum over axis 0: its shape is (6, 3) where (3,) is expected."]),
        ("W", lambda n: (n["x"].T @ n["dz"]).T, ["`dW` is the transpose of what it should be."]),
        ("W", lambda n: -n["x"].T @ n["dz"], ["`dW` is exactly minus what it should be"]),
        ("W", lambda n: n["x"].T @ n["dz"] / 6, ["`dW` is exactly 0.16667 times what it should be."]),
        ("z", lambda n: torch.zeros(6, 3), ["Every element of `dz` is zero."]),
        ("z", lambda n: n["dz"] / 0, ["`dz` at [0, 0] is ", "inf, not a finite number."]),
        ("z", lambda n: n["dz"].double(), ["`dz` is float64 and `z` is float32"]),
        ("z", lambda n: n["dz"].long(), ["`dz` is int64 and `z` is float32"]),
        ("z", lambda n: n["dz"] + (torch.arange(18).view(6, 3) == 4), ["Worst element [1, 1]: found "]),
        ("z", lambda n: n["dz"] * (1 + 3e-7), [None]),
        ("z", lambda n: None, ["`dz` is None; expected a tensor of shape (6, 3)."]),
        ("x", lambda n: n["x"], ["`x` requires no gradient"]),
    ],
)
def test_cmp_tells_what_the_row_does_not(net, capsys, name, gradient, message):
    grader.cmp(name, gradient(net), net[name])
    printed = capsys.readouterr().out
    for part in message:
        assert part is None or part in printed
    if not message:
        assert printed.count("\n") == 1
    assert "times 1:" not in printed


def test_cmp_before_there_is_anything_to_compare_with(capsys):
    W = torch.ones(2, requires_grad=True)
    h = W * 2
    grader.cmp("W", torch.ones(2), W)
    grader.cmp("h", torch.ones(2), h)
    grader.cmp("n", torch.ones(2), 3)
    assert capsys.readouterr().out == (
        "W               | `W` has no .grad yet: call loss.backward() first.\n"
        "h               | `h` has no .grad: call h.retain_grad() before loss.backward().\n"
        "n               | the third argument is a int; expected the tensor `n` of your forward pass.\n"
    )
