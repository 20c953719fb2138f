"""Hidden suite of lesson 04: the value of dlogits on secret draws, and how many operators it took."""

import torch

from grader.problem import Draw

CAP = 15
"""Operators allowed. Right answers in one go take 5 to 12, a wasteful loop 15; step by step takes 16 to 31."""


def one_class_repeated(inputs):
    inputs["Yb"][:] = inputs["Yb"][0]


def rows_far_apart(inputs):
    """Rows lifted by up to 30 either way: the softmax of a row does not notice, a softmax over anything else does.

    exp(30) is large, yet far from overflowing even in float32: an answer without the row maximum is right here, too.
    """
    inputs["logits"] += torch.linspace(-30, 30, len(inputs["logits"])).view(-1, 1)


DRAWS = (
    Draw({"batch": 5, "vocabulary": 8}),
    Draw({"batch": 2, "vocabulary": 7, "spread": 2.0}),
    Draw({"batch": 6, "vocabulary": 4}, one_class_repeated),
    Draw({"batch": 9, "vocabulary": 11, "spread": 3.0}, rows_far_apart),
    Draw({"batch": 12, "vocabulary": 3, "spread": 0.5}),
)

ONE_EXAMPLE = Draw({"batch": 1, "vocabulary": 6})
"""Where operators are counted: with one example, a loop over the examples costs no more than whole-batch operations."""


def test_gradient(gradient):
    gradient.check(DRAWS)


def test_in_one_go(check):
    dlogits = check.gradient("dlogits")
    if not dlogits.passes((ONE_EXAMPLE, *DRAWS)):
        check.fail("`dlogits` is not right yet, so its operations are not counted. Get its value right first.")
    if dlogits.operators > CAP:
        check.fail(
            f"Your `dlogits` is right and takes {dlogits.operators} tensor operations for one example; in one go it "
            f"takes at most {CAP} (most answers need 5 to 10). Work out the derivative of the loss by a logit on "
            "paper: nearly everything cancels, and neither log nor division by `probs` is left."
        )
