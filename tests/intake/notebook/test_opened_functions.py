"""Functions that are a whole backward pass, read as statements in the place of their only call."""

from __future__ import annotations

import ast

from grader.intake.notebook.opened_functions import opened_functions

GRADIENTS = ("dprobs", "dlogits", "dh", "dC")
FUNCTION = """
def backward(probs, k):
    n = probs.shape[0]
    dprobs = 1 / probs * k
    dlogits = dprobs / n
    dh = dlogits @ W
    dC = dh
    return dprobs, dlogits, dh, dC
"""


def opened(text: str) -> str | None:
    """The statements that the last one becomes; None where it stays as it is."""
    body = ast.parse(text).body
    found = opened_functions([body], GRADIENTS).get(id(body[-1]))
    return None if found is None else "\n".join(map(ast.unparse, found))


def test_results_of_the_same_names_are_not_assigned_again():
    statements = "dprobs = 1 / probs * k_in_backward\ndlogits = dprobs / n\ndh = dlogits @ W\ndC = dh"
    text = opened(FUNCTION + "dprobs, dlogits, dh, dC = backward(probs, 2)")
    assert text == f"k_in_backward = 2\nn = probs.shape[0]\n{statements}"


def test_a_local_name_that_the_file_has_too_keeps_out_of_its_way():
    text = opened("n = 32\n" + FUNCTION + "grads = backward(k=2, probs=p)")
    assert text is not None and text.startswith("k_in_backward = 2\nprobs_in_backward = p\nn_in_backward = probs_in")
    assert text.endswith("grads = (dprobs, dlogits, dh, dC)")


def test_what_cannot_be_told_stays_a_call():
    call = "grads = backward(probs, 2)"
    assert opened(FUNCTION + "backward(probs, 1)\n" + call) is None  # called twice
    assert opened(FUNCTION + "grads = backward(*given)") is None
    assert opened(FUNCTION + "grads = backward(probs)") is None
    assert opened(FUNCTION.replace("    n =", "    if k:\n        return None\n    n =") + call) is None
    assert opened("@cached\n" + FUNCTION.strip() + "\n" + call) is None
    assert opened(FUNCTION.replace("dprobs", "e").replace("dlogits", "f") + call) is None  # not the whole pass


def test_a_call_means_the_function_above_it():
    """A draft above, and a copy below that is never called, are not what gave the gradients."""
    call = "dprobs, dlogits, dh, dC = backward(probs, 2)"
    draft, below = (FUNCTION.replace("1 / probs", number) for number in ("8", "9"))
    body = ast.parse(f"{draft}\n{FUNCTION}\n{call}\n{below}").body
    (found,) = opened_functions([body], GRADIENTS).values()
    assert "dprobs = 1 / probs * k_in_backward" in map(ast.unparse, found)


def test_a_gradient_that_a_part_of_the_pass_keeps_for_itself_does_not_replace_the_file_s():
    part = FUNCTION.replace("return dprobs, dlogits, dh, dC", "return dprobs, dlogits, dh")
    others = ("dW", "db", "dx")
    body = ast.parse(f"dC = 5\n{part}\ndprobs, dlogits, dh = backward(probs, 2)").body
    (found,) = opened_functions([body], (*GRADIENTS, *others)).values()
    assert ast.unparse(found[-1]) == "dC_in_backward = dh"
