"""Proofs of the keys in questions.toml: each number again, by making the differences with exact fractions."""

from fractions import Fraction


def exact(value):
    return Fraction(str(value))


def quotients(function, x, h):
    """The central and the forward difference quotient."""
    x, h = exact(x), exact(h)
    return (function(x + h) - function(x - h)) / (2 * h), (function(x + h) - function(x)) / h


def central(x, h):
    return quotients(lambda t: t**2, x, h)[0]


def forward_error(c, x, h):
    return quotients(lambda t: c * t**2, x, h)[1] - 2 * c * x


def cubic_error(x, h):
    return quotients(lambda t: t**3, x, h)[0] - 3 * x**2


def smaller_step(k):
    return cubic_error(2, "0.6") / (quotients(lambda t: t**3, 2, Fraction(6, 10 * k))[0] - 12)


def one_of_thousand(n, e):
    errors = [Fraction(e, 100), *[0] * (n - 1)]
    return 100 * sum(errors) / len(errors)


def calls(n):
    made = []
    for _ in range(n):
        made += [+1, -1]
    return len(made) - len([+1, -1])
