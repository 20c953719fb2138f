"""Problems: drawn from seeds, never from a submission; and what stands beside the references."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.lesson_sources import right_files
from grader.comparison.tensors import LOW_PRECISION_TOLERANCE, PASS_FACTOR
from grader.reference.problem import Draw, Problem, derive, norm
from grader.reference.runner import LocalStudent
from grader.verdict.judge.line import judge_line
from grader.verdict.judge.problems import ProblemBook

SMALL = {"batch": 6, "block": 2, "vocabulary": 11, "embedding": 4, "hidden": 7}


@given(st.integers(), st.integers(), st.text(max_size=5), st.text(max_size=5))
def test_derived_seeds_fit_and_differ(seed, other, part, another):
    derived = derive(seed, part)
    assert 0 <= derived < 1 << 63  # what torch takes
    assert derive(seed, part) == derived
    if (seed, part) != (other, another) and "/" not in part + another:
        assert derive(other, another) != derived


def test_a_draw_has_its_sizes_and_its_change(lesson):
    def one_class(inputs):
        inputs["Yb"][:] = 3

    problem = lesson.problem(Draw(SMALL, one_class), seed=1)
    assert problem.values["n"] == 6 and problem.values["emb"].shape == (6, 2, 4)
    assert problem.values["Yb"].tolist() == [3] * 6
    assert Draw(SMALL).describe() == "batch 6, block 2, vocabulary 11, embedding 4, hidden 7"
    assert Draw().describe() == "the sizes in README.md"


def test_both_precisions_have_their_dtype_and_the_same_numbers(lesson):
    narrow, wide = (lesson.problem(Draw(SMALL), 1, dtype) for dtype in (torch.float32, torch.float64))
    for problem in (narrow, wide):
        own = [each[name] for each in (problem.values, problem.upstream) for name in problem.graph.names]
        assert {value.dtype for value in own} == {problem.dtype} and problem.values["Xb"].dtype == torch.int64
    assert torch.equal(narrow.values["C"].double(), wide.values["C"])  # inputs are drawn in float32
    assert torch.equal(narrow.upstream["h"], wide.upstream["h"].float())


def test_scale_is_the_norm_of_what_flows_in(lesson):
    problem = lesson.problem(Draw(SMALL), 2)
    assert problem.scale("b1") == pytest.approx(float(problem.upstream["hprebn"].norm()))
    both = math.hypot(*(float(problem.upstream[consumer].norm()) for consumer in ("probs", "counts_sum")))
    assert problem.scale("counts") == pytest.approx(both)


@pytest.mark.full
def test_references_for_a_step_that_goes_round_a_neighbour(lesson):
    """With `bndiff` asked for, `bnmeani` is what it always is; with more of the way left out, what autograd gives."""
    problem = lesson.problem(Draw(SMALL), 3)
    assert torch.equal(problem.reference_from("bnmeani", {"bndiff"}), problem.reference("bnmeani"))
    v, d = problem.values, problem.upstream
    logits = v["logits"].clone().requires_grad_()
    (through_norm_logits,) = torch.autograd.grad(
        logits - logits.max(1, keepdim=True).values, [logits], d["norm_logits"]
    )
    torch.testing.assert_close(problem.reference_from("logits", {"norm_logits"}), through_norm_logits)
    (from_the_loss,) = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, v["Yb"]), [logits])
    torch.testing.assert_close(problem.reference_from("logits", set()), from_the_loss)


def test_the_lecture_s_own_problem_is_fed_the_true_gradients(lesson):
    assert lesson.public.values["C"].shape == (27, 10) and lesson.public.dtype == torch.float32
    assert lesson.public_chain.dtype == torch.float64
    for name in lesson.public.graph.names:
        assert torch.equal(lesson.public.upstream[name], lesson.public.chain[name])


def test_a_book_draws_each_problem_once(lesson):
    draws = [Draw(SMALL), Draw(SMALL), Draw({**SMALL, "batch": 5})]
    book = ProblemBook(1)
    first = book.problems(lesson, draws)
    assert [*map(id, book.problems(lesson, draws))] == [*map(id, first)]
    assert [problem.values["n"] for problem in first] == [6, 6, 5]
    again, other = ProblemBook(1).problems(lesson, draws), ProblemBook(2).problems(lesson, draws)
    assert torch.equal(again[0].values["C"], first[0].values["C"])
    for different in (other[0], first[1]):  # a second draw of the same sizes is another problem
        assert not torch.equal(different.values["C"], first[0].values["C"])


def test_a_forward_pass_without_a_loss_ends_in_random_gradients():
    def forward(t):
        t.y = t.x**2
        t.z = t.x * t.y

    problem = Problem(forward, lambda generator: {"x": torch.randn(3, generator=generator)}, Draw(), seed=1)
    assert problem.graph.sinks == ("z",)
    assert set(problem.ends) == {"z"} and bool(problem.ends["z"].all())
    torch.testing.assert_close(problem.chain["x"], 3 * problem.values["x"] ** 2 * problem.ends["z"])


def test_where_a_whole_pass_cancels_rounding_is_measured_against_what_was_there():
    """The mean is taken off two rows that are one and the same: dC adds up to nothing but noise."""

    def inputs(generator):
        return {"C": torch.randn(1, 3, generator=generator), "target": torch.randn(2, 3, generator=generator)}

    def forward(t):
        t.x = t.C[[0, 0]]
        t.centred = t.x - t.x.mean(0)
        t.loss = (t.centred * t.target).sum()

    problem = Problem(forward, inputs, Draw(), seed=1, random_upstream=False)
    assert norm(problem.reference("C")) < 1e-12
    assert problem.scale("C") == pytest.approx(norm(problem.values["target"]))  # dcentred, before anything cancels
    assert problem.scale("centred") == 1.0  # the loss's own
    fed = Problem(forward, inputs, Draw(), seed=1)
    assert fed.scale("C") == pytest.approx(norm(fed.upstream["x"]))


def test_a_gradient_that_is_zero_but_for_rounding_is_right(course):
    """Two examples with the same context, as one seed in a thousand draws them: dC is 1e-16 of noise, in any order."""

    def the_same_context_twice(inputs):
        inputs["Xb"][:] = inputs["Xb"][0]

    lesson = course.find("06")
    sizes = {"batch": 2, "block": 3, "vocabulary": 7, "embedding": 5, "hidden": 9}
    problem = lesson.problem(Draw(sizes, the_same_context_twice), seed=2)
    assert norm(problem.reference("C")) < 1e-12
    steps = [item.name for item in lesson.gradients]
    for name, module in right_files(lesson).items():
        answers = LocalStudent(vars(module), steps, lesson.joint).answers(problem)
        assert judge_line("C", [(problem, answers["dC"])]).passed, name


def test_a_whole_network_in_float32_is_judged_by_several_passes():
    """One pass may round luckily: the tolerance is that of the worst of three, and the same each time."""

    def forward(t):
        t.y = (t.x - 1) * 1e4
        t.loss = t.y.tanh().sum()

    def inputs(generator):
        return {"x": 1 + 1e-4 * torch.randn(40, generator=generator, dtype=torch.float64)}

    problem, again = (Problem(forward, inputs, Draw(), seed=1, random_upstream=False) for _ in range(2))
    one_pass = PASS_FACTOR * max(problem._errors_in_float32(0))
    assert problem.low_precision_tolerance == again.low_precision_tolerance > one_pass > LOW_PRECISION_TOLERANCE
    assert Problem(forward, inputs, Draw(), seed=1).low_precision_tolerance == LOW_PRECISION_TOLERANCE
