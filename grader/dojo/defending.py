"""Practising a defence in the terminal: the questions one after another, and why each answer is right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from grader.defence.question import DefenceQuestion
from grader.dojo.answering import ANSWER_INDENT, ANSWER_MARKS, ReadLine, choice_lines, readable_answer
from grader.dojo.overview import Paragraph
from grader.questions.kinds import KINDS


def practise(questions: Sequence[DefenceQuestion], ask: ReadLine) -> Iterator[RenderableType]:
    """Ask one question after another; an empty line leaves one out, q stops."""
    right = 0
    for number, question in enumerate(questions, 1):
        yield from defence_question_screen(question, number, len(questions))
        raw = yield from readable_answer(ask, question.trouble, "leave it out")
        if raw is None:
            break
        if raw:
            judged = question.judged(raw)
            mark, style = ANSWER_MARKS[judged.status]
            if judged.status == "passed":
                right += 1
                yield Paragraph(f"{mark} Right. {question.model}", style)
            else:
                yield Paragraph(f"{mark} {judged.message or 'Not right.'}", style)
                yield Paragraph(f"The answer is {question.key_text}. {question.model}", "dim", ANSWER_INDENT)
        yield ""
    yield Text(f"{right} of {len(questions)} right.", "bold")


def defence_question_screen(question: DefenceQuestion, number: int, of: int) -> Iterator[RenderableType]:
    yield Text.assemble((f"Question {number} of {of}", "bold"), (f"  {question.row}", "dim"))
    for part in question.text.split("\n\n"):
        lines = part.split("\n")
        is_code = all(line.startswith("    ") for line in lines)
        for line in lines:
            yield Paragraph(
                line.strip(), "cyan" if is_code else "", ANSWER_INDENT * (2 if is_code else 1), 2 if is_code else 0
            )
    yield from choice_lines(question.posed)
    yield Paragraph(f"Answer with {KINDS[question.kind].expected}.", "dim", ANSWER_INDENT)
