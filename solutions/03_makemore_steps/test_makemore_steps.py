"""Hidden suite of lesson 03: every gradient, by value, on secret draws.

In each draw all sizes differ (batch, batch - 1, block, vocabulary, embedding, hidden, embedding x block), so that no
transpose, no wrong axis and no wrong divisor has the right shape or value by luck.
"""

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def small_variance(inputs):
    """`hprebn` varies so little that the 1e-5 added to its variance matters by a few per cent."""
    inputs["W1"] *= 0.02


def saturated(inputs):
    """A large gain closes many tanh gates; a large W2 makes confident predictions."""
    inputs["bngain"] *= 3
    inputs["W2"] *= 5


DRAWS = (
    Draw({"batch": 6, "block": 2, "vocabulary": 11, "embedding": 4, "hidden": 7}, FORWARD.without_the_last),
    Draw({"batch": 5, "block": 1, "vocabulary": 7, "embedding": 2, "hidden": 8}, small_variance),
    Draw({"batch": 8, "block": 4, "vocabulary": 6, "embedding": 3, "hidden": 5}, saturated),
    Draw(
        {"batch": 4, "block": 2, "vocabulary": 6, "embedding": 5, "hidden": 7},
        FORWARD.tie_at_the_maximum,
        note=FORWARD.TIE,
    ),
)


def test_gradient(gradient):
    gradient.check(DRAWS)
