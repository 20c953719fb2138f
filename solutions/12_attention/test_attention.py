"""The hidden suite of lesson 12. In every draw all sizes differ from each other."""

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def far_apart(inputs):
    """Scores so far apart that most rows give nearly all their weight to one position."""
    for name in ("x", "z", "Q", "K"):
        inputs[name] *= 3


DRAWS = (
    Draw({"batch": 3, "time": 7, "channels": 9, "head": 5}),
    Draw({"batch": 2, "time": 6, "channels": 3, "head": 5}),
    Draw({"batch": 4, "time": 3, "channels": 8, "head": 2}, FORWARD.one_token_repeated),
    Draw({"batch": 5, "time": 4, "channels": 6, "head": 3}, far_apart),
)
PADDED = (
    Draw({"batch": 3, "time": 4, "channels": 5, "head": 2}, FORWARD.padded),
    Draw({"batch": 2, "time": 6, "channels": 4, "head": 5}, FORWARD.padded),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


def test_no_future(check):
    if not check.gradient("dscores").passes(DRAWS):
        check.fail("`dscores` is not right yet. Get its values right first; then this row checks the future.")
    for draw, answer in zip(DRAWS, check.gradient("dscores").answers(DRAWS), strict=True):
        time = draw.sizes["time"]
        found = answer.tensor.reshape(-1, time, time)
        future = [float(found[:, t, s].abs().max()) for t in range(time) for s in range(t + 1, time)]
        if max(future) != 0:
            check.fail(
                f"Above the diagonal, your `dscores` has elements of up to {max(future):.3g}. A score of the future is "
                "not used, so its gradient is exactly zero there."
            )


def test_fully_masked(check):
    if not check.gradient("dQ").passes(DRAWS):
        check.fail("`dQ` is not right yet where every position may read itself. Get its values right there first.")
    dQ = check.gradient("dQ")
    if dQ.passes(PADDED):
        return
    broken = any(not answer.tensor.isfinite().all() for answer in dQ.answers(PADDED) if answer.tensor is not None)
    check.fail(
        "An example can begin with padding, which no position may read. A position of padding then reads nothing: its "
        f"row of `P` is zero. There your `dQ` {'has NaN or infinite elements' if broken else 'is wrong'}."
    )
