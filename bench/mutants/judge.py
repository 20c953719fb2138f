"""Judging mutants: one lesson's hidden suite in this process, each mutant in a forked child with a limit."""

from __future__ import annotations

import ast
import multiprocessing
import re
import resource
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import ModuleType

import torch

from bench.mutants.edits import Mutant
from grader.authoring.lesson_sources import suite_of
from grader.calling.target import ModuleTarget
from grader.lesson.lesson import Item, Lesson
from grader.lesson.stub import steps_of
from grader.reference.runner import LocalStudent
from grader.verdict.explain import attempts
from grader.verdict.explain.checks import explain_check
from grader.verdict.explain.gradient import explain_gradient
from grader.verdict.judge.checks import Check, run_check, tests_of
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook

CPU_SECONDS = 20  # for one mutant; the slowest right answer takes three
WALL_SECONDS = 240
BYTES = 6 << 30
UNEXPLAINED = re.compile(r"Worst element|^The value is wrong|^(`.*`|The result) (is|at) .*; expected |has \d+ entries")

KINDS = {
    "known": "a known mistake of the lesson",
    "read off": "read off the graph",
    "shape": "shape or type, with what was expected",
    "sentence": "a sentence of its own (not finite, a rule of the row)",
    "meaning": "raised, and told what that error means",
    "raised": "raised: Python's or torch's own error alone",
    "timeout": "stopped: no end, or too many operations",
    "anatomy": "the anatomy of the error",
}
SPECIFIC = ("known", "read off", "shape", "sentence", "timeout", "meaning")


@dataclass(frozen=True)
class Judged:
    """How one row took a mutant. `kind` is one of KINDS, "accepted", or "fault" where the hidden suite itself broke."""

    kind: str
    row: str = ""
    id: str = ""
    message: str = ""

    @property
    def specific(self) -> bool:
        return self.kind in SPECIFIC


class Bench:
    """One lesson's hidden suite on one seed; `judge` puts a mutant to it."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self.lesson, self._book = lesson, ProblemBook(seed)
        suite = suite_of(lesson)
        self._draws, self._tests = getattr(suite, "DRAWS", ()), tests_of(suite)
        self._known = {mistake.id for mistake in lesson.mistakes}
        self.solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
        self._code = compile(self.solution, "backward.py", "exec")
        self._reads = reached(ast.parse(self.solution))

    def judge(self, mutant: Mutant) -> Judged:
        """The first row that rejects it with a specific explanation, else the first that rejects it, else accepted."""
        module = ModuleType("backward")
        try:
            exec(self._code, module.__dict__)
            exec(compile(mutant.source, "mutant.py", "exec"), module.__dict__)
        except Exception as error:
            return Judged("raised", message=f"{type(error).__name__}: {error}")
        first: Judged | None = None
        own, others = self.rows(mutant.where.split(".")[0])
        for row in own:
            found = self._row(row, module)
            if found.specific or found.kind == "fault":
                return found
            if found.kind != "accepted" and first is None:
                first = found
        return (
            first
            or next((j for j in (self._row(row, module) for row in others) if j.kind != "accepted"), None)
            or (Judged("accepted"))
        )

    def rows(self, function: str) -> tuple[list[Item], list[Item]]:
        """The rows about a function of the file or about one that calls it, and all others that a call may reach."""
        if function in steps_of(self.lesson):
            return [self.lesson.item_for(function)], list(self.lesson.checks)
        items = self.lesson.items if self.lesson.joint else self.lesson.checks
        own = [item for item in items if item.function == function]
        near = [item for item in items if item not in own and function in self._reads.get(item.function, ())]
        return own + near, [item for item in items if item not in own and item not in near]

    def _row(self, item: Item, module: ModuleType) -> Judged:
        lesson = self.lesson
        alone = item.target is not None and lesson.joint is None
        steps = [item.name] if alone else [entry.name for entry in lesson.gradients]
        student = LocalStudent(vars(module), steps, lesson.joint)
        torch.manual_seed(0)  # a mutant may lose the generator that it is given
        if item.target is not None:
            gradient = GradientCheck(lesson, item, student, self._book)
            row = gradient.row(self._draws)
            explain_gradient(gradient, self._draws, row)
            return self._judged(item, row.status, row.mistake.id if row.mistake else "", row.message or "")
        try:
            check = Check(lesson, item, student, ModuleTarget(module), self._book)
            failed = run_check(self._tests[item.name], check)
            failed = explain_check(self._tests, check, failed) if failed else None
        except Exception as error:  # in a real run this would be a fault of ours
            return Judged("fault", item.name, message=f"{type(error).__name__}: {error}")
        return self._judged(item, failed.status, failed.mistake or "", str(failed)) if failed else Judged("accepted")

    def _judged(self, item: Item, status: str, identifier: str, message: str) -> Judged:
        if status == "passed":
            return Judged("accepted")
        if identifier and status == "error" and identifier not in self._known:
            kind = "meaning"
        elif identifier:
            kind = "known" if identifier in self._known else "read off"
        elif status in ("timeout", "shape"):
            kind = status
        elif status != "failed":
            kind = "raised"
        else:
            kind = "anatomy" if UNEXPLAINED.search(message) else "sentence"
        return Judged(kind, item.name, identifier, message)


def reached(tree: ast.Module) -> dict[str, set[str]]:
    """{function or class: the others of the file that it calls, at whatever distance}."""
    tops = {top.name: top for top in tree.body if isinstance(top, (ast.FunctionDef, ast.ClassDef))}
    reads = {
        name: {node.id for node in ast.walk(top) if isinstance(node, ast.Name) and node.id in tops}
        for name, top in tops.items()
    }
    for _ in tops:
        reads = {name: direct.union(*(reads[other] for other in direct)) for name, direct in reads.items()}
    return reads


def judge_all(bench: Bench, wrong: Sequence[Mutant], on_progress: Callable[[int], None]) -> list[Judged]:
    """What came of each mutant. The child is replaced when a mutant ends it, or has to be ended."""
    found: list[Judged] = []
    context = multiprocessing.get_context("fork")
    while len(found) < len(wrong):
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_child, args=(bench, wrong[len(found) :], theirs))
        child.start()
        theirs.close()
        try:
            while len(found) < len(wrong) and ours.poll(WALL_SECONDS):
                found.append(ours.recv())
                on_progress(len(found))
        except EOFError:  # it was ended: by its limit of processor time, or by a crash
            pass
        child.kill()
        child.join()
        if len(found) < len(wrong):
            found.append(Judged("timeout", message="ended by its limit of time or memory"))
    return found


def _child(bench: Bench, wrong: Sequence[Mutant], answers: Connection) -> None:
    attempts.RAISED = (Exception,)  # an explanation that fails is a fault of ours
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for mutant in wrong:
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 1 + CPU_SECONDS, resource.RLIM_INFINITY))
        answers.send(bench.judge(mutant))
