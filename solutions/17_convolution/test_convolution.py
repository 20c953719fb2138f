"""The hidden suite of lesson 17. In every draw, sizes that could be mistaken for each other differ."""

import itertools

import torch

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)
NAMES = ("batch", "channels", "filters", "height", "width", "rows", "columns", "stride", "padding")


def sizes(*numbers):
    return dict(zip(NAMES, numbers, strict=True))


def far_apart(inputs):
    """The numbers of the pictures differ so much that the average of a window is far from its largest number."""
    for name in ("picture", "photo"):
        inputs[name] *= 5


DRAWS = (
    Draw(sizes(3, 6, 4, 8, 12, 7, 5, 2, 1)),  # windows overlap; the pools have a rest behind the last window
    Draw(sizes(1, 4, 6, 9, 10, 5, 2, 3, 0), FORWARD.one_channel_repeated),  # a single example; gaps along one axis
    Draw(sizes(4, 6, 7, 8, 9, 5, 3, 1, 2), far_apart),
    Draw(sizes(4, 6, 7, 12, 13, 2, 3, 5, 1)),  # gaps, and a rest behind the last window, along both axes
)
UNREAD = (
    Draw(sizes(2, 3, 4, 9, 11, 2, 4, 3, 0)),
    Draw(sizes(3, 2, 5, 8, 13, 5, 3, 4, 1)),
    Draw(sizes(2, 5, 3, 7, 10, 1, 2, 4, 0)),
)
TIED = (
    Draw(sizes(2, 3, 4, 7, 11, 2, 3, 3, 0), FORWARD.rounded),
    Draw(sizes(3, 2, 5, 9, 13, 3, 4, 4, 1), FORWARD.rounded),
)
ROUNDING = 1e-5  # a share that is missing or doubled is as large as an upstream gradient


def test_gradient(gradient):
    gradient.check(DRAWS)


def axes(on, generator):
    """Axes of many sizes: every place read, a rest behind the last window, gaps between windows, both.

    In an axis of the kind "behind", only a window that also reads the zeros behind the axis reads its last place. With
    gaps, positions that count from the first zero of the padding give other places.
    """
    questions = []
    for wanted in ("none", "rest", "gaps", "rest", "gaps", "rest", "behind"):
        while True:
            size, kernel, stride, padding = (
                int(torch.randint(low, high, (), generator=generator))
                for low, high in ((6, 20), (1, 6), (1, 7), (0, 4))
            )
            windows = (size + 2 * padding - kernel) // stride + 1
            rest = size + padding - ((windows - 1) * stride + kernel)
            before = size + padding - ((windows - 2) * stride + kernel)  # what the windows before the last one leave
            is_behind = rest < 0 < before
            kind = "behind" if is_behind else "gaps" if stride > kernel else "rest" if rest > 0 else "none"
            read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
            is_shifted = any((place in read) != (place - padding in read) for place in range(size))
            if kind == wanted and padding < kernel and (kind != "gaps" or is_shifted):
                break
        questions.append((size, kernel, stride, padding))
    return {
        f"unread(size={size}, kernel={kernel}, stride={stride}, padding={padding})": on.call(
            "unread", size, kernel, stride, padding
        )
        for size, kernel, stride, padding in questions
    }


def test_unread(check):
    check.agrees(axes, draws=({}, {}, {}))


def test_never_read(check):
    dX = check.gradient("dX")
    if not dX.passes(DRAWS):
        check.fail(
            "`dX` is not right yet. Get its values right first. Then this row tests the rows and the columns that no "
            "window reads."
        )
    for draw, answer in zip(UNREAD, dX.answers(UNREAD), strict=True):
        at = draw.sizes
        shape = tuple(at[name] for name in ("batch", "channels", "height", "width"))
        if answer.tensor is None or tuple(answer.tensor.shape) != shape:
            check.fail(
                f"For an image of shape {shape}, your `dX` does not have that shape. Some columns are never read."
            )
        for axis, (size, kernel) in enumerate(((at["height"], at["rows"]), (at["width"], at["columns"])), 2):
            windows = (size + 2 * at["padding"] - kernel) // at["stride"] + 1
            read = {i * at["stride"] + k - at["padding"] for i, k in itertools.product(range(windows), range(kernel))}
            places = [place for place in range(size) if place not in read]
            if places and answer.tensor.index_select(axis, torch.tensor(places)).abs().max() != 0:
                word = ("row", "column")[axis - 2]
                check.fail(
                    f"No window reads {word} {places[-1]} of {size}, so its gradient is exactly 0. Yours is not."
                )
    if not dX.passes(UNREAD):
        check.fail("Where some rows and columns are never read, your `dX` is wrong at the places that are read.")


def test_ties(check):
    dpicture = check.gradient("dpicture")
    if not dpicture.passes(DRAWS):
        check.fail("`dpicture` is not right yet without ties. Get its values right first; then ties are tested.")
    for problem, answer in check.gradient("dpicture").cases(TIED):
        values, upstream = problem.values, problem.upstream["largest"]

        def windows(pictures, values=values):  # they do not overlap: each gives a row of its places
            step = values["stride"]
            return pictures.unfold(2, values["rows"], step).unfold(3, values["columns"], step).flatten(4)

        if answer.tensor is None or answer.tensor.shape != values["picture"].shape:
            check.fail(
                "Where the largest number of a window occurs twice, your `dpicture` does not have the shape of "
                f"`picture`, {tuple(values['picture'].shape)}."
            )
        if not answer.tensor.isfinite().all():
            check.fail("Where the largest number of a window occurs twice, your `dpicture` is not finite.")
        numbers, found = windows(values["picture"]), windows(answer.tensor.double())
        if answer.tensor.double().abs().sum() - found.abs().sum() > ROUNDING:
            check.fail(
                "Where the largest number of a window occurs twice, your `dpicture` gives something to a number that "
                "no window reads."
            )
        tied = numbers == numbers.amax(4, keepdim=True)
        wrong = (found.sum(4) - upstream).abs() > ROUNDING
        if wrong.any():
            copies = (found.masked_fill(~tied, 0).sum(4) - upstream * tied.sum(4)).abs() <= ROUNDING
            check.fail(
                "The largest number of a window can occur twice. "
                + (
                    "Your `dpicture` gives each of the two the whole upstream gradient, so together they get it twice."
                    if copies.all()
                    else "There the numbers of the window should get its upstream gradient once in total."
                ),
                mistake="copied" if copies.all() else None,
            )
        share = found / upstream[..., None]
        if found.masked_fill(tied, 0).abs().max() > ROUNDING or share.masked_fill(~tied, 0.5).min() < -ROUNDING:
            check.fail("Where the largest number occurs twice, your `dpicture` gives something to a smaller number.")
