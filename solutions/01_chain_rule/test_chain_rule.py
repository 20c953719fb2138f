"""The hidden suite of lesson 01: gradients on draws whose sizes all differ, and questions on numbers of their own."""

import functools

import numpy
import torch

from grader.calling.shuffled import Shuffled
from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def one_token_everywhere(inputs):
    inputs["tokens"][:] = inputs["tokens"][0]


DRAWS = (
    Draw({"rows": 5, "columns": 3, "inner": 4, "vocabulary": 8, "lookups": 6}),
    Draw({"rows": 2, "columns": 6, "inner": 3, "vocabulary": 4, "lookups": 7}, FORWARD.without_the_last),
    Draw({"rows": 7, "columns": 4, "inner": 2, "vocabulary": 5, "lookups": 3}, one_token_everywhere),
    Draw({"rows": 3, "columns": 5, "inner": 8, "vocabulary": 6, "lookups": 10}),
    Draw({"rows": 6, "columns": 4, "inner": 5, "vocabulary": 7, "lookups": 9}, FORWARD.two_highest, note=FORWARD.TIE),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


# the small network in one function


def small_network(on, generator, rows, inner, columns):
    answer = on.call("backward", *values_of_network(generator, rows, inner, columns))
    if isinstance(answer, (tuple, list)) and len(answer) == 3:
        return dict(zip(("dW", "db", "dx"), answer, strict=True))
    return answer


def arguments_of_backward(on, generator, rows, inner, columns):
    _, arguments = on.apply("backward", *values_of_network(generator, rows, inner, columns))
    return {"an argument after the call": arguments}


def values_of_network(generator, rows, inner, columns):
    x, b = normal(generator, rows, inner), normal(generator, columns)
    W = normal(generator, inner, columns) / inner**0.5
    z = x @ W + b
    return x, W, b, torch.tanh(z), z


def test_backward(check):
    sizes = ({"rows": 5, "inner": 4, "columns": 3}, {"rows": 2, "inner": 3, "columns": 6})
    check.agrees(small_network, draws=(*sizes, {"rows": 7, "inner": 1, "columns": 4}))
    check.agrees(arguments_of_backward, draws=sizes[:1])


# the questions


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def as_numbers(value):
    """Zeros and ones are as good as bools, and whole numbers as good as floating point."""
    if isinstance(value, numpy.generic):
        value = value.item()
    return value.double() if isinstance(value, torch.Tensor) else value


def three_numbers(generator):
    return (float(number) for number in normal(generator, 3))


def named(answer, of):
    da, db = answer
    return {f"da {of}": as_numbers(da), f"db {of}": as_numbers(db)}


def addition(on, generator):
    a, b, dy = three_numbers(generator)
    own = named(on.call("through_add", 2, 3, 5), "for dy = 5")  # the question's own numbers
    return own | named(on.call("through_add", a, b, dy), "for other numbers")


def multiplication(on, generator):
    a, b, dy = three_numbers(generator)
    own = named(on.call("through_multiply", 2, 3, 5), "for a = 2, b = 3, dy = 5")
    return own | named(on.call("through_multiply", a, b, dy), "for other numbers")


def places(on, generator, n, classes, occurring):
    labels = torch.randint(0, occurring, (n,), generator=generator)
    labels[-1] = labels[0]  # two examples of one class
    return on.call("nonzero_places", labels, classes)  # bools, as its docstring says


def gates_closed(on, generator, n, units, spread, threshold):
    """Some gates stand exactly at the threshold, on either side."""
    h = torch.tanh(spread * normal(generator, n, units))
    h[0, 0], h[1, 0] = threshold, -threshold
    return as_numbers(on.call("closed_share", h, threshold))


def gates_open(on, generator, n, units, spread):
    return as_numbers(on.call("mean_gate", torch.tanh(spread * normal(generator, n, units) + 0.3)))


def forces(on, generator, n, classes, occurring):
    labels = torch.randint(0, occurring, (n,), generator=generator)
    push, pull = on.call("push_and_pull", 2 * normal(generator, n, classes), labels)
    return {"push": as_numbers(push), "pull": as_numbers(pull)}


def occurrences(on, generator, n, block, vocabulary):
    """A token that is twice in one context, two that do not occur, and all the others, in a random order.

    One of the absent tokens is larger than all that occur: a table of counts that is as long as these need lacks it.
    """
    absent = int(torch.randint(vocabulary, (), generator=generator))
    tokens = (absent + torch.randint(1, vocabulary, (n, block), generator=generator)) % vocabulary
    tokens[0, 1] = tokens[-1, 0] = tokens[0, 0]
    questions, kinds = (
        Shuffled(generator),
        {**dict.fromkeys((absent, vocabulary), "a token that does not occur"), int(tokens[0, 0]): "a frequent token"},
    )
    for token in range(vocabulary + 1):
        ask = functools.partial(occurrences_of, on, tokens, token)
        questions.add(kinds.get(token, "another token"), ask)
    return questions.answers()


def occurrences_of(on, tokens, token):
    return as_numbers(on.call("accumulation_factor", tokens, token))


def test_through_add(check):
    check.agrees(addition, draws=({}, {}))


def test_through_multiply(check):
    check.agrees(multiplication, draws=({}, {}))


# in the second one the last class does not occur: it is not for the labels to say how many classes there are
LABELS = (
    {"n": 5, "classes": 7, "occurring": 7},
    {"n": 2, "classes": 3, "occurring": 2},
    {"n": 8, "classes": 4, "occurring": 4},
)


def test_nonzero_places(check):
    check.agrees(places, draws=LABELS)


def test_closed_share(check):
    draws = (
        {"n": 16, "units": 9, "spread": 1.0, "threshold": 0.75},
        {"n": 12, "units": 25, "spread": 0.3, "threshold": 0.125},
        {"n": 8, "units": 37, "spread": 3.0, "threshold": 0.9375},
    )
    check.agrees(gates_closed, draws=draws)


def test_mean_gate(check):
    draws = (
        {"n": 6, "units": 9, "spread": 1.0},
        {"n": 2, "units": 5, "spread": 0.1},
        {"n": 3, "units": 4, "spread": 4.0},
    )
    check.agrees(gates_open, draws=draws)


def test_push_and_pull(check):
    check.agrees(forces, draws=LABELS)


def test_accumulation_factor(check):
    draws = ({"n": 6, "block": 3, "vocabulary": 5}, {"n": 2, "block": 4, "vocabulary": 9})
    check.agrees(occurrences, draws=draws)
