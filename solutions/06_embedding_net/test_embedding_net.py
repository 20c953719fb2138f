"""Hidden suite of lesson 06: every gradient of the one function, by value, on secret draws.

In each draw all sizes differ (batch, block, vocabulary, embedding, hidden), so that no transpose, no wrong axis and no
wrong divisor has the right shape or value by luck. The gradients are those of the whole pass: nothing is given from
above.
"""

import functools
import math

import torch

from grader.calling.shuffled import Shuffled
from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def one_class_and_few_tokens(inputs):
    """Every example has the same true class, and the contexts are made of three tokens only."""
    inputs["Yb"][:] = inputs["Yb"][0]
    inputs["Xb"] %= 3


def small_variance(inputs):
    """`x` varies so little that the 1e-5 added to its variance matters by a few per cent."""
    inputs["W"] *= 0.02
    inputs["b"] *= 0.1


def one_token_repeated(inputs):
    """All positions of a context hold the same token."""
    inputs["Xb"][:] = inputs["Xb"][:, :1]


def saturated(inputs):
    """A large gain closes many tanh gates; a large W2 makes confident predictions."""
    inputs["gamma"] *= 3
    inputs["W2"] *= 5


DRAWS = (
    Draw({"batch": 6, "block": 2, "vocabulary": 11, "embedding": 4, "hidden": 7}, FORWARD.without_the_last),
    Draw({"batch": 3, "block": 1, "vocabulary": 7, "embedding": 5, "hidden": 9}, FORWARD.nearly_constant),
    Draw({"batch": 9, "block": 2, "vocabulary": 8, "embedding": 3, "hidden": 13}, one_class_and_few_tokens),
    Draw({"batch": 10, "block": 3, "vocabulary": 5, "embedding": 2, "hidden": 8}, small_variance),
    Draw({"batch": 12, "block": 5, "vocabulary": 9, "embedding": 4, "hidden": 6}, one_token_repeated),
    Draw({"batch": 8, "block": 4, "vocabulary": 6, "embedding": 3, "hidden": 5}, saturated),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


# The student's own comparison with autograd. Every row has gradients that are right and gradients that are wrong, in a
# random order; the numbers of each question are drawn for it alone.


def number_in(answer):
    """A number or a truth value of torch or numpy as Python's own; anything else as it is."""
    return answer.item() if getattr(answer, "ndim", None) == 0 else answer


def compared(on, mine, reference):
    """What `cmp` answers. Any `maxdiff` that is not a finite number says that the shapes differ."""
    exact, approximate, maxdiff = map(number_in, on.call("cmp", mine, reference))
    if mine.shape != reference.shape:
        finite = isinstance(maxdiff, (int, float)) and math.isfinite(maxdiff)
        return {"exact": exact, "approximate": approximate, "maxdiff": maxdiff if finite else "infinity"}
    found = {"exact": exact, "approximate": approximate}
    return found if bool(mine.isnan().any()) else {**found, "maxdiff": maxdiff}


def sized(generator, shape):
    """Numbers between 0.5 and 2, of either sign."""
    size = 0.5 + 1.5 * torch.rand(shape, generator=generator, dtype=torch.float64)
    return size * (2 * torch.randint(0, 2, shape, generator=generator) - 1)


def one_element(generator, reference, change):
    """A copy of `reference` with one element, drawn at random, changed by the function `change`."""
    mine = reference.clone()
    place = int(torch.randint(mine.numel(), (), generator=generator))
    mine.view(-1)[place] = change(mine.view(-1)[place])
    return mine


KINDS = {
    "equal tensors": lambda g, r: r.clone(),
    "tensors that differ in the last bits": lambda g, r: one_element(g, r, lambda v: v * (1 + 1e-14)),
    "tensors with one element larger by 0.0004 %": lambda g, r: one_element(g, r, lambda v: v * (1 + 4e-6)),
    "tensors with one element larger by 0.01 %": lambda g, r: one_element(g, r, lambda v: v * (1 + 1e-4)),
    "tensors with one element too small by 0.7": lambda g, r: one_element(g, r, lambda v: v - 0.7),
    "tensors with one element too large by 0.7": lambda g, r: one_element(g, r, lambda v: v + 0.7),
    "a tensor and its negative": lambda g, r: -r,
    "a tensor and zeros": lambda g, r: torch.zeros_like(r),
}


def comparisons(on, generator):
    """Close or not is decided by the default tolerances: 1e-5 of an element, and 1e-8 where an element is zero."""
    questions = Shuffled(generator)
    for name, make in KINDS.items():
        for shape in ((4, 3), (7,), (2, 3, 2))[: questions.some(2, 3)]:
            reference = sized(generator, shape)
            ask = functools.partial(compared, on, make(generator, reference), reference)
            questions.add(f"cmp of {name}", ask)
    for name, distance in (("4e-9", 4e-9), ("7e-8", -7e-8)):
        reference = one_element(generator, sized(generator, (6,)), lambda value: 0 * value)
        mine = torch.where(reference == 0, distance, reference)
        questions.add(f"cmp where a zero is off by {name}", functools.partial(compared, on, mine, reference))
    return questions.answers()


def test_cmp(check):
    check.agrees(comparisons)


def of_other_shapes(on, generator):
    """Numbers that broadcast to equal ones, in another shape; and the same shapes with right and wrong numbers."""
    questions = Shuffled(generator)
    copies = sized(generator, (1, 4)).expand(3, 4).clone()
    same = torch.full((5,), float(sized(generator, ())), dtype=torch.float64)
    column, square = sized(generator, (3, 1)), sized(generator, (3, 3))
    others = {
        "(1, 5) and (5,)": lambda r: (r.view(1, 5), r),
        "(5,) and (1, 5)": lambda r: (r, r.view(1, 5)),
        "(5, 1) and (5,)": lambda r: (r.view(5, 1), r),
        "(4,) and (3, 4)": lambda r: (copies[0].clone(), copies),
        "(3, 4) and (1, 4)": lambda r: (copies, copies[:1].clone()),
        "(3, 4) and (4,)": lambda r: (copies, copies[0].clone()),
        "() and (5,)": lambda r: (same[0].clone(), same),
        "(1,) and ()": lambda r: (same[:1].clone(), same[0].clone()),
        "(3,) and (5,)": lambda r: (r[:3].clone(), r),
        "(2, 3) and (3, 2)": lambda r: (sized(generator, (2, 3)), sized(generator, (3, 2))),
        "(6,) and (2, 3)": lambda r: (torch.arange(6.0).double(), torch.arange(6.0).double().view(2, 3)),
    }
    for name, make in others.items():
        mine, reference = make(sized(generator, (5,)))
        questions.add(f"cmp of the shapes {name}", functools.partial(compared, on, mine, reference))
    for reference in (column, square, copies, same, same[0].clone(), sized(generator, (1, 5)), sized(generator, (5,))):
        ask = functools.partial(compared, on, reference.clone(), reference)
        questions.add(f"cmp of equal tensors of shape {tuple(reference.shape)}", ask)
        mine = one_element(generator, reference, lambda value: value + 0.3)
        questions.add(
            f"cmp of wrong tensors of shape {tuple(reference.shape)}", functools.partial(compared, on, mine, reference)
        )
    mine = one_element(generator, square, lambda value: value * math.nan)
    questions.add("cmp with a NaN in yours", functools.partial(compared, on, mine, square))
    return questions.answers()


def test_cmp_shapes(check):
    check.agrees(of_other_shapes)


def all_compared(on, gradients, references, **atol):
    all_match, matches = on.call("compare_all", gradients, references, **atol)
    return {"all_match": number_in(all_match), "matches": {name: number_in(v) for name, v in matches.items()}}


def a_network(generator, count):
    """(right gradients, references): gradients by name, those of one a little off from the others by rounding."""
    shapes = ((4, 3), (3,), (1, 5), (2, 2, 3), (6,), (3, 4), ())
    names = [f"parameter {number}" for number in torch.randperm(99, generator=generator)[:count].tolist()]
    references = {name: sized(generator, shape) for name, shape in zip(names, shapes, strict=False)}
    return {name: value * (1 + 1e-12) for name, value in references.items()}, references


FAULTS = {
    "one of the wrong sign": lambda g, r: -r,
    "one with an element off by 2 %": lambda g, r: one_element(g, r, lambda v: v * 1.02),
    "one with an element off by 0.01 %": lambda g, r: one_element(g, r, lambda v: v * (1 + 1e-4)),
    "one with a NaN": lambda g, r: one_element(g, r, lambda v: v * math.nan),
    "one with an axis too many": lambda g, r: r.clone().unsqueeze(0),
    "one that is None": lambda g, r: None,
    "one that is zeros": lambda g, r: torch.zeros_like(r),
}


def whole_networks(on, generator):
    questions = Shuffled(generator)

    def add(name, gradients, references, **atol):
        order = torch.randperm(len(gradients), generator=generator).tolist()
        gradients = {list(gradients)[number]: list(gradients.values())[number] for number in order}
        questions.add(f"compare_all of {name}", functools.partial(all_compared, on, gradients, references, **atol))

    for _ in range(questions.some(4, 6)):
        add("right gradients", *a_network(generator, questions.some(3, 7)))
    for name, fault in FAULTS.items():
        for _ in range(questions.some(1, 2)):
            gradients, references = a_network(generator, questions.some(3, 7))
            wrong = list(references)[int(torch.randint(len(references), (), generator=generator))]
            gradients[wrong] = fault(generator, references[wrong])
            add(f"gradients, {name}", gradients, references)
    for place, name in ((0, "first"), (-1, "last")):
        gradients, references = a_network(generator, questions.some(3, 6))
        gradients[list(references)[place]] *= -1
        add(f"gradients, the {name} of the wrong sign", gradients, references)
    gradients, references = a_network(generator, 5)
    del gradients[list(references)[questions.some(0, 4)]]
    add("gradients, one missing", gradients, references)
    gradients, references = a_network(generator, 6)
    for wrong in torch.randperm(6, generator=generator)[:3].tolist():
        gradients[list(references)[wrong]] *= 1.5
    add("gradients, three wrong", gradients, references)
    gradients, references = a_network(generator, questions.some(3, 6))
    add("gradients, all of the wrong sign", {name: -value for name, value in gradients.items()}, references)
    gradients, references = a_network(generator, questions.some(3, 6))
    add("right gradients, and one without a reference", {**gradients, "inner": sized(generator, (2,))}, references)
    for atol in (None, 1e-5, 1e-3, 1e-9):
        gradients, references = a_network(generator, 4)
        changed = list(references)[questions.some(0, 3)]
        references[changed] = one_element(generator, references[changed], lambda value: 0 * value)
        gradients[changed] = torch.where(references[changed] == 0, 6e-6, references[changed])
        given, words = ({}, "its default") if atol is None else ({"atol": atol}, f"{atol:g}")
        add(f"gradients, a zero off by 6e-6, with {words} for atol", gradients, references, **given)
    for off, how in ((4e-6, "right"), (1e-4, "wrong")):  # next to 1e4, an atol of 1e-5 is below allclose's own share
        gradients, references = a_network(generator, questions.some(3, 6))
        large = list(references)[questions.some(0, 2)]
        references[large] = references[large] * 1e4
        gradients[large] = one_element(generator, references[large], lambda value, off=off: value * (1 + off))
        add(f"{how} gradients, one near 10,000", gradients, references)
    return questions.answers()


def test_compare_all(check):
    check.agrees(whole_networks)
