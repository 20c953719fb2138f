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
    exact, approximate, maxdiff = map(plain, check.entries(("exact", "approximate", "maxdiff"), "cmp", mine, reference))
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
    tiny, right = reference * 2**-20, {"exact": False, "approximate": False, "maxdiff": 2.0**-18}
    found = compared(check, 2 * tiny, tiny)
    check.equals(*(for_case("numbers near a millionth, twice as large", part) for part in (found, right)))


def test_cmp_shapes(check):
    reference = numbers([1.0, -2.0, 3.0])
    right = {"exact": True, "approximate": True, "maxdiff": 0.0}
    found = compared(check, reference.clone(), reference)
    check.equals(for_case("equal shapes", found), for_case("equal shapes", right))
    for mine in (reference[:2], reference.view(1, 3), reference.view(3, 1)):
        found, name = compared(check, mine, reference), f"shape {tuple(mine.shape)} for (3,)"
        if isinstance(found["maxdiff"], (int, float)) and math.isfinite(found["maxdiff"]):
            check.fail(f"`maxdiff` is {found['maxdiff']} for {name}; expected infinity.")
        del found["maxdiff"]
        check.equals(for_case(name, found), for_case(name, {"exact": False, "approximate": False}))


def test_compare_all(check):
    references = {"W": numbers([[1.0, -2.0]]), "b": numbers([0.5, 4.0])}
    almost = {"W": numbers([[1.001, -2.0]]), "b": numbers([0.5, 4.0])}
    cases = {
        "right gradients": ({"b": numbers([0.5, 4.0]), "W": numbers([[1.0, -2.0]])}, {}, {"W": True, "b": True}),
        "a wrong W": ({"W": numbers([[1.0, 2.0]]), "b": numbers([0.5, 4.0])}, {}, {"W": False, "b": True}),
        "no b": ({"W": numbers([[1.0, -2.0]]), "b": None}, {}, {"W": True, "b": False}),
        "a W that is wrong by 0.001": (almost, {}, {"W": False, "b": True}),
        "a W that is wrong by 0.001, with atol=0.01": (almost, {"atol": 0.01}, {"W": True, "b": True}),
    }
    for name, (gradients, tolerance, expected) in cases.items():
        all_match, matches = check.entries(("all_match", "matches"), "compare_all", gradients, references, **tolerance)
        if not isinstance(matches, dict):
            check.fail("The second value of `compare_all` must be the dict `matches`.", status="shape")
        found = {"all_match": plain(all_match), "matches": {key: plain(value) for key, value in matches.items()}}
        expected = {"all_match": all(expected.values()), "matches": expected}
        check.equals(for_case(name, found), for_case(name, expected))
