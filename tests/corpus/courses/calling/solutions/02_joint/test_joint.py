"""The hidden suite of a joint function."""

from grader.reference.problem import Draw

DRAWS = (
    Draw({"batch": 5, "features": 3, "outputs": 4}),
    Draw({"batch": 2, "features": 6, "outputs": 3}),
    Draw({"batch": 7, "features": 2, "outputs": 5}),
)


def test_gradient(gradient):
    gradient.check(DRAWS)
