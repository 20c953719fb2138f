"""`grade verify` on questions: keys are accepted and proved, wrong answers refused and explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import ModuleType
from typing import Any

from grader.errors import UserError
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Lesson
from grader.questions.code_lines import RunLine, trusted_results
from grader.questions.kinds import KINDS, NOT_ALL_RIGHT, course_answer, judge
from grader.questions.question import AnswerKey, Posed, Question, answer_keys_of, pose_question, questions_of, seed_of

PROOFS = "questions.py"
"""In solutions/NN_name: for a question a function of its drawn values that computes the key in another way."""
STUDENTS = 20
PERTURBED = dict.fromkeys(("formula", "code"), ("({}) * 1.000001", "({}) + 0.000001")) | {
    "number": ("({}) * 1.1", "-({})", "({}) * 0")
}
"""{kind: what must not be accepted in place of the key}; a number's tolerance may not admit these, unless it is 0."""


def question_faults(lesson: Lesson, run_line: RunLine = trusted_results) -> Iterator[str]:
    """Sentences about a lesson's questions; none where all of them are proved, drawn for STUDENTS students.

    Lines of code are run by `run_line`, by default in this process.
    """
    try:
        questions, keys = questions_of(lesson), answer_keys_of(lesson)
        if questions and not keys:
            yield f"questions: {lesson.solution.name} has no questions.toml with the keys."
            return
        path = lesson.solution / PROOFS
        proofs = load_module(path, f"backprop_ninja_questions_{lesson.name}") if path.is_file() else ModuleType("none")
        for name, question in questions.items():
            faults = faults_of_question(lesson, question, keys[name], getattr(proofs, name, None), run_line)
            yield from (f"question {name}: {fault}" for fault in faults)
    except UserError as error:
        yield f"questions: {error}"


def faults_of_question(
    lesson: Lesson, question: Question, secret: AnswerKey, proof: Callable[..., Any] | None, run_line: RunLine
) -> Iterator[str]:
    """Faults of a question as students get it. Where it is drawn, one student's are enough."""
    if question.figure and not (lesson.exercise / question.figure).is_file():
        yield f"there is no figure {question.figure}."
    if not secret.model:
        yield "it has no model answer."
    if question.kind == "text":
        yield from () if secret.rubric else ("a text needs a rubric.",)
        return
    if question.kind in ("choice", "multiple"):
        right = {secret.key} if question.kind == "choice" else set(secret.key or ())
        for each in question.choices:
            if (each in right) == (each in secret.why):
                yield f"{each!r} {'is right and has' if each in right else 'is wrong and has no'} explanation."
        for each in secret.why.keys() - question.choices.keys():
            yield f"{each!r} has an explanation, but it is not a choice."
    elif not secret.otherwise:
        yield "it needs `otherwise`, the explanation of any other wrong answer."
    if question.kind == "order" and tuple(question.choices) == secret.key:
        yield "the choices are in the file in the right order."
    if question.kind == "number" and question.draw and proof is None:
        yield f"{PROOFS} has no function `{question.name}` that computes the key in another way."
    posed = [pose_question(question, seed_of(lesson, f"student {number}")) for number in range(STUDENTS)]
    some = posed if question.draw else posed[:1]
    yield from islice((fault for each in some for fault in faults_of_posed(each, secret, proof, run_line)), 1)


def faults_of_posed(
    posed: Posed, secret: AnswerKey, proof: Callable[..., Any] | None, run_line: RunLine
) -> Iterator[str]:
    """Faults of a question as one student gets it."""
    values = ", ".join(f"{name} = {value:g}" for name, value in posed.values.items())
    where = f" ({values})" if values else ""
    right = judge(posed, secret, as_typed(posed, secret.key), run_line)
    if right.status != "passed":
        yield f"the key is not accepted{where}: {right.message}"
        return
    if proof is not None:
        found = proof(**{name: int(value) if value == int(value) else value for name, value in posed.values.items()})
        found = float(found) if posed.question.kind == "number" else tuple(found) if isinstance(found, list) else found
        kind = KINDS[posed.question.kind]
        if not kind.is_same(posed, found, course_answer(posed, secret.key), secret.tolerance):
            yield f"{PROOFS} gives another key{where}: {found}."
    for what, answer, explanations in attempts(posed, secret):
        judged = judge(posed, secret, answer, run_line)
        if judged.status == "passed":
            yield f"{what} is accepted{where}."
        elif judged.status != "failed" and explanations:
            yield f"{what} is {judged.status}{where}: {judged.message}"
        elif explanations and judged.message not in explanations:
            yield f"{what} gets another explanation{where}: {judged.message}"


def attempts(posed: Posed, secret: AnswerKey) -> Iterator[tuple[str, Any, Sequence[str]]]:
    """(what it is, answer, its possible explanations) of wrong answers; no explanations where any will do.

    Two drawn mistakes may be the same number for one student, who then gets the explanation of the first.
    """
    kind, whys = posed.question.kind, list[str]()
    for wrong, why in secret.why.items():
        whys = [*(whys if posed.question.draw else []), NOT_ALL_RIGHT if kind == "multiple" else posed.fill_in(why)]
        yield repr(wrong), [wrong] if kind == "multiple" else as_typed(posed, wrong), whys
    if kind == "multiple" and len(secret.key or ()) > 1:
        yield "a part of the key", list(secret.key or ())[:-1], [NOT_ALL_RIGHT]
    for form in PERTURBED.get(kind, ()) if kind != "number" or course_answer(posed, secret.key) else ():
        changed = form.format(secret.key)
        yield f"`{changed}`", as_typed(posed, changed), []


def as_typed(posed: Posed, key: Any) -> Any:
    """An answer of the course as a student types it."""
    if posed.question.kind in ("number", "shape"):
        return repr(course_answer(posed, key))
    return list(key) if isinstance(key, tuple) else key.split(",") if posed.question.kind == "order" else key
