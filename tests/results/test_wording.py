"""How a sentence lists words."""

import pytest

from grader.results.wording import listed, listed_as_code


@pytest.mark.parametrize(
    ("words", "most", "text"),
    [
        ([], None, ""),
        (["x"], None, "x"),
        (["x", "y"], None, "x and y"),
        (("x", "y", "z"), None, "x, y and z"),
        (["x", "y", "z"], 3, "x, y and z"),
        (["x", "y", "z"], 2, "x, y and 1 more"),
        (["x", "y", "z"], 1, "x and 2 more"),
    ],
)
def test_words_in_a_sentence(words, most, text):
    assert listed(words, most) == text


def test_names_of_code_have_backticks():
    assert listed_as_code(["W1", "b1", "W2"]) == "`W1`, `b1` and `W2`"
    assert listed_as_code(["W1", "b1", "W2"], 2) == "`W1`, `b1` and 1 more"
