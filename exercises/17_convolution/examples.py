"""How `dojo check 17` tests `unread`, and your gradients where windows leave places out or a largest number is tied."""

import torch

from grader.reference.problem import Draw

SMALL = {"batch": 2, "channels": 3, "filters": 4, "height": 7, "width": 9, "rows": 2, "columns": 3}


def test_unread(check):
    questions = {
        (8, 3, 2, 0): [7],  # a rest behind the last window
        (8, 1, 2, 0): [1, 3, 5, 7],  # gaps between the windows
        (8, 3, 2, 1): [],  # the padding moves the windows
        (9, 3, 2, 1): [],  # and the last one reads a zero behind the axis
        (9, 2, 4, 1): [1, 2, 5, 6],  # the first window begins at position -1
    }
    found = {f"unread{question}": check.on.call("unread", *question) for question in questions}
    check.equals(found, {f"unread{question}": places for question, places in questions.items()})


def test_never_read(check):
    draw = Draw({**SMALL, "stride": 3, "padding": 0})  # two windows down, three across; the last two rows are left over
    dX = check.gradient("dX")
    if not dX.passes((draw,)):
        check.fail("`dX` is not right yet for an image whose last rows no window reads.")
    for answer in dX.answers((draw,)):
        if answer.tensor[:, :, 5:].abs().max() != 0 or answer.tensor[:, :, 2].abs().max() != 0:
            check.fail("No window reads rows 2, 5 and 6 of 7. There, `dX` should be exactly 0.")


def one_constant(inputs):
    """All numbers of the picture are equal, so every place of a window is the largest."""
    inputs["picture"] = torch.full_like(inputs["picture"], 0.5)


def test_ties(check):
    draw = Draw({**SMALL, "stride": 4, "padding": 0}, one_constant)  # the windows do not overlap
    dpicture = check.gradient("dpicture")
    for problem, answer in dpicture.cases((draw,)):
        if answer.tensor is None:
            check.fail("`dpicture` returns no gradient where all numbers of a window are equal.")
        for o in range(2):
            for p in range(2):
                given = answer.tensor[:, :, 4 * o : 4 * o + 2, 4 * p : 4 * p + 3].sum((2, 3))
                if (given - problem.upstream["largest"][:, :, o, p]).abs().max() > 1e-6:
                    check.fail("A window of equal numbers should get its upstream gradient once in total.")
