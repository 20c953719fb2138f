"""Right values in the places of others: which place is whose, whatever a student returns."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from grader.verdict.explain.results import one_to_one

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
