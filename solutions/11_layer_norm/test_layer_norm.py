"""The hidden suite of lesson 11. In every draw all sizes differ from each other."""

from grader.reference.problem import Draw


def small(inputs):
    """Variances of about 1e-5: the epsilon is as large as they are."""
    inputs["h"] *= 0.0016
    inputs["x"] *= 0.0016


def repeated(inputs):
    """Two equal examples, and the others far from zero."""
    for name in ("h", "x"):
        inputs[name] += 3
        inputs[name][1] = inputs[name][0]


DRAWS = (
    Draw({"batch": 5, "time": 3, "features": 4}),
    Draw({"batch": 2, "time": 5, "features": 7}),
    Draw({"batch": 3, "time": 4, "features": 6}, small),
    Draw({"batch": 4, "time": 2, "features": 3}, repeated),
)


def test_gradient(gradient):
    gradient.check(DRAWS)
