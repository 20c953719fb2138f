"""Asks predictions, one after another, and shows after each what the code did."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.answering import ANSWER_INDENT, ReadLine, choice_lines, readable_answer
from grader.dojo.desk import Desk
from grader.dojo.file import is_untouched, read_own
from grader.dojo.overview import Paragraph
from grader.dojo.predicting.forward_pass import Prediction, shape_prediction, size_prediction, spoiled_prediction
from grader.dojo.predicting.own_lines import own_predictions
from grader.errors import UserError
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.inert import inert
from grader.questions.reading import EXPECTED


def predictions_for(at: Desk, lesson: Lesson, seed: int) -> list[Prediction]:
    """About a right line of the student's, and from forward.py. Raises UserError for none."""
    chance = random.Random(f"{lesson.name}/{seed}")
    found: list[Prediction] = []
    submitted = read_own(lesson)
    if not is_untouched(lesson, submitted.files[BACKWARD_FILE]):
        found += own_predictions(at, at.check(lesson, submitted), chance)
    kinds = {each.kind for each in found}
    if lesson.gradients:
        others = (
            None if "shape" in kinds else shape_prediction(lesson, chance),
            None if "multiple" in kinds else spoiled_prediction(lesson, chance),
            size_prediction(lesson, chance),
        )
        found += [each for each in others if each is not None]
    if not found:
        raise UserError(
            f"There is nothing to predict in lesson {lesson.number} yet: its questions are about your own lines. Write "
            f"a function first, until `dojo check {lesson.number}` accepts it."
        )
    return found


def ask_predictions(predictions: Sequence[Prediction], ask: ReadLine) -> Iterator[RenderableType]:
    """The questions. One is repeated after an answer of another form; an empty answer shows the result, uncounted."""
    right = answered = 0
    for number, prediction in enumerate(predictions, 1):
        yield from prediction_screen(prediction, number, len(predictions))
        raw = yield from readable_answer(ask, prediction.trouble, "see the result")
        if raw is None:
            break
        if raw:
            is_right = prediction.judged(raw).status == "passed"
            answered += 1
            right += is_right
            yield Text("As you predicted.", "bold green") if is_right else Text("Not so.", "bold red")
        yield Paragraph(inert(f"{answer_line(prediction)} {prediction.model}".strip()), indent=ANSWER_INDENT)
        yield ""
    yield from score(right, answered)


def prediction_screen(prediction: Prediction, number: int, of: int) -> Iterator[RenderableType]:
    yield Text.assemble((f"Prediction {number} of {of}", "bold"), (f"  {prediction.row}", "dim"))
    for line in prediction.code:
        yield Paragraph(inert(line), "cyan", ANSWER_INDENT + 2)
    yield Paragraph(prediction.text, indent=ANSWER_INDENT)
    yield from choice_lines(prediction.posed)
    yield Paragraph(f"Answer with {EXPECTED[prediction.kind]}.", "dim", ANSWER_INDENT)


def answer_line(prediction: Prediction) -> str:
    """The letters of what is right; nothing for a shape, which the result says."""
    letters = [letter for letter, each in prediction.posed.letters.items() if each in (prediction.key, *prediction.key)]
    return f"({', '.join(letters)})" if letters else ""


def score(right: int, answered: int) -> Iterator[RenderableType]:
    if answered:
        yield Paragraph(f"You predicted {right} of {answered}.", "bold")
