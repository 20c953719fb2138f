"""A defence in the terminal: its questions one after another, answered, and judged at once or at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from rich.console import RenderableType
from rich.text import Text

from grader.defence.question import DefenceQuestion
from grader.dojo.answering import ANSWER_INDENT, ANSWER_MARKS, choice_lines, readable_answer
from grader.dojo.overview import Paragraph
from grader.questions.kinds import KINDS

AskWithin = Callable[[float | None], str | None]
"""Reads one line; None where there is no more input. Raises TimeoutError after so many seconds."""


@dataclass
class DefenceAtTerminal:
    """The answers to a defence. With `minutes`, it ends at that time; what was answered before counts.

    With `shows_verdicts` each answer is judged at once, to practise; without, nothing is said before the end.
    """

    questions: Sequence[DefenceQuestion]
    shows_verdicts: bool = True
    minutes: float | None = None
    clock: Callable[[], float] = time.monotonic
    answers: list[str] = field(default_factory=list)

    def screens(self, ask: AskWithin) -> Iterator[RenderableType]:
        """Ask one question after another; an empty line leaves one out, q stops."""
        end = None if self.minutes is None else self.clock() + 60 * self.minutes
        for number, question in enumerate(self.questions, 1):
            yield from defence_question_screen(question, number, len(self.questions))
            if end is not None:
                left = max(0, int(end - self.clock()))
                yield Paragraph(f"{left // 60}:{left % 60:02} minutes left.", "dim", ANSWER_INDENT)
            try:
                raw = yield from readable_answer(partial(self._ask, ask, end), question.trouble, "leave it out")
            except TimeoutError as over:
                yield from [] if over.args else [""]
                why = over.args[0] if over.args else "An answer without Enter does not count."
                yield Paragraph(f"The time is over. {why}", "bold")
                break
            if raw is None:
                break
            self.answers.append(raw)
            if raw and self.shows_verdicts:
                yield from verdict_screen(question, raw)
            yield ""
        yield from self.finish()

    def _ask(self, ask: AskWithin, end: float | None) -> str | None:
        raw = ask(None if end is None else end - self.clock())
        if end is not None and self.clock() > end:
            raise TimeoutError("The last answer came too late and does not count.")
        return raw

    def finish(self) -> Iterator[RenderableType]:
        self.answers += [""] * (len(self.questions) - len(self.answers))
        if self.shows_verdicts:
            yield Text(f"{self.right} of {len(self.questions)} right.", "bold")
        else:
            answered = sum(map(bool, self.answers))
            yield Text(f"{answered} of {len(self.questions)} questions answered.", "bold")

    @property
    def right(self) -> int:
        """How many answers are right."""
        pairs = zip(self.questions, self.answers, strict=False)
        return sum(bool(answer) and question.judged(answer).status == "passed" for question, answer in pairs)


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


def verdict_screen(question: DefenceQuestion, raw: str) -> Iterator[RenderableType]:
    """Whether the answer is right, and why: this is practice, and the next round has other questions. "": no answer."""
    if not raw:
        yield Paragraph("– No answer.", "dim")
        yield Paragraph(f"The answer is {question.key_text}. {question.model}", "dim", ANSWER_INDENT)
        return
    judged = question.judged(raw)
    mark, style = ANSWER_MARKS[judged.status]
    if judged.status == "passed":
        yield Paragraph(f"{mark} Right. {question.model}", style)
        return
    yield Paragraph(f"{mark} {judged.message or 'Not right.'}", style)
    yield Paragraph(f"The answer is {question.key_text}. {question.model}", "dim", ANSWER_INDENT)
