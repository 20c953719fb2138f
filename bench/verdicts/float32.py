"""How far right and wrong formulas are from the gradient when they are judged in float32.

    python -m bench verdicts float32               every lesson with gradients, 20 seeds
    python -m bench verdicts float32 06 --seeds 5  one lesson

Every right file and every known mistake runs as a step does that cannot run in float64: on the hidden problems with all
float64 values cast to float32. One row per gradient: the largest error of a right file, and the smallest error of a
mistake that float64 rejects, each relative to the gradient. A mistake's error is the largest of its problems'.
Exit status 1 where float32 rejects a right file or accepts such a mistake.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from bench.measuring import aligned, lessons_named
from grader.authoring.lesson_sources import right_files
from grader.calling import calls
from grader.calling.answer import Answer
from grader.calling.steps import StepInput, call_steps
from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem
from grader.reference.runner import LocalStudent
from grader.verdict.judge.line import Case, compare_answer, judge_line
from grader.verdict.judge.problems import ProblemBook

FIRST_SEED = 7


Extreme = tuple[float, str]
"""An error, and whose it is."""


@dataclass
class Row:
    """The farthest right file and the nearest wrong formula of one gradient."""

    farthest_right: Extreme = (0.0, "none")
    nearest_wrong: Extreme = (math.inf, "none")


class NarrowStudent(LocalStudent):
    """One of the course's own files, run as a step that cannot run in float64."""

    def answers(self, problem: Problem) -> dict[str, Answer]:
        found = call_steps(self._functions, self._steps, self._joint, in_float32_input(problem))
        return {step: in_float32(answer) for step, answer in found.items()}


def in_float32_input(problem: Problem) -> StepInput:
    return StepInput(calls.narrow(problem.given), calls.narrow(problem.upstream), torch.float32)


def in_float32(answer: Answer) -> Answer:
    return answer._replace(low_precision=True, in_float32=True)


def error_of(name: str, cases: list[Case]) -> float:
    """The largest relative error; infinite where the shape is wrong or there is no tensor."""
    if any(answer.tensor is None or answer.changed for _, answer in cases):
        return math.inf
    errors = [compare_answer(name, problem, answer).relative_error for problem, answer in cases]
    return max(math.inf if error is None else error for error in errors)


def measure(lesson: Lesson, seeds: range) -> tuple[dict[str, Row], list[str]]:
    """({gradient: its row}, a sentence for each verdict that float32 gets wrong)."""
    steps = [item.name for item in lesson.gradients]
    rows = {step: Row() for step in steps}
    faults: list[str] = []
    for seed in seeds:
        problems = [p for p in ProblemBook(seed).problems(lesson, lesson.draws) if not p.draw.note]
        for file, module in right_files(lesson).items():
            student = NarrowStudent(vars(module), steps, lesson.joint)
            for step in steps:
                verdict = judge_line(step[1:], [(p, student.answers(p)[step]) for p in problems])
                error = math.inf if verdict.relative_error is None else verdict.relative_error
                rows[step].farthest_right = max(rows[step].farthest_right, (error, f"{file}, seed {seed}"))
                if not verdict.passed:
                    faults.append(f"{lesson.number} {step}: {file} is rejected in float32 ({error:.2g}, seed {seed})")
        for mistake in lesson.mistakes:
            functions = vars(lesson.wrong(mistake))
            own = [each.name for each in lesson.gradients if each.function == mistake.gradient]
            whole, narrow = (kind(functions, own, lesson.joint) for kind in (LocalStudent, NarrowStudent))
            for step in own:
                if judge_line(step[1:], [(p, whole.answers(p)[step]) for p in problems]).passed:
                    continue  # a wrong joint function returns some right gradients
                answers = [(p, narrow.answers(p)[step]) for p in problems]
                error = error_of(step[1:], answers)
                rows[step].nearest_wrong = min(rows[step].nearest_wrong, (error, f"{mistake.id}, seed {seed}"))
                if judge_line(step[1:], answers).passed:
                    fault = f"{mistake.id} is accepted in float32 ({error:.2g}, seed {seed})"
                    faults.append(f"{lesson.number} {step}: {fault}")
    return rows, faults


def table(measured: Mapping[Lesson, Mapping[str, Row]]) -> str:
    lines = [("lesson", "gradient", "farthest right", "whose", "nearest wrong", "which")]
    for lesson, rows in measured.items():
        for step, row in rows.items():
            (right, file), (wrong, formula) = row.farthest_right, row.nearest_wrong
            lines.append((lesson.number, step, f"{right:.1e}", file, f"{wrong:.1e}", formula))
    return aligned(lines)


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by number or name (all)")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    measured: dict[Lesson, dict[str, Row]] = {}
    faults: list[str] = []
    for lesson in lessons_named(options.lessons):
        if lesson.gradients:
            measured[lesson], found = measure(lesson, range(FIRST_SEED, FIRST_SEED + options.seeds))
            faults += found
    print(table(measured), *faults, sep="\n")
    rows = [row for rows in measured.values() for row in rows.values()]
    if not rows:
        print("No gradients: only rows of gradients are judged in float32 as a whole.")
        return 0
    print(
        f"{options.seeds} seeds: farthest right {max(row.farthest_right for row in rows)[0]:.1e}, nearest wrong "
        f"{min(row.nearest_wrong for row in rows)[0]:.1e}, tolerance {LOW_PRECISION_TOLERANCE:.0e}; "
        f"{len(faults)} verdicts wrong"
    )
    return 1 if faults else 0
