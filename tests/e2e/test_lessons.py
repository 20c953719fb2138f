"""The lessons that ship: solutions, stubs, variants and mistakes as they should be, and texts that lack nothing."""

from __future__ import annotations

import re

import pytest
import torch
from support import ROOT, rows_of, sampled, solution_of

from bench.verdicts.seeds import tally_seeds
from grader.authoring.verify import submission_of, verify_lesson
from grader.lesson.lesson import Course, Lesson

LESSONS = list(Course(ROOT).lessons)


@pytest.fixture(params=LESSONS)
def each(request, lessons) -> Lesson:
    found: Lesson = lessons[request.param]
    return found


WITH_GRADIENTS = [name for name, lesson in Course(ROOT).lessons.items() if lesson.gradients]
CURRICULUM = (
    "01_chain_rule 02_small_net 03_makemore_steps 04_cross_entropy 05_batch_norm 06_embedding_net 07_training "
    "08_gradient_check 09_checkpointing 10_gradient_doctor 11_layer_norm 12_attention 13_multi_head_attention "
    "14_transformer_block 15_gpt 16_through_time 17_convolution 18_autograd_engine 19_flash_attention "
    "20_modern_block 21_fine_tuning"
)


@pytest.fixture(params=WITH_GRADIENTS)
def graph(request, lessons) -> Lesson:
    """A lesson with a forward pass."""
    found: Lesson = lessons[request.param]
    return found


def test_there_are_lessons():
    assert CURRICULUM.split() == LESSONS
    assert all(re.fullmatch(r"\d\d_[a-z_]+", name) for name in LESSONS)


@pytest.mark.full
@sampled("every", [48, pytest.param(8, marks=pytest.mark.slow)], keep=1)
def test_solution_stub_variants_and_mistakes_are_as_they_should_be(each, every, warm_zygotes):
    """Of mistakes that have to be submitted one by one, a part; `make verify` submits all of them."""
    report = verify_lesson(each, seed=1, every=every)
    assert report.problems == []


ON_ONE_SEED = [pytest.param(name, marks=pytest.mark.slow) if name == "15_gpt" else name for name in WITH_GRADIENTS]
"""Lesson 15 takes ten seconds, and its mistakes are judged above as well."""


@sampled("graph", ON_ONE_SEED, keep=1, indirect=True)
def test_no_right_formula_is_rejected_and_no_wrong_one_accepted(graph):
    """On one seed; the thousand are `make seeds`. Lessons without gradients are verified above by the same means."""
    tally = tally_seeds(graph.course, graph.name, range(1))
    assert tally.judged >= len(graph.items)
    assert (tally.rejected, tally.accepted) == ([], [])


@pytest.mark.full
def test_lesson_03_is_exact_to_the_last_bit(session_for, lesson):
    """On the pinned torch, as autograd on the published problem."""
    rows = rows_of(session_for("03").grade(submission_of(lesson, "solution", solution_of(lesson))).results)
    assert len(rows) == 26
    assert {name: (row["exact"], row["ulps"], row["maxdiff"]) for name, row in rows.items()} == dict.fromkeys(
        rows, (True, 0, 0)
    )


def test_there_are_enough_variants_and_a_mistake_has_one_id(each):
    assert len(each.variants) >= 2
    assert len({mistake.name for mistake in each.mistakes}) == len(each.mistakes)
    assert {mistake.gradient for mistake in each.mistakes} <= set(each.functions)


def test_each_question_of_the_readme_has_a_model_answer_below_its_quote(each):
    section = (each.exercise / "README.md").read_text("utf-8").partition("\n## Questions to ask yourself\n")[2]
    questions = re.findall(r"^- (.*?)(?=^\S|\Z)", section.partition("\n## ")[0], re.MULTILINE | re.DOTALL)
    answers = (each.solution / "answers.md").read_text("utf-8")
    quotes = re.findall(r"((?:^> .*\n)+)\s*(?!>)\S", answers, re.MULTILINE)
    assert len(questions) >= 5
    assert [" ".join(quote.replace("\n> ", "\n")[2:].split()) for quote in quotes] == [
        " ".join(question.split()) for question in questions
    ]


def test_a_mistake_s_text_is_for_a_student_and_gives_no_answer_away(each):
    assert each.mistakes
    for mistake in each.mistakes:
        assert 20 < len(mistake.message) < 400, mistake.id
        assert mistake.message[-1] in ".?!)", mistake.id
        assert "return" not in mistake.message.split(), mistake.id


def test_title_points_and_three_hints_a_row(each):
    assert each.title and each.title != each.name
    for item in each.items:
        assert item.points > 0, item.name
        assert len(item.hints) == 3 and len(set(item.hints)) == 3, item.name
        assert all(len(hint) > 20 and hint.strip() == hint for hint in item.hints), item.name
    assert each.max_score == sum(item.points for item in each.items)


def test_rows_are_gradients_of_the_forward_pass_in_the_order_of_the_way_back(graph):
    targets = [item.target for item in graph.gradients]
    assert all(target in graph.public.graph.names and graph.public.graph.consumers[target] for target in targets)
    for number, target in enumerate(targets):
        above = graph.public.graph.above(target) & set(targets)
        assert above <= set(targets[:number]), f"{target} stands before what it is computed from"
    assert len(set(targets)) == len(targets)


def test_the_readme_mentions_every_function_and_how_to_check(each):
    text = (each.exercise / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# Lesson {each.number}")
    names = {item.name for item in each.gradients} if not each.joint else set()
    for name in {*names, *each.functions}:
        assert f"`{name}" in text, name
    assert f"--lesson {each.number}" in text


def test_no_secret_is_in_the_exercise_folder(each):
    """Names, and content: no marker, no hidden suite, no line of an answer but for what the stub shows anyway."""
    names = {path.name for path in each.exercise.iterdir() if path.name != "__pycache__"}
    assert {"README.md", "backward.py", "lesson.toml"} <= names
    assert ("forward.py" in names) == bool(each.gradients)
    for path in each.exercise.iterdir():
        if path.suffix in (".py", ".md", ".toml"):
            text = path.read_text(encoding="utf-8")
            assert "answer>" not in text and "grader.lesson.mistakes" not in text and "test_gradient(" not in text, (
                path.name
            )


def test_what_a_later_lesson_derives_waits_for_it(lessons):
    waiting = {f"{each.number}.{item.name}": item.taught_in for each in lessons.values() for item in each.items}
    assert {row: later for row, later in waiting.items() if later} == {"02.dlogits": "04", "02.dh": "05"}


def test_hidden_problems_differ_in_size_and_number(graph):
    draws = graph.draws
    deciding = [draw for draw in draws if not draw.note]
    assert len(deciding) >= 3
    assert len({tuple(sorted(draw.sizes.items())) for draw in deciding}) == len(deciding)
    for draw in deciding:
        sizes = [size for size in draw.sizes.values() if isinstance(size, int)]
        assert len(set(sizes)) == len(sizes), f"{draw.sizes}: a transpose or a wrong axis could have the right shape"


def test_hidden_problems_are_finite_and_none_is_trivial(graph):
    assert len(graph.draws) > 1
    for number, draw in enumerate(graph.draws):
        problem = graph.problem(draw, seed=number)
        for item in graph.gradients:
            reference = problem.reference(item.target)
            assert bool(torch.isfinite(reference).all()), (draw.describe(), item.name)
            assert bool(reference.any()), (draw.describe(), item.name)


@pytest.mark.full
def test_the_forward_pass_is_the_loss_function_s_own(lessons):
    """Lessons 03 and 04 against torch's own cross-entropy."""
    for name in ("03_makemore_steps", "04_cross_entropy"):
        values = lessons[name].public_chain.values
        expected = torch.nn.functional.cross_entropy(values["logits"], values["Yb"])
        torch.testing.assert_close(values["loss"], expected)


def test_batch_norm_is_torch_s_own(lessons):
    """The biased form, which is what torch.nn.functional.batch_norm computes."""
    v = lessons["05_batch_norm"].public_chain.values
    normalised = torch.nn.functional.batch_norm(v["h"], None, None, v["gamma"], v["beta"], training=True, eps=1e-5)
    torch.testing.assert_close(v["h_bn"], normalised)
    makemore = lessons["03_makemore_steps"].public_chain.values
    torch.testing.assert_close(makemore["bnvar"], makemore["hprebn"].var(0, keepdim=True, unbiased=True))
