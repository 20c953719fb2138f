"""How `dojo check 12` tests what your functions do with the future and with padding, once they are right elsewhere."""

from grader.reference.problem import Draw

SMALL = Draw({"batch": 2, "time": 4, "channels": 5, "head": 3})


def padded(inputs):
    """Nobody may read the first position of the first example, so that position reads nothing."""
    inputs["allowed"][0, :, 0] = False


def test_no_future(check):
    dscores = check.gradient("dscores")
    if not dscores.passes((SMALL, Draw())):
        check.fail("`dscores` is not right yet. Once it is, this row checks the future.")
    (answer,) = dscores.answers((SMALL,))
    above = answer.tensor.reshape(-1, 4, 4).triu(1)
    if above.abs().max() != 0:
        check.fail(
            f"Above the diagonal, `dscores` should be exactly 0. The largest element there is {above.abs().max()}."
        )


def test_fully_masked(check):
    dQ = check.gradient("dQ")
    if not dQ.passes((SMALL, Draw())):
        check.fail("`dQ` is not right yet. Once it is, this row checks examples with padding.")
    draw = Draw({"batch": 2, "time": 4, "channels": 5, "head": 3}, padded)
    if not dQ.passes((draw,)):
        (answer,) = dQ.answers((draw,))
        finite = answer.tensor is None or bool(answer.tensor.isfinite().all())
        found = "a wrong value" if finite else "NaN or an infinite value"
        check.fail(f"The first example begins with padding, whose row of `P` is zero: your `dQ` has {found} there.")
