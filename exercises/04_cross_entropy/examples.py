"""How `dojo check 04` counts the operations of your `dlogits`: on one example, once its value is right."""

from grader.problem import Draw

ALLOWED = 15


def test_in_one_go(check):
    dlogits = check.gradient("dlogits")
    if not dlogits.passes((Draw({"batch": 1, "vocabulary": 8}), Draw())):
        check.fail("Operations are counted once the value of `dlogits` is right.")
    if dlogits.operators > ALLOWED:
        check.fail(f"`dlogits` is right, with {dlogits.operators} tensor operations; {ALLOWED} are allowed.")
