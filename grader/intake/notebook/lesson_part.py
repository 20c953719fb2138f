"""What a lesson takes from the lecture's notebook: its `[notebook]` table, and the runs of statements that are its own.

[notebook]
names = ["dhprebn"]            gradients that the notebook has; all of the lesson's, if not given
values = ["n", "dhpreact"]     what its steps are given; all values and gradients of the lesson, if not given
again = ["dlogits"]            those that the notebook assigns once more after the chain, for other lessons
after = "NN_name"              this lesson takes what stands after the chain of that one
loop = "parameters, Xb, Yb"    this lesson takes the loop around all, as its one function with these parameters
[notebook.same]
batch_size = "n"               the notebook's other names for values

The sizes are the whole numbers among the defaults of `inputs`. A lesson with `after` also knows the tensors of that
other lesson: sizes of the same name are the same size.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.intake.notebook.forward_names import forward_lines
from grader.intake.notebook.script import Script, Statement, Uses
from grader.intake.notebook.sizes import LessonSizes
from grader.intake.notebook.slices import CannotSlice, Given, Slice, Slicer

if TYPE_CHECKING:
    from grader.lesson.lesson import Lesson

MOST_TRIED = 20  # answers to one exercise, the last ones
PRIMES = (11, 13, 17, 19, 23, 29, 31, 37)
"""Sizes to draw with: a length tells which sizes it is the product of."""


@dataclass(frozen=True)
class Wanted:
    """The `[notebook]` table, read. `consumers` are {gradient: upstream gradients that its own step reads}.

    `forward` are the lines of the lesson's forward pass: {value: expression}.
    """

    names: tuple[str, ...]
    given: Given
    again: frozenset[str] = frozenset()
    after: str | None = None
    loop: str | None = None
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    consumers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sizes: LessonSizes = field(default_factory=LessonSizes)
    forward: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=64)
def wanted_of(lesson: Lesson) -> Wanted | None:
    """None for a lesson that takes nothing from it. Raises LessonError where the table is none."""
    table = lesson.notebook
    if table is None:
        return None
    check(table, lesson)
    before = lesson.course / "exercises" / table["after"] / "lesson.toml" if "after" in table else None
    if before is not None and not before.is_file():
        return None  # a course without the lesson whose chain it follows
    graph = lesson.public.graph
    names = tuple(table.get("names", [item.name for item in lesson.gradients]))
    if "loop" in table and lesson.joint is not None:
        names = tuple(name for name in lesson.joint.returns)
    known = {*graph.values, *("d" + name for name in graph.names)}
    chosen = set(table.get("values", known))
    return Wanted(
        names,
        Given(
            frozenset(chosen & set(graph.values)), frozenset(chosen - set(graph.values)), dict(table.get("same", {}))
        ),
        frozenset(table.get("again", ())),
        table.get("after"),
        table.get("loop"),
        dict(getattr(lesson.module, "GROUPS", {})),
        {
            name: frozenset("d" + consumer for consumer in graph.consumers.get(name[1:], ()) if consumer != "loss")
            for name in names
        },
        lesson_sizes(lesson, chosen, table.get("same", {})),
        forward_lines((lesson.exercise / "forward.py").read_text(encoding="utf-8")),
    )


def lesson_sizes(lesson: Lesson, chosen: Collection[str], same: Mapping[str, str]) -> LessonSizes:
    """The sizes of `inputs`, found out by drawing once with a different prime for each. `chosen` are the
    values that its steps may request."""
    from grader.reference.problem import Draw

    parameters = inspect.signature(lesson.module.inputs).parameters.values()
    published = {p.name: p.default for p in parameters if type(p.default) is int}
    primes = dict(zip(published, PRIMES, strict=False))
    if len(primes) < len(published):
        return LessonSizes()
    values = lesson.problem(Draw(primes), 0, random_upstream=False).values
    scalars = {
        name: size
        for name, value in values.items()
        for size, prime in primes.items()
        if name in chosen and type(value) is int and value == prime
    }
    axes = {
        name: [factors(length, primes) for length in value.shape]
        for name, value in values.items()
        if name in chosen and hasattr(value, "shape")
    }
    found = LessonSizes(published, scalars, axes)
    shapes = [f"{name}.shape[{n}]" for name, lengths in axes.items() for n in range(len(lengths))]
    expressions: dict[str, str] = {}
    for expression in (*scalars, *same.values(), *shapes):
        size = found.size_of(expression)
        if size is not None:
            expressions.setdefault(size, expression)
    shown = {size: value for size, value in published.items() if size in expressions}
    return replace(found, published=shown, expressions=expressions)


def factors(length: int, primes: Mapping[str, int]) -> list[str]:
    """The sizes whose product is `length`; none where it is something else."""
    parts = [size for size, prime in primes.items() if length % prime == 0]
    return parts if math.prod(primes[size] for size in parts) == length else []


@dataclass(frozen=True)
class Sought:
    """A lesson as a reader of notebooks needs it: plain data, which can be sent to another process.

    Attributes:
        rows: {row: the function that it is about}, in the lesson's order.
        gradients: those rows that are gradients.
        joint: the one function that returns all gradients, if the lesson asks for one.
        wanted: None for a lesson that takes nothing from the lecture's notebook.
        chain: what the lecture's chain assigns, which comes before what this lesson takes.
    """

    name: str
    rows: Mapping[str, str]
    gradients: Sequence[str]
    joint: str | None
    wanted: Wanted | None
    chain: Wanted

    @cached_property
    def sizes(self) -> LessonSizes:
        """The lesson's, with what the lecture's chain shows of them."""
        return self.wanted.sizes.joined(self.chain.sizes) if self.wanted else LessonSizes()

    @property
    def functions(self) -> list[str]:
        return list(dict.fromkeys(self.rows.values()))

    def to_dict(self) -> dict[str, Any]:
        wanted = [as_dict(each) if each else None for each in (self.wanted, self.chain)]
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**own, "rows": dict(self.rows), "wanted": wanted[0], "chain": wanted[1]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sought:
        wanted = from_dict(data["wanted"]) if data["wanted"] else None
        return cls(**{**data, "wanted": wanted, "chain": from_dict(data["chain"])})


def as_dict(wanted: Wanted) -> dict[str, Any]:
    given = {
        "values": sorted(wanted.given.values),
        "gradients": sorted(wanted.given.gradients),
        "same": dict(wanted.given.same),
    }
    consumers = {name: sorted(upstream) for name, upstream in wanted.consumers.items()}
    groups = {name: list(members) for name, members in wanted.groups.items()}
    plain = {"given": given, "again": sorted(wanted.again), "groups": groups, "consumers": consumers}
    return {**vars(wanted), **plain, "sizes": vars(wanted.sizes), "forward": dict(wanted.forward)}


def from_dict(data: Mapping[str, Any]) -> Wanted:
    given = data["given"]
    return Wanted(
        tuple(data["names"]),
        Given(frozenset(given["values"]), frozenset(given["gradients"]), given["same"]),
        frozenset(data["again"]),
        data["after"],
        data["loop"],
        data["groups"],
        {name: frozenset(upstream) for name, upstream in data["consumers"].items()},
        LessonSizes(**data["sizes"]),
        data["forward"],
    )


@lru_cache(maxsize=64)
def sought_of(lesson: Lesson) -> Sought:
    """Raises LessonError where the lesson's `[notebook]` table is none."""
    from grader.lesson.lesson import Lesson

    wanted = chain = wanted_of(lesson)
    if wanted is not None and wanted.after is not None:
        chain = wanted_of(Lesson(lesson.course, wanted.after, secrets=False))
    return Sought(
        lesson.name,
        {item.name: item.function for item in lesson.items},
        [item.name for item in lesson.gradients],
        lesson.joint.name if lesson.joint else None,
        wanted,
        chain or Wanted((), Given(frozenset(), frozenset())),
    )


def check(table: Any, lesson: Lesson) -> None:
    """Raises LessonError for a table that says something else than it may."""
    from grader.lesson.lesson import LessonError

    kinds = {"names": list, "values": list, "again": list, "after": str, "loop": str, "same": dict}
    path = lesson.exercise / "lesson.toml"
    if not isinstance(table, dict):
        raise LessonError(f"{path}: [notebook] is a table.")
    for key, value in table.items():
        kind = kinds.get(key)
        entries = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        if kind is None or not isinstance(value, kind) or not all(isinstance(entry, str) for entry in entries):
            raise LessonError(f"{path}: [notebook] {key} is not as grader/intake/notebook/lesson_part.py says.")


class Run(NamedTuple):
    """The statements that give a variable its value: one answer to a gradient."""

    variable: str
    places: Sequence[int]


@dataclass(frozen=True)
class Found:
    """A gradient's run of statements, and its slice or why there is none."""

    run: tuple[int, ...]
    part: Slice | None = None
    reason: CannotSlice | None = None
    variable: str = ""


class Chooser:
    """Picks, for one lesson, each gradient's run of statements out of a script."""

    def __init__(self, script: Script, uses: Uses, wanted: Wanted, chain: Wanted) -> None:
        self._script, self.statements, self.uses = script, script.statements, uses
        self.wanted, self.chain = wanted, chain
        self.slicer = Slicer(script.statements, uses, wanted.given)
        self.undecided: dict[str, tuple[str, ...]] = {}  # {gradient: variables that are all answers to it}
        self._variables: dict[str, list[str]] = {}
        for variable, gradient in wanted.given.others.items():
            self._variables.setdefault(gradient, []).append(variable)

    @cached_property
    def end_of_chain(self) -> int:
        """Where the last gradient begins that the notebook assigns in its chain only; -1 when there is none."""
        once = [name for name in self.chain.names if name not in self.chain.again]
        return max((run.places[0] for name in once for run in self.runs(name)), default=-1)

    @cached_property
    def loops_around_the_chain(self) -> set[int]:
        """Loops with so much of the chain in them that they are no training with shorter formulas."""
        once = [name for name in self.chain.names if name not in self.chain.again]
        found = Counter(
            loop
            for name in once
            for loop in {self.statements[run.places[0]].loop for run in self.all_runs(name)}
            if loop is not None
        )
        return {loop for loop, count in found.items() if 3 * count >= 2 * len(once)} if not self.wanted.loop else set()

    def variables(self, name: str) -> list[str]:
        """What the notebook calls the gradient."""
        return [name, *self._variables.get(name, ())]

    def all_runs(self, name: str) -> list[Run]:
        """In their order; those of other variables only where they are needed, see `own_first`."""
        found = [Run(variable, run) for variable in self.variables(name) for run in self.uses.runs.get(variable, [])]
        return sorted(found, key=lambda run: run.places[0]) if len(self.variables(name)) > 1 else found

    def runs(self, name: str, loop: bool = False) -> list[Run]:
        """The name's runs outside of any loop around all, or inside of one."""
        runs = [run for run in self.all_runs(name) if self.statements[run.places[0]].computes]
        inside = {n: self.statements[run.places[0]].loop for n, run in enumerate(runs)}
        if loop:
            return [run for n, run in enumerate(runs) if inside[n] is not None]
        return [run for n, run in enumerate(runs) if inside[n] is None or inside[n] in self.loops_around_the_chain]

    def here(self, name: str) -> list[Run]:
        """The name's runs in this lesson's place, without placeholders where there is anything else."""
        runs, end = self.runs(name), self.end_of_chain
        if self.wanted.after is None and name not in self.wanted.again:
            found = runs
        elif self.wanted.after is None:
            found = [run for run in runs if run.places[0] <= end or self.is_of_the_chain(name, run)]
        else:
            found = [run for run in runs if run.places[0] > end and not self.is_of_the_chain(name, run)]
        return self.own_first(name, found)

    def own_first(self, name: str, runs: Sequence[Run]) -> list[Run]:
        """Those that are written, of the variable that is called as the gradient if there are any."""
        written = [run for run in runs if not self.is_placeholder(run)] or list(runs)
        return [run for run in written if run.variable == name and not self.is_placeholder(run)] or written

    def has_own(self, name: str) -> bool:
        """Whether there is an answer under the lecture's own name."""
        runs = self.runs(name, loop=True) if self.wanted.loop else self.here(name)
        return any(run.variable == name and not self.is_placeholder(run) for run in runs)

    def choose(self, name: str) -> Found | None:
        """The run that counts, or None: the last one in its place, and of several the last that fits the graph."""
        here = self.here(name)
        if self.wanted.after is None and name not in self.wanted.again:
            alike = [run for run in here if run.variable == here[-1].variable]
            return self.found(name, here[-1]) if len(alike) == len(here) > 0 else self.of_several(name, here)
        if self.wanted.after is not None and not here:
            runs = self.runs(name)
            here = [*self.runs(name, loop=True), *(run for run in runs if not self.is_of_the_chain(name, run))]
            here = self.own_first(name, here)
            candidates = [self.found(name, run) for run in here[: -MOST_TRIED - 1 : -1]]
            return next((each for each in candidates if self.fits(name, each)), None)
        return self.of_several(name, here)

    def of_several(self, name: str, runs: Sequence[Run]) -> Found | None:
        """The last that fits the graph; of several variables the one that is computed from the others."""
        candidates = [self.found(name, run) for run in runs[: -MOST_TRIED - 1 : -1]]
        fitting: dict[str, Found] = {}
        for each in candidates:
            if self.fits(name, each):
                fitting.setdefault(each.variable, each)
        last = last_of(fitting)
        if len(last) > 1 or (not last and len({run.variable for run in runs}) > 1):
            self.undecided[name] = tuple(reversed(last)) or tuple(dict.fromkeys(run.variable for run in runs))
            return None
        return fitting[last[0]] if last else candidates[0] if candidates else None

    def is_of_the_chain(self, name: str, run: Run) -> bool:
        """Whether it reads one of the gradients from which the chain's step for this name is computed."""
        consumers = self.chain.consumers.get(name, frozenset())
        consumers = consumers.union(*(self._variables.get(consumer, ()) for consumer in consumers))
        return any(not consumers.isdisjoint(self.statements[i].names.reads) for i in run.places)

    def is_placeholder(self, run: Run) -> bool:
        return is_placeholder([self.statements[i] for i in run.places])

    def with_name(self, variable: str, gradient: str) -> Chooser:
        """The same with one name more, to try how it fits."""

        def named(wanted: Wanted) -> Wanted:
            given = replace(wanted.given, others={**wanted.given.others, variable: gradient})
            return replace(wanted, given=given)

        return Chooser(self._script, self.uses, named(self.wanted), named(self.chain))

    def found(self, name: str, run: Run) -> Found:
        try:
            return Found(tuple(run.places), self.slicer.slice({run.variable: run.places}), None, run.variable)
        except CannotSlice as reason:
            return Found(tuple(run.places), None, reason, run.variable)

    def fits(self, name: str, found: Found) -> bool:
        """Whether it is computed from the upstream gradients that this lesson's step is computed from."""
        if found.part is None:
            return False
        upstream = set(found.part.parameters) & self.wanted.given.gradients
        consumers = self.wanted.consumers.get(name, frozenset())
        return bool(upstream & consumers) if consumers else not upstream

    def choose_loop(self) -> tuple[dict[str, Run], Found] | None:
        """({gradient: its run} of the loop that has most of them, the slice of all)."""
        loops: dict[int, dict[str, Run]] = {}
        for name in self.wanted.names:
            for run in self.own_first(name, self.runs(name, loop=True)):
                number = self.statements[run.places[0]].loop
                assert number is not None
                loops.setdefault(number, {})[name] = run
        if not loops:
            return None
        targets = max(loops.items(), key=lambda entry: (len(entry[1]), entry[0]))[1]
        try:
            return targets, Found((), self.slicer.slice({run.variable: run.places for run in targets.values()}))
        except CannotSlice as reason:
            return targets, Found((), reason=reason)


def last_of(found: Mapping[str, Found]) -> list[str]:
    """Of several variables the one whose statements include those of all the others; else all of them."""
    firsts = {each.run[0] for each in found.values()}
    for name, each in found.items():
        if each.part is not None and firsts <= each.part.places:
            return [name]
    return list(found)


def is_placeholder(run: Sequence[Statement]) -> bool:
    """Whether it says `dlogits = None # TODO` only."""
    node = run[0].node if run else None
    value = node.value if isinstance(node, ast.Assign) else None
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    alone = all(each is run[0] for each in run)
    return alone and all(isinstance(v, ast.Constant) and v.value in (None, ...) for v in values)
