"""The public examples that `dojo check 06` runs for `cmp` and `compare_all`: small tensors with known differences.

The hidden test suite has more cases: other shapes, other sizes of error, and gradients that are right.
"""

import math

import torch


def numbers(values):
    return torch.tensor(values, dtype=torch.float64)


def plain(value):
    """A number of torch or numpy as a Python number."""
    return value.item() if hasattr(value, "item") else value


def for_case(name, answers):
    """The answers with the case in their names, so that a message says both."""
    return {f"{key} for {name}": value for key, value in answers.items()}


def compared(check, mine, reference):
    answer = check.on.call("cmp", mine, reference)
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        check.fail("`cmp` must return three values: (exact, approximate, maxdiff).")
    exact, approximate, maxdiff = map(plain, answer)
    return {"exact": exact, "approximate": approximate, "maxdiff": maxdiff}


def test_cmp(check):
    reference = numbers([[1.0, -2.0], [0.5, 4.0]])
    cases = {
        "the same numbers": (numbers([[1.0, -2.0], [0.5, 4.0]]), (True, True, 0.0)),
        "one element a little larger": (numbers([[1.0, -2.0], [0.5, 4.0 + 2**-20]]), (False, True, 2.0**-20)),
        "one element too small by 3": (numbers([[1.0, -5.0], [0.5, 4.0]]), (False, False, 3.0)),
        "one too large by 1, one by 2": (numbers([[2.0, -2.0], [2.5, 4.0]]), (False, False, 2.0)),
    }
    for name, (mine, (exact, approximate, maxdiff)) in cases.items():
        expected = {"exact": exact, "approximate": approximate, "maxdiff": maxdiff}
        check.equals(*(for_case(name, part) for part in (compared(check, mine, reference), expected)))


def test_cmp_shapes(check):
    reference = numbers([1.0, -2.0, 3.0])
    right = {"exact": True, "approximate": True, "maxdiff": 0.0}
    found = compared(check, reference.clone(), reference)
    check.equals(for_case("equal shapes", found), for_case("equal shapes", right))
    for mine in (reference.view(1, 3), reference.view(3, 1), reference[:2]):
        found, name = compared(check, mine, reference), f"shape {tuple(mine.shape)} for (3,)"
        if isinstance(found["maxdiff"], (int, float)) and math.isfinite(found["maxdiff"]):
            check.fail(f"`maxdiff` is {found['maxdiff']} for {name}; expected infinity.")
        del found["maxdiff"]
        check.equals(for_case(name, found), for_case(name, {"exact": False, "approximate": False}))


def test_compare_all(check):
    references = {"W": numbers([[1.0, -2.0]]), "b": numbers([0.5, 4.0])}
    cases = {
        "right gradients": ({"b": numbers([0.5, 4.0]), "W": numbers([[1.0, -2.0]])}, {"W": True, "b": True}),
        "a wrong W": ({"W": numbers([[1.0, 2.0]]), "b": numbers([0.5, 4.0])}, {"W": False, "b": True}),
        "no b": ({"W": numbers([[1.0, -2.0]]), "b": None}, {"W": True, "b": False}),
    }
    for name, (gradients, expected) in cases.items():
        answer = check.on.call("compare_all", gradients, references)
        if not isinstance(answer, (tuple, list)) or len(answer) != 2 or not isinstance(answer[1], dict):
            check.fail("`compare_all` must return two values: (all_match, matches); `matches` is a dict.")
        found = {"all_match": plain(answer[0]), "matches": {key: plain(value) for key, value in answer[1].items()}}
        expected = {"all_match": all(expected.values()), "matches": expected}
        check.equals(for_case(name, found), for_case(name, expected))
