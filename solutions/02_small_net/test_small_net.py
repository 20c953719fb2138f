"""The hidden suite of lesson 02. In every draw batch, features, hidden and classes differ from each other."""

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def nearly_constant(inputs):
    """The variance over the batch is about eps, so a forgotten or misplaced eps changes the answer a lot."""
    inputs["W"] *= 0.003 / inputs["W"].shape[0] ** 0.5
    inputs["b"] *= 0.003


def one_class_repeated(inputs):
    inputs["Y"][:] = inputs["Y"][0]


def faint_unit(inputs):
    """One hidden unit hardly varies: its variance over the batch is far below eps. And one example occurs twice."""
    inputs["W"][:, 0] *= 1e-4
    inputs["b"][0] = 0
    inputs["X"][1] = inputs["X"][0]


def tied_maximum(inputs):
    """Two classes tie for the highest probability. (Cross-entropy is smooth there, so this is no special case.)"""
    inputs["W2"][:, :2] = 0
    inputs["b2"][:2] = 12


DRAWS = (
    Draw({"batch": 6, "features": 3, "hidden": 8, "classes": 5}, FORWARD.without_the_last),
    # with two examples and an ordinary variance dh is almost zero; a small variance makes it a test
    Draw({"batch": 2, "features": 5, "hidden": 4, "classes": 3}, nearly_constant),
    Draw({"batch": 7, "features": 4, "hidden": 9, "classes": 6}, one_class_repeated),
    Draw({"batch": 5, "features": 9, "hidden": 3, "classes": 4}, faint_unit),
    Draw({"batch": 9, "features": 6, "hidden": 5, "classes": 7}, tied_maximum),
    Draw({"batch": 8, "features": 7, "hidden": 6, "classes": 3}, nearly_constant),
)


def test_gradient(gradient):
    gradient.check(DRAWS)
