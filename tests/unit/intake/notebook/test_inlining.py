"""Blocks and called functions are opened in place; what the text does not decide stays as it is."""

from __future__ import annotations

import ast

from support import sampled

from grader.intake.notebook.cells import Cell, NotebookError
from grader.intake.notebook.inlining import Inliner
from grader.intake.notebook.script import Page, script_of

GRADIENTS = ("dlogits", "dh", "dW1")
VALUES = ("probs", "logits", "loss")
PASS = """
def backward(probs, k):
    n = probs.shape[0]
    dlogits = 1 / probs * k / n
    dh = dlogits @ W
    dW1 = dh
    return dlogits, dh, dW1
"""
FORWARD = "def forward(x):\n    logits = x @ W\n    probs = logits.exp()\n    loss = -probs.log()\n    return loss\n"
OPENED = ["n = probs.shape[0]", "dlogits = 1 / probs * k / n", "dh = dlogits @ W", "dW1 = dh"]


def opened(text: str) -> list[str]:
    """The statements that are not definitions."""
    body = ast.parse(text).body
    inliner = Inliner([("cell", body)], GRADIENTS, VALUES)
    found = [each.node for each in inliner.statements("cell", body)]
    return [ast.unparse(node) for node in found if not isinstance(node, ast.FunctionDef)]


def test_functions():
    for text, expected in [
        (PASS + "dlogits, dh, dW1 = backward(probs, 2)", ["k = 2", *OPENED]),
        (
            PASS + "grads = backward(k=K, probs=probs)",
            ["k = K", *OPENED, "grads = (dlogits, dh, dW1)"],
        ),
        (PASS + "grads = backward(probs)", ["grads = backward(probs)"]),
        (
            PASS.replace("    n =", "    for x in k:\n        return None\n    n =") + "g = backward(probs, 2)",
            ["g = backward(probs, 2)"],
        ),
        ("@cached" + PASS + "g = backward(probs, 2)", ["g = backward(probs, 2)"]),
        ("@torch.no_grad()" + PASS + "backward(probs, k)", OPENED),
        (
            PASS.replace("1 /", "8 /") + PASS + "dlogits, dh, dW1 = backward(probs, k)" + PASS.replace("1 /", "9 /"),
            OPENED,
        ),
        (PASS + "def main(k):\n    def helper(): return 1\n    backward(probs, k)\nmain(2)", ["k = 2", *OPENED]),
        (FORWARD + "loss = forward(Xb)", ["x = Xb", "logits = x @ W", "probs = logits.exp()", "loss = -probs.log()"]),
        (FORWARD + "forward(Xb)", ["forward(Xb)"]),
        ("def one(d):\n    return d @ W\ndh = one(dlogits)", ["dh = one(dlogits)"]),
        (
            PASS.replace("return dlogits, dh", "return dh, dlogits") + "dlogits, dh, dW1 = backward(probs, k)",
            [*OPENED, "dlogits, dh, dW1 = (dh, dlogits, dW1)"],
        ),
    ]:
        assert opened(text) == expected


def test_blocks():
    for head, is_opened in [
        ("with torch.no_grad():", True),
        ("try:", True),
        ("if __name__ == '__main__':", True),
        ("if True:", True),
        ("if MANUAL:", True),
        ("for i in range(9):", True),
        ("while True:", True),
        ("class Network:", False),
        ("async def f():", False),
    ]:
        lines = ["dlogits = probs", "dh = dlogits @ W", "dW1 = dh"]
        end = "\nfinally:\n    pass" if head == "try:" else ""
        found = opened(head + "".join(f"\n    {line}" for line in lines) + end)
        assert (set(lines) <= set(found)) is is_opened


def test_a_loop_that_fills_one_gradient_is_left():
    text = "for k in range(n):\n    dh[k] = dlogits[k] @ W"
    assert opened(text) == [text]


DOUBLED = "".join(f"def f{i}():\n    f{i + 1}()\n    f{i + 1}()\n" for i in range(40))


@sampled(
    "text",
    [
        PASS.replace("    dW1 = dh", "    dW1 = backward(probs, k)") + "backward(probs, 2)",
        PASS.replace("probs, k", "probs=backward(), k=1") + "backward()",  # a default value calls the function
        DOUBLED + PASS.replace("backward(probs, k)", "f40()") + "f0()",
    ],
    keep=2,
)
def test_functions_that_call_each_other_come_to_an_end(text):
    try:
        script_of(Page([Cell("cell", text)]), GRADIENTS, VALUES)
    except NotebookError as error:
        assert "more than 5,000 statements" in str(error)
