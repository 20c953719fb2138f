"""How `dojo check 04` tests your `dlogits` where a probability is exactly 0, once it is right on ordinary logits."""

from grader.reference.problem import Draw


def first_true_class_improbable(inputs):
    """The first example's true class is 900 below the others: exp(-900) is exactly 0 in float64."""
    inputs["logits"][0, inputs["Yb"][0]] -= 900


def test_in_one_go(check):
    if not check.gradient("dlogits").passes((Draw({"batch": 4, "vocabulary": 8}), Draw())):
        check.fail("Extreme logits are tested once `dlogits` is right on ordinary ones.")
    dlogits, far = check.gradient("dlogits"), (Draw({"batch": 4, "vocabulary": 8}, first_true_class_improbable),)
    if not dlogits.passes(far):
        (answer,) = dlogits.answers(far)
        finite = answer.tensor is None or bool(answer.tensor.isfinite().all())
        found = "a wrong value" if finite else "NaN or an infinite value"
        where = f"The first example's true class has a probability of exactly 0: your `dlogits` has {found} there."
        check.fail(f"{where} Do you divide by a probability, take its logarithm, or keep it above a smallest number?")
