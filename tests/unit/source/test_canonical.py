"""The canonical form of code: equal for what differs in names, layout, order or temporaries, and for nothing else."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from grader.source.code_forms import forms_of


def form(text: str, steps: tuple[str, ...] = ()) -> str:
    found = forms_of(text, frozenset(steps))
    assert found is not None
    return found[-1].form


SAME = {
    "order of operands": ("def f(a, b):\n    return a * b + 1", "def f(a, b):\n    return 1.0 + b * a"),
    "names": ("def f(a, b):\n    c = a - b\n    return c / b", "def f(x, y):\n    d = x - y\n    return d / y"),
    "temporaries": (
        "def f(a, b):\n    return (a * b).sum(0)",
        "def f(a, b):\n    c = b * a\n    d = c.sum(0)\n    return d",
    ),
    "order of statements": (
        "def f(a, b):\n    x = a.exp()\n    y = b.log()\n    return x * y",
        "def f(a, b):\n    y = b.log()\n    x = a.exp()\n    return y * x",
    ),
    "comments and hints": (
        "def f(a):\n    return a.exp()",
        'def f(a: Tensor) -> Tensor:\n    """Words."""\n    # more\n    return a.exp()',
    ),
    "methods and functions": (
        "def f(a):\n    return a.sum(0, keepdim=True)",
        "import torch\ndef f(a):\n    return torch.sum(a, dim=0, keepdims=True)",
    ),
    "functions of torch by name": (
        "def f(a):\n    return torch.zeros_like(a)",
        "from torch import zeros_like as z\ndef f(a):\n    return z(a)",
    ),
    "signs": ("def f(a, b, n):\n    return -(a - b) / n", "def f(a, b, n):\n    return (b - a) / n"),
    "a sign in a sum": ("def f(a):\n    return -a.sum(1)", "def f(a):\n    return (-a).sum(1)"),
    "a negative power": ("def f(a, b):\n    return -b * a**-2", "def f(a, b):\n    return -(b / a**2)"),
    "transposes": ("def f(a, b):\n    return a.T @ b", "def f(a, b):\n    return torch.matmul(a.t(), b)"),
    "written in place": (
        "def f(a, n):\n    g = torch.zeros_like(a)\n    g[range(n)] = -1.0 / n\n    return g",
        "def f(q, k):\n    out = torch.zeros_like(q)\n    out[torch.arange(k)] = -(1 / k)\n    return out",
    ),
    "updated": ("def f(a, n):\n    g = a.exp()\n    g /= n\n    return g", "def f(a, n):\n    return a.exp() / n"),
    "loops": (
        "def f(a, b):\n    s = b\n    for i in range(3):\n        s[i] += a[i] * b\n    return s",
        "def f(x, y):\n    t = y\n    for k in range(3):\n        t[k] = t[k] + y * x[k]\n    return t",
    ),
    "constants of the file": ("EPS = 1e-5\ndef f(a):\n    return a + EPS", "def f(a):\n    return a + 1e-5"),
    "helpers of another name": (
        "def one(a):\n    return a * 2 + 1\n\ndef f(a):\n    return one(a).exp()",
        "def two(b):\n    return 1 + 2 * b\n\ndef f(b):\n    return two(b).exp()",
    ),
    "comprehensions": ("def f(a):\n    return [x * 2 for x in a]", "def f(b):\n    return [2 * y for y in b]"),
    "no_grad": ("def f(a):\n    with torch.no_grad():\n        return a * 2", "def f(a):\n    return 2 * a"),
}


def test_the_same_in_another_form():
    assert [what for what, (one, other) in SAME.items() if form(one) != form(other)] == []


DIFFERENT = {
    "sign": ("def f(a, b):\n    return a - b", "def f(a, b):\n    return a + b"),
    "axis": ("def f(a):\n    return a.sum(0)", "def f(a):\n    return a.sum(1)"),
    "keepdim": ("def f(a):\n    return a.sum(0)", "def f(a):\n    return a.sum(0, keepdim=True)"),
    "matrix order": ("def f(a):\n    return a @ a.T", "def f(a):\n    return a.T @ a"),
    "quotient and product": ("def f(a, b):\n    return a / b", "def f(a, b):\n    return a * b"),
    "constant": ("def f(a):\n    return 2 * a", "def f(a):\n    return 3 * a"),
    "sign inside a function that is not linear": ("def f(a):\n    return (-a).exp()", "def f(a):\n    return -a.exp()"),
    "texts are not numbers": ("def f(a):\n    return 'a' + 'b'", "def f(a):\n    return 'b' + 'a'"),
    "the iterations of a loop": (
        "def f(a):\n    for i in range(3):\n        a = a * 2\n    return a",
        "def f(a):\n    for i in range(4):\n        a = a * 2\n    return a",
    ),
}


def test_what_computes_something_else_differs():
    assert [what for what, (one, other) in DIFFERENT.items() if form(one) == form(other)] == []


def test_the_parameters_of_a_step_are_known_by_name():
    one, other = "def f(a, b):\n    return a / b", "def f(a, b):\n    return b / a"
    assert form(one) == form(other), "without names, both are a quotient"
    assert form(one, ("f",)) != form(other, ("f",))
    assert form("def f(b, a):\n    return a / b", ("f",)) == form(one, ("f",)), "their order is the student's"


NAMES = st.permutations(["a", "b", "c", "d"])


@given(NAMES, st.permutations([0, 1, 2]))
def test_any_renaming_and_any_order_of_independent_lines(names, order):
    a, b, c, d = names
    lines = [f"    x0 = {a} * {b}", f"    x1 = {c}.exp() - {a}", f"    x2 = {d} @ {b}"]
    text = "\n".join([f"def f({', '.join(sorted(names))}):", *(lines[at] for at in order), "    return x0 + x1 * x2"])
    plain = "def f(a, b, c, d):\n    return (c.exp() - a) * (d @ b) + b * a"
    assert form(text) == form(plain)
    assert form(ast.unparse(ast.parse(text)), ("f",)) == form(text, ("f",))


ODD = [
    "x = " + "(" * 90 + "1" + ")" * 90,
    "def f(a):\n    return " + "+".join(["a"] * 5000),
    "def f(a):\n" + "\n".join(f"    x{n + 1} = x{n} + x{n}" for n in range(2000)) + "\n    return x2000",
    "def f(" + ", ".join(f"a{n}" for n in range(250)) + "):\n    return a1",
    "def f(:",
    "\x00",
]


def test_odd_texts_have_short_forms():
    for text in ODD:
        found = forms_of(text, frozenset())
        assert found is None or all(len(function.form) < 400 for function in found)
