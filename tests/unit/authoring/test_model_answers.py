"""The model answers to the questions in the READMEs: each question has one, and students get them on demand only."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from grader.authoring.model_answers import MODEL_ANSWERS_FILE, answer_faults, answered_questions, readme_questions
from grader.authoring.release.kit import kit_of, published_answers
from grader.authoring.release.leaks import leaks, secrets_of
from grader.questions.question import questions_of


def test_every_question_of_every_lesson_has_an_answer(course):
    for lesson in course.lessons.values():
        questions = readme_questions(lesson)
        assert len(questions) >= 5 and all(question.endswith(("?", ")", ".")) for question in questions), lesson.name
        assert answered_questions((lesson.solution / MODEL_ANSWERS_FILE).read_text(encoding="utf-8")) == questions
        assert list(answer_faults(lesson)) == []


def test_a_question_without_an_answer_and_an_answer_without_a_question_are_faults(tmp_path):
    lesson = SimpleNamespace(exercise=tmp_path, solution=tmp_path)
    assert list(answer_faults(lesson)) == []  # no answers.md: nothing is asked for
    questions = "- Why a sum,\n  and not a mean?\n- And here?\n"
    readme = f"# A lesson\n\n## Questions to ask yourself\n\n{questions}\n## More\n\n- no\n"
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    answers = "# Answers\n\n> Why a sum,\n> and not a mean?\n\nBecause.\n\n> And here?\n\n> Why now?\n\nFor fun.\n"
    (tmp_path / MODEL_ANSWERS_FILE).write_text(answers, encoding="utf-8")
    assert readme_questions(lesson) == ["Why a sum, and not a mean?", "And here?"]
    unanswered, unasked = answer_faults(lesson)
    assert unanswered.startswith("answers.md has no answer to “And here?”.")
    assert unasked == "answers.md answers “Why now?”, which README.md does not ask."


def test_only_the_kit_with_answers_contains_them(course):
    lessons = list(course.lessons.values())
    asking = [lesson for lesson in lessons if questions_of(lesson)]
    found = published_answers(lessons)
    assert len(found) == len(lessons) + len(asking)
    graded = found[f"exercises/{asking[0].name}/questions-answers.md"].decode()
    assert "> In y = a + b, a = {a}" in graded and "So da = dy and db = dy, and their sum is twice dy." in graded
    several = found["exercises/02_small_net/questions-answers.md"].decode()
    assert "- Not true: “The batch is so large that the update of W would overflow.” " in several
    assert not any(name.endswith(MODEL_ANSWERS_FILE) for name in kit_of(lessons, notebooks=False))


@pytest.mark.full
def test_a_kit_that_quotes_a_model_answer_is_refused(course):
    lesson = course.find("02")
    answers = (lesson.solution / MODEL_ANSWERS_FILE).read_bytes()
    found = leaks({"exercises/02_small_net/README.md": answers}, secrets_of(course))
    assert any("solutions/02_small_net/answers.md" in sentence for sentence in found)
