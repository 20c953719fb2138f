"""The hidden suite of lesson 05. In every draw all four sizes differ from each other, also across the two halves."""

from grader.problem import Draw


def nearly_constant(inputs):
    """A batch variance of about eps: a forgotten or misplaced eps changes the answer a lot."""
    inputs["hprebn"] *= 0.002
    inputs["h"] *= 0.001


def faint_unit(inputs):
    """One unit says nearly the same for every example: its variance is far below eps."""
    inputs["hprebn"][:, 0] *= 1e-4
    inputs["h"][:, 0] *= 1e-4


def repeated_examples(inputs):
    inputs["hprebn"][1] = inputs["hprebn"][0]
    inputs["h"][1] = inputs["h"][0]


DRAWS = (
    Draw({"batch": 6, "hidden": 9, "biased_batch": 5, "biased_hidden": 8}),
    # with two examples and an ordinary variance the gradient is all but zero; a small variance keeps it a test
    Draw({"batch": 2, "hidden": 5, "biased_batch": 3, "biased_hidden": 7}, nearly_constant),
    Draw({"batch": 4, "hidden": 6, "biased_batch": 2, "biased_hidden": 5}, nearly_constant),
    Draw({"batch": 11, "hidden": 4, "biased_batch": 9, "biased_hidden": 3}, faint_unit),
    Draw({"batch": 5, "hidden": 3, "biased_batch": 7, "biased_hidden": 4}, repeated_examples),
    Draw({"batch": 8, "hidden": 7, "biased_batch": 10, "biased_hidden": 6}, nearly_constant),
)


def test_gradient(gradient):
    gradient.check(DRAWS)
