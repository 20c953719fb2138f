"""What a file's functions call, and where a function that returns all gradients assigns each of them."""

from __future__ import annotations

from support import ROOT

from grader.lesson.lesson import Course
from grader.lesson.paths import BACKWARD_FILE
from grader.results import Row
from grader.source.own_functions import joint_gradients, own_calls
from grader.verdict.explain.row_places import locate_gradients

FORMS = {
    "dW = 1; dW = dW.T\n    db = 2\n    return dW, db": {"dW": 2, "db": 3},
    "dW = 1\n    db = 2\n    dW += 1\n    db[0] = 3\n    return dW, db": {"dW": 4, "db": 5},
    "gW = x\n    gb = x\n    return gW, gb": {"dW": 2, "db": 3},
    "gW = x\n    return {'db': gW.sum(0),\n      'dW': gW}": {"dW": 2, "db": 3},
    "d = {}\n    d['W'] = 1\n    d['dW'] = x\n    d['b'] = 2\n    return d": {"dW": 4, "db": 5},
    "dW = x\n    db = x\n    return {'dW': dW, 'db': db, 'dx': x}": {"dW": 2, "db": 3},
    "d = {'dW': 1,\n        'db': 2}\n    W.grad = 2\n    return d": {"dW": 4, "db": 3},
    "values = {}\n    values['W'] = x\n    return values": {},
    "dW, db = both(x)\n    for i in x:\n        db.index_add_(0, i, x)\n    return (dW, db)": {"dW": 2, "db": 4},
    "W.grad = x\n    for t in x: db = t\n    return both(W)": {"dW": 2, "db": 3},
    "dW = [x]\n    dW.append(x)\n    def other():\n        dW = 3\n    return dW, None": {"dW": 3},
    "return dict(dW=x,\n        db=x + 1)": {"db": 3},
    "pass": {},
}
WITH_LOSS = {
    "d = {}\n    for l in x:\n        d['W'][l] = x\n    d['b'].index_add_(0, x, x)\n    return 1, d": {
        "dW": 4,
        "db": 5,
    },
    "loss = 1\n    gW = 2\n    return loss, {'W': gW, 'b': gW +\n      1}": {"loss": 2, "dW": 3, "db": 4},
    "loss = 1\n    return loss, [x + 1, x]": {"loss": 2, "dW": 3},
}


def test_the_last_assignment_counts():
    for body, expected in (FORMS | WITH_LOSS).items():
        names = ["dW", "db"] if body in FORMS else ["loss", "dW", "db"]
        first, found = joint_gradients(f"def backward(x):\n    {body}\n", "backward", names, [])
        assert (first, {name: line for name, (line, _) in found.items() if line}) == (1, expected), body
    for text in ("dW = 1", "def backward("):
        assert joint_gradients(text, "backward", ["dW"], []) is None
    again = "def backward(): dW = 1\n@once\ndef backward():\n    dW = 1\n    return dW, 2"
    assert joint_gradients(again, "backward", ["dW"], []) == (2, {"dW": (4, [])})


def test_wrong_rows_of_a_joint_function_are_on_the_line_of_their_gradient():
    """The solution of each such lesson, as if all its rows were wrong; two of them with one mistake."""
    for number in ["06", "07", "14", "15", "16"]:
        (lesson,) = (each for each in Course(ROOT).lessons.values() if each.number == number)
        source = lesson.solution.joinpath(BACKWARD_FILE).read_bytes()
        lines = source.decode().splitlines()
        first = next(at for at, line in enumerate(lines, 1) if line.startswith(f"def {lesson.joint.name}("))
        names = [item.name for item in lesson.items if item.function == lesson.joint.name]
        rows = [Row(name, "failed", 0, 1, message=name, line=first) for name in names]
        rows[-1].message = rows[-2].message = "One mistake."
        rows[0].line = first + 1  # where its own message is about
        locate_gradients(lesson, rows, source.decode())
        assert rows[0].line == first + 1 and rows[-1].line == rows[-2].line == first
        for row in rows[1:-2]:
            assert row.line is not None and row.line > first, row.name
            assert f'"{row.name}": ' not in lines[row.line - 1]  # where it is returned
            assert row.name[1:] in lines[row.line - 1] or row.name in lines[row.line - 1], lines[row.line - 1]


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
    assert own_calls("def gelu(x): return x\ndx = lambda x: gelu(x)\n", ["dx"], ["gelu"]) == {"dx": ["gelu"]}


def test_each_gradient_has_the_calls_that_it_is_computed_from():
    def calls_behind(text: str, *names: str) -> dict[str, list[str]]:
        return {
            name: calls for name, (_, calls) in joint_gradients(text, "backward", names, ["gelu", "norm"])[1].items()
        }

    found = calls_behind(FILE, "db", "dW", "dx", "dsum", "dC")
    assert found == {"db": [], "dW": ["gelu"], "dx": ["norm"], "dsum": ["gelu", "norm"], "dC": ["gelu", "norm"]}
    handler = "try:\n        dx = x.T\n    except TypeError:\n        dx = gelu(x)"
    case = "match x.ndim:\n        case 2:\n            dx = gelu(x)"
    for statement in (handler, case):
        text = f"def gelu(x): return x\ndef backward(x):\n    {statement}\n    return (dx,)\n"
        assert calls_behind(text, "dx") == {"dx": ["gelu"]}
