"""Naming the mistake: every explanation that is read off the graph, each with a near miss that must not get its name.

The forward passes are tiny and made here. What a student would write is a formula of the problem's values and
upstream gradients, so that a test reads as the wrong line does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.reference.problem import Draw, Problem
from grader.reference.runner import LocalStudent
from grader.verdict.explain.edits.contents import contents_of
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.gradient import explain
from grader.verdict.explain.known import KnownMistake, answer_digest, known_mistake

Formula = Callable[[Problem], Tensor]


class WrongStep(NamedTuple):
    """A known mistake: a wrong function for one gradient."""

    step: str
    id: str
    message: str
    function: Callable[..., Any]

    def on(self, problems: list[Problem]) -> KnownMistake:
        student = LocalStudent({self.step: self.function}, [self.step])
        answers = [student.answers(problem)[self.step] for problem in problems]
        return KnownMistake(self.id, self.message, (), lambda _: map(answer_digest, answers))


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


def text(
    problems: list[Problem], name: str, formula: Formula, mistakes: tuple[WrongStep, ...] = (), **claims: Any
) -> Explanation | None:
    """The message to a student whose d`name` is `formula` on every problem."""
    cases = [(problem, Answer("returned", formula(problem), **claims)) for problem in problems]
    known = [each.on(problems) for each in mistakes if each.step == "d" + name]
    return known_mistake("d" + name, {"d" + name: cases}, known) or explain(name, cases)


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


def in_two_parts(problem: Problem) -> Tensor:
    """dW as two parts on an axis in front, which still have to be added."""
    part = torch.sin(torch.arange(problem.reference("W").numel()).double()).view_as(problem.reference("W"))
    return torch.stack([part, problem.reference("W") - part])


def dc_unsummed(problem: Problem) -> Tensor:
    return problem.upstream["z"] * problem.values["d"]


def weights_summed(problem: Problem) -> Tensor:
    """The product's derivative, as if ones came from above."""
    return problem.values["W"].sum(1).expand_as(problem.values["z"])


def right_but_one(name: str) -> Formula:
    return nudged(right(name), by=0.1)


EXPLANATIONS: list[tuple[str, str, Formula, Formula]] = [
    ("zeros", "y", lambda p: 0 * p.values["y"], nudged(lambda p: 0 * p.values["y"])),
    ("zeros", "b", lambda p: torch.zeros(3), lambda p: torch.full((3,), 1e-3)),
    ("local_derivative_missing", "z", lambda p: p.upstream["p"], nudged(upstream("p"))),
    ("sign", "W", lambda p: -p.reference("W"), nudged(lambda p: -p.reference("W"))),
    ("sign", "y", lambda p: -p.reference("y"), lambda p: through_y_squared(p) - through_the_mean(p)),
    ("branch_missing", "y", through_y_squared, lambda p: through_y_squared(p) + 0.999 * through_the_mean(p)),
    ("transposed", "W", lambda p: p.reference("W").T, lambda p: p.reference("W").reshape(p.reference("W").T.shape)),
    ("sum_missing", "b", db_unsummed, nudged(db_unsummed)),
    ("sum_missing", "c", dc_unsummed, lambda p: dc_unsummed(p) * 2),
    ("sum_missing", "W", in_two_parts, lambda p: in_two_parts(p) * 2),
    ("wrong_axis", "b", lambda p: db_unsummed(p).sum(1), lambda p: db_unsummed(p).sum(1) * 1.001),
    ("wrong_axis", "c", lambda p: dc_unsummed(p).sum(0), lambda p: dc_unsummed(p).cumsum(0)[-1] * 2),
    ("mean_for_sum", "b", lambda p: db_unsummed(p).mean(0), lambda p: db_unsummed(p).median(0).values),
    ("mean_for_sum", "c", lambda p: dc_unsummed(p).mean(1, True), lambda p: dc_unsummed(p).sum(1, True) / 7.5),
    ("keepdim", "c", lambda p: p.reference("c").squeeze(1), lambda p: p.reference("c").squeeze(1) * 1.001),
    ("keepdim", "y", lambda p: p.reference("y")[:, None], lambda p: p.reference("y").flatten()),
    ("ratio", "W", times(lambda n: n, "W"), times(lambda n: n + 1, "W")),
    ("ratio", "W", times(lambda n: 7.5, "W"), nudged(times(lambda n: 7.5, "W"))),
    ("branch_sign", "y", lambda p: through_y_squared(p) - through_the_mean(p), through_y_squared),
    ("branch_ratio", "y", lambda p: through_y_squared(p) + through_the_mean(p) * p.values["n"], right_but_one("y")),
    ("not_reshaped", "y", lambda p: p.reference("y").flatten(), lambda p: p.reference("y").T.flatten()),
    ("upstream_forgotten", "z", weights_summed, nudged(weights_summed)),
    ("upstream_forgotten", "y", lambda p: 2 * p.values["y"] + through_the_mean(p), lambda p: 2 * p.values["y"]),
]


def explanation_id(problems: list[Problem], gradient: str, formulas: Sequence[Formula]) -> str | None:
    """The id of the message to a student whose d`gradient` is one of these formulas on each problem."""
    cases = [(p, Answer("returned", formula(p))) for p, formula in zip(problems, formulas, strict=True)]
    explanation = explain(gradient, cases)
    if explanation is None:
        return None
    assert f"`{gradient}`" in explanation.message or f"`d{gradient}`" in explanation.message
    return explanation.id


def test_each_mistake_is_named_where_it_explains_every_problem(problems):
    for number, (name, gradient, wrong, near) in enumerate(EXPLANATIONS):
        case = f"{name} of d{gradient}, number {number}"
        luck = nudged(right(gradient), by=0.1)
        assert explanation_id(problems, gradient, [wrong] * 3) == name, case
        assert explanation_id(problems, gradient, [near] * 3) != name, f"near {case}"
        for place in range(3):  # on one problem only, or on all but one
            assert explanation_id(problems, gradient, [wrong if n == place else luck for n in range(3)]) is None, case
            others = [nudged(wrong, 1e-3) if n == place else wrong for n in range(3)]
            assert explanation_id(problems, gradient, others) != name, case


# Ratios --------------------------------------------------------------------------------------------------------------


def test_a_ratio_is_named_after_the_sizes(problems):
    for words, factor in (
        ("2 times the gradient. A", lambda n: 2),
        ("−2 times the gradient. A", lambda n: -2),
        ("n times the gradient (here 4). A", lambda n: n),
        ("1/n² times the gradient (here 0.0625). A", lambda n: 1 / n**2),
        (
            "(n−1)/n times the gradient (here 0.75). Does it divide by a size where the size minus one belongs",
            lambda n: (n - 1) / n,
        ),
        ("−1/n times the gradient (here -0.25). A", lambda n: -1 / n),
        ("√n times the gradient (here 2). A", lambda n: n**0.5),
    ):
        explanation = text(problems, "W", times(factor, "W"))
        assert explanation is not None and explanation.id == "ratio"
        assert f"Your `dW` is exactly {words}" in explanation.message


def test_a_ratio_that_has_no_name_and_is_not_constant_is_a_multiple(problems):
    for factor in (lambda n: n + 1, lambda n: n - 2, lambda n: n**0.25, lambda n: 1 + 1e-3 * n):
        first, *others = (factor(problem.values["n"]) for problem in problems)
        other = max(others, key=lambda value: abs(value - first))
        assert text(problems, "W", times(factor, "W")) == Explanation(
            "multiple",
            f"Your `dW` is a multiple of the gradient, {first:.6g} times on one problem and {other:.6g} times on "
            "another. Which sizes, or numbers that you are given, make up that factor?",
        )


# A sum in the forward pass -------------------------------------------------------------------------------------------


def averaging(t):
    t.e = t.x * t.c
    t.v = 1 / (t.n - 1) * t.e.sum(0, keepdim=True)
    t.loss = (t.v**2).mean()


@pytest.fixture(scope="module")
def averages() -> list[Problem]:
    return made(averaging, inputs, [{"rows": 4, "columns": 5}, {"rows": 6, "columns": 7}])


def test_not_broadcast(averages):
    """The gradient of a summed value is the same in every row: the row once is not the gradient's shape."""

    def once(p):
        return p.upstream["v"] / (p.values["n"] - 1)

    explanation = text(averages, "e", once)
    assert explanation is not None and explanation.id == "not_broadcast"
    assert explanation.message == (
        "Your result has shape (1, 5) and the right numbers. But `e` is (4, 5), and each of its elements has a "
        "gradient of its own: a sum forward is a broadcast backward, as by `.expand_as(...)`."
    )
    flat = text(averages, "e", lambda p: once(p)[0])
    assert flat is not None and flat.id == "not_broadcast"
    for near in (nudged(once), lambda p: once(p) * 2, lambda p: once(p).expand(3, -1)):
        explanation = text(averages, "e", near)
        assert explanation is None or explanation.id != "not_broadcast"


def summed(t):
    t.u = t.x * t.c
    t.w = t.u.tanh()
    t.loss = t.w.sum()


def test_ones_are_not_called_the_gradient_of_what_a_sum_reads():
    cases = made(summed, inputs, [{"rows": 4, "columns": 5}, {"rows": 6, "columns": 7}])
    explanation = text(cases, "x", lambda problem: torch.ones_like(problem.values["x"]))
    assert explanation is None or explanation.id != "other_gradient"


def test_an_empty_tensor_is_not_called_zero(problems):
    assert text(problems, "y", lambda p: torch.zeros(0)) is None


def test_a_row_for_a_column_is_not_to_drop_a_dimension(problems):
    explanation = text(problems, "c", lambda p: p.reference("c").T)
    assert explanation is not None and explanation.id == "keepdim"
    assert "(1, 4) where `c` is (4, 1); `.reshape` to the shape of `c` makes it right." in explanation.message


# What comes first ----------------------------------------------------------------------------------------------------


def mistake(message: str) -> Callable[[Callable[..., Any]], WrongStep]:
    """The decorated function, named `gradient__id`, as a known mistake."""
    return lambda function: WrongStep(*function.__name__.split("__"), message, function)


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


def test_the_lesson_s_own_mistakes_come_first(problems):
    explanation = text(problems, "W", lambda p: -p.reference("W"), MISTAKES)
    assert explanation == Explanation("minus", "The sign, in the lesson's own words.")
    explanation = text(problems, "d", lambda p: p.upstream["z"] * p.values["y"], MISTAKES)
    assert explanation == Explanation("no_square", "You used y where its square belongs.")
    assert text(problems, "d", nudged(lambda p: p.upstream["z"] * p.values["y"]), MISTAKES) is None


def test_a_changed_argument_that_the_lesson_knows(problems):
    explanation = text(problems, "d", lambda p: p.upstream["z"] * p.values["c"], MISTAKES, changed=("dz",))
    assert explanation == Explanation("in_place", "You wrote into dz.")
    explanation = text(problems, "d", lambda p: p.upstream["z"] * p.values["c"], MISTAKES, changed=("c",))
    assert explanation is None or explanation.id != "in_place"  # another one was changed


def test_a_wrong_formula_computed_in_float32_is_named_too(problems):
    def minus(p):
        return (-p.reference("W")).to(torch.float32)

    explanation = text(problems, "W", minus)
    assert explanation is not None and explanation.id == "sign"
    explanation = text(problems, "W", lambda p: minus(p).double(), low_precision=True)
    assert explanation is not None and explanation.id == "sign"
    explanation = text(problems, "W", lambda p: minus(p).double())  # float32's error, but nothing says why
    assert explanation is None or explanation.id != "sign"


def test_infinities_are_matched_by_their_places(problems):
    """A wrong formula may divide by zero: it is the same one only if it does so in the same places."""

    @mistake("You divided by zero.")
    def dd__over_zero(dz, y):
        return dz / (y * (y > 0))

    def formula(p):
        return p.upstream["z"] / (p.values["y"] * (p.values["y"] > 0))

    explanation = text(problems, "d", formula, (dd__over_zero,))
    assert explanation == Explanation("over_zero", "You divided by zero.")
    assert text(problems, "d", lambda p: formula(p).nan_to_num(posinf=1.0, neginf=1.0), (dd__over_zero,)) is None
    assert text(problems, "d", lambda p: torch.full_like(p.values["d"], float("nan")), (dd__over_zero,)) is None


def test_of_two_that_fit_the_numbers_the_first_that_fits_the_code(problems):
    cases = [(problem, Answer("returned", db_unsummed(problem).mean(0))) for problem in problems]
    explanation = explain("b", cases)
    assert explanation is not None and explanation.id == "mean_for_sum"
    contents = contents_of("def db(dy):\n    return dy.quantile(0.5)", ["db"])["db"]
    explanation = explain("b", cases, contents)
    assert explanation is not None
    assert explanation.message == (
        "Your `db` is exactly 1/n times the gradient (here 0.25). A constant factor is lost, one too many, or not the "
        "right one."
    )


# Several operations in one step --------------------------------------------------------------------------------------


def normalised(t):
    with t.fused():
        t.mean = t.x.mean(0)
        t.var = ((t.x - t.mean) ** 2).sum(0) / t.n
    t.s = (t.x - t.mean) / (t.var + 0.1).sqrt()
    t.e = t.s @ t.W
    t.loss = torch.nn.functional.cross_entropy(t.e, t.labels)


def with_labels(generator, **sizes):
    drawn = inputs(generator, **sizes)
    return drawn | {"labels": torch.randint(0, drawn["W"].shape[1], (drawn["n"],), generator=generator)}


@pytest.fixture(scope="module")
def fused() -> list[Problem]:
    return made(normalised, with_labels, [dict(zip(("rows", "columns", "classes"), s, strict=True)) for s in SIZES])


def direct(p: Problem) -> Tensor:
    return p.upstream["s"] / (p.values["var"] + 0.1).sqrt()


def through_the_batch_mean(p: Problem) -> Tensor:
    return -direct(p).mean(0).expand_as(p.values["x"])


def through_the_variance(p: Problem) -> Tensor:
    centred = p.values["x"] - p.values["mean"]
    root = (p.values["var"] + 0.1) ** -1.5
    return -centred * root * (centred * p.upstream["s"]).sum(0) / p.values["n"]


def test_a_line_inside_a_fused_step(fused):
    for name, weights, sentence in (
        ("held_constant", (1, 0, 1), "through `mean` does not reach"),
        ("held_constant", (1, 1, 0), "through `var` does not reach"),
        ("held_constant", (1, 0, 0), "through `var` and `mean` does not reach"),
        ("way_sign", (1, 1, -1), "through `var` has the wrong sign"),
        ("way_ratio", (1, 1, 2), "through `var` is exactly 2 times what it should be"),
    ):

        def formula(p, weights=weights):
            parts = (direct(p), through_the_batch_mean(p), through_the_variance(p))
            return sum(weight * part for weight, part in zip(weights, parts, strict=True))

        explanation = text(fused, "x", formula)
        assert explanation is not None and explanation.id == name and sentence in explanation.message
        explanation = text(fused, "x", nudged(formula))
        assert explanation is None or explanation.id != name
