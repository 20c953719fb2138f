"""Hidden suite of lesson 04: the value of dlogits on secret draws, and where a true class has probability exactly 0."""

import torch

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def one_class_repeated(inputs):
    inputs["Yb"][:] = inputs["Yb"][0]


def rows_far_apart(inputs):
    """Each row is shifted up or down by up to 30: that changes no row's softmax, but a softmax over anything else.

    exp(30) is large, yet far from overflowing even in float32: an answer without the row maximum is right here, too.
    """
    inputs["logits"] += torch.linspace(-30, 30, len(inputs["logits"])).view(-1, 1)


DRAWS = (
    Draw({"batch": 5, "vocabulary": 8}, FORWARD.without_the_last),
    Draw({"batch": 1, "vocabulary": 7, "spread": 2.0}),
    Draw({"batch": 6, "vocabulary": 4}, one_class_repeated),
    Draw({"batch": 9, "vocabulary": 11, "spread": 3.0}, rows_far_apart),
    Draw({"batch": 12, "vocabulary": 3, "spread": 0.5}),
)


def true_classes_improbable(inputs):
    """Logits so far apart that some true classes have a probability of exactly 0, in float64 too.

    A true class's logit is 800 to 1000 below the largest of its row, in about half of the rows and in the first. No
    logit is above 80: `exp` does not overflow without the row maximum either, not even in float32. What does overflow
    is 1 / probability, which the derivative of the logarithm needs when it is computed on its own.
    """
    logits, classes = inputs["logits"], inputs["Yb"]
    uniform = torch.rand(len(logits), generator=seeded_by(logits), dtype=logits.dtype)
    logits += (60 * uniform).view(-1, 1)
    for row, chance in enumerate(uniform.tolist()):
        if row == 0 or chance < 0.5:
            logits[row, classes[row]] -= 900 + 100 * chance


def other_classes_improbable(inputs):
    """Logits so far apart that some wrong classes have a probability of exactly 0, and so a gradient of exactly 0."""
    logits, classes = inputs["logits"], inputs["Yb"]
    others = (classes + 1) % logits.shape[1]
    logits[torch.arange(len(logits)), others] -= 900
    true_classes_improbable(inputs)


def seeded_by(tensor):
    """A generator whose numbers are as secret as the tensor."""
    return torch.Generator().manual_seed(int(tensor.double().abs().sum().frac() * 1e9))


FAR_APART = (
    Draw({"batch": 5, "vocabulary": 8}, true_classes_improbable),
    Draw({"batch": 3, "vocabulary": 6, "spread": 3.0}, other_classes_improbable),
    Draw({"batch": 8, "vocabulary": 4, "spread": 0.5}, true_classes_improbable),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


def test_in_one_go(check):
    if not check.gradient("dlogits").passes(DRAWS):
        check.fail("`dlogits` is not right yet on ordinary logits. Get its value right there first.")
    dlogits = check.gradient("dlogits")
    if dlogits.passes(FAR_APART):
        return
    found = [answer.tensor for answer in dlogits.answers(FAR_APART)]
    broken = next((name(tensor) for tensor in found if tensor is not None and not tensor.isfinite().all()), None)
    check.fail(
        "With logits this far apart (up to 1000) the probability of some true classes is exactly 0. Your `dlogits` "
        + (f"has {broken} there" if broken else "is wrong there")
        + ", though the gradient is an ordinary number. What do you do with a probability: divide by it, "
        "take its logarithm, keep it above a smallest number? The gradient needs none of these."
    )


def name(tensor):
    return "NaN" if tensor.isnan().any() else "an infinite value"
