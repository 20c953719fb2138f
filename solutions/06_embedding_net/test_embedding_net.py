"""Hidden suite of lesson 06: every gradient of the one function, by value, on secret draws.

In each draw all sizes differ (batch, block, vocabulary, embedding, hidden), so that no transpose, no wrong axis and no
wrong divisor has the right shape or value by luck. The gradients are those of the whole pass: nothing is given from
above.
"""

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def one_class_and_few_tokens(inputs):
    """Every example has the same true class, and the contexts are made of three tokens only."""
    inputs["Yb"][:] = inputs["Yb"][0]
    inputs["Xb"] %= 3


def small_variance(inputs):
    """x varies so little that the 1e-5 beside the variance matters by some per cent."""
    inputs["W"] *= 0.02
    inputs["b"] *= 0.1


def one_token_repeated(inputs):
    """The places of a context all hold the same token."""
    inputs["Xb"][:] = inputs["Xb"][:, :1]


def saturated(inputs):
    """A large gain closes many tanh gates; a large W2 makes confident predictions."""
    inputs["gamma"] *= 3
    inputs["W2"] *= 5


DRAWS = (
    Draw({"batch": 6, "block": 2, "vocabulary": 11, "embedding": 4, "hidden": 7}, FORWARD.without_the_last),
    Draw({"batch": 3, "block": 1, "vocabulary": 7, "embedding": 5, "hidden": 9}, FORWARD.nearly_constant),
    Draw({"batch": 9, "block": 2, "vocabulary": 8, "embedding": 3, "hidden": 13}, one_class_and_few_tokens),
    Draw({"batch": 10, "block": 3, "vocabulary": 5, "embedding": 2, "hidden": 8}, small_variance),
    Draw({"batch": 12, "block": 5, "vocabulary": 9, "embedding": 4, "hidden": 6}, one_token_repeated),
    Draw({"batch": 8, "block": 4, "vocabulary": 6, "embedding": 3, "hidden": 5}, saturated),
)


def test_gradient(gradient):
    gradient.check(DRAWS)
