"""`grade verify` on questions: keys are accepted, wrong answers explained, and nothing public gives a key away."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from grader.errors import UserError
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Lesson
from grader.questions.code_lines import RunLine, trusted_results
from grader.questions.formula import FormulaError, read_formula
from grader.questions.kinds import KINDS, NOT_ALL_RIGHT, Judged, course_answer, judge
from grader.questions.question import (
    QUESTION_KINDS,
    AnswerKey,
    Posed,
    Question,
    answer_keys_of,
    pose_question,
    questions_of,
    seed_of,
)
from grader.results.wording import count_text

PROOFS = "questions.py"
"""In solutions/NN_name: for a question a function of its drawn values that computes the key in another way."""
STUDENTS = 20
MIN_LONGEST = 4
"""So many questions whose right choice is the longest text are too many, if no other choice ever is."""
PERTURBED = dict.fromkeys(("formula", "code"), ("({}) * 1.000001", "({}) + 0.000001")) | {
    "number": ("({}) * 1.1", "-({})", "({}) * 0")
}
"""{kind: what must not be accepted in place of the key}; a number's tolerance may not admit these, unless it is 0."""
NUMBER_IN_A_QUESTION = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:/\d+)?(?![\w]|\.\d)")


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
        for question in questions.values():
            for fault in faults_of_question(lesson, question, keys[question.name], proofs, run_line):
                yield f"question {question.name}: {fault}"
        yield from faults_of_all(questions, keys)
    except UserError as error:
        yield f"questions: {error}"


def question_summary(lesson: Lesson) -> str:
    """What `question_faults` proves of a lesson, in numbers."""
    questions, keys = questions_of(lesson), answer_keys_of(lesson)
    times = {each.name: STUDENTS if each.draw else 1 for each in questions.values() if each.kind != "text"}
    wrong = sum(count * len(keys[name].why) for name, count in times.items())
    kinds = Counter(each.kind for each in questions.values())
    of_kind = ", ".join(f"{kinds[kind]} {kind}" for kind in QUESTION_KINDS if kinds[kind])
    drawn = sum(is_drawn(each, keys[name]) for name, each in questions.items())
    return (
        f"{count_text(len(questions), 'question')} ({of_kind}), {drawn} with another right answer for each student; "
        f"drawn for {count_text(STUDENTS, 'student')}: {count_text(sum(times.values()), 'key')} accepted, "
        f"{count_text(wrong, 'wrong answer')} explained"
    )


def faults_of_question(
    lesson: Lesson, question: Question, secret: AnswerKey, proofs: ModuleType, run_line: RunLine
) -> Iterator[str]:
    yield from missing_parts(lesson, question, secret)
    if question.kind == "text":
        return
    posed = [pose_question(question, seed_of(lesson, f"student {number}")) for number in range(STUDENTS)]
    proof = getattr(proofs, question.name, None)
    if question.kind == "number" and question.draw and proof is None:
        yield f"{PROOFS} has no function `{question.name}` that computes the key in another way."
    fault = None
    for each in posed if question.draw else posed[:1]:
        fault = next(faults_of_posed(each, secret, proof, run_line), None)
        if fault is not None:  # one student's is enough
            yield fault
            break
    for wrong, why in secret.why.items() if question.draw and question.kind != "multiple" and fault is None else ():
        if all(judge(each, secret, as_typed(each, wrong), run_line).message != each.fill_in(why) for each in posed):
            yield f"{wrong!r} never gets its own explanation."
    if always_shown(posed, secret, lambda each: each.text):
        yield "its text contains the key."
    for answer, why in [*secret.why.items(), ("otherwise", secret.otherwise)]:
        if why and always_shown(posed, secret, lambda each, why=why: each.fill_in(why)):  # type: ignore[misc]
            yield f"the explanation of {answer!r} contains the key."


def is_drawn(question: Question, secret: AnswerKey) -> bool:
    """Whether the right answer is another one for other students: False where a drawn question's key is always 0."""
    if question.kind not in ("number", "shape") or not question.draw:
        return False
    posed = (pose_question(question, f"student {number}") for number in range(STUDENTS))
    return len({course_answer(each, secret.key) for each in posed}) > 1


def missing_parts(lesson: Lesson, question: Question, secret: AnswerKey) -> Iterator[str]:
    if question.figure and not (lesson.exercise / question.figure).is_file():
        yield f"there is no figure {question.figure}."
    if not secret.model:
        yield "it has no model answer."
    if question.kind == "text":
        if not secret.rubric:
            yield "a text needs a rubric."
    elif question.kind in ("choice", "multiple"):
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


def faults_of_posed(
    posed: Posed, secret: AnswerKey, proof: Callable[..., Any] | None, run_line: RunLine
) -> Iterator[str]:
    """Faults of a question as one student gets it."""
    decide = partial(judge, posed, secret, run_line=run_line)
    values = ", ".join(f"{name} = {value:g}" for name, value in posed.values.items())
    where = f" ({values})" if values else ""
    right = decide(as_typed(posed, secret.key))
    if right.status != "passed":
        yield f"the key is not accepted{where}: {right.message}"
        return
    kind, drawn = posed.question.kind, bool(posed.question.draw)
    proven = None if proof is None else result_of_proof(posed, proof)
    if proof is not None and not KINDS[kind].is_same(posed, proven, course_answer(posed, secret.key), secret.tolerance):
        yield f"{PROOFS} gives another key{where}: {proven}."
    whys = [NOT_ALL_RIGHT if kind == "multiple" else posed.fill_in(why) for why in secret.why.values()]
    for place, wrong in enumerate(secret.why):  # two drawn mistakes may be the same number for one student
        raw = [wrong] if kind == "multiple" else as_typed(posed, wrong)
        yield from faults_of_wrong_answer(
            decide(raw), whys[: place + 1] if drawn else [whys[place]], f"{wrong!r}{where}"
        )
    if kind == "multiple" and len(secret.key or ()) > 1:
        yield from faults_of_wrong_answer(decide(list(secret.key or ())[:-1]), [NOT_ALL_RIGHT], "a part of the key")
    for form in PERTURBED.get(kind, ()) if kind != "number" or course_answer(posed, secret.key) else ():
        if decide(as_typed(posed, form.format(secret.key))).status == "passed":
            yield f"`{form.format(secret.key)}` is accepted{where}."


def faults_of_wrong_answer(judged: Judged, whys: Sequence[str], answer: str) -> Iterator[str]:
    if judged.status != "failed":
        yield f"{answer} is {judged.status}: {judged.message or 'the wrong answer is accepted'}."
    elif judged.message not in whys:
        yield f"{answer} gets another explanation: {judged.message}"


def as_typed(posed: Posed, key: Any) -> Any:
    """An answer of the course as a student types it."""
    if posed.question.kind in ("number", "shape"):
        return repr(course_answer(posed, key))
    return list(key) if isinstance(key, tuple) else key.split(",") if posed.question.kind == "order" else key


def result_of_proof(posed: Posed, proof: Callable[..., Any]) -> Any:
    """What a proof returns for the drawn values; whole numbers among them are ints."""
    values = {name: int(value) if value == int(value) else value for name, value in posed.values.items()}
    found = proof(**values)
    return float(found) if posed.question.kind == "number" else tuple(found) if isinstance(found, list) else found


def always_shown(posed: Sequence[Posed], secret: AnswerKey, text: Callable[[Posed], str]) -> bool:
    """Whether the key is in a text for every student."""
    return all(is_shown(each, secret.key, text(each)) for each in posed)


def is_shown(posed: Posed, key: Any, text: str) -> bool:
    kind = posed.question.kind
    if kind == "number":
        expected = course_answer(posed, key)
        return any(abs(number - expected) <= 1e-6 * abs(expected) for number in numbers_in(posed, text))
    if kind == "shape":
        return compact(str(course_answer(posed, key))) in compact(text)
    if kind == "choice":
        return compact(posed.choices[key]) in compact(text)
    return kind in ("formula", "code") and len(compact(key)) > 2 and compact(key) in compact(text)


def numbers_in(posed: Posed, text: str) -> Iterator[float]:
    """The numbers in a text; the number of a lesson ("01") is no answer, and neither is 1/0."""
    for number in NUMBER_IN_A_QUESTION.findall(text):
        with contextlib.suppress(FormulaError):
            yield read_formula(number).number({})


def compact(text: str) -> str:
    return re.sub(r"[\s`]", "", text).casefold()


def faults_of_all(questions: Mapping[str, Question], keys: Mapping[str, AnswerKey]) -> Iterator[str]:
    """What a lesson's questions give away together."""
    single = [each for each in questions.values() if each.kind == "choice"]
    longest = [max(each.choices, key=lambda name, each=each: len(each.choices[name])) for each in single]  # type: ignore[misc]
    if len(single) >= MIN_LONGEST and [keys[each.name].key for each in single] == longest:
        yield "questions: the right choice is always the longest text: make some wrong ones longer."
    for each in questions.values():
        if each.kind in ("formula", "code"):
            key = compact(str(keys[each.name].key))
            others = [other for other in questions.values() if other is not each]
            texts = (text for other in others for text in (other.text, *other.choices.values()))
            if len(key) > 4 and any(key in compact(text) for text in texts):
                yield f"question {each.name}: another question's text contains the key."
