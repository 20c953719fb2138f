"""Right values in the places of others: which place is whose, whatever a student returns."""

from itertools import permutations

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.verdict.explain.results import MAX_PLACES, in_other_places, one_to_one

NAMES = "abcde"


@given(st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), unique=True), max_size=5))
def test_a_matching_is_found_if_there_is_one(choices):
    found = one_to_one(choices)
    exists = any(
        all(place in choices[name] for name, place in zip(choices, places, strict=True))
        for places in permutations(NAMES, len(choices))
    )
    assert bool(found) == (exists and bool(choices))
    assert all(place in choices[name] for name, place in found.items())
    assert len(set(found.values())) == len(found)


def test_equal_values_in_many_places_take_no_time():
    """Forty places that all fit, and one that none fits: every order of them would be tried one by one."""
    parts = {f"part {n}": (torch.ones(2), torch.ones(2)) for n in range(MAX_PLACES - 1)}
    assert in_other_places([{**parts, "last": (torch.zeros(2), torch.full((2,), 3.0))}], 1e-9) is None


def test_who_has_whose_place():
    one, two = torch.tensor([1.0]), torch.tensor([2.0])
    found = in_other_places([{"dW": (two, one), "db": (one, two)}], 1e-9)
    assert found is not None
    assert found.message.startswith("`dW` has the value that `db` should have.")
    assert in_other_places([{"dW": (one, one), "db": (one, one)}], 1e-9) is None
