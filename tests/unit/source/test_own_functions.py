"""Which functions a function is computed with."""

from __future__ import annotations

from grader.source.own_functions import calls_behind, own_calls, reachable_definitions

FILE = """
def gelu(x): return x
def norm(x): return x
def helper(x): return gelu(x)
def other(norm): return norm * 2
def both(x): return helper(x) + norm(x)

def backward(x, W):
    db = x.sum(0)
    dpre, dact = helper(x), x * 2
    dW = W.T @ dpre
    dx = dpre
    dx = dact
    for layer in range(2):
        dx += norm(dact)
    grads = {"dpost": both(x)}
    dC = x * 0
    dC.index_add_(0, x, norm(dpre))
    return {"db": db, "dW": dW, "dx": dx, "dpost": grads["dpost"], "dsum": dW.sum() + dx.sum(), "dC": dC}
"""


def test_calls_are_found_through_helpers():
    found = own_calls(FILE, ["both", "other", "backward", "gelu"], ["gelu", "norm", "both"])
    assert found == {"both": ["gelu", "norm"], "other": [], "backward": ["gelu", "norm"], "gelu": ["gelu"]}


def test_each_gradient_has_the_calls_that_it_is_computed_from():
    names = ["db", "dW", "dx", "dsum", "dC"]
    found = calls_behind(FILE, "backward", names, ["gelu", "norm"])
    assert found == {"db": [], "dW": ["gelu"], "dx": ["norm"], "dsum": ["gelu", "norm"], "dC": ["gelu", "norm"]}
    assert calls_behind("def f(:", "f", names, ["gelu"]) == {}


def test_calls_in_handlers_and_cases_are_found():
    handler = "try:\n        dx = x.T\n    except TypeError:\n        dx = gelu(x)"
    case = "match x.ndim:\n        case 2:\n            dx = gelu(x)"
    for statement in (handler, case):
        text = f"def gelu(x): return x\ndef backward(x):\n    {statement}\n    return (dx,)\n"
        assert calls_behind(text, "backward", ["dx"], ["gelu"]) == {"dx": ["gelu"]}


def test_a_function_that_is_a_value_has_no_calls_to_read():
    assert own_calls("def gelu(x): return x\ndx = lambda x: gelu(x)\n", ["dx"], ["gelu"]) == {"dx": []}


def test_what_is_reached():
    assert reachable_definitions(FILE, ["both", "missing"]) == {"both", "helper", "gelu", "norm"}
