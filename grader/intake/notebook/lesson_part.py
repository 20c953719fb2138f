"""Which runs of statements in a notebook or script are a lesson's answers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from grader.intake.notebook.claims import bare
from grader.intake.notebook.script import Statement
from grader.intake.notebook.slices import CannotSlice, Slice, Slicer
from grader.intake.notebook.spellings import meant_by, names_by_spelling
from grader.intake.notebook.updates import updates_any
from grader.intake.notebook.uses import Uses
from grader.lesson.notebook_table import NotebookTable

MAX_ANSWERS_TRIED = 20  # answers to one exercise, the last ones


class StatementRun(NamedTuple):
    """The statements that give a variable its value: one answer to a gradient."""

    variable: str
    places: Sequence[int]


@dataclass(frozen=True)
class ChosenRun:
    """A gradient's run of statements, and its slice or why there is none."""

    run: tuple[int, ...]
    part: Slice | None = None
    reason: CannotSlice | None = None
    variable: str = ""


class Chooser:
    """Picks, for one lesson, each gradient's run of statements out of a script."""

    def __init__(self, uses: Uses, table: NotebookTable, chain: NotebookTable) -> None:
        self.statements, self.uses = uses.statements, uses
        self.table, self.chain = table, chain
        self.slicer = Slicer(uses, table.given)
        self._chain_slicer = Slicer(uses, chain.given)
        self.undecided: dict[str, tuple[str, ...]] = {}  # {gradient: variables that are all answers to it}
        self._variables: dict[str, list[str]] = {}
        for variable, gradient in table.given.others.items():
            self._variables.setdefault(gradient, []).append(variable)

    @cached_property
    def end_of_chain(self) -> int:
        """Where the last gradient begins that the notebook assigns in its chain only; -1 when there is none."""
        once = [name for name in self.chain.names if name not in self.chain.again]
        return max((run.places[0] for name in once for run in self.runs(name)), default=-1)

    @cached_property
    def loops_of_training(self) -> set[int | None]:
        """Loops that update parameters, have only shorter formulas than the chain's, or compute no gradient yet."""
        if self.table.loop and not self.chain.again:
            return self.loops
        runs = (run for name in self.chain.names for run in self.all_runs(name) if not self.is_placeholder(run))
        unwritten = self.loops - {self.loop_of(run) for run in runs}
        parameters = {*self.chain.given.values} - {*self.chain.forward}
        updating = {s.loop for s in self.statements if s.loop is not None and updates_any(s.node, parameters)}
        return self.loops_with(False) - self.loops_with(True) | unwritten | updating

    @cached_property
    def loops_of_the_chain(self) -> set[int | None]:
        """Loops that do not train, and those that train with the chain's formulas."""
        return self.loops_with(True) | self.loops - self.loops_of_training

    def loops_with(self, chain: bool) -> set[int | None]:
        """Loops with a gradient that later exercises compute again, by the `chain`'s formula or by another one."""
        runs = ((name, run) for name in self.chain.again for run in self.all_runs(name))
        inside = (each for each in runs if self.loop_of(each[1]) is not None)
        return {self.loop_of(run) for name, run in inside if self.is_of_the_chain(name, run) is chain}

    @cached_property
    def loops(self) -> set[int | None]:
        return {statement.loop for statement in self.statements if statement.loop is not None}

    def loop_of(self, run: StatementRun) -> int | None:
        return self.statements[run.places[0]].loop

    def variables(self, name: str) -> list[str]:
        """What the notebook calls the gradient."""
        own = [] if name in self.table.given.others else [name]
        return [*own, *self._variables.get(name, ())]

    def all_runs(self, name: str) -> list[StatementRun]:
        """In their order; those of other variables only where they are needed, see `own_first`."""
        found = [
            StatementRun(variable, run) for variable in self.variables(name) for run in self.uses.runs.get(variable, [])
        ]
        return sorted(found, key=lambda run: run.places[0]) if len(self.variables(name)) > 1 else found

    def runs(self, name: str, loop: bool = False) -> list[StatementRun]:
        """The name's runs in a loop of training; without `loop` those of the chain, which may be in a loop as well."""
        runs = [run for run in self.all_runs(name) if self.statements[run.places[0]].computes]
        training = [run for run in runs if self.loop_of(run) in self.loops_of_training]
        if loop:
            return training
        first = [run for run in runs if self.loop_of(run) not in self.loops_of_training]
        return first or [run for run in training if self.loop_of(run) in self.loops_of_the_chain]

    def here(self, name: str) -> list[StatementRun]:
        """The name's runs in this lesson's place, without placeholders where there is anything else."""
        runs, end = self.runs(name), self.end_of_chain
        if self.table.after is None and name not in self.table.again:
            found = runs
        elif self.table.after is None:
            found = [run for run in runs if run.places[0] <= end or self.is_of_the_chain(name, run)]
        else:
            found = [run for run in runs if run.places[0] > end and not self.is_of_the_chain(name, run)]
        return self.own_first(name, found)

    def own_first(self, name: str, runs: Sequence[StatementRun]) -> list[StatementRun]:
        """Those that are written, of the variable that is called as the gradient if there are any."""
        written = [run for run in runs if not self.is_placeholder(run)] or list(runs)
        return [run for run in written if run.variable == name and not self.is_placeholder(run)] or written

    def has_own(self, name: str) -> bool:
        """Whether there is an answer under the lecture's own name."""
        runs = self.runs(name, loop=True) if self.table.loop else self.here(name)
        return any(run.variable == name and not self.is_placeholder(run) for run in runs)

    def choose(self, name: str) -> ChosenRun | None:
        """The run that counts, or None: the last one in its place, and of several the last that fits the graph."""
        here = self.here(name)
        if self.table.after is None and name not in self.table.again:
            alike = [run for run in here if run.variable == here[-1].variable]
            return self.found(here[-1]) if len(alike) == len(here) > 0 else self.of_several(name, here)
        if self.table.after is not None and not here:
            runs = [*self.runs(name, loop=True), *self.runs(name)]
            here = self.own_first(name, [run for run in runs if not self.is_of_the_chain(name, run)])
            candidates = [self.found(run) for run in here[: -MAX_ANSWERS_TRIED - 1 : -1]]
            return next((each for each in candidates if self.is_consistent(name, each)), None)
        return self.of_several(name, here)

    def of_several(self, name: str, runs: Sequence[StatementRun]) -> ChosenRun | None:
        """The last that fits the graph, if the answers that fit have one variable."""
        candidates = [self.found(run) for run in runs[: -MAX_ANSWERS_TRIED - 1 : -1]]
        fitting: dict[str, ChosenRun] = {}
        for each in candidates:
            if self.is_consistent(name, each):
                fitting.setdefault(each.variable, each)
        last = list(fitting)
        if len(last) > 1 or (not last and len({run.variable for run in runs}) > 1):
            self.undecided[name] = tuple(reversed(last)) or tuple(dict.fromkeys(run.variable for run in runs))
            return None
        return fitting[last[0]] if last else candidates[0] if candidates else None

    def is_of_the_chain(self, name: str, run: StatementRun) -> bool:
        """Whether it reads one of the gradients from which the chain's step for this name is computed."""
        consumers = self.chain.consumers.get(name, frozenset())
        called = consumers.union(*(self._variables.get(consumer, ()) for consumer in consumers))
        if any(not called.isdisjoint(self.statements[i].names.reads) for i in run.places):
            return True
        try:  # through variables of the notebook's own
            part = self._chain_slicer.slice({run.variable: run.places})
        except CannotSlice:
            return False
        return not consumers.isdisjoint(part.parameters)

    def is_placeholder(self, run: StatementRun) -> bool:
        return is_placeholder([self.statements[i] for i in run.places])

    def with_name(self, variable: str, gradient: str) -> Chooser:
        """The same with one name more, to try whether it is consistent."""

        def named(table: NotebookTable) -> NotebookTable:
            given = replace(table.given, others={**table.given.others, variable: gradient})
            return replace(table, given=given)

        found = Chooser(self.uses, named(self.table), named(self.chain))
        found.loops_of_training, found.loops_of_the_chain = self.loops_of_training, self.loops_of_the_chain
        return found

    def found(self, run: StatementRun) -> ChosenRun:
        try:
            return ChosenRun(tuple(run.places), self.slicer.slice({run.variable: run.places}), None, run.variable)
        except CannotSlice as reason:
            return ChosenRun(tuple(run.places), None, reason, run.variable)

    def is_consistent(self, name: str, found: ChosenRun) -> bool:
        """Whether it is computed from the upstream gradients that this lesson's step is computed from."""
        if found.part is None:
            return False
        upstream = set(found.part.parameters) & self.table.given.gradients
        consumers = self.table.consumers.get(name, frozenset())
        return bool(upstream & consumers) if consumers else not upstream

    def choose_loop(self) -> tuple[dict[str, StatementRun], ChosenRun] | None:
        """({gradient: its run} of the loop that has most of them, the slice of all)."""
        loops: dict[int, dict[str, StatementRun]] = {}
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
        try:
            return targets, ChosenRun((), self.slicer.slice({run.variable: run.places for run in targets.values()}))
        except CannotSlice as reason:
            return targets, ChosenRun((), reason=reason)


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


def is_from_autograd(run: Sequence[Statement]) -> bool:
    """Whether it says `dlogits = logits.grad` only."""
    values = [bare(value) for value in values_of(run)]
    return bool(values) and all(isinstance(value, ast.Attribute) and value.attr == "grad" for value in values)


def possible_names(
    gradient: str, variables: Iterable[str], gradients: Iterable[str], statements: Iterable[Statement]
) -> list[str]:
    """Those of the variables that may be meant by the gradient: not autograd's, and not another one by their names."""
    spelled = names_by_spelling(name[1:] for name in gradients if name[:1] == "d")
    copies = {name for each in statements if is_from_autograd([each]) for name in each.names.binds}
    begun = [each for each in variables if each[:1] == gradient[:1] and each not in copies]
    return [each for each in begun if meant_by(each, spelled) in (None, gradient[1:])]


def values_of(run: Sequence[Statement]) -> list[ast.expr]:
    """The values of assignments; none where there are other statements."""
    nodes = [each.node for each in run]
    values = [node.value for node in nodes if isinstance(node, ast.Assign)]
    if len(values) < len(nodes):
        return []
    return [part for value in values for part in (value.elts if isinstance(value, ast.Tuple) else [value])]
