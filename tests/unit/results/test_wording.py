"""How a sentence lists words."""

import pytest

from grader.results import points_in_words
from grader.results.wording import count_text, listed, listed_as_code


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


def test_one_is_singular():
    assert [count_text(number, "leak") for number in (0, 1, 2, 1200)] == ["0 leaks", "1 leak", "2 leaks", "1,200 leaks"]
    assert [count_text(number, "entry is", "entries are") for number in (1, 2)] == ["1 entry is", "2 entries are"]
    assert [points_in_words(value) for value in (0.5, 1, 2)] == ["0.5 points", "1 point", "2 points"]
