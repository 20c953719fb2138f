"""Naming the mistake: every explanation that is read off the graph, each with a near miss that must not get its name.

The forward passes are tiny and made here. What a student would write is a formula of the problem's values and
upstream gradients, so that a test reads as the wrong line does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.answer import Answer
from grader.diagnose import Explanation, explain, named_factors
from grader.mistakes import Mistake, mistake
from grader.problem import Draw, Problem

Formula = Callable[[Problem], Tensor]


def inputs(generator, rows=4, columns=5, classes=3):
    def normal(*shape):
        return torch.randn(shape, generator=generator)

    return {
        "x": normal(rows, columns),
        "b": normal(columns),
        "c": normal(rows, 1),
        "W": normal(columns, classes),
        "n": rows,
    }


def forward(t):
    t.y = t.x * t.b  # b is copied down the rows
    t.m = 1 / t.n * (2 * t.y).sum(0, keepdim=True)  # a sum forward is a copy backward
    t.d = t.y**2 - 3 * t.m  # y has two branches
    t.z = t.d * t.c  # c is copied along the rows
    t.p = t.z @ t.W
    t.loss = t.p.exp().mean()


SIZES = ((4, 5, 3), (6, 7, 2), (5, 3, 8))  # all different, in each problem and between them


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return made(forward, inputs, [dict(zip(("rows", "columns", "classes"), s, strict=True)) for s in SIZES])


def made(forward: Any, inputs: Any, sizes: list[dict[str, int]]) -> list[Problem]:
    return [Problem(forward, inputs, Draw(draw), seed) for seed, draw in enumerate(sizes)]


def told(
    problems: list[Problem], name: str, formula: Formula, mistakes: tuple[Mistake, ...] = (), **claims: Any
) -> Explanation | None:
    """What a student hears whose d`name` is `formula` on every problem."""
    cases = [(problem, Answer("returned", formula(problem), **claims)) for problem in problems]
    return explain(name, cases, mistakes)


def value(name: str) -> Formula:
    return lambda problem: problem.values[name]


def upstream(name: str) -> Formula:
    return lambda problem: problem.upstream[name]


def right(name: str) -> Formula:
    return lambda problem: problem.reference(name)


def times(factor: Callable[[int], float], name: str) -> Formula:
    """The gradient times a number that depends on n."""
    return lambda problem: problem.reference(name) * factor(problem.values["n"])


def nudged(formula: Formula, by: float = 1e-6) -> Formula:
    """The same but for its first element: no longer exactly that formula."""

    def formula_nudged(problem: Problem) -> Tensor:
        result = formula(problem).clone(memory_format=torch.contiguous_format)
        result.view(-1)[0] += by * (1 + result.abs().max())
        return result

    return formula_nudged


def through_y_squared(problem: Problem) -> Tensor:
    return 2 * problem.values["y"] * problem.upstream["d"]


def through_the_mean(problem: Problem) -> Tensor:
    return 2 * problem.upstream["m"].expand_as(problem.values["y"]) / problem.values["n"]


def db_unsummed(problem: Problem) -> Tensor:
    return problem.upstream["y"] * problem.values["x"]


def dc_unsummed(problem: Problem) -> Tensor:
    return problem.upstream["z"] * problem.values["d"]


def test_the_two_branches_are_what_the_wrong_formulas_here_are_made_of(problems):
    for problem in problems:
        torch.testing.assert_close(problem.reference("y"), through_y_squared(problem) + through_the_mean(problem))
        torch.testing.assert_close(problem.reference("b"), db_unsummed(problem).sum(0))
        torch.testing.assert_close(problem.reference("c"), dc_unsummed(problem).sum(1, keepdim=True))


# (id, gradient of, the wrong formula, something near it that is not that mistake)
EXPLANATIONS: list[tuple[str, str, Formula, Formula]] = [
    ("zeros", "y", lambda p: 0 * p.values["y"], nudged(lambda p: 0 * p.values["y"])),
    ("zeros", "b", lambda p: torch.zeros(3), lambda p: torch.full((3,), 1e-30)),
    ("local_derivative_missing", "z", lambda p: p.upstream["p"], nudged(upstream("p"))),
    ("local_derivative_missing", "d", upstream("z"), lambda p: p.upstream["z"] * 1.001),
    ("sign", "W", lambda p: -p.reference("W"), nudged(lambda p: -p.reference("W"))),
    ("sign", "y", lambda p: -p.reference("y"), lambda p: through_y_squared(p) - through_the_mean(p)),
    ("branch_missing", "y", through_y_squared, lambda p: through_y_squared(p) + 0.999 * through_the_mean(p)),
    ("branch_missing", "y", through_the_mean, nudged(through_the_mean)),
    ("transposed", "W", lambda p: p.reference("W").T, lambda p: p.reference("W").reshape(p.reference("W").T.shape)),
    ("sum_missing", "b", db_unsummed, nudged(db_unsummed)),
    ("sum_missing", "c", dc_unsummed, lambda p: dc_unsummed(p) * 2),
    ("wrong_axis", "b", lambda p: db_unsummed(p).sum(1), lambda p: db_unsummed(p).sum(1) * 1.001),
    ("wrong_axis", "b", lambda p: db_unsummed(p).sum(1, keepdim=True), nudged(lambda p: db_unsummed(p).sum(1, True))),
    ("wrong_axis", "c", lambda p: dc_unsummed(p).sum(0), lambda p: dc_unsummed(p).cumsum(0)[-1] * 2),
    ("mean_for_sum", "b", lambda p: db_unsummed(p).mean(0), lambda p: db_unsummed(p).median(0).values),
    ("mean_for_sum", "c", lambda p: dc_unsummed(p).mean(1, True), lambda p: dc_unsummed(p).sum(1, True) / 7.5),
    ("summed_too_much", "b", lambda p: db_unsummed(p).sum(), lambda p: db_unsummed(p).sum() + 1),
    ("keepdim", "c", lambda p: p.reference("c").squeeze(1), lambda p: p.reference("c").squeeze(1) * 1.001),
    ("keepdim", "b", lambda p: p.reference("b")[None], nudged(lambda p: p.reference("b")[None])),
    ("keepdim", "y", lambda p: p.reference("y")[:, None], lambda p: p.reference("y").flatten()),
    ("ratio", "W", times(lambda n: n, "W"), times(lambda n: n + 1, "W")),
    ("ratio", "W", times(lambda n: 7.5, "W"), nudged(times(lambda n: 7.5, "W"))),
    ("ratio", "z", times(lambda n: -1.000001, "z"), nudged(times(lambda n: -1.000001, "z"))),
]
NAMES = [f"{name}-d{gradient}-{number}" for number, (name, gradient, _, _) in enumerate(EXPLANATIONS)]


@pytest.mark.parametrize(("name", "gradient", "wrong", "near"), EXPLANATIONS, ids=NAMES)
def test_the_mistake_is_named(problems, name, gradient, wrong, near):
    explanation = told(problems, gradient, wrong)
    assert explanation is not None and explanation.id == name
    assert f"`{gradient}`" in explanation.message or f"`d{gradient}`" in explanation.message


@pytest.mark.parametrize(("name", "gradient", "wrong", "near"), EXPLANATIONS, ids=NAMES)
def test_a_near_miss_is_not(problems, name, gradient, wrong, near):
    explanation = told(problems, gradient, near)
    assert explanation is None or explanation.id != name


@pytest.mark.parametrize(("name", "gradient", "wrong", "near"), EXPLANATIONS, ids=NAMES)
@pytest.mark.parametrize("where", [0, 1, 2])
def test_what_matches_on_one_problem_only_is_luck(problems, name, gradient, wrong, near, where):
    cases = []
    for number, problem in enumerate(problems):
        formula = wrong if number == where else nudged(right(gradient), by=0.1)
        cases.append((problem, Answer("returned", formula(problem))))
    assert explain(gradient, cases, ()) is None


@pytest.mark.parametrize(("name", "gradient", "wrong", "near"), EXPLANATIONS, ids=NAMES)
def test_what_fails_on_one_problem_only_is_not_told(problems, name, gradient, wrong, near):
    for odd in range(3):
        formulas = [nudged(wrong, 1e-3) if number == odd else wrong for number in range(3)]
        cases = [(p, Answer("returned", formula(p))) for p, formula in zip(problems, formulas, strict=True)]
        explanation = explain(gradient, cases, ())
        assert explanation is None or explanation.id != name


# What is said --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gradient", "wrong", "sentence"),
    [
        (
            "y",
            lambda p: 0 * p.values["y"],
            "Every element of your `dy` is zero. Where `y` is read, which of its elements change the result?",
        ),
        (
            "d",
            upstream("z"),
            "You return `dz` as it came: the upstream gradient still has to be multiplied by the derivative of `z` "
            "with respect to `d`.",
        ),
        (
            "W",
            lambda p: -p.reference("W"),
            "The sign is turned round: your `dW` is exactly minus the gradient. Look for a minus in the forward line.",
        ),
        (
            "y",
            through_y_squared,
            "You have the path through `d`; `y` also feeds `m`. Gradients of all paths add up.",
        ),
        (
            "W",
            lambda p: p.reference("W").T,
            "Your `dW` is the transpose of the gradient. Write the shapes of the factors next to each other: only one "
            "order gives W's own shape.",
        ),
        (
            "b",
            db_unsummed,
            "The sum is missing: `b` (5,) is broadcast to (4, 5) in `y`, and a broadcast forward is a sum backward, "
            "over the axis it ran along.",
        ),
        (
            "b",
            lambda p: db_unsummed(p).sum(1),
            "You sum over axis 1: `b` (5,) is broadcast to (4, 5) in `y`. Sum over the axis along which it was copied.",
        ),
        (
            "b",
            lambda p: db_unsummed(p).mean(0),
            "You take the mean over axis 0 where a sum belongs: `b` (5,) is broadcast to (4, 5) in `y`; every copy "
            "counts in full.",
        ),
        (
            "b",
            lambda p: db_unsummed(p).sum(),
            "You sum over everything: `b` (5,) is broadcast to (4, 5) in `y`. Sum only over the axis along which it "
            "was copied.",
        ),
        (
            "c",
            lambda p: p.reference("c").squeeze(1),
            "The numbers are right, the shape is not: (4,) where `c` is (4, 1); sum with `keepdim=True`. Broadcasting "
            "hides this in a comparison, and hurts later.",
        ),
        (
            "b",
            lambda p: p.reference("b")[None],
            "The numbers are right, the shape is not: (1, 5) where `b` is (5,); drop the extra dimension (no "
            "`keepdim`, or `.view(b.shape)`). Broadcasting hides this in a comparison, and hurts later.",
        ),
        (
            "W",
            times(lambda n: 7.5, "W"),
            "Your `dW` is exactly 7.5 times the gradient: a constant factor is lost, or one too many.",
        ),
        (
            "W",
            times(lambda n: n, "W"),
            "Your `dW` is the gradient times n (here 4): exactly one factor too many, or one too few.",
        ),
    ],
)
def test_the_sentence(problems, gradient, wrong, sentence):
    explanation = told(problems, gradient, wrong)
    assert explanation is not None and explanation.message == sentence


# Ratios --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "factor"),
    [
        ("2", lambda n: 2),
        ("one half", lambda n: 0.5),
        ("−2", lambda n: -2),
        ("n", lambda n: n),
        ("1/n", lambda n: 1 / n),
        ("n²", lambda n: n**2),
        ("1/n²", lambda n: 1 / n**2),
        ("n−1", lambda n: n - 1),
        ("1/(n−1)", lambda n: 1 / (n - 1)),
        ("n/(n−1)", lambda n: n / (n - 1)),
        ("(n−1)/n", lambda n: (n - 1) / n),
        ("−n", lambda n: -n),
        ("−1/n", lambda n: -1 / n),
    ],
)
def test_a_ratio_is_named_after_the_sizes(problems, label, factor):
    explanation = told(problems, "W", times(factor, "W"))
    assert explanation is not None and explanation.id == "ratio"
    assert f"is the gradient times {label} (here {factor(4):g})" in explanation.message


@pytest.mark.parametrize("factor", [lambda n: n + 1, lambda n: n - 2, lambda n: n**0.5, lambda n: 1 + 1e-3 * n])
def test_a_ratio_that_has_no_name_and_is_not_constant_is_not_told(problems, factor):
    assert told(problems, "W", times(factor, "W")) is None


def test_sizes_are_named_only_where_they_are_plain_numbers(problems):
    labels = set(named_factors(problems[0]))
    assert {"2", "one half", "n", "1/n", "n−1", "−n"} <= labels
    assert not any("x" in label or "W" in label for label in labels)


@pytest.mark.parametrize("factor", [lambda n: n, lambda n: 1 / n])
def test_a_ratio_is_named_when_one_problem_has_two_rows(factor):
    sizes = [{"rows": rows, "columns": columns} for rows, columns in ((6, 5), (2, 7), (5, 3))]
    explanation = told(made(forward, inputs, sizes), "W", times(factor, "W"))
    assert explanation is not None and explanation.id == "ratio"


# A sum in the forward pass -------------------------------------------------------------------------------------------


def averaging(t):
    t.e = t.x * t.c
    t.v = 1 / (t.n - 1) * t.e.sum(0, keepdim=True)
    t.loss = (t.v**2).mean()


def plain(t):
    """Lines whose local derivative is one: a sum of two values, a broadcast addition, a sum over the rows."""
    t.y = t.x + t.b
    t.s = t.y.sum(0, keepdim=True)
    t.d = t.y + t.s
    t.u = t.c.sum(0, keepdim=True)
    t.loss = (t.d * t.u).exp().mean()


@pytest.fixture(scope="module")
def averages() -> list[Problem]:
    return made(averaging, inputs, [{"rows": 4, "columns": 5}, {"rows": 6, "columns": 7}])


@pytest.fixture(scope="module")
def plain_sums() -> list[Problem]:
    return made(plain, inputs, [{"rows": 4, "columns": 5}, {"rows": 6, "columns": 7}])


def test_not_broadcast(averages):
    """The gradient of a summed value is the same in every row: the row once is not the gradient's shape."""

    def once(p):
        return p.upstream["v"] / (p.values["n"] - 1)

    explanation = told(averages, "e", once)
    assert explanation is not None and explanation.id == "not_broadcast"
    assert explanation.message == (
        "Your (1, 5) holds the right numbers once; `e` is (4, 5), each of its elements has its own gradient: a sum "
        "forward is a broadcast backward (multiply by `torch.ones_like(...)`, or `.expand_as(...)`)."
    )
    flat = told(averages, "e", lambda p: once(p)[0])
    assert flat is not None and flat.id == "not_broadcast"
    for near in (nudged(once), lambda p: once(p) * 2, lambda p: once(p).expand(3, -1)):
        explanation = told(averages, "e", near)
        assert explanation is None or explanation.id != "not_broadcast"


def test_the_branch_through_a_sum(plain_sums):
    explanation = told(plain_sums, "y", lambda p: p.upstream["s"].expand_as(p.values["y"]))
    assert explanation is not None and explanation.id == "branch_missing"
    assert explanation.message.startswith("You have the path through `s`; `y` also feeds `d`.")


@pytest.mark.parametrize(
    ("gradient", "consumer", "name"),
    [("b", "y", "sum_missing"), ("y", "d", "branch_missing"), ("c", "u", "not_broadcast")],
)
def test_an_upstream_gradient_as_it_came_where_the_derivative_is_one(plain_sums, gradient, consumer, name):
    explanation = told(plain_sums, gradient, upstream(consumer))
    assert explanation is not None and explanation.id == name


def test_an_empty_tensor_is_not_called_zero(problems):
    assert told(problems, "y", lambda p: torch.zeros(0)) is None


def test_a_row_for_a_column_is_not_told_to_drop_a_dimension(problems):
    explanation = told(problems, "c", lambda p: p.reference("c").T)
    assert explanation is not None and explanation.id == "keepdim"
    assert "(1, 4) where `c` is (4, 1); they lie along the other axis (`.view(c.shape)`)." in explanation.message


# What comes first ----------------------------------------------------------------------------------------------------


@mistake("You used y where its square belongs.")
def dd__no_square(dz, y):
    return dz * y


@mistake("The sign, in the lesson's own words.")
def dW__minus(dp, z):
    return -z.T @ dp


@mistake("You wrote into dz.")
def dd__in_place(dz, c):
    dz *= c
    return dz


@mistake("None.")
def dd__nothing(dz):
    return None


MISTAKES = (dd__no_square, dW__minus, dd__in_place, dd__nothing)


def test_the_lesson_s_own_mistakes_are_told_first(problems):
    explanation = told(problems, "W", lambda p: -p.reference("W"), MISTAKES)
    assert explanation == Explanation("minus", "The sign, in the lesson's own words.")
    explanation = told(problems, "d", lambda p: p.upstream["z"] * p.values["y"], MISTAKES)
    assert explanation == Explanation("no_square", "You used y where its square belongs.")
    assert told(problems, "d", nudged(lambda p: p.upstream["z"] * p.values["y"]), MISTAKES) is None


def test_a_mistake_belongs_to_its_gradient(problems):
    explanation = told(problems, "z", lambda p: p.upstream["z"] * p.values["y"], MISTAKES)
    assert explanation is None  # dd__no_square gives these numbers, but not for dz


def test_a_changed_argument_is_told_as_such(problems):
    formula = right("d")
    explanation = told(problems, "d", formula, (), changed=("dz",))
    assert explanation == Explanation(
        "changed_argument",
        "Your `dd` changed `dz` in place: whoever reads it afterwards gets other numbers. `a = b` makes a second name, "
        "not a copy; start from `dz.clone()`, or write `a = a + ...` instead of `a += ...`.",
    )
    both = told(problems, "d", formula, (), changed=("dz", "c"))
    assert both is not None and both.message.startswith("Your `dd` changed `c` and `dz` in place")
    assert told(problems, "d", nudged(formula)) is None


def test_a_changed_argument_that_the_lesson_knows(problems):
    explanation = told(problems, "d", lambda p: p.upstream["z"] * p.values["c"], MISTAKES, changed=("dz",))
    assert explanation == Explanation("in_place", "You wrote into dz.")
    explanation = told(problems, "d", lambda p: p.upstream["z"] * p.values["c"], MISTAKES, changed=("c",))
    assert explanation is not None and explanation.id == "changed_argument"  # another one was changed


def test_what_is_no_tensor_is_compared_by_its_kind(problems):
    def heard(kind: str) -> Explanation | None:
        return explain("d", [(problem, Answer("returned", kind=kind)) for problem in problems], MISTAKES)

    assert heard("None") == Explanation("nothing", "None.")
    assert heard("int") is None


def test_a_wrong_formula_computed_in_float32_is_named_too(problems):
    def minus(p):
        return (-p.reference("W")).to(torch.float32)

    explanation = told(problems, "W", minus)
    assert explanation is not None and explanation.id == "sign"
    explanation = told(problems, "W", lambda p: minus(p).double(), low_precision=True)
    assert explanation is not None and explanation.id == "sign"
    explanation = told(problems, "W", lambda p: minus(p).double())  # float32's error, but nothing says why
    assert explanation is None or explanation.id != "sign"


def test_infinities_are_matched_by_their_places(problems):
    """A wrong formula may divide by zero: it is the same one only if it does so in the same places."""

    @mistake("You divided by zero.")
    def dd__over_zero(dz, y):
        return dz / (y * (y > 0))

    def formula(p):
        return p.upstream["z"] / (p.values["y"] * (p.values["y"] > 0))

    explanation = told(problems, "d", formula, (dd__over_zero,))
    assert explanation == Explanation("over_zero", "You divided by zero.")
    assert told(problems, "d", lambda p: formula(p).nan_to_num(posinf=1.0, neginf=1.0), (dd__over_zero,)) is None
    assert told(problems, "d", lambda p: torch.full_like(p.values["d"], float("nan")), (dd__over_zero,)) is None
