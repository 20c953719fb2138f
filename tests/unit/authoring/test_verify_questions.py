"""`grade verify` on questions has to fail for a question that is not in order."""

from __future__ import annotations

from pathlib import Path

from made_questions import KEYS, PROOFS, PUBLIC, course_with_questions

from grader.authoring.release.leaks import leaks, secrets_of
from grader.authoring.verify import verify_course
from grader.authoring.verify_questions import question_faults
from grader.lesson.lesson import Course


def faults(root: Path, public: str = PUBLIC, keys: str = KEYS, proofs: str = PROOFS) -> list[str]:
    return list(question_faults(course_with_questions(root, public, keys, proofs)))


BAD_KEYS = [
    ('key = "n * k"', 'key = "n + k"', "question count: questions.py gives another key (n = "),
    ('"n + k" = "You added', '"n * k * 1" = "You added', "'n * k * 1' is accepted (n = "),
    ('"You added {n} and {k}."', '"It is not {n}·{k}, but what? {m}"', "which is not drawn."),
    ('key = "n * k"', 'key = "n * k"\ntolerance = 3', "question count: `(n * k) * 1.1` is accepted (n = "),
    ('key = "n * k"', 'key = "n * k"\ntolerance = 30', "question count: `(n * k) * "),
    ('key = "left"', 'key = "top"', "question pick: 'top' is right and has explanation."),
    ('right = "Tempting, because', 'wright = "Tempting, because', "'right' is wrong and has no explanation."),
    ('["lunch", "dinner", "supper"]', '["dinner", "lunch", "supper"]', "in the file in the right order."),
    ('otherwise = "Look at a clock."\n', "", "question sorted: it needs `otherwise`"),
    ('key = "(1 - h**2) * g"', 'key = "(1 - z**2) * g"', "question slope: the key is not accepted"),
    ('key = "(1 - h**2) * g"', 'key = "0 * g"', "question slope: `(0 * g) * 1.000001` is accepted."),
    ('"1 - h**2" = "The', '"g - g * h**2" = "The', "'g - g * h**2' is accepted."),
    ('key = "g.sum(0)"', 'key = "g.sum(5)"', "line: the key is not accepted: `g.sum(5)` raises IndexError"),
    ('"g.mean(0)" = "You average."', '"g.mean(9)" = "You average."', "'g.mean(9)' is error"),
    ('rubric = ["1/1: because"]', "", "question essay: a text needs a rubric."),
    ('[essay]\nmodel = "m"', "[essay]", "question essay: it has no model answer."),
]


def test_a_bad_key_is_a_sentence_and_questions_in_order_have_none(tmp_path: Path) -> None:
    assert faults(tmp_path) == []
    for old, new, fault in BAD_KEYS:
        assert old in KEYS
        assert fault in " ".join(faults(tmp_path, keys=KEYS.replace(old, new, 1))), (new, fault)


def test_faults_of_other_files(tmp_path: Path) -> None:
    figure = PUBLIC.replace('text = "Why?"', 'text = "Why?"\nfigure = "none.svg"')
    assert faults(tmp_path, figure) == ["question essay: there is no figure none.svg."]
    assert faults(tmp_path, proofs="")[0].startswith("question count: questions.py has no function `count`")
    lesson = course_with_questions(tmp_path)
    (lesson.solution / "questions.toml").unlink()
    assert list(question_faults(lesson)) == ["questions: 01_asked has no questions.toml with the keys."]


def test_questions_alone(tmp_path: Path) -> None:
    """`grade verify --questions`: what it prints, and that it looks for keys in the public files, as a kit's."""
    lesson = course_with_questions(tmp_path)
    (lesson.solution / "test_asked.py").write_text("def test_only(check):\n    pass\n")
    (lesson.solution / "backward.py").write_text("def only():\n    # <answer>\n    return 1\n    # </answer>\n")
    ((name, report),) = verify_course(tmp_path, [lesson.name], 1, only_questions=True)
    assert (name, report.problems) == (lesson.name, [])
    assert report.summary == "8 questions, drawn for 20 students"
    why = "The upstream gradient is missing, which every gradient of a step has to be multiplied by."
    lesson = course_with_questions(tmp_path, keys=KEYS.replace("The upstream gradient is missing.", why))
    secrets = secrets_of(Course(tmp_path))
    assert leaks({"questions.toml": PUBLIC.encode()}, secrets) == []
    (lesson.exercise / "README.md").write_text(f"# Asked\n\n{why}\n", encoding="utf-8")
    ((_, report),) = verify_course(tmp_path, [lesson.name], 1, only_questions=True)
    assert any("README.md quotes solutions/01_asked/questions.toml" in problem for problem in report.problems)
