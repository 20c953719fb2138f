"""Attributes and entries as plain variables: what the text decides is written out, everything else stays as it is."""

from __future__ import annotations

import ast

import pytest

from grader.intake.notebook.part_names import PartNames
from grader.intake.notebook.plain_variables import plain_notebook

KNOWN = frozenset({"dW1", "dW2", "W1", "W2", "h", "dh", "logits", "dlogits"})
LAYER = """
class Layer:
    def __init__(self, weight): self.weight = weight
    def forward(self, x):
        self.x = x
        return x @ self.weight
    def backward(self, dout):
        self.dweight = self.x.T @ dout
        return dout @ self.weight.T
"""


PASS = """
def backward(probs, k):
    n = probs.shape[0]
    dlogits = 1 / probs * k / n
    dh = dlogits @ W
    dW1 = dh
    return dlogits, dh, dW1
"""


def plain(text: str) -> list[str]:
    """The statements that are not definitions."""
    found = plain_notebook([("cell", ast.parse(text).body)], KNOWN, {"dlogits", "dh", "dW1"})
    assert found is not None
    statements = [node for body in found.bodies for node in body]
    return [ast.unparse(node) for node in statements if not isinstance(node, ast.ClassDef | ast.FunctionDef)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class g: pass\ng.dW1 = x.T @ dh\ng.dW1 += 1", ["dW1 = x.T @ dh", "dW1 += 1"]),
        ("grads = dict()\ngrads['W1'] = x.T @ dh", ["grads = {}", "grads_W1 = x.T @ dh"]),
        ("k = 'W'\ng = {}\nfor i in (1, 2):\n    g[f'd{k}{i}'] = a[i]",
         ["k = 'W'", "g = {}", "dW1 = a[1]", "dW2 = a[2]"]),
        ("d = {'W': [None] * 2}\nd['W'][-1] = h.T @ e", ["d = {'W': [None, None]}", "grads_W_item1 = h.T @ e"]),
        ("def f(p):\n    out = {}\n    out['dh'] = p * 2\n    return out\nr = f(q)\nprint(r['dh'])",
         ["dh = q * 2", "r = {'dh': dh}", "print(dh)"]),
        (LAYER + "one, two = Layer(W1), Layer(W2)\nh = one.forward(x)\nlogits = two.forward(h)\n"
         "dh = two.backward(dlogits)\none.backward(dh)",
         ["h = x @ W1", "logits = h @ W2", "dW2 = h.T @ dlogits", "dh = dlogits @ W2.T", "dW1 = x.T @ dh",
          "result_in_backward_10 = dh @ W1.T"]),
        ("d = {}\nd[name] = 1", ["d = {}", "d[name] = 1"]),
        (LAYER + "layer = Layer(W1)\nfor t in range(n):\n    y = layer.forward(x[t])",
         ["for t in range(n):\n    layer_x = x[t]\n    y = layer_x @ W1"]),
        ("class A:\n    def f(self, x):\n        for i in x:\n            return i\na = A()\ny = a.f(z)",
         ["y = a.f(z)"]),
    ],
    ids=["class", "dictionary", "keys of text", "list", "returned", "layers", "unknown key", "loop", "early return"],
)  # fmt: skip
def test_what_the_statements_become(text, expected):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PASS + "dlogits, dh, dW1 = backward(probs, 2)",
         ["n = probs.shape[0]", "dlogits = 1 / probs * 2 / n", "dh = dlogits @ W", "dW1 = dh"]),
        (PASS + "grads = backward(k=K, probs=p)",
         ["n = p.shape[0]", "dlogits = 1 / p * K / n", "dh = dlogits @ W", "dW1 = dh", "grads = (dlogits, dh, dW1)"]),
        (PASS + "grads = backward(*given)", ["grads = backward(*given)"]),
        (PASS + "grads = backward(probs)", ["grads = backward(probs)"]),
        (PASS.replace("    n =", "    for x in k:\n        return None\n    n =") + "g = backward(probs, 2)",
         ["g = backward(probs, 2)"]),
        ("@cached" + PASS + "g = backward(probs, 2)", ["g = backward(probs, 2)"]),
        (PASS.replace("1 /", "8 /") + PASS + "dlogits, dh, dW1 = backward(probs, 2)" + PASS.replace("1 /", "9 /"),
         ["n = probs.shape[0]", "dlogits = 1 / probs * 2 / n", "dh = dlogits @ W", "dW1 = dh"]),
    ],
    ids=["same names", "other names", "stars", "too few", "early return", "decorator", "which of three"],
)  # fmt: skip
def test_functions_that_assign_gradients(text, expected):
    assert plain(text) == expected


def test_lists_that_double_and_functions_that_call_themselves_come_to_an_end():
    doubled = "class A: pass\nx = [A()]\n" + "x = x + x\n" * 60
    nested = "d = {'a': [y]}\n" + "".join(f"v{i + 1} = [v{i}, v{i}]\n" for i in range(60)).replace("v0", "d")
    endless = "class A:\n    def f(self): return [self.f(), self.f()]\nprint(A().f())"
    own = "d = {}\nd['d'] = d\nprint(d)"
    for text in (doubled, nested, endless, own):
        assert plain(text)


def test_the_names_of_many_parts_take_no_quadratic_time(monkeypatch):
    made, identifier = [], PartNames.identifier
    monkeypatch.setattr(PartNames, "identifier", lambda *given: made.append(1) or identifier(*given))
    text = "class Number:\n    def __init__(self, data):\n        self.data = data\n"
    plain(text + "\n".join(f"x{i} = Number(a[{i}])" for i in range(100)))
    assert 100 <= len(made) <= 1_000


def test_a_notebook_without_objects_is_not_read_again():
    assert plain_notebook([("cell", ast.parse("dh = dlogits @ W2.T\np.grad = None").body)], KNOWN) is None


def test_a_notebook_of_too_many_statements_is_read_as_it_is():
    """The limit once ended the reading: "the grader has an error that shows in this file"."""
    assert plain_notebook([("cell", ast.parse("g = {}\n" + "x = 1\n" * 5_001).body)], KNOWN) is None


@pytest.mark.parametrize("call", ["eval('{}')", "globals()['{}']"])
@pytest.mark.parametrize("name", ["a b", "class", "None", ""])
def test_a_text_that_is_no_name_stays_a_text(call, name):
    """Otherwise what is written for it is no Python."""
    code = "\n".join(plain(f"p = {{}}\np['h'] = q\ny = {call.format(name)}"))
    assert f"y = {call.format(name)}" in code
