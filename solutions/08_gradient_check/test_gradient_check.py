"""The hidden test suite of lesson 08: a checker is judged by what it accepts and what it rejects.

A claimed gradient is right to the last digits, or wrong by 1 % or more in some element. There is nothing in between.
Every slope is zero, or so large that values of the function determine it to better than 1 %. This also holds near a
minimum, where slopes are small. `Ward` makes each claim and knows whether it is right; no other checker computes it.

The claims of a row come in a random order, some of them twice, and nearly every claim has its own function and point.
So a claim cannot be judged by the number of the call, by an earlier call, or by the claimed numbers alone.
"""

import functools
import math
from pathlib import Path

import numpy as np
import torch

from grader.calling.protocol import Function
from grader.calling.shuffled import Shuffled
from grader.comparison.trees import shown
from grader.lesson.course_modules import load_module
from grader.verdict.judge.checks import CheckFailed

verdicts_of = load_module(
    Path(__file__).parents[2] / "exercises" / "08_gradient_check" / "verdicts.py", "backprop_ninja_verdicts"
)

# The functions under the checker. Each is followed by its gradient where that is not one line. `times` multiplies the
# value: with the gradient multiplied by the same number, a claim stays right or wrong.


def waves(x, *, a, w, scale, times=1):
    return float(times * scale * np.sum(a * np.sin(w * x)))


def waves_gradient(x, a, w, scale):
    return scale * a * w * np.cos(w * x)


def bowl(x, *, matrix, slope, times=1):
    flat = np.reshape(x, -1)
    return float(times * (0.5 * flat @ matrix @ flat + np.reshape(slope, -1) @ flat))


def bowl_gradient(x, matrix, slope):
    flat = x.reshape(-1)
    return (0.5 * (matrix + matrix.T) @ flat).reshape(x.shape) + slope


def soft_maximum(x, *, w, times=1):
    top = np.max(w * x)
    return float(times * (top + np.log(np.sum(np.exp(w * x - top)))))


def soft_maximum_gradient(x, w):
    weights = np.exp(w * x - (w * x).max())
    return w * weights / weights.sum()


def powers(x, *, a, times=1):
    return float(times * np.sum(a * x * np.sqrt(x)))


def logarithms(x, *, a, times=1):
    return float(times * np.sum(a * np.log(x)))


def cubes(x, *, a):
    return float(np.sum(a * x**3))


def line(x, *, a, times=1):
    return float(times * np.sum(a * x))


def constant(x, *, value, times=1):
    return times * value


def batch_normed(x, *, z, r, height, times=1):
    """The mean takes x off again, and what is left is rounding. It is in proportion to f: no term is negative."""
    y = (z + x) + 15.0
    y = y - np.mean(y, axis=0)
    return float(times * height * np.sum(r * (1.5 + np.tanh(y))))


def half_moved(x, *, a, height, times=1):
    """Only every other element is read."""
    return float(times * (height + np.sum(a * np.sin(np.reshape(x, -1)[::2]))))


def bent(x, *, at, left, right, curve, times=1):
    """Each element has a kink at `at`."""
    return float(times * (np.sum(np.where(x > at, right, left) * (x - at)) + 0.5 * np.sum(curve * x**2)))


def largest(x, *, w, times=1):
    return float(times * (np.max(x) + np.sum(w * x)))


# Near a minimum slopes are small, and the curvature is not. Each has its minimum at `at`.


def parabola(x, *, a, at, height=0.0, times=1):
    return float(times * (height + np.sum(a * (x - at) ** 2)))


def catenary(x, *, a, at, times=1):
    return float(times * np.sum(a * np.cosh(x - at)))


def one_minus_cosine(x, *, a, at, times=1):
    return float(times * np.sum(a * (1 - np.cos(x - at))))


def cancelling(x, *, a, at, times=1):
    """The parabola, multiplied out: near the minimum the three terms cancel."""
    return float(times * np.sum(a * x**2 - 2 * a * at * x + a * at**2))


def quartic(x, *, a, at, height=0.0, times=1):
    return float(times * (height + np.sum(a * (x - at) ** 4)))


def network(parameters, *, X, Y):
    p = parameters
    h = X @ p["W1"]
    h = (h - np.mean(h, axis=0)) / np.sqrt(np.var(h, axis=0) + 1e-5)
    h = np.tanh(p["gain"] * h + p["bias"])
    logits = h @ p["W2"] + p["b2"]
    top = np.max(logits, axis=1, keepdims=True)
    logprobs = logits - top - np.log(np.sum(np.exp(logits - top), axis=1, keepdims=True))
    return float(-np.mean(logprobs[np.arange(len(Y)), Y]))


# Numbers


def between(generator, shape, low, high):
    return (low + (high - low) * torch.rand(shape, generator=generator, dtype=torch.float64)).numpy()


def signed(generator, shape, low, high):
    sign = torch.randint(0, 2, shape, generator=generator).numpy() * 2 - 1
    return np.asarray(sign * between(generator, shape, low, high))


def pick(generator, count):
    return int(torch.randint(0, count, (), generator=generator))


def make_waves(generator, shape, scale=1.0, steep=(0.5, 1.5)):
    """(x, f, its gradient); no element of the gradient is near zero."""
    x, w = signed(generator, shape, 0.1, 0.5), signed(generator, shape, *steep)
    bound = {"a": signed(generator, shape, 0.5, 2.0), "w": w, "scale": scale}
    return x, Function(waves, **bound), waves_gradient(x, **bound)


def make_bowl(generator, shape):
    x, gradient = between(generator, shape, -1, 1), signed(generator, shape, 0.5, 2.0)
    matrix = between(generator, (x.size, x.size), -1, 1)
    slope = gradient - bowl_gradient(x, matrix, 0.0)
    return x, Function(bowl, matrix=matrix, slope=slope), gradient


def make_soft_maximum(generator, shape):
    x, w = between(generator, shape, -1, 1), signed(generator, shape, 0.5, 1.5)
    return x, Function(soft_maximum, w=w), soft_maximum_gradient(x, w)


MINIMA = {
    "a parabola": (parabola, lambda a, d: 2 * a * d, (-6, -3)),
    "a parabola multiplied out": (cancelling, lambda a, d: 2 * a * d, (-4, -3)),
    "a catenary": (catenary, lambda a, d: a * np.sinh(d), (-3.5, -2.5)),
    "one minus a cosine": (one_minus_cosine, lambda a, d: a * np.sin(d), (-4, -3)),
    "a fourth power": (quartic, lambda a, d: 4 * a * d**3, (-1.3, -0.7)),
}
"""Functions with a minimum, their slope at the distance d from it, and powers of ten between which d is drawn. There
every central difference with a step from 1e-6 to 1e-4 is within 1e-5 of the slope, or little more."""


def make_near_minimum(generator, size, kind, powers_of_ten=None):
    """(x, f, its gradient): every element is near the minimum of its own term."""
    function, slope, usual = MINIMA[kind]
    a, at = signed(generator, (size,), 0.5, 2.0), between(generator, (size,), -1, 1)
    x = at + signed(generator, (size,), 1, 1) * 10 ** between(generator, (size,), *(powers_of_ten or usual))
    return x, Function(function, a=a, at=at), slope(a, x - at)


class Ward:
    """The reference for verdicts: it says what the one who makes the claims knows."""

    def __init__(self):
        self.truth = None

    def gradient_check(self, f, x, dx, eps=1e-5):
        return self.truth, 0.0

    def wrong_gradients(self, f, parameters, gradients, eps=1e-5):
        return self.truth


WARD = Ward()


class Claims:
    """Claims, put to a checker one by one in a random order; some are put a second time, in other units."""

    def __init__(self, on, generator):
        self.on, self.generator, self.questions = on, generator, Shuffled(generator)
        self.some = self.questions.some

    def right(self, name, *question):
        self.add(True, name, *question)

    def wrong(self, name, *question):
        self.add(False, name, *question)

    def add(self, truth, name, f, x, dx, *eps):
        x, dx, times = np.array(x), np.array(dx), 2 ** pick(self.generator, 3)
        same = Function(f.source, **{**f.bound, "times": times})
        self.questions.add(
            f"ok for {name}",
            functools.partial(self.put, truth, f, x, dx, *eps),
            functools.partial(self.put, truth, same, x, np.asarray(dx * times), *eps),
        )

    def put(self, truth, f, x, dx, eps=1e-5):
        WARD.truth = truth
        answer = self.on.call("gradient_check", f, x, dx, eps)
        ok, _ = answer
        ok = ok.item() if getattr(ok, "ndim", None) == 0 else ok
        if not (ok is None or isinstance(ok, bool)):
            raise TypeError("ok")
        return ok

    def verdicts(self):
        return self.questions.answers()


def judges_rightly(check, claims, draws=({},)):
    """Compare verdicts with those of the ward. verdicts.py has a question about a wrong one."""
    try:
        check.agrees(claims, draws, reference=WARD)
    except CheckFailed as failed:
        _, results = failed.compared or (None, ())
        pairs = [(name, ok, each.expected[name]) for each in results for name, ok in each.found.items()]
        wrong = {name.removeprefix("ok for "): ok for name, ok, truth in pairs if ok is not truth}
        if not wrong:
            raise
        mistake, claim, asks = verdicts_of.question_about(wrong, [(ok, truth) for _, ok, truth in pairs])
        truth = next(truth for name, _, truth in pairs if name == f"ok for {claim}")
        text = f"`ok for {claim}` is {wrong[claim]}; expected {truth}. {asks}".rstrip()
        raise CheckFailed(text, failed.status, mistake, compared=failed.compared) from failed


# numerical_gradient, relative_error and what they leave behind


def plain(answers):
    """numpy's own kind of number as Python's, which is what becomes of it on the wire."""
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in answers.items()}


def slopes(on, generator, shape):
    """Compared with the same quotient: nothing else comes this near to it, forward differences are far away."""
    x, f, _ = make_waves(generator, shape)
    pulled, g, _ = make_bowl(generator, shape)
    whole = np.asarray(signed(generator, shape, 1, 4).round(), dtype=np.int64)
    a = signed(generator, shape, 0.5, 2.0)
    answers = {
        "waves": on.call("numerical_gradient", f, x),
        "a bowl": on.call("numerical_gradient", g, pulled, 1e-4),
        "cubes with eps=0.25": on.call("numerical_gradient", Function(cubes, a=a), x, 0.25),
        "cubes at integers": on.call("numerical_gradient", Function(cubes, a=a), whole, 1e-3),
    }
    return plain(answers)


def test_numerical_gradient(check):
    draws = ({"shape": (5,)}, {"shape": (3, 4)}, {"shape": ()}, {"shape": (2, 1, 3)})
    check.agrees(slopes, draws=draws, tolerance=1e-7)


def left_as_it_was(on, generator, shape):
    x, f, _ = make_bowl(generator, shape)
    found = {}
    for eps in (1e-5, float(between(generator, (), 1e-4, 1e-3))):
        numerical, after = on.apply("numerical_gradient", f, x, eps)
        found[f"numerical_gradient with eps={eps:.3g}"] = numerical
        found[f"x after numerical_gradient with eps={eps:.3g}"] = how_changed(after[1], x)
    return found


def how_changed(found, expected):
    if not isinstance(found, np.ndarray) or found.shape != expected.shape:
        return "another shape"
    if (found == expected).all():
        return "unchanged"
    return "changed in its last digits" if abs(found - expected).max() < 1e-12 else "changed"


def test_leaves_x_unchanged(check):
    check.agrees(left_as_it_was, draws=({"shape": (6,)}, {"shape": (3, 2)}, {"shape": (20,)}), tolerance=1e-7)


def distances(on, generator, shape):
    a, b = signed(generator, shape, 0.1, 10), signed(generator, shape, 0.1, 10)
    near = a * (1 + between(generator, shape, -1e-3, 1e-3))
    with_zeros, zeros = np.array(near), np.zeros(shape)
    with_zeros.reshape(-1)[0] = 0.0
    both = np.array(a)
    both.reshape(-1)[0] = 0.0
    answers = {
        "of two strangers": on.call("relative_error", a, b),
        "of two that are near": on.call("relative_error", a, near),
        "the other way round": on.call("relative_error", near, a),
        "of tiny ones": on.call("relative_error", a * 1e-12, near * 1e-12),
        "of equals": on.call("relative_error", a, a),
        "with an element zero in both": on.call("relative_error", both, with_zeros),
        "with an element zero in one": on.call("relative_error", a, with_zeros),
        "with a zero beside a tiny one": on.call("relative_error", both * 1e-9, near * 1e-9),
        "of zeros": on.call("relative_error", zeros, zeros),
    }
    return plain(answers)


def test_relative_error(check):
    check.agrees(distances, draws=({"shape": (7,)}, {"shape": (3, 4)}, {"shape": (2, 2, 5)}))


# gradient_check: rows of rising difficulty. Each has right claims and wrong ones.

MAKERS = {"waves": make_waves, "a bowl": make_bowl, "a soft maximum": make_soft_maximum}


def wrong_by_a_factor(on, generator, function, shape):
    claims = Claims(on, generator)
    for _ in range(claims.some(2, 4)):
        x, f, dx = MAKERS[function](generator, shape)
        claims.right("the right gradient", f, x, dx)
    for name, factor in (("half", 0.5), ("twice", 2.0), ("1.01 times", 1.01), ("minus", -1.0)):
        for _ in range(claims.some(1, 2)):
            x, f, dx = MAKERS[function](generator, shape)
            claims.wrong(f"{name} the right gradient", f, x, factor * dx)
    x, f, dx = MAKERS[function](generator, shape)
    claims.wrong("0 times the right gradient", f, x, np.zeros(shape))
    x, f, dx = MAKERS[function](generator, shape)
    claims.wrong("the right signs with other sizes", f, x, np.sign(dx) * between(generator, shape, 3.0, 6.0))
    x, f, dx = MAKERS[function](generator, shape)
    claims.wrong("numbers drawn at random", f, x, signed(generator, shape, 3.0, 6.0))
    return claims.verdicts()


def test_factors(check):
    draws = (
        {"function": "waves", "shape": (4,)},
        {"function": "a bowl", "shape": (2, 3)},
        {"function": "a soft maximum", "shape": (5,)},
    )
    judges_rightly(check, wrong_by_a_factor, draws=draws)


def make_spread(generator, size):
    """(x, f, its gradient, the number of its smallest element): the elements are as different as 0.001 and 10."""
    x, f, dx = make_waves(generator, (size,))
    spread, small = 10 ** between(generator, (size,), -2, 1), pick(generator, size)
    spread[small], spread[(small + 1) % size] = 1e-3, 10.0
    return x, Function(waves, **{**f.bound, "a": f.bound["a"] * spread}), dx * spread, small


def wrong_in_one_element(on, generator, size):
    claims = Claims(on, generator)
    for _ in range(claims.some(3, 5)):
        x, f, dx, _ = make_spread(generator, size)
        claims.right("the right gradient", f, x, dx)
    kinds = {
        "a gradient with one element off by 2 %": (claims.some(1, 2), None, 1.02),
        "a gradient with the first element forgotten": (1, 0, 0.0),
        "a gradient with the last element of the wrong sign": (claims.some(1, 2), size - 1, -1.0),
        "a gradient with its smallest element halved": (claims.some(1, 2), "smallest", 0.5),
        "a gradient with its smallest element off by 2 %": (1, "smallest", 1.02),
        "a gradient with a NaN in it": (1, None, float("nan")),
        "a gradient with an infinity in it": (1, None, float("inf")),
        "twice a gradient of large and small elements": (1, slice(None), 2.0),
    }
    for name, (count, place, factor) in kinds.items():
        for _ in range(count):
            x, f, dx, small = make_spread(generator, size)
            index = pick(generator, size) if place is None else small if place == "smallest" else place
            dx[index] *= factor
            claims.wrong(name, f, x, dx)
    return claims.verdicts()


def test_one_element(check):
    judges_rightly(check, wrong_in_one_element, draws=({"size": 12}, {"size": 40}))


FACTORS = (0.5, 0.7, 1.4, 2.0)
"""Of a gradient that is wrong in all elements: smaller as often as larger."""


def of_many_shapes(on, generator):
    claims = Claims(on, generator)
    for shape in ((), (1,), (2, 3, 2)):
        for _ in range(claims.some(1, 3)):
            x, f, dx = make_waves(generator, shape)
            claims.right(f"the right gradient of shape {shape}", f, x, dx)
        for _ in range(claims.some(1, 3)):
            x, f, dx = make_waves(generator, shape)
            claims.wrong(f"a wrong gradient of shape {shape}", f, x, FACTORS[pick(generator, 4)] * dx)
    for _ in range(claims.some(1, 2)):
        a, integers = pick(generator, 4) + 2, np.arange(-5, 9, 3) + pick(generator, 3)
        claims.right("the right gradient at integers", Function(line, a=float(a)), integers, np.full(5, a))
    for _ in range(claims.some(1, 2)):
        a, integers = pick(generator, 4) + 2, np.arange(-5, 9, 3) + pick(generator, 3)
        other = np.full(5, a) + (1, -1)[pick(generator, 2)]
        claims.wrong("a wrong gradient at integers", Function(line, a=float(a)), integers, other)
    a, x = pick(generator, 4) + 2, between(generator, (5,), -1, 1)
    f, dx = Function(line, a=float(a)), np.full(5, float(a))
    claims.wrong("the right numbers as a row, (1, 5)", f, x, dx.reshape(1, 5))
    claims.wrong("the right numbers as a column, (5, 1)", f, x, dx.reshape(5, 1))
    claims.wrong("one number for all", f, x, np.array(float(a)))
    claims.wrong("the right numbers of shape (5,) for x of shape (1, 5)", f, x.reshape(1, 5), dx)
    for _ in range(claims.some(1, 3)):
        x, f, dx = make_waves(generator, (3, 3))
        claims.right("the right gradient of a table", f, x, dx)
    for _ in range(claims.some(1, 3)):
        x, f, dx = make_waves(generator, (3, 3))
        claims.wrong("the transpose of a right gradient", f, x, np.ascontiguousarray(dx.T))
    return claims.verdicts()


def test_shapes(check):
    judges_rightly(check, of_many_shapes)


def tiny_and_huge(on, generator, size):
    claims = Claims(on, generator)
    for name, scale in (("1e-10", 1e-10), ("1e10", 1e10)):
        make = functools.partial(make_waves, generator, (size,), scale)
        for _ in range(claims.some(1, 3)):
            x, f, dx = make()
            claims.right(f"a right gradient of about {name}", f, x, dx)
        for kind, factor in (
            (f"1.02 times a gradient of about {name}", 1.02),
            (f"half a gradient of about {name}", 0.5),
        ):
            for _ in range(claims.some(1, 2)):
                x, f, dx = make()
                claims.wrong(kind, f, x, factor * dx)
        x, f, dx = make()
        claims.wrong(f"the right signs for a gradient of about {name}", f, x, dx * between(generator, (size,), 2, 4))
        x, f, dx = make()
        claims.wrong(f"zeros for a gradient of about {name}", f, x, np.zeros(size))
    for name, function in (("powers", powers), ("logarithms", logarithms)):
        kinds = [(True, f"the right gradient of {name} at large x", 1.0)] * claims.some(1, 2)
        kinds += [(False, f"1.05 times the gradient of {name} at large x", 1.05)] * claims.some(1, 2)
        for truth, kind, factor in kinds:
            x, a = between(generator, (size,), 300, 3000), signed(generator, (size,), 0.5, 2.0)
            dx = 1.5 * a * np.sqrt(x) if function is powers else a / x
            claims.add(truth, kind, Function(function, a=a), x, factor * dx)
    for kind in MINIMA:
        for factor in (1.0, (1.01, 1.4, 0.5)[pick(generator, 3)]):
            x, f, dx = make_near_minimum(generator, size, kind)
            name = "the right gradient" if factor == 1 else f"{factor} times the gradient"
            claims.add(factor == 1, f"{name} near the minimum of {kind}", f, x, factor * dx)
    # so near that the slopes to the left and to the right, with a step of 1e-5, enclose 1.4 times the slope
    x, f, dx = make_near_minimum(generator, size, "a parabola", (-6, -5))
    claims.wrong("1.4 times the gradient very near the minimum of a parabola", f, x, 1.4 * dx)
    return claims.verdicts()


def test_scales(check):
    judges_rightly(check, tiny_and_huge, draws=({"size": 5}, {"size": 3}))


def make_half_moved(generator, hidden):
    """(x, f, its gradient): every other element is zero."""
    x, a = between(generator, (hidden,), -1, 1), signed(generator, (math.ceil(hidden / 2),), 0.5, 2.0)
    dx = np.zeros(hidden)
    dx[::2] = a * np.cos(x[::2])
    return x, Function(half_moved, a=a, height=float(between(generator, (), 2, 4))), dx


def nothing_but_noise(on, generator, batch, hidden):
    claims = Claims(on, generator)

    def make_constant():
        f = Function(constant, value=float(between(generator, (), 1, 5)))
        return f, between(generator, (hidden,), -1, 1)

    def make_batch_normed():
        z, r = between(generator, (batch, hidden), -1, 1), between(generator, (batch, hidden), 0.2, 1.0)
        f = Function(batch_normed, z=z, r=r, height=float(between(generator, (), 50, 200)))
        return f, between(generator, (hidden,), -1, 1)

    for _ in range(claims.some(1, 2)):
        claims.right("zeros for a constant", *make_constant(), np.zeros(hidden))
    claims.wrong("something for a constant", *make_constant(), signed(generator, (hidden,), 0.05, 0.1))
    for _ in range(claims.some(1, 3)):
        claims.right("zeros for a bias before batch norm", *make_batch_normed(), np.zeros(hidden))
    rounding = functools.partial(between, generator, (hidden,), -1e-15, 1e-15)
    for _ in range(2):
        claims.right("rounding errors for a bias before batch norm", *make_batch_normed(), rounding())
    for _ in range(claims.some(1, 2)):
        wrong = signed(generator, (hidden,), 0.05, 0.1)
        claims.wrong("something for a bias before batch norm", *make_batch_normed(), wrong)
    for _ in range(claims.some(3, 5)):
        x, f, dx = make_half_moved(generator, hidden)
        claims.right("a right gradient with zeros in it", f, x, dx)
    for _ in range(claims.some(3, 5)):  # as large as right ones: the numbers alone do not give it away
        x, f, dx = make_half_moved(generator, hidden)
        others = np.sign(dx) * abs(make_half_moved(generator, hidden)[2])
        claims.wrong("a gradient with zeros in it, of other sizes", f, x, others)
    x, f, dx = make_half_moved(generator, hidden)
    claims.wrong("a right gradient with its zeros filled in", f, x, np.where(dx == 0, 0.05, dx))
    x, f, dx = make_half_moved(generator, hidden)
    claims.wrong("a right gradient with a number turned to zero", f, x, np.where(np.arange(hidden) == 0, 0.0, dx))
    for _ in range(claims.some(1, 3)):
        x, f, _ = make_half_moved(generator, hidden)
        claims.wrong("zeros for a gradient that has only some", f, x, np.zeros(hidden))
    at_minima(claims, generator, hidden)
    return claims.verdicts()


def at_minima(claims, generator, size):
    """The gradient is zero, and half a step away it is not."""

    def make(kind):
        a, at = signed(generator, (size,), 0.5, 2.0), between(generator, (size,), -1, 1)
        if kind == "x²":  # nothing is rounded: the two values of a difference are equal
            return Function(parabola, a=a, at=np.zeros(size)), np.zeros(size)
        high = {} if kind == "a catenary" else {"height": float(between(generator, (), 1, 3))}
        return Function(MINIMA[kind][0], a=a, at=at, **high), at

    for kind in ("x²", "a parabola", "a catenary", "a fourth power"):
        name = f"at the minimum of {kind}"
        f, x = make(kind)
        claims.right(f"zeros {name}", f, x, np.zeros(size))
        f, x = make(kind)
        small, large = signed(generator, (size,), 1e-6, 5e-6), signed(generator, (size,), 5e-4, 2e-3)
        claims.wrong(f"something {name}", f, x, (small, large)[pick(generator, 2)])


def test_zero_gradients(check):
    draws = ({"batch": 12, "hidden": 8}, {"batch": 15, "hidden": 7})
    judges_rightly(check, nothing_but_noise, draws=draws)


def make_bent(generator, size, turn):
    """(x, f, the slope to the left, what is added to it on the right of a kink).

    Three elements are on their kink, the others far from theirs. `turn`: 1 where the slope rises, else -1.
    """
    at, gap = between(generator, (size,), -1, 1), turn * between(generator, (size,), 0.5, 2.0)
    left, curve = signed(generator, (size,), 0.3, 1.5), between(generator, (size,), -1, 1)
    left[0], curve[:3] = 0.0, 0.0  # the first is a ReLU, and on a kink a curve would only add an error of its own
    f = Function(bent, at=at, left=left, right=left + gap, curve=curve)
    x = at + signed(generator, (size,), 0.3, 1.0)
    x[:3] = at[:3]
    own = np.where(x > at, left + gap, left) + curve * x  # on the kink: the slope to the left
    return x, f, own, np.where(np.arange(size) < 3, gap, 0.0)


def on_kinks(claims, generator, size, turn, name):
    rows = np.eye(size)
    kinds = (
        (True, f"the slope to the left of {name}", lambda own, step: own),
        (True, f"the slope to the right of {name}", lambda own, step: own + step),
        (True, f"half way between the slopes at {name}", lambda own, step: own + step / 2),
        (
            True,
            f"somewhere between the slopes at {name}",
            lambda own, step: own + between(generator, (size,), 0.1, 0.9) * step,
        ),
        (
            False,
            f"beyond the slope to the right of {name}",
            lambda own, step: own + 1.3 * step * rows[pick(generator, 3)],
        ),
        (
            False,
            f"beyond the slope to the left of {name}",
            lambda own, step: own - 0.3 * step * rows[pick(generator, 3)],
        ),
        (False, f"far beyond both slopes at {name}", lambda own, step: own - 3 * step * rows[pick(generator, 3)]),
    )
    for truth, kind, claimed in kinds:
        x, f, own, step = make_bent(generator, size, turn)
        claims.add(truth, kind, f, x, claimed(own, step))


def near_kinks(claims, generator, size):
    """Far from each kink but the last two: those are very near to theirs, one on the right and one on the left."""
    rows = np.eye(size)
    kinds = (
        *[(True, "the slope very near to a kink", lambda dx, other: dx)] * claims.some(1, 3),
        (False, "beyond both slopes, very near to a kink", lambda dx, other: dx - 0.3 * other * rows[-2]),
        (False, "beyond both slopes, very near to a kink on its left", lambda dx, other: dx - 0.3 * other * rows[-1]),
        (False, "the slope of the other side, far from a kink", lambda dx, other: dx + other * rows[0]),
        (False, "between the slopes, far from a kink", lambda dx, other: dx + other * rows[1] / 2),
    )
    for truth, kind, claimed in kinds:
        at, gap = between(generator, (size,), -1, 1), signed(generator, (size,), 0.5, 2.0)
        left, curve = signed(generator, (size,), 0.3, 1.5), between(generator, (size,), -1, 1)
        curve[-2:] = 0.0
        f = Function(bent, at=at, left=left, right=left + gap, curve=curve)
        x = at + signed(generator, (size,), 0.3, 1.0)
        x[-2], x[-1] = at[-2] + 1e-7, at[-1] - 1e-7
        dx, other = np.where(x > at, left + gap, left) + curve * x, np.where(x > at, -gap, gap)
        claims.add(truth, kind, f, x, claimed(dx, other))


def at_a_tie(claims, generator, size):
    """The largest of a row is there twice: `max` picks one of the two, `amax` divides between them."""
    one, other, none = np.eye(size)[1], np.eye(size)[size - 1], np.eye(size)[0]
    for truth, kind, share in (
        (True, "all of it to the first of two largest", one),
        (True, "all of it to the second of two largest", other),
        (True, "half of it to each of two largest", (one + other) / 2),
        (False, "more than all of it to one of two largest", 1.5 * one),
        (False, "less than nothing to one of two largest", one - 0.5 * other),
        (False, "a share for one that is not the largest", one + 0.5 * none),
    ):
        w, x = signed(generator, (size,), 0.3, 1.0), between(generator, (size,), -1, 0)
        x[1] = x[size - 1] = 0.5
        claims.add(truth, kind, Function(largest, w=w), x, w + share)


def where_no_kink_is(claims, generator, size):
    """A smooth minimum less than a step away: the one-sided slopes differ, and what lies between them is wrong."""
    far, near = (-5.3, -4.7), (-6.3, -6.0)  # powers of ten: how far from the minimum
    for factor, distance in ((1.0, far), (1.0, near), (1.4, far), (0.6, far), (1.02, far), (1.01, near)):
        x, f, dx = make_near_minimum(generator, size, "a parabola", distance)
        name = "the slope" if factor == 1 else f"{factor} times the slope"
        claims.add(factor == 1, f"{name} near a smooth minimum", f, x, factor * dx)


def bends(on, generator, size):
    claims = Claims(on, generator)
    on_kinks(claims, generator, size, 1, "a kink")
    on_kinks(claims, generator, size, -1, "a kink that points up")
    near_kinks(claims, generator, size)
    at_a_tie(claims, generator, size)
    where_no_kink_is(claims, generator, size)
    return claims.verdicts()


def test_kinks(check):
    judges_rightly(check, bends, draws=({"size": 4}, {"size": 5}))


def with_a_poor_step(on, generator, size):
    claims, make = Claims(on, generator), functools.partial(make_waves, generator, (size,), steep=(1.5, 2.5))
    for eps in (1e-14, 1e-17, 0.5, 1.5):
        for _ in range(claims.some(1, 2)):
            x, f, dx = make()
            claims.right(f"the right gradient with eps={eps}", f, x, dx, eps)
        x, f, dx = make()
        claims.wrong(f"1.05 times the right gradient with eps={eps}", f, x, 1.05 * dx, eps)
        x, f, dx = make()
        claims.wrong(f"half the right gradient with eps={eps}", f, x, 0.5 * dx, eps)
        x, f, dx = make()
        claims.wrong(f"zeros with eps={eps}", f, x, np.zeros(size), eps)
        if eps > 0.1:
            x, f, dx = make()
            claims.wrong(f"the difference quotient with eps={eps}", f, x, quotient(f.build(), x, eps), eps)
    return claims.verdicts()


def quotient(f, x, eps):
    """What somebody gets who trusts such a step: wrong by at least 8 % in every element."""
    return np.array([(f(x + eps * row) - f(x - eps * row)) / (2 * eps) for row in np.eye(len(x))])


def test_bad_eps(check):
    judges_rightly(check, with_a_poor_step, draws=({"size": 4}, {"size": 3}))


# wrong_gradients: the verification pattern on a whole network


def backward(parameters, X, Y):
    """Its gradients, by autograd: they do not come from this lesson's own means."""
    p = {name: torch.tensor(value, requires_grad=True) for name, value in parameters.items()}
    h = torch.tensor(X) @ p["W1"]
    h = (h - h.mean(0)) / (h.var(0, unbiased=False) + 1e-5).sqrt()
    h = torch.tanh(p["gain"] * h + p["bias"])
    torch.nn.functional.cross_entropy(h @ p["W2"] + p["b2"], torch.tensor(Y)).backward()
    return {name: value.grad.numpy() for name, value in p.items()}


@functools.lru_cache(maxsize=100)
def make_network(seed, batch, features, hidden, classes):
    """(parameters, f, gradients, by autograd); no element of a gradient is very near to zero."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        parameters = {
            "W1": between(generator, (features, hidden), -1, 1),
            "gain": between(generator, (hidden,), 0.5, 1.5),
            "bias": between(generator, (hidden,), -0.5, 0.5),
            "W2": between(generator, (hidden, classes), -1, 1),
            "b2": between(generator, (classes,), -0.5, 0.5),
        }
        X = between(generator, (batch, features), -2, 2)
        Y = torch.randint(0, classes, (batch,), generator=generator).numpy()
        gradients = backward(parameters, X, Y)
        if min(abs(gradient).min() for gradient in gradients.values()) > 1e-3:
            return parameters, Function(network, X=X, Y=Y), gradients


def names_of(on, expected, f, parameters, gradients):
    WARD.truth = expected  # in any order
    answer = on.call("wrong_gradients", f, parameters, gradients)
    if not isinstance(answer, (list, tuple)) or not all(isinstance(name, str) for name in answer):
        raise TypeError("names")  # the grader's message says what was returned
    return ", ".join(sorted(answer)) or "none"


def networks(on, generator, batch, features, hidden, classes):
    """A network of its own for each claim, and drawn names: a list of names to repeat is of no use."""
    questions, names = Shuffled(generator), ("W1", "gain", "bias", "W2", "b2")

    def ask(name, wrong, change):
        seed = int(torch.randint(2**62, (), generator=generator))
        parameters, f, gradients = make_network(seed, batch, features, hidden, classes)
        given = change(dict(gradients))
        questions.add(f"names for {name}", functools.partial(names_of, on, wrong, f, parameters, given))

    def scaled(*chosen, factor=1.1):
        return lambda gradients: {n: g * factor if n in chosen else g for n, g in gradients.items()}

    for _ in range(questions.some(1, 3)):
        ask("right ones", [], dict)
    ask("those of a loss that was not averaged", list(names), scaled(*names, factor=batch))
    first, second, third, *_ = (names[i] for i in torch.randperm(5, generator=generator).tolist())
    for one in (first, second):
        ask(f"{one} 1.1 times too large", [one], scaled(one))
    pair = sorted((first, third), key=names.index)
    ask(
        f"{pair[0]} and {pair[1]} wrong",
        pair,
        lambda gradients: {**gradients, first: -gradients[first], third: gradients[third] + 0.1},
    )
    lost = names[pick(generator, 5)]
    ask(f"no entry for {lost}", [lost], lambda gradients: {n: g for n, g in gradients.items() if n != lost})
    ask("bias as (1, n) for (n,)", ["bias"], lambda gradients: {**gradients, "bias": gradients["bias"][None]})
    return questions.answers()


def drowned(x, *, height):
    return float(height + 1e-9 * np.sum(x))


def drowned_and_clear(parameters, *, height):
    return float(height + 1e-9 * np.sum(parameters["w"]) + np.sum(parameters["b"]))


def lists_what_cannot_be_told(check):
    """Where `gradient_check` answers None. It may say True or False as well: then there is nothing to compare."""
    height = float(between(check.generator("height"), (), 1e5, 9e5))
    parameters = {"w": np.array([0.5, -1.5]), "b": np.array([1.0, 2.0, 3.0])}
    claims = {"w": np.full(2, 1e-9), "b": np.ones(3)}
    answer = check.on.call("gradient_check", Function(drowned, height=height), parameters["w"], claims["w"])
    if isinstance(answer, (tuple, list)) and answer[0] is None:
        names = check.on.call("wrong_gradients", Function(drowned_and_clear, height=height), parameters, claims)
        if list(names) != ["w"]:
            told = f"only {', '.join(names)}" if names else "no name"
            check.fail(f"`gradient_check` says None for `w`, and True for `b`: list `w`. Yours lists {told}.")


def test_wrong_gradients(check):
    draw = {"batch": 5, "features": 2, "hidden": 3, "classes": 4}
    check.agrees(networks, draws=(draw,), reference=WARD)
    lists_what_cannot_be_told(check)
