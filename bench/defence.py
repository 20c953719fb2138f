"""Whether the keys of defences hold, and how many files get how many questions.

    python -m bench defence [LESSON]... [--number 100] [--seed S]

Generates a defence for each of so many files: solutions, variants, and solutions with a known mistake. Prints how many
files get how many questions, and how many questions each family has. Every defence is generated twice, and must be the
same; what a question says about lines is computed again here, on other values. Exit status 1 where a key does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import torch

from bench.measuring import lessons_named
from grader.defence.generate import QUESTIONS_PER_DEFENCE, generate
from grader.defence.lines import Line
from grader.defence.question import DefenceQuestion
from grader.dojo.check import LocalJudge
from grader.dojo.file import HERE
from grader.intake.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.wording import format_shape

SIZES = (3, 4, 5, 6, 7, 8, 9)


class CourseFile(NamedTuple):
    """The text of a solution, a variant, or a solution with a known mistake, which the row `wrong` has."""

    lesson: Lesson
    name: str
    text: str
    wrong: str = ""


def files_of(lessons: Sequence[Lesson]) -> Iterator[CourseFile]:
    for lesson in lessons:
        solution = (lesson.solution / BACKWARD_FILE).read_text(encoding="utf-8")
        yield CourseFile(lesson, "solution", solution)
        for path in lesson.variants:
            yield CourseFile(lesson, f"variants/{path.name}", path.read_text(encoding="utf-8"))
        for mistake in lesson.mistakes:
            with contextlib.suppress(ValueError):
                yield CourseFile(lesson, mistake.name, mistake.applied_to(solution), mistake.gradient)


def right_rows(judge: LocalJudge, file: CourseFile) -> list[str]:
    """The rows that the public check finds right, without the one that has a known mistake."""
    files = LessonFiles(file.lesson.name, {BACKWARD_FILE: file.text.encode()}, shown=BACKWARD_FILE)
    rows = judge.judge(file.lesson, files).rows
    return [row.name for row in rows if row.status in ("passed", HERE) and row.name != file.wrong]


def drawn(line: Line, sizes: Mapping[tuple[int, ...], int]) -> dict[str, Any]:
    """Values of these sizes for what a line reads; a size that is always 1 stays 1."""
    found: dict[str, Any] = {}
    for name, read in line.reads.items():
        shape = [sizes.get(symbol, 1) for symbol in read.sizes]
        value = torch.randn(shape, dtype=torch.float64)
        value = value.abs() + 0.5 if read.is_positive else value
        of_kind: dict[str, list[Any]] = {"size": shape[:1], "number": [value.sum().item()], "array": [value.numpy()]}
        (found[name],) = of_kind.get(read.kind, [value])
    return found


def same(one: Any, other: Any) -> bool:
    one, other = torch.as_tensor(one), torch.as_tensor(other)
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-6, atol=1e-9)


def holds(question: DefenceQuestion, text: str) -> bool:
    """Whether a key about lines holds on other values; the keys of the other families come from runs of the file."""
    claim, module = question.claim, dict[str, Any]()
    exec(text, module)

    def result(code: str, values: Mapping[str, Any]) -> Any:
        with contextlib.suppress(RuntimeError, IndexError, ValueError, TypeError):
            return eval(code, {**module, **{n: v.clone() if hasattr(v, "clone") else v for n, v in values.items()}})
        return None

    def is_same(code: str, values: Mapping[str, Any]) -> bool:
        found = result(code, values)
        return found is not None and same(found, result(claim["line"].at.code, values))

    match question.family:
        case "which_line":
            values = drawn(claim["line"], dict(zip(sorted(claim["line"].symbols), SIZES, strict=False)))
            return all(is_same(code, values) for code in claim["right"]) and not is_same(claim["wrong"], values)
        case "swapped":
            values, (one, other) = drawn(claim["line"], claim["sizes"]), claim["swapped"]
            swapped = values | {one: values[other], other: values[one]}
            own, found = (result(claim["line"].at.code, each) for each in (values, swapped))
            shape = "raises" if found is None else "shape" if found.shape != own.shape else ""
            return question.key == (shape or ("same" if same(found, own) else "silent"))
        case "revealing":
            hidden = [is_same(claim["other"], drawn(claim["line"], sizes)) for sizes in claim["problems"]]
            names = [f"p{place}" for place, is_hidden in enumerate(hidden) if is_hidden is claim["hidden_once"]]
            return names == [question.key]
        case "sum_changes":
            found = result(claim["code"], drawn(claim["line"], claim["sizes"]))
            return question.key == format_shape(found.shape)
    return True


def is_unambiguous(question: DefenceQuestion) -> bool:
    """Whether exactly one choice is judged right, and choices differ."""
    if question.kind == "choice":
        right = [letter for letter in question.letters.values() if question.judged(letter).status == "passed"]
        return right == [question.key_text] and len(set(question.choices.values())) == len(question.choices)
    return question.judged(question.key_text).status == "passed"


class Tally:
    """How many defences have how many questions, questions by family, and what is wrong with them."""

    def __init__(self) -> None:
        self.counts, self.families, self.faults = Counter[int](), Counter[str](), list[str]()

    def add(self, judge: LocalJudge, file: CourseFile, seed: str) -> None:
        rows = right_rows(judge, file)
        if not rows:
            return
        files = {BACKWARD_FILE: file.text.encode()}
        made, again = (generate(file.lesson, files, rows, judge.zygote, seed).questions for _ in range(2))
        self.counts[len(made)] += 1
        self.families.update(question.family for question in made)
        name = f"{file.lesson.number} {file.name} seed {seed}"
        if [(q.text, q.key) for q in made] != [(q.text, q.key) for q in again]:
            self.faults.append(f"other questions the second time: {name}")
        wrong = [q for q in made if q.row == file.wrong or not (is_unambiguous(q) and holds(q, file.text))]
        self.faults += [f"wrong key: {name}: {question.family} {question.row} {question.key}" for question in wrong]

    def lines(self) -> Iterator[str]:
        yield f"{self.counts.total()} defences, {self.families.total()} questions, {len(self.faults)} faults"
        for count in range(QUESTIONS_PER_DEFENCE, -1, -1):
            yield f"{self.counts[count]:5} with {count} questions"
        yield from (f"{count:5} {family}" for family, count in self.families.most_common())
        yield from self.faults


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by number or name (all)")
    parser.add_argument("--number", type=int, default=100, help="of defences")
    parser.add_argument("--seed", default="0")
    options = parser.parse_args()
    files, tally = list(files_of(lessons_named(options.lessons))), Tally()
    random.Random(options.seed).shuffle(files)
    with closing(LocalJudge()) as judge:
        for number in range(options.number):
            tally.add(judge, files[number % len(files)], f"{options.seed}/{number}")
    print(*tally.lines(), sep="\n")
    return bool(tally.faults)
