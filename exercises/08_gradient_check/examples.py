"""The public examples that `dojo check 08` runs: cases whose derivatives you know from school.

The hidden test suite has more functions, more sizes and harder cases of each kind.
"""

from pathlib import Path

import numpy as np

from grader.calling.protocol import Function
from grader.lesson.course_modules import load_module

verdicts_of = load_module(Path(__file__).with_name("verdicts.py"), "backprop_ninja_verdicts")

x = np.array([[0.3, -1.2], [2.0, 0.7]])


def cubes(x):
    return float(np.sum(x**3))


def sines(x, *, scale=1.0):
    return float(scale * np.sum(np.sin(x)))


def parabola(x):
    return float(np.sum(x**2))


def constant(x):
    return 7.0


def cancelled(x):
    return float(np.sum((x + 0.1) - x))


def product(x):
    return float(np.prod(x))


def rectified(x):
    return float(np.sum(np.maximum(x, 0.0)))


def squared_error(parameters, *, y):
    return float(np.sum((parameters["w"] + parameters["b"] - y) ** 2))


def test_numerical_gradient(check):
    # the quotient of a cube is (x + eps)**3 - (x - eps)**3 over 2 * eps: three times the square, and eps squared
    check.gives("numerical_gradient", (Function(cubes), np.array([1.0, 2.0, -3.0]), 0.5), [3.25, 12.25, 27.25], 1e-7)
    check.gives("numerical_gradient", (Function(cubes), np.array([1, 2, -3]), 0.75), [3.5625, 12.5625, 27.5625], 1e-7)
    check.gives("numerical_gradient", (Function(product), np.array([1.5, 2.0, -3.0]), 1e-3), [-6.0, -4.5, 3.0], 1e-7)
    check.gives("numerical_gradient", (Function(sines), x, 1e-5), np.cos(x), 1e-7)


def test_leaves_x_unchanged(check):
    numerical, (_, after, *_) = check.on.apply("numerical_gradient", Function(sines), x, 1e-3)
    check.equals({"numerical_gradient": numerical}, {"numerical_gradient": np.cos(x)}, 1e-6)
    check.equals({"x afterwards": after}, {"x afterwards": x})
    if not (after == x).all():
        check.fail("`x` afterwards differs from `x` before in its last digits: adding and subtracting `eps` rounds.")


def test_relative_error(check):
    a, b, zero = np.array([4.0, -1.0, 0.0]), np.array([5.5, -1.5, 0.0]), np.zeros(3)
    # 4 and 5.5 differ by 0.27 of the larger one, -1 and -1.5 by a third: the largest counts
    pairs = {
        "two arrays": (a, b),
        "the same, exchanged": (b, a),
        "equals": (a, a),
        "zeros": (zero, zero),
        "tiny": (a * 1e-9, b * 1e-9),
    }
    found = {f"of {name}": check.on.call("relative_error", *pair) for name, pair in pairs.items()}
    check.equals(found, dict(zip(found, (1 / 3, 1 / 3, 0.0, 0.0, 1 / 3), strict=True)))


def verdicts(check, right, wrong):
    """Check the verdicts on claims. `right` and `wrong` are {description: arguments of gradient_check}."""
    for expected, claims in ((True, right), (False, wrong)):
        for name, question in claims.items():
            answer = check.on.call("gradient_check", *question)
            if not isinstance(answer, (tuple, list)) or len(answer) != 2:
                check.fail(f"`gradient_check` returned {type(answer).__name__}; expected a pair, (ok, error).")
            ok = answer[0]
            ok = ok.item() if isinstance(ok, (np.generic, np.ndarray)) else ok
            if (ok is None or isinstance(ok, bool)) and ok is not expected:
                mistake, _, asks = verdicts_of.question_about({name: ok})
                check.fail(f"`ok for {name}` is {ok}; expected {expected}. {asks}".rstrip(), mistake=mistake)
            check.equals({f"ok for {name}": ok}, {f"ok for {name}": expected})


def test_factors(check):
    f, dx = Function(sines), np.cos(x)
    wrong = {"twice the right gradient": (f, x, 2 * dx), "its negative": (f, x, -dx), "zeros": (f, x, 0 * dx)}
    verdicts(check, {"the right gradient": (f, x, dx)}, wrong)


def test_one_element(check):
    dx, nan = np.cos(x), np.cos(x)
    dx[1, 1] *= 1.03
    nan[0, 0] = np.nan
    wrong = {"one element off by 3 %": (Function(sines), x, dx), "a NaN": (Function(sines), x, nan)}
    verdicts(check, {"the right gradient": (Function(sines), x, np.cos(x))}, wrong)


def test_shapes(check):
    f, whole = Function(sines), np.array([1, -2, 3])
    right = {"a single number": (f, np.array(0.5), np.array(np.cos(0.5))), "integers": (f, whole, np.cos(whole))}
    verdicts(check, right, {"a transpose": (f, x, np.cos(x).T), "an extra axis": (f, whole, np.cos(whole)[None])})


def test_scales(check):
    for scale in (1e-10, 1e10):
        f, dx = Function(sines, scale=scale), scale * np.cos(x)
        wrong = {f"1.05 times one near {scale:g}": (f, x, 1.05 * dx), f"zeros for one near {scale:g}": (f, x, 0 * dx)}
        verdicts(check, {f"a right gradient near {scale:g}": (f, x, dx)}, wrong)
    f, near = Function(parabola), np.array([1e-5, -3e-4])
    wrong = {
        f"{factor} times the gradient of x**2 near its minimum": (f, near, 2 * factor * near) for factor in (1.02, 1.4)
    }
    verdicts(check, {"the gradient of x**2 near its minimum": (f, near, 2 * near)}, wrong)


def test_zero_gradients(check):
    f, nothing = Function(constant), np.zeros_like(x)
    verdicts(check, {"zeros for a constant": (f, x, nothing)}, {"0.1 for a constant": (f, x, nothing + 0.1)})
    verdicts(check, {"zeros for (x + 0.1) - x, where only rounding is left": (Function(cancelled), x, nothing)}, {})
    f, lowest = Function(parabola), np.zeros(2)
    verdicts(check, {"zeros for x**2 at 0": (f, lowest, lowest)}, {"3e-6 for x**2 at 0": (f, lowest, lowest + 3e-6)})


def test_kinks(check):
    f, at = Function(rectified), np.array([0.0, 1.0, -1.0])
    claims = {slope: (f, at, np.array([slope, 1.0, 0.0])) for slope in (0.0, 0.5, 1.0, 1.5, -0.5)}
    right = {f"the slope {slope} of max(0, x) at 0": claims[slope] for slope in (0.0, 0.5, 1.0)}
    verdicts(check, right, {f"the slope {slope} of max(0, x) at 0": claims[slope] for slope in (1.5, -0.5)})
    f, near = Function(parabola), np.array([1e-5])
    claims = {slope: (f, near, np.array([slope])) for slope in (2e-5, 1.2e-5, 2.8e-5)}
    wrong = {f"the slope {slope:g} of x**2 at 1e-5": claims[slope] for slope in (1.2e-5, 2.8e-5)}
    verdicts(check, {"the slope 2e-5 of x**2 at 1e-5": claims[2e-5]}, wrong)


def test_bad_eps(check):
    f, dx = Function(sines), np.cos(x)
    for eps in (1e-17, 1.5):
        right = {f"the right gradient with eps={eps}": (f, x, dx, eps)}
        verdicts(check, right, {f"1.1 times the right gradient with eps={eps}": (f, x, 1.1 * dx, eps)})


def test_wrong_gradients(check):
    parameters = {"w": np.array([1.0, 2.0]), "b": np.array([0.5, -0.5])}
    f = Function(squared_error, y=np.array([3.0, 1.0]))
    slopes = 2 * (parameters["w"] + parameters["b"] - [3.0, 1.0])
    claims = {
        "right ones": ({"w": slopes, "b": slopes}, []),
        "b of the wrong sign": ({"w": slopes, "b": -slopes}, ["b"]),
        "b alone, and no gradient of w": ({"b": slopes}, ["w"]),
    }
    for name, (gradients, wrong) in claims.items():
        names = check.on.call("wrong_gradients", f, parameters, gradients)
        told = ", ".join(map(str, names)) or "none" if isinstance(names, (list, tuple)) else names
        check.equals({f"names for {name}": told}, {f"names for {name}": ", ".join(wrong) or "none"})
