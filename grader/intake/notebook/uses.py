"""Where the names of a script are bound and changed in place, by number of the statement."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence

from grader.intake.notebook.script import Statement

MAX_SHARING = 50
"""Names for one tensor."""


class Uses:
    """Where each name of a script is bound and changed, by number of the statement.

    Attributes:
        statements: the script's, in order.
        binds: {name: statements that give it a value}.
        changes: {name: statements that change it in place}, by itself or by another name of the same tensor.
        runs: {name: [[statements], ...]}: each begins with a new value and goes on with the stages that add to it.
    """

    def __init__(self, statements: Sequence[Statement], gradients: Collection[str]) -> None:
        self.statements = statements
        self.binds: dict[str, list[int]] = {}
        self.changes: dict[str, list[int]] = {}
        self.runs: dict[str, list[list[int]]] = {}
        sharing: dict[str, list[str]] = {}  # name -> all names of its tensor, oldest first: one list for all of them
        for i, statement in enumerate(statements):
            names = statement.names
            for name in self._touched(names.changes, sharing, gradients):
                self.changes.setdefault(name, []).append(i)
                if name not in names.binds:
                    self._stage(name, i)
            shares: Mapping[str, str] = dict(names.shares)
            for name in sorted(names.binds):
                self.binds.setdefault(name, []).append(i)
                if name in names.reads and name in self.runs:
                    self._stage(name, i)
                else:
                    self.runs.setdefault(name, []).append([i])
            for name in sorted(names.binds):
                if name in sharing:
                    sharing.pop(name).remove(name)
                old = shares.get(name)
                if old is not None and old != name:
                    self._share(name, old, sharing)

    def _share(self, name: str, old: str, sharing: dict[str, list[str]]) -> None:
        """`name = old`: both are names of one tensor from here on."""
        group = sharing.setdefault(old, [old])
        if len(group) < MAX_SHARING:
            group.append(name)
            sharing[name] = group

    def _stage(self, name: str, i: int) -> None:
        runs = self.runs.setdefault(name, [[]])
        if i not in runs[-1][-1:]:
            runs[-1].append(i)

    def _touched(
        self, changed: Collection[str], sharing: Mapping[str, list[str]], gradients: Collection[str]
    ) -> list[str]:
        """The names whose value changes. A gradient that is changed through another one, named later, is not a stage of
        it but that one's mistake: it changes what it was given."""
        found: set[str] = set()
        for name in changed:
            group = sharing.get(name, [name])
            place = group.index(name)
            for at, other in enumerate(group):
                if at >= place or name not in gradients or other not in gradients:
                    found.add(other)
        return sorted(found)

    def before(self, name: str, i: int) -> list[int]:
        """The statements that make the value that statement i finds in `name`."""
        binds, changes = self.binds.get(name, []), self.changes.get(name, [])
        at = bisect_left(binds, i)
        if at:
            return [binds[at - 1], *changes[bisect_right(changes, binds[at - 1]) : bisect_left(changes, i)]]
        if binds:  # a cell further down: it was run before this one
            return [binds[-1], *changes[bisect_right(changes, binds[-1]) :]]
        return []
