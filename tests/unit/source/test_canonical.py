"""The canonical form of code: equal for what differs in names, layout, order or temporaries, and for nothing else."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from grader.source.code_forms import forms_of


def form(text: str, steps: tuple[str, ...] = ()) -> str:
    """Of the last function of a file; of a text without one, as the value of a function of a, b and n."""
    found = forms_of(text if "def " in text else f"def f(a, b, n):\n    return {text}", frozenset(steps))
    assert found is not None
    return found[-1].form


SAME = {
    "order of operands": ("a * b + 1", "1.0 + b * a"),
    "names": ("def f(a, b):\n    c = a - b\n    return c / b", "def f(x, y):\n    d = x - y\n    return d / y"),
    "temporaries": ("(a * b).sum(0)", "def f(a, b, n):\n    c = b * a\n    d = c.sum(0)\n    return d"),
    "order of statements": (
        "def f(a, b):\n    x = a.exp()\n    y = b.log()\n    return x * y",
        "def f(a, b):\n    y = b.log()\n    x = a.exp()\n    return y * x",
    ),
    "comments and hints": (
        "def f(a):\n    return a.exp()",
        'def f(a: Tensor) -> Tensor:\n    """Words."""\n    # more\n    return a.exp()',
    ),
    "methods and functions": ("a.sum(0, keepdim=True)", "torch.sum(a, dim=0, keepdims=True)"),
    "functions of torch by name": (
        "torch.zeros_like(a)",
        "from torch import zeros_like as z\ndef f(a, b, n):\n    return z(a)",
    ),
    "signs": ("-(a - b) / n", "(b - a) / n"),
    "a sign in a sum": ("-a.sum(1)", "(-a).sum(1)"),
    "a negative power": ("-b * a**-2", "-(b / a**2)"),
    "transposes": ("a.T @ b", "torch.matmul(a.t(), b)"),
    "written in place": (
        "def f(a, n):\n    g = torch.zeros_like(a)\n    g[range(n)] = -1.0 / n\n    return g",
        "def f(q, k):\n    out = torch.zeros_like(q)\n    out[torch.arange(k)] = -(1 / k)\n    return out",
    ),
    "updated": ("a.exp() / n", "def f(a, b, n):\n    g = a.exp()\n    g /= n\n    return g"),
    "loops": (
        "def f(a, b):\n    s = b\n    for i in range(3):\n        s[i] += a[i] * b\n    return s",
        "def f(x, y):\n    t = y\n    for k in range(3):\n        t[k] = t[k] + y * x[k]\n    return t",
    ),
    "constants of the file": ("a + 1e-5", "EPS = 1e-5\ndef f(a, b, n):\n    return a + EPS"),
    "helpers of another name": (
        "def one(a):\n    return a * 2 + 1\n\ndef f(a):\n    return one(a).exp()",
        "def two(b):\n    return 1 + 2 * b\n\ndef f(b):\n    return two(b).exp()",
    ),
    "comprehensions": ("[x * 2 for x in a]", "[2 * y for y in a]"),
    "no_grad": ("2 * a", "def f(a, b, n):\n    with torch.no_grad():\n        return a * 2"),
}
DIFFERENT = {
    "sign": ("a - b", "a + b"),
    "axis": ("a.sum(0)", "a.sum(1)"),
    "keepdim": ("a.sum(0)", "a.sum(0, keepdim=True)"),
    "matrix order": ("a @ a.T", "a.T @ a"),
    "quotient and product": ("a / b", "a * b"),
    "constant": ("2 * a", "3 * a"),
    "sign inside a function that is not linear": ("(-a).exp()", "-a.exp()"),
    "texts are not numbers": ("'a' + 'b'", "'b' + 'a'"),
    "the iterations of a loop": (
        "def f(a):\n    for i in range(3):\n        a = a * 2\n    return a",
        "def f(a):\n    for i in range(4):\n        a = a * 2\n    return a",
    ),
}


def test_the_form_is_the_same_for_what_computes_the_same():
    assert [what for what, (one, other) in SAME.items() if form(one) != form(other)] == []
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
