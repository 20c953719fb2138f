"""Model answers to a lesson's questions, in solutions/NN_name/answers.md: one to each question of the README."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.lesson.lesson import Lesson
from grader.questions.question import answer_keys_of, questions_of

MODEL_ANSWERS_FILE = "answers.md"
QUESTIONS_SECTION = re.compile(r"^## Questions to ask yourself\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
QUESTION = re.compile(r"^- (.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
QUOTED_ANSWER = re.compile(r"^(?:> .*\n)+", re.MULTILINE)


def readme_questions(lesson: Lesson) -> list[str]:
    """The questions under "Questions to ask yourself" in the lesson's README, each in one line."""
    readme = lesson.exercise / "README.md"
    section = QUESTIONS_SECTION.search(readme.read_text(encoding="utf-8")) if readme.is_file() else None
    return [one_line(text) for text in QUESTION.findall(section[1])] if section else []


def answered_questions(text: str) -> list[str]:
    """The questions that answers.md quotes (`> ...`) and says something about, each in one line."""
    parts = QUOTED_ANSWER.split(text)[1:]
    quotes = QUOTED_ANSWER.findall(text)
    return [
        one_line(re.sub(r"^> ", "", quote, flags=re.MULTILINE))
        for quote, answer in zip(quotes, parts, strict=True)
        if answer.strip()
    ]


def question_answers(lesson: Lesson) -> str:
    """A Markdown text with the lesson's questions, as the file has them, and a model answer to each; or "".

    Of several choices, it explains each wrong one: reports do not, because the next attempt would have the key.
    """
    keys, parts = answer_keys_of(lesson), list[str]()
    for each in questions_of(lesson).values() if keys else ():
        why = keys[each.name].why.items() if each.kind == "multiple" else ()
        wrong = "".join(f"\n- Not true: “{each.choices[choice]}” {reason}\n" for choice, reason in why)
        parts.append(f"> {each.text}\n\n{keys[each.name].model}\n{wrong}")
    title = f"# Model answers to the graded questions of lesson {lesson.number}\n\n"
    about = "Names in braces, such as {n}, are numbers that were drawn for you.\n\n"
    return title + about + "\n".join(parts) if parts else ""


def one_line(text: str) -> str:
    """The text with single spaces between its words."""
    return " ".join(text.split())


def answer_faults(lesson: Lesson) -> Iterator[str]:
    """Questions without a model answer, and answers to what nobody asks, in sentences. None without an answers.md."""
    path = lesson.solution / MODEL_ANSWERS_FILE
    if not path.is_file():
        return
    questions, answered = readme_questions(lesson), answered_questions(path.read_text(encoding="utf-8"))
    for question in questions:
        if question not in answered:
            yield (
                f"{MODEL_ANSWERS_FILE} has no answer to “{question}”. Quote the question word for word, `> …`, and "
                "answer below."
            )
    for question in answered:
        if question not in questions:
            yield f"{MODEL_ANSWERS_FILE} answers “{question}”, which README.md does not ask."
