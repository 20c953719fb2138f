"""The hidden suite of lesson 08: a checker is judged by what it accepts and what it refuses.

Claimed gradients are right to the last digits, or wrong by 1 % and more in some element; nothing in between is asked.
The truth of each claim is known where the claim is made (`Ward`), not computed by another checker.
"""

import math

import numpy as np
import torch

from grader.agreement import shown
from grader.calling import Function

# The functions under the checker. Each is followed by its gradient where that is not one line.


def waves(x, *, a, w, scale):
    return float(scale * np.sum(a * np.sin(w * x)))


def waves_gradient(x, a, w, scale):
    return scale * a * w * np.cos(w * x)


def bowl(x, *, matrix, slope):
    flat = np.reshape(x, -1)
    return float(0.5 * flat @ matrix @ flat + np.reshape(slope, -1) @ flat)


def bowl_gradient(x, matrix, slope):
    flat = x.reshape(-1)
    return (0.5 * (matrix + matrix.T) @ flat).reshape(x.shape) + slope


def soft_maximum(x, *, w):
    top = np.max(w * x)
    return float(top + np.log(np.sum(np.exp(w * x - top))))


def soft_maximum_gradient(x, w):
    weights = np.exp(w * x - (w * x).max())
    return w * weights / weights.sum()


def powers(x, *, a):
    return float(np.sum(a * x * np.sqrt(x)))


def logarithms(x, *, a):
    return float(np.sum(a * np.log(x)))


def cubes(x, *, a):
    return float(np.sum(a * x**3))


def line(x, *, a):
    return float(np.sum(a * x))


def constant(x, *, value):
    return value


def batch_normed(x, *, z, r, height):
    """The mean takes x off again, and what is left is rounding. It is in proportion to f: no term is negative."""
    y = (z + x) + 15.0
    y = y - np.mean(y, axis=0)
    return float(height * np.sum(r * (1.5 + np.tanh(y))))


def half_moved(x, *, a, height):
    """Only every other element is read."""
    return float(height + np.sum(a * np.sin(np.reshape(x, -1)[::2])))


def bent(x, *, at, left, right, curve):
    """Each element has a kink at `at`."""
    return float(np.sum(np.where(x > at, right, left) * (x - at)) + 0.5 * np.sum(curve * x**2))


def largest(x, *, w):
    return float(np.max(x) + np.sum(w * x))


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
    """Puts claims to a checker one by one; `verdicts` are its answers."""

    def __init__(self, on):
        self.on, self.verdicts = on, {}

    def right(self, name, *question):
        self.verdicts[f"ok for {name}"] = self.put(True, *question)

    def wrong(self, name, *question):
        self.verdicts[f"ok for {name}"] = self.put(False, *question)

    def put(self, truth, f, x, dx, eps=1e-5):
        WARD.truth = truth
        answer = self.on.call("gradient_check", f, np.asarray(x), np.asarray(dx), eps)
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            return f"no pair (ok, error) but {shown(answer)}"
        ok = answer[0].item() if getattr(answer[0], "ndim", None) == 0 else answer[0]
        return ok if isinstance(ok, bool) else f"no True or False but {shown(ok)}"


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
    claims, (x, f, dx) = Claims(on), MAKERS[function](generator, shape)
    claims.right("the right gradient", f, x, dx)
    for name, factor in (("half", 0.5), ("twice", 2.0), ("1.01 times", 1.01), ("minus", -1.0), ("0 times", 0.0)):
        claims.wrong(f"{name} the right gradient", f, x, factor * dx)
    claims.wrong("the right signs with other sizes", f, x, np.sign(dx) * between(generator, shape, 3.0, 6.0))
    claims.wrong("numbers drawn at random", f, x, signed(generator, shape, 3.0, 6.0))
    return claims.verdicts


def test_factors(check):
    draws = (
        {"function": "waves", "shape": (4,)},
        {"function": "a bowl", "shape": (2, 3)},
        {"function": "a soft maximum", "shape": (5,)},
    )
    check.agrees(wrong_by_a_factor, draws=draws, reference=WARD)


def wrong_in_one_element(on, generator, size):
    """The elements of the gradient are as different as 0.001 and 10."""
    claims, (x, f, dx) = Claims(on), make_waves(generator, (size,))
    spread, small = 10 ** between(generator, (size,), -2, 1), pick(generator, size)
    spread[small], spread[(small + 1) % size] = 1e-3, 10.0
    f, dx = Function(waves, **{**f.bound, "a": f.bound["a"] * spread}), dx * spread
    claims.right("the right gradient", f, x, dx)
    for name, index, factor in (
        ("a gradient with one element off by 2 %", pick(generator, size), 1.02),
        ("a gradient with the first element forgotten", 0, 0.0),
        ("a gradient with the last element of the wrong sign", size - 1, -1.0),
        ("a gradient with its smallest element halved", small, 0.5),
        ("a gradient with a NaN in it", pick(generator, size), float("nan")),
        ("a gradient with an infinity in it", pick(generator, size), float("inf")),
    ):
        wrong = dx.copy()
        wrong[index] *= factor
        claims.wrong(name, f, x, wrong)
    claims.wrong("twice a gradient of large and small elements", f, x, 2 * dx)
    return claims.verdicts


def test_one_element(check):
    check.agrees(wrong_in_one_element, draws=({"size": 12}, {"size": 40}), reference=WARD)


def of_many_shapes(on, generator):
    claims = Claims(on)
    for shape in ((), (1,), (2, 3, 2)):
        x, f, dx = make_waves(generator, shape)
        claims.right(f"the right gradient of shape {shape}", f, x, dx)
        claims.wrong(f"a wrong gradient of shape {shape}", f, x, 1.5 * dx)
    a = pick(generator, 4) + 2
    f, integers, slopes_there = Function(line, a=float(a)), np.arange(-5, 9, 3), np.full(5, a)
    claims.right("the right gradient at integers", f, integers, slopes_there)
    claims.wrong("a wrong gradient at integers", f, integers, slopes_there + 1)
    x, dx = between(generator, (5,), -1, 1), np.full(5, float(a))
    claims.wrong("the right numbers as a row, (1, 5)", f, x, dx.reshape(1, 5))
    claims.wrong("the right numbers as a column, (5, 1)", f, x, dx.reshape(5, 1))
    claims.wrong("one number for all", f, x, np.array(float(a)))
    claims.wrong("the right numbers of shape (5,) for x of shape (1, 5)", f, x.reshape(1, 5), dx)
    x, f, dx = make_waves(generator, (3, 3))
    claims.right("the right gradient of a table", f, x, dx)
    claims.wrong("the transpose of a right gradient", f, x, dx.T)
    return claims.verdicts


def test_shapes(check):
    check.agrees(of_many_shapes, reference=WARD)


def tiny_and_huge(on, generator, size):
    claims = Claims(on)
    for name, scale in (("1e-10", 1e-10), ("1e10", 1e10)):
        x, f, dx = make_waves(generator, (size,), scale)
        claims.right(f"a right gradient of about {name}", f, x, dx)
        claims.wrong(f"1.02 times a gradient of about {name}", f, x, 1.02 * dx)
        claims.wrong(f"half a gradient of about {name}", f, x, 0.5 * dx)
        claims.wrong(f"the right signs for a gradient of about {name}", f, x, dx * between(generator, (size,), 2, 4))
        claims.wrong(f"zeros for a gradient of about {name}", f, x, 0 * dx)
    x, a = between(generator, (size,), 300, 3000), signed(generator, (size,), 0.5, 2.0)
    for name, function, dx in (("powers", powers, 1.5 * a * np.sqrt(x)), ("logarithms", logarithms, a / x)):
        f = Function(function, a=a)
        claims.right(f"the right gradient of {name} at large x", f, x, dx)
        claims.wrong(f"1.05 times the gradient of {name} at large x", f, x, 1.05 * dx)
    return claims.verdicts


def test_scales(check):
    check.agrees(tiny_and_huge, draws=({"size": 5}, {"size": 3}), reference=WARD)


def nothing_but_noise(on, generator, batch, hidden):
    claims, x = Claims(on), between(generator, (hidden,), -1, 1)
    zeros, wrong = np.zeros(hidden), signed(generator, (hidden,), 0.05, 0.1)
    f = Function(constant, value=float(between(generator, (), 1, 5)))
    claims.right("zeros for a constant", f, x, zeros)
    claims.wrong("something for a constant", f, x, wrong)
    for name in ("a bias before batch norm", "another bias before batch norm"):
        z, r = between(generator, (batch, hidden), -1, 1), between(generator, (batch, hidden), 0.2, 1.0)
        f = Function(batch_normed, z=z, r=r, height=float(between(generator, (), 50, 200)))
        claims.right(f"zeros for {name}", f, x, zeros)
        claims.right(f"rounding errors for {name}", f, x, between(generator, (hidden,), -1e-15, 1e-15))
        claims.wrong(f"something for {name}", f, x, wrong)
    a, dx = signed(generator, (math.ceil(hidden / 2),), 0.5, 2.0), np.zeros(hidden)
    f, dx[::2] = Function(half_moved, a=a, height=3.0), a * np.cos(x[::2])
    claims.right("a right gradient with zeros in it", f, x, dx)
    claims.wrong("a gradient with zeros in it, of other sizes", f, x, dx * between(generator, (hidden,), 2, 4))
    claims.wrong("a right gradient with its zeros filled in", f, x, np.where(dx == 0, 0.05, dx))
    claims.wrong("a right gradient with a number turned to zero", f, x, np.where(np.arange(hidden) == 0, 0, dx))
    return claims.verdicts


def test_zero_gradients(check):
    draws = ({"batch": 12, "hidden": 8}, {"batch": 15, "hidden": 7})
    check.agrees(nothing_but_noise, draws=draws, reference=WARD)


def on_kinks(claims, generator, size, turn, name):
    """Three elements stand on their kink, the others far from theirs. `turn`: 1 where the slope rises, else -1."""
    at, gap = between(generator, (size,), -1, 1), turn * between(generator, (size,), 0.5, 2.0)
    left, curve = signed(generator, (size,), 0.3, 1.5), between(generator, (size,), -1, 1)
    left[0], curve[:3] = 0.0, 0.0  # the first is a ReLU, and on a kink a curve would only add an error of its own
    f = Function(bent, at=at, left=left, right=left + gap, curve=curve)
    x = at + signed(generator, (size,), 0.3, 1.0)
    x[:3] = at[:3]
    own = np.where(x > at, left + gap, left) + curve * x  # on the kink: the slope to the left
    step, share = np.where(np.arange(size) < 3, gap, 0.0), between(generator, (size,), 0.1, 0.9)
    claims.right(f"the slope to the left of {name}", f, x, own)
    claims.right(f"the slope to the right of {name}", f, x, own + step)
    claims.right(f"half way between the slopes at {name}", f, x, own + step / 2)
    claims.right(f"somewhere between the slopes at {name}", f, x, own + share * step)
    row = np.eye(size)[pick(generator, 3)]
    claims.wrong(f"beyond the slope to the right of {name}", f, x, own + 1.3 * step * row)
    claims.wrong(f"beyond the slope to the left of {name}", f, x, own - 0.3 * step * row)
    claims.wrong(f"far beyond both slopes at {name}", f, x, own - 3 * step * row)


def near_kinks(claims, generator, size):
    """Far from each kink but the last two: those stand a hair to the right and to the left of theirs."""
    at, gap = between(generator, (size,), -1, 1), signed(generator, (size,), 0.5, 2.0)
    left, curve = signed(generator, (size,), 0.3, 1.5), between(generator, (size,), -1, 1)
    curve[-2:] = 0.0
    f = Function(bent, at=at, left=left, right=left + gap, curve=curve)
    x, rows = at + signed(generator, (size,), 0.3, 1.0), np.eye(size)
    x[-2], x[-1] = at[-2] + 1e-7, at[-1] - 1e-7
    dx, other = np.where(x > at, left + gap, left) + curve * x, np.where(x > at, -gap, gap)
    claims.right("the slope very near to a kink", f, x, dx)
    claims.wrong("beyond both slopes, very near to a kink", f, x, dx - 0.3 * other * rows[-2])
    claims.wrong("beyond both slopes, very near to a kink on its left", f, x, dx - 0.3 * other * rows[-1])
    claims.wrong("the slope of the other side, far from a kink", f, x, dx + other * rows[0])
    claims.wrong("between the slopes, far from a kink", f, x, dx + other * rows[1] / 2)


def at_a_tie(claims, generator, size):
    """The largest of a row is there twice: `max` picks one of the two, `amax` divides between them."""
    w, x = signed(generator, (size,), 0.3, 1.0), between(generator, (size,), -1, 0)
    x[1] = x[size - 1] = 0.5
    f, rows = Function(largest, w=w), np.eye(size)
    claims.right("all of it to the first of two largest", f, x, w + rows[1])
    claims.right("all of it to the second of two largest", f, x, w + rows[size - 1])
    claims.right("half of it to each of two largest", f, x, w + (rows[1] + rows[size - 1]) / 2)
    claims.wrong("more than all of it to one of two largest", f, x, w + 1.5 * rows[1])
    claims.wrong("less than nothing to one of two largest", f, x, w + rows[1] - 0.5 * rows[size - 1])
    claims.wrong("a share for one that is not the largest", f, x, w + rows[1] + 0.5 * rows[0])


def bends(on, generator, size):
    claims = Claims(on)
    on_kinks(claims, generator, size, 1, "a kink")
    on_kinks(claims, generator, size, -1, "a kink that points up")
    near_kinks(claims, generator, size)
    at_a_tie(claims, generator, size)
    return claims.verdicts


def test_kinks(check):
    check.agrees(bends, draws=({"size": 4}, {"size": 5}), reference=WARD)


def with_a_poor_step(on, generator, size):
    claims = Claims(on)
    for eps in (1e-14, 1e-17, 0.5, 1.5):
        x, f, dx = make_waves(generator, (size,), steep=(1.5, 2.5))
        claims.right(f"the right gradient with eps={eps}", f, x, dx, eps)
        claims.wrong(f"1.05 times the right gradient with eps={eps}", f, x, 1.05 * dx, eps)
        claims.wrong(f"half the right gradient with eps={eps}", f, x, 0.5 * dx, eps)
        claims.wrong(f"zeros with eps={eps}", f, x, 0 * dx, eps)
        if eps > 0.1:
            claims.wrong(f"the difference quotient with eps={eps}", f, x, quotient(f.build(), x, eps), eps)
    return claims.verdicts


def quotient(f, x, eps):
    """What somebody gets who trusts such a step: wrong by at least 8 % in every element."""
    return np.array([(f(x + eps * row) - f(x - eps * row)) / (2 * eps) for row in np.eye(len(x))])


def test_bad_eps(check):
    check.agrees(with_a_poor_step, draws=({"size": 4}, {"size": 3}), reference=WARD)


# wrong_gradients: the verification pattern on a whole network


def backward(parameters, X, Y):
    """Its gradients, by autograd: they do not come from this lesson's own means."""
    p = {name: torch.tensor(value, requires_grad=True) for name, value in parameters.items()}
    h = torch.tensor(X) @ p["W1"]
    h = (h - h.mean(0)) / (h.var(0, unbiased=False) + 1e-5).sqrt()
    h = torch.tanh(p["gain"] * h + p["bias"])
    torch.nn.functional.cross_entropy(h @ p["W2"] + p["b2"], torch.tensor(Y)).backward()
    return {name: value.grad.numpy() for name, value in p.items()}


def make_network(generator, batch, features, hidden, classes):
    """Parameters, data and gradients, none of whose elements is very near to zero."""
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
            return parameters, X, Y, gradients


def names_of(on, expected, f, parameters, gradients):
    WARD.truth = expected  # in any order
    answer = on.call("wrong_gradients", f, parameters, gradients)
    if not isinstance(answer, (list, tuple)) or not all(isinstance(name, str) for name in answer):
        return f"no list of names but {shown(answer)}"
    return ", ".join(sorted(answer)) or "none"


def a_network(on, generator, batch, features, hidden, classes):
    parameters, X, Y, gradients = make_network(generator, batch, features, hidden, classes)
    f = Function(network, X=X, Y=Y)
    names = list(parameters)
    one = names[pick(generator, len(names))]
    lost = {name: gradient for name, gradient in gradients.items() if name != "gain"}
    swapped = {**gradients, "W1": gradients["W1"][:, ::-1].copy(), "b2": gradients["b2"] + 0.1}
    claims = {
        "right ones": ([], gradients),
        "those of a loss that was not averaged": (names, {name: g * batch for name, g in gradients.items()}),
        f"{one} 1.1 times too large": ([one], {**gradients, one: gradients[one] * 1.1}),
        "W1 and b2 wrong": (["W1", "b2"], swapped),
        "no entry for gain": (["gain"], lost),
        "bias as (1, n) for (n,)": (["bias"], {**gradients, "bias": gradients["bias"].reshape(1, hidden)}),
    }
    return {f"names for {name}": names_of(on, wrong, f, parameters, given) for name, (wrong, given) in claims.items()}


def test_wrong_gradients(check):
    draw = {"batch": 5, "features": 2, "hidden": 3, "classes": 4}
    check.agrees(a_network, draws=(draw,), reference=WARD)
