"""Functions that are affine in their upstream gradients, and uninitialised memory that is filled at once."""

from __future__ import annotations

import pytest
import torch
from support import guarded

from grader.sandbox.policy.pure_functions import PureFunction, pure_functions

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"
RIGHT = {
    "one expression": "return dy * x + 2 * dz.sum(0, keepdim=True)",
    "matrix product": "return (x.T @ dy).view(2, -1)",
    "in place": "g = x.clone()\n    g.pow_(2).neg_().add_(1)\n    g *= dy\n    return g",
    "in place on a temporary": "return x.clone().exp_().mul_(dy)",
    "rows": "g = torch.zeros_like(x)\n    for i in range(2):\n        g[i] += dy[i] * x[i]\n    return g",
    "zip": "return torch.stack([u * row for u, row in zip(dy, x)])",
    "scattered": "g = torch.zeros_like(x)\n    g.index_add_(0, torch.arange(2), dy)\n    return g",
    "its shape decides": "return x.expand_as(dy) + dy.shape[0]",
    "mask of forward values": "return dy * (x > 0)",
    "into a result": "g = torch.empty_like(x)\n    torch.mul(dy, x, out=g)\n    return g",
    "where": "return torch.where(x > 0, dy, -dz)",
    "added product": "return torch.addcmul(dz, dy, x)",
}
WRONG = {
    "square": "return dy * dy",
    "product of two": "return dy * dz",
    "divisor": "return x / dy",
    "power": "return dy ** 2",
    "function": "return dy.tanh()",
    "condition": "return dy if dy.sum() > 0 else -dy",
    "if": "if x.sum() > 0:\n        return dy\n    return -dy",
    "mask": "return x * (dy > 0)",
    "index": "return x[dy.long()]",
    "largest": "return dy.max(1, keepdim=True).values",
    "through a view": "g = torch.zeros_like(x)\n    v = g.view(-1)\n    v += dy.view(-1)\n    return g * g",
    "through a list": "rows = [x[0]]\n    rows[0] += dy[0]\n    return x * x",
    "through an appended row": "rows = []\n    rows.append(x)\n    rows[0].add_(dy)\n    return x * x",
    "through a longer list": "rows = []\n    rows += [x]\n    rows[0].add_(dy)\n    return x * x",
    "into a result": "g = torch.zeros_like(x)\n    torch.mul(dy, x, out=g)\n    return g * g",
    "from the end of a loop": "g = x.clone()\n    h = x.clone()\n    for i in range(2):\n        h = h * g\n"
    "        g = g + dy\n        g, h = h, g\n    return h * dz",
    "rounded": "return torch.tensor(dy.tolist(), dtype=torch.int64)",
    "in float32": "return dy.float()",
    "a loop over it": "g = x.clone()\n    for row in dy:\n        g = g * row\n    return g",
    "twice in one product": "return torch.einsum('ij,ij->i', dy, dz)",
    "a factor of a sum": "return torch.addcmul(x, dy, dz)",
    "clamped": "return dy.clamp(0, 1)",
    "a function in a variable": "sum = torch.exp\n    return sum(dy)",
    "bits read as whole numbers": "return dy.view(torch.int64) * x",
    "bits read as another type": "other = torch.float32\n    return dy.view(other)",
    "rounded quotient": "return dy.div(x, rounding_mode='floor')",
    "through `out`": "g = x.clone()\n    torch.mul(g, 1, out=g).copy_(dy)\n    return g * g",
    "through the result of `out`": "g = x.clone()\n    h = torch.mul(g, 1, out=g)\n    h += dy\n    return g * g",
    "in place by a keyword": "g = x.clone()\n    F.relu(g, inplace=True).copy_(dy)\n    return g * g",
    "through a view of einsum": "g = x.clone()\n    torch.einsum('ij->ij', g).copy_(dy)\n    return g * g",
    "through the same tensor": "g = x.clone()\n    h = +g\n    h += dy\n    return g * g",
    "through lists that were added": "g = x.clone()\n    rows = [g]\n    more = rows + rows\n    more[0].add_(dy)\n"
    "    return g * g",
    "through added lists": "g = x.clone()\n    rows = [g] + [x]\n    rows[0].add_(dy)\n    return g * g",
    "operands in a starred tuple": "return torch.einsum('ij,ij->ij', *(dy, dy))",
    "operands in a starred list": "both = [dy, dz]\n    return torch.mul(*both)",
    "operands of einsum in a list": "both = [dy, dz]\n    return torch.einsum('ij,ij->ij', both)",
    "operands of einsum in a list of lists": "both = [[dy, dz]]\n    return torch.einsum('ij,ij->ij', both[0])",
    "operands of einsum from a call": "return torch.einsum('ij,ij->ij', list((dy, dz)))",
    "operands of einsum from a comprehension": "return torch.einsum('ij,ij->ij', [u for u in (dy, dz)])",
    "operands of einsum from two lists": "return torch.einsum('ij,ij->ij', [dy] + [dy])",
    "a starred divisor": "return torch.div(*(x, dy))",
    "a starred value": "return x / torch.full_like(*(x, dy.sum().item()))",
    "through a start value": "g = x.clone()\n    sum([], start=g).add_(dy)\n    return g * g",
    "through a named input": "g = x.clone()\n    torch.squeeze(input=g).add_(dy)\n    return g * g",
    "through a named input of a view": "g = x.clone()\n    h = torch.t(input=g)\n    h += dy\n    return g * g",
    "through inner lists": "g = x.clone()\n    a = [[g]]\n    b = a[0] + a[0]\n    b[0].add_(dy)\n    return g * g",
    "through two names of a result": "g = h = x.clone()\n    g += dy\n    return h * h",
    "through a repeated element": "g, h = [x.clone()] * 2\n    g += dy\n    return h * h",
    "through a default of max": "g = x.clone()\n    h = max([], default=g)\n    h += dy\n    return g * g",
    "through repeated rows of a loop": "for g, h in [[x.clone()] * 2]:\n        g += dy\n    return h * h",
    "through a starred name": "g = x.clone()\n    h, *rest = [g, g]\n    rest[0].add_(dy)\n    return h * h",
}


def function(body: str) -> PureFunction:
    return pure_functions(f"{HEAD}def dx(dy, dz, x):\n    {body}\n".encode(), ["dx"])["dx"]


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_affine_functions_are_recognised_and_are_affine(body):
    assert function(body).is_affine
    space: dict[str, object] = {}
    exec(f"{HEAD}def dx(dy, dz, x):\n    {body}\n", space)
    torch.manual_seed(0)
    x, a, b, c, d = (torch.randn(2, 2, dtype=torch.float64) for _ in range(5))

    def dx(dy: torch.Tensor, dz: torch.Tensor) -> torch.Tensor:
        return space["dx"](dy.clone(), dz.clone(), x.clone())  # type: ignore[operator, no-any-return]

    middle = dx((a + c) / 2, (b + d) / 2)
    assert torch.allclose(middle, (dx(a, b) + dx(c, d)) / 2, atol=1e-12, rtol=0)


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_no_other_function_is(body):
    assert not function(body).is_affine


def test_reading_loops_again_has_an_end():
    """Each reading of the loop shows one more variable that depends on the upstream gradient: without an end, hours."""
    copies = "".join(f"        a{number + 1} = a{number}\n" for number in reversed(range(900)))
    names = "".join(f"    a{number} = x\n" for number in range(901))
    body = f"pass\n{names}    for i in range(3):\n{copies}        a0 = dy\n    return a900"
    with guarded():
        assert not function(body).is_affine


def test_a_function_that_calls_another_is_not():
    text = f"{HEAD}def half(x):\n    return x * x\n\n\ndef dx(dy):\n    return half(dy)\n"
    found = pure_functions(text.encode(), ["dx"])["dx"]
    assert found.key and not found.is_affine and not found.text_key


def test_a_function_under_the_name_of_another_is_not():
    text = "\n\n\ndef dx(dy):\n    return sum(dy)\n"
    assert pure_functions((HEAD + text).encode(), ["dx"])["dx"].is_affine
    found = pure_functions((HEAD + "from torch import exp as sum" + text).encode(), ["dx"])["dx"]
    assert found.key and not found.is_affine


def test_the_text_key_is_that_of_the_text():
    one, same, other = map(function, ("g = dy\n    return g", "g = dy\n    return g", "h = dy\n    return h"))
    assert one.key == other.key and one.text_key == same.text_key != other.text_key


FILLED = (
    "g = torch.empty_like(x)\n    g[:] = dy\n    return g",
    "g = torch.empty_like(x)\n    g[...] = dy\n    return g",
    "g = torch.empty_like(x)\n    g.copy_(dy)\n    return g",
    "g = torch.empty_like(x)\n    g.view(len(x), -1).copy_(dy)\n    return g",
    "g = torch.empty(2, 2)\n    for i in range(len(g)):\n        g[i] = dy[i]\n    return g",
    "g = torch.empty_like(x)\n    for i in range(x.shape[0]):\n        g[i] = dy[i]\n    return g",
)
NOT_FILLED = (
    "return torch.empty_like(x)",
    "g = torch.empty_like(x)\n    return g",
    "g = torch.empty_like(x)\n    g[:] = g + dy\n    return g",
    "g = torch.empty_like(x)\n    g[:] += dy\n    return g",
    "g = torch.empty_like(x)\n    g[1:] = dy[1:]\n    return g",
    "g = torch.empty_like(x)\n    h = g + 0\n    g[:] = dy\n    return h",
    "g = torch.empty_like(x)\n    g.view(-1)[:2].copy_(dy[0])\n    return g",
    "g = torch.empty_like(x)\n    torch.add(g, dy, out=g)\n    return g",
    "g = torch.empty_like(x)\n    for i in range(x.shape[1]):\n        g[i] = dy[i]\n    return g",
    "g = torch.empty_like(x)\n    for i in range(len(x)):\n        g[0] = dy[i]\n    return g",
    "g = torch.empty(3, 2)\n    for i in range(len(x)):\n        g[i] = dy[i]\n    return g",
    "g = torch.empty_like(x)\n    g[:] = torch.empty_like(dy)\n    return g",
    "for i in range(2):\n        g = torch.empty_like(x)\n    g[:] = dy\n    return g",
    "h = torch.zeros(0)\n    g = torch.empty(9, out=h)\n    g[:] = h\n    return g",
    "h = lambda: g + 0\n    g = torch.empty_like(x)\n    g[:] = h()\n    return g",
    "h = (g for _ in dy)\n    g = torch.empty_like(x)\n    g[:] = sum(h)\n    return g",
)


def test_memory_that_is_filled_at_once_decides_nothing():
    assert [body for body in FILLED if not function(body).key] == []
    assert [body for body in NOT_FILLED if function(body).key] == []
