"""What a statement's value depends on: where names are bound and changed, and one gradient's own part of a script.

A slice in Weiser's sense: the statements that the value depends on, in their order, stopping at forward values and at
finished upstream gradients, which become the step's parameters. A gradient that is read while it is half done (a later
line adds to it) is no parameter: its statements up to there are part of the slice, as they are part of the mistake.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from grader.intake.notebook.script import Statement
from grader.lesson.notebook_table import NotebookTable

LECTURE_IMPORTS = "import torch", "import torch.nn.functional as F", "import numpy as np", "import math"
CUSTOMARY = {text.split()[-1]: ast.parse(text).body[0] for text in LECTURE_IMPORTS}
"""{name: its import in the lecture}: a notebook without its first cell is read as well."""
HARMLESS_BUILTINS = frozenset(dir(builtins)) - {"open", "input", "eval", "exec", "compile", "globals", "locals", "vars"}
MAX_SLICE_VISITS = 400_000
"""Statements and names visited for all gradients of a lesson together; the lecture's own notebook needs thousands."""
MAX_SHARING = 50
"""Names for one tensor."""


class CannotSlice(Exception):
    """A gradient that needs what a step is not given; the text ends a sentence about `statement`, if it is given."""

    def __init__(self, message: str, statement: Statement | None = None) -> None:
        super().__init__(message)
        self.statement = statement


class _HalfDone(Exception):
    def __init__(self, name: str) -> None:
        self.name = name


@dataclass
class Slice:
    """`statements` in their order; `parameters`, `same` and `imports` by first use, these by their id: each once."""

    statements: list[Statement] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    imports: dict[int, ast.stmt] = field(default_factory=dict)


class Uses:
    """Where each name of a script is bound and changed, by number of the statement.

    Attributes:
        statements: the script's, in order.
        binds: {name: statements that give it a value}.
        changes: {name: statements that change it in place}, by itself or by another name of the same tensor.
        runs: {name: [[statements], ...]}: each begins with a new value and goes on with the stages that add to it.
        visited: statements and names that slices visited.
    """

    def __init__(self, statements: Sequence[Statement], gradients: Collection[str]) -> None:
        self.statements = statements
        self.visited = 0
        self.binds: dict[str, list[int]] = {}
        self.changes: dict[str, list[int]] = {}
        self.runs: dict[str, list[list[int]]] = {}
        sharing: dict[str, list[str]] = {}  # name -> all names of its tensor, oldest first: one list for all of them
        for i, statement in enumerate(statements):
            names = statement.names
            for name in touched(names.changes, sharing, gradients):
                self.changes.setdefault(name, []).append(i)
                if name not in names.binds:
                    self._stage(name, i)
            for name in sorted(names.binds):
                self.binds.setdefault(name, []).append(i)
                if name in names.reads and name in self.runs:
                    self._stage(name, i)
                else:
                    self.runs.setdefault(name, []).append([i])
            shares = dict(names.shares)
            for name in sorted(names.binds):
                if name in sharing:
                    sharing.pop(name).remove(name)
                old = shares.get(name, name)
                group = sharing.setdefault(old, [old]) if old != name else []
                if 0 < len(group) < MAX_SHARING:  # `name = old`: both are names of one tensor from here on
                    group.append(name)
                    sharing[name] = group

    def _stage(self, name: str, i: int) -> None:
        runs = self.runs.setdefault(name, [[]])
        if i not in runs[-1][-1:]:
            runs[-1].append(i)

    def before(self, name: str, i: int) -> list[int]:
        """The statements above that make the value that statement i finds in `name`."""
        binds, changes = self.binds.get(name, []), self.changes.get(name, [])
        at = bisect_left(binds, i)
        if at:
            return [binds[at - 1], *changes[bisect_right(changes, binds[at - 1]) : bisect_left(changes, i)]]
        return []

    def is_finished(self, name: str, i: int) -> bool:
        """Whether no statement from i on adds to what `name` is at i."""
        runs = self.runs.get(name, [])
        above = bisect_left(runs, [i])
        return not above or runs[above - 1][-1] < i


def touched(changed: Collection[str], sharing: Mapping[str, list[str]], gradients: Collection[str]) -> list[str]:
    """The names whose value changes. A gradient that is changed through another one, named later, is not a stage of
    it but that one's mistake: it changes what it was given."""
    found: set[str] = set()
    for name in changed:
        group = sharing.get(name, [name])
        place = group.index(name)
        pairs = enumerate(group)
        found |= {o for at, o in pairs if at >= place or name not in gradients or o not in gradients}
    return sorted(found)


def slice_of(uses: Uses, given: NotebookTable, targets: Mapping[str, Sequence[int]]) -> Slice:
    """What computes `targets`, {variable: the run of statements that makes it}. Raises CannotSlice."""
    unfinished: set[str] = set()
    while True:
        try:
            return _Slicing(uses, given, targets, unfinished).done()
        except _HalfDone as found:
            unfinished.add(found.name)


class _Slicing:
    def __init__(
        self, uses: Uses, given: NotebookTable, targets: Mapping[str, Sequence[int]], unfinished: Collection[str]
    ) -> None:
        self.uses, self.given, self.targets, self.unfinished = uses, given, targets, unfinished
        self.own = {given.others.get(name, name) for name in targets}  # gradients: none of them is given
        self.result = Slice()
        self.places: set[int] = set()  # of the slice's statements
        self.waiting: deque[tuple[str, int, Statement]] = deque()

    def done(self) -> Slice:
        self.places = {i for run in self.targets.values() for i in run}
        for i in sorted(self.places):
            self.need(i, i)
        seen: set[tuple[str, int]] = set()
        while self.waiting:
            name, i, reader = self.waiting.popleft()
            if (name, i) not in seen:
                seen.add((name, i))
                self.resolve(name, i, reader)
        self.result.statements = [self.uses.statements[i] for i in sorted(self.places)]
        return self.result

    def count_visits(self, count: int, reader: Statement) -> None:
        self.uses.visited += count
        if self.uses.visited > MAX_SLICE_VISITS:
            raise CannotSlice("it depends on too many other statements", reader)

    def need(self, i: int, at: int) -> None:
        """Statement i reads names where it is, and its functions read theirs where they are called."""
        statement = self.uses.statements[i]
        self.count_visits(len(statement.names.reads) + len(statement.names.late), statement)
        self.waiting += [(name, i, statement) for name in sorted(statement.names.reads)]
        self.waiting += [(name, max(i, at), statement) for name in sorted(statement.names.late)]

    def resolve(self, name: str, i: int, reader: Statement) -> None:
        given = self.given
        first = self.targets[name][0] if name in self.targets else i + 1
        if first < i:
            return  # its statements are all here
        if first == i and self.uses.binds.get(name, [i])[0] >= i:
            if self.uses.binds.get(name, [-1])[0] != i:
                raise CannotSlice(f"`{name}` is changed before anything is assigned to it", reader)
            return
        meant = given.others.get(name, name)
        if meant in given.gradients and meant not in self.own and name not in self.unfinished:
            if not self.uses.is_finished(name, i):
                raise _HalfDone(name)
            self.give(name, meant, meant)
        elif meant in given.values and meant not in self.own:
            self.give(name, meant, meant)
        elif name in given.same:
            named = [node.id for node in ast.walk(ast.parse(given.same[name])) if isinstance(node, ast.Name)]
            self.give(name, given.same[name], *(each for each in named if each in given.values))
        else:
            self.follow(name, i, reader)

    def give(self, name: str, expression: str, *parameters: str) -> None:
        """`name` is what the step can compute from its parameters."""
        self.result.parameters += [each for each in parameters if each not in self.result.parameters]
        if name != expression and name not in self.result.same:
            self.result.same.append(name)

    def follow(self, name: str, i: int, reader: Statement) -> None:
        """A variable of the student's own: the statements that give it its value are part of the slice."""
        made = self.uses.before(name, i)
        self.count_visits(1 + len(made), reader)
        if not made:
            if name in CUSTOMARY:
                self.result.imports[id(CUSTOMARY[name])] = CUSTOMARY[name]
            elif name not in HARMLESS_BUILTINS:
                raise CannotSlice(f"it uses `{name}`, which nothing above assigns", reader)
            return
        for k in made:
            statement = self.uses.statements[k]
            if isinstance(statement.node, ast.Import | ast.ImportFrom):
                self.result.imports[id(statement.node)] = statement.node
            elif isinstance(statement.node, ast.ClassDef):
                raise CannotSlice(f"it uses the class `{name}`, and classes are not read", reader)
            elif k not in self.places:
                if statement.opaque:
                    raise CannotSlice(f"it uses `{name}`, which is not a value of the forward pass", reader)
                self.places.add(k)
                self.need(k, i)
