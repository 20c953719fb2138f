"""One gradient's own statements out of a script: what assigns it, and what that needs, back to what a step is given.

A slice in Weiser's sense: the statements that the value depends on, in their order, stopping at forward values and at
finished upstream gradients, which become the step's parameters. A gradient that is read while it is half done (a later
line adds to it) is no parameter: its statements up to there are part of the slice, as they are part of the mistake.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from grader.intake.notebook.script import Statement
from grader.intake.notebook.uses import Uses
from grader.lesson.notebook_table import StepInputs
from grader.source.similar_names import close_name

CUSTOMARY = {
    "torch": "import torch",
    "F": "import torch.nn.functional as F",
    "np": "import numpy as np",
    "math": "import math",
}
"""Imports of the lecture: a notebook without its first cell is read as well."""
HARMLESS_BUILTINS = frozenset(dir(builtins)) - {"open", "input", "eval", "exec", "compile", "globals", "locals", "vars"}
MAX_SLICE_VISITS = 200_000
"""Statements and names visited for all gradients of a lesson together; the lecture's own notebook needs thousands."""


class CannotSlice(Exception):
    """A gradient that needs what a step is not given; the text is a sentence's end, `place` where it says so."""

    def __init__(self, message: str, statement: Statement | None = None) -> None:
        super().__init__(message)
        self.statement = statement


class _HalfDone(Exception):
    def __init__(self, name: str) -> None:
        self.name = name


@dataclass
class Slice:
    """`statements` in their order; `parameters` and `same` by first use; `imports` as text or as the student's.

    `places` are the numbers of the statements.
    """

    statements: list[Statement] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    imports: list[ast.stmt | str] = field(default_factory=list)
    places: frozenset[int] = frozenset()


class Slicer:
    def __init__(self, uses: Uses, given: StepInputs) -> None:
        self.statements, self.uses, self.given = uses.statements, uses, given
        self.star_imports = [each.node for each in uses.statements if imports_everything(each.node)]
        self.visited = 0

    def slice(self, targets: Mapping[str, Sequence[int]]) -> Slice:
        """What computes `targets`, {variable: the run of statements that makes it}. Raises CannotSlice."""
        unfinished: set[str] = set()
        while True:
            try:
                return _Slicing(self, targets, unfinished).done()
            except _HalfDone as found:
                unfinished.add(found.name)

    def count_visits(self, count: int, reader: Statement) -> None:
        """Counts the statements and names that are visited. Raises CannotSlice once there are too many."""
        self.visited += count
        if self.visited > MAX_SLICE_VISITS:
            raise CannotSlice("it depends on too many other statements", reader)

    def is_finished(self, name: str, i: int) -> bool:
        """Whether no statement from i on adds to what `name` is at i."""
        runs = self.uses.runs.get(name, [])
        above = bisect_left(runs, [i])
        return not above or runs[above - 1][-1] < i


def imports_everything(node: ast.stmt) -> bool:
    """`from torch import *`, of a library whose names are functions of tensors or numbers."""
    match node:
        case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")], level=0):
            return module.partition(".")[0] in ("torch", "math", "numpy")
    return False


class _Slicing:
    def __init__(self, slicer: Slicer, targets: Mapping[str, Sequence[int]], unfinished: Collection[str]) -> None:
        self.slicer, self.targets, self.unfinished = slicer, targets, unfinished
        self.own = {slicer.given.others.get(name, name) for name in targets}  # gradients: none of them is given
        self.result = Slice()
        self.places: dict[int, float] = {}  # statement -> its place in the slice
        self.imports: dict[str | int, ast.stmt | str] = {}  # each once
        self.seen: set[tuple[str, int]] = set()
        self.waiting: deque[tuple[str, int, Statement]] = deque()
        self.read_by: dict[int, tuple[str, Statement]] = {}  # id of a statement: the name and the reader that need it

    def done(self) -> Slice:
        for run in self.targets.values():
            for i in run:
                self.places[i] = i
        for i in sorted(self.places):
            self.need(i, i)
        self.resolve_all()
        self.result.imports = list(self.imports.values())
        self.result.places = frozenset(self.places)
        self.result.statements = [
            self.slicer.statements[i] for i in sorted(self.places, key=lambda i: (self.places[i], i))
        ]
        return self.result

    def resolve_all(self) -> None:
        while self.waiting:
            name, i, reader = self.waiting.popleft()
            if (name, i) not in self.seen:
                self.seen.add((name, i))
                self.resolve(name, i, reader)

    def need(self, i: int, at: int) -> None:
        """Statement i reads names where it is, and its functions read theirs where they are called."""
        statement = self.slicer.statements[i]
        self.slicer.count_visits(len(statement.names.reads) + len(statement.names.late), statement)
        self.waiting += [(name, i, statement) for name in sorted(statement.names.reads)]
        self.waiting += [(name, max(i, at), statement) for name in sorted(statement.names.late)]

    def resolve(self, name: str, i: int, reader: Statement) -> None:
        given, uses = self.slicer.given, self.slicer.uses
        if name in self.targets and self.targets[name][0] < i:
            return  # its statements are all here
        if name in self.targets and self.targets[name][0] == i and uses.binds.get(name, [i])[0] >= i:
            if uses.binds.get(name, [-1])[0] != i:
                raise CannotSlice(f"`{name}` is changed before anything is assigned to it", reader)
            return
        meant = given.others.get(name, name)
        if meant in given.gradients and meant not in self.own and name not in self.unfinished:
            if not self.slicer.is_finished(name, i):
                raise _HalfDone(name)
            self.parameter(meant)
            self.note_same(name, meant)
        elif meant in given.values and meant not in self.own:
            self.parameter(meant)
            self.note_same(name, meant)
        elif name in given.same:
            self.same_as(name, given.same[name])
        else:
            self.follow(name, i, reader)

    def same_as(self, name: str, expression: str) -> None:
        self.note_same(name)
        for node in ast.walk(ast.parse(expression)):
            if isinstance(node, ast.Name) and node.id in self.slicer.given.values:
                self.parameter(node.id)

    def note_same(self, name: str, meant: str = "") -> None:
        if name != meant and name not in self.result.same:
            self.result.same.append(name)

    def parameter(self, name: str) -> None:
        if name not in self.result.parameters:
            self.result.parameters.append(name)

    def follow(self, name: str, i: int, reader: Statement) -> None:
        """A variable of the student's own: the statements that give it its value are part of the slice."""
        made = self.slicer.uses.before(name, i)
        self.slicer.count_visits(1 + len(made), reader)
        meant = self.slicer.given.compared.get(name, "")
        if meant in self.slicer.given.values - self.own:
            self.parameter(meant)
            self.note_same(name, meant)
            return
        if not made:
            if name in CUSTOMARY:
                self.imports[name] = CUSTOMARY[name]
            elif self.slicer.star_imports and name not in HARMLESS_BUILTINS:
                self.imports |= {id(node): node for node in self.slicer.star_imports}
            elif name not in HARMLESS_BUILTINS:
                raise self.not_given(name, reader, is_assigned=False)
            return
        for k in made:
            statement = self.slicer.statements[k]
            if isinstance(statement.node, ast.Import | ast.ImportFrom):
                self.imports[id(statement.node)] = statement.node
                continue
            if isinstance(statement.node, ast.ClassDef):
                raise CannotSlice(f"it uses the class `{name}`, and classes are not read", reader)
            if statement.opaque and k not in self.places:
                raise self.not_given(name, reader)
            if k not in self.places:
                self.read_by.setdefault(id(statement), (name, reader))
                limit = self.places.get(i, float(i))
                self.places[k] = float(k) if k < limit else limit - 1 / 1024  # from a cell further down
                self.need(k, i)

    def not_given(self, name: str, reader: Statement, is_assigned: bool = True) -> CannotSlice:
        """Why the step cannot have `name`, at the one of the gradient's own statements that leads to it."""
        known = {*self.slicer.given.values, *self.slicer.given.gradients, *self.slicer.uses.binds}
        near = None if is_assigned else close_name(name, sorted(known))
        what = "which is not a value of the forward pass" if is_assigned else "which nothing assigns"
        end = f". Did you mean `{near}`?" if near else ""
        own = {id(self.slicer.statements[i]) for run in self.targets.values() for i in run}
        used, first = name, reader
        while len(self.targets) == 1 and id(first) not in own and id(first) in self.read_by:
            used, first = self.read_by.pop(id(first))
        if first is reader or id(first) not in own:
            return CannotSlice(f"it uses `{name}`, {what}{end}", reader)
        place = f"({reader.file}, line {reader.line})"
        why = f"which is not recognised as a value of this exercise: it is computed from `{name}` {place}"
        return CannotSlice(f"it uses `{used}`, {why}{f', {what}{end}' if near else ''}", first)
