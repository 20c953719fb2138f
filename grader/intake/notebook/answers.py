"""Which of a script's statements are a lesson's answers: the last ones in the lesson's place that count."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from grader.intake.notebook.claims import bare
from grader.intake.notebook.script import Statement
from grader.intake.notebook.slices import CannotSlice, Slice, Uses, slice_of
from grader.lesson.notebook_table import NotebookTable
from grader.source.syntax import all_nodes, base_name, stored_names


@dataclass(frozen=True)
class GradientAnswer:
    """The run of statements that gives a variable its value: one answer to a gradient.

    `part` is its slice, or `reason` why there is none; `sliced` sets one of them.
    """

    variable: str
    places: Sequence[int]
    part: Slice | None = None
    reason: CannotSlice | None = None


class Chooser:
    """Picks, for one lesson, each gradient's answer out of a script."""

    def __init__(self, uses: Uses, table: NotebookTable, chain: NotebookTable) -> None:
        self.statements, self.uses, self.table, self.chain = uses.statements, uses, table, chain
        self._variables: dict[str, list[str]] = {}
        for variable, gradient in table.others.items():
            self._variables.setdefault(gradient, []).append(variable)

    def all_runs(self, name: str) -> list[GradientAnswer]:
        """The answers to a gradient under all names, in their order."""
        variables = [name, *self._variables.get(name, ())]
        found = [GradientAnswer(variable, run) for variable in variables for run in self.uses.runs.get(variable, [])]
        return sorted(found, key=lambda run: run.places[0])

    def runs(self, name: str, loop: bool = False) -> list[GradientAnswer]:
        """The name's runs in a loop of training; without `loop` those of the chain, which may be in a loop as well."""
        runs = [run for run in self.all_runs(name) if self.statements[run.places[0]].computes]
        of_training, of_the_chain = self.loops
        training = [run for run in runs if self.loop_of(run) in of_training]
        if loop:
            return training
        first = [run for run in runs if run not in training]
        return first or [run for run in training if self.loop_of(run) in of_the_chain]

    def loop_of(self, run: GradientAnswer) -> int | None:
        return self.statements[run.places[0]].loop

    @cached_property
    def loops(self) -> tuple[set[int | None], set[int | None]]:
        """(the loops that train a network, those that have the chain); a loop may do both.

        A loop trains if it updates parameters, computes no gradient yet, or has only shorter formulas than the chain's.
        """
        loops: set[int | None] = {each.loop for each in self.statements if each.loop is not None}
        if self.table.loop and not self.chain.again:
            return loops, loops
        parameters = {*self.chain.values} - {*self.chain.forward}
        updating = {s.loop for s in self.statements if s.loop is not None and updates_any(s.node, parameters)}
        written, stepwise, fused = set[int | None](), set[int | None](), set[int | None]()
        for name in self.chain.names:
            for run in self.all_runs(name):
                loop = self.loop_of(run)
                if not self.is_placeholder(run):
                    written.add(loop)
                if loop is not None and name in self.chain.again:
                    (stepwise if self.is_of_the_chain(name, run) else fused).add(loop)
        training = updating | (loops - written) | (fused - stepwise)
        return training, stepwise | (loops - training)

    @cached_property
    def end_of_chain(self) -> int:
        """Where the last gradient begins that the notebook assigns in its chain only; -1 when there is none."""
        once = [name for name in self.chain.names if name not in self.chain.again]
        return max((run.places[0] for name in once for run in self.runs(name)), default=-1)

    def here(self, name: str) -> list[GradientAnswer]:
        """The name's runs in this lesson's place, those that count last; placeholders where there is nothing else."""
        found, end = self.runs(name), self.end_of_chain
        if self.table.after:
            found = [run for run in found if run.places[0] > end and not self.is_of_the_chain(name, run)]
            anywhere = [*self.runs(name, loop=True), *self.runs(name)]
            found = found or [run for run in anywhere if not self.is_of_the_chain(name, run)]
        elif name in self.table.again:
            stepwise = [run for run in found if self.is_of_the_chain(name, run)]
            found = stepwise or [run for run in found if run.places[0] <= end]
        return self.own_first(name, found)

    def own_first(self, name: str, runs: Sequence[GradientAnswer]) -> list[GradientAnswer]:
        """Those that are written, of the variable that is called as the gradient if there are any."""
        written = [run for run in runs if not self.is_placeholder(run)]
        return [run for run in written if run.variable == name] or written or [*runs]

    def choose(self, name: str) -> GradientAnswer | None:
        """The answer that counts, or None: the last one in its place."""
        here = self.here(name)
        return self.sliced(here[-1]) if here else None

    def choose_loop(self) -> tuple[dict[str, GradientAnswer], GradientAnswer] | None:
        """({gradient: its run} of the loop that has most of them, all of them as one answer)."""
        loops: dict[int, dict[str, GradientAnswer]] = {}
        for name in sorted(self.table.names, key=lambda each: not each.startswith("d")):
            for run in self.own_first(name, self.runs(name, loop=True)):
                number = self.loop_of(run)
                assert number is not None
                chosen = loops.setdefault(number, {})
                begin = min((each.places[0] for n, each in chosen.items() if n.startswith("d")), default=run.places[0])
                if name.startswith("d") or name not in chosen or run.places[0] <= begin:
                    chosen[name] = run  # the loss: the last one above the gradients, and not one of another split
        if not loops:
            return None
        targets = max(loops.items(), key=lambda entry: (len(entry[1]), entry[0]))[1]
        return targets, self.sliced(*targets.values())

    def sliced(self, *runs: GradientAnswer) -> GradientAnswer:
        """The first of the runs, with what computes all of them."""
        try:
            part = slice_of(self.uses, self.table, {run.variable: run.places for run in runs})
        except CannotSlice as reason:
            return replace(runs[0], reason=reason)
        return replace(runs[0], part=part)

    def is_of_the_chain(self, name: str, run: GradientAnswer) -> bool:
        """Whether it reads one of the gradients from which the chain's step for this name is computed."""
        consumers = self.chain.consumers.get(name, frozenset())
        called = consumers.union(*(self._variables.get(consumer, ()) for consumer in consumers))
        return any(not called.isdisjoint(self.statements[i].names.reads) for i in run.places)

    def is_placeholder(self, run: GradientAnswer) -> bool:
        return is_placeholder([self.statements[i] for i in run.places])


def is_placeholder(run: Sequence[Statement]) -> bool:
    """Whether it says `dlogits = None # TODO` only, or copies autograd's gradient."""
    nothing = [is_nothing(value) for value in values_of(run)]
    return (bool(nothing) and all(nothing)) or is_from_autograd(run)


def is_nothing(value: ast.expr) -> bool:
    """Whether it is None or `...`, or only consists of these: `[None] * 7`."""
    match value:
        case ast.Constant():
            return value.value in (None, ...)
        case ast.List(elts=entries) | ast.Tuple(elts=entries):
            return bool(entries) and all(map(is_nothing, entries))
        case ast.BinOp(left=ast.List() | ast.Tuple() as repeated, op=ast.Mult()):
            return is_nothing(repeated)
    return False


def is_from_autograd(run: Iterable[Statement]) -> bool:
    """Whether it says `dlogits = logits.grad` only."""
    values = [bare(value) for value in values_of(run)]
    return bool(values) and all(isinstance(value, ast.Attribute) and value.attr == "grad" for value in values)


def values_of(run: Iterable[Statement]) -> list[ast.expr]:
    """The values of assignments; none where there are other statements."""
    nodes = [each.node for each in run]
    values = [node.value for node in nodes if isinstance(node, ast.Assign)]
    if len(values) < len(nodes):
        return []
    return [part for value in values for part in (value.elts if isinstance(value, ast.Tuple) else [value])]


def updates_any(statement: ast.stmt, parameters: Collection[str]) -> bool:
    """Whether it updates a parameter, as `C -= ...` or `for p, g in ...: p.data -= ...`."""
    nodes = [*all_nodes(statement)]
    looped = {name for each in nodes if isinstance(each, ast.For) for name in stored_names(each.target)}
    updated = {base_name(each.target) for each in nodes if isinstance(each, ast.AugAssign)}
    return not updated.isdisjoint(looped.union(parameters))
