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
from typing import TYPE_CHECKING, Any

from grader.notebook.script import Script, Statement, Uses
from grader.notebook.sizes import LessonSizes
from grader.notebook.slices import CannotSlice, Given, Slice, Slicer

if TYPE_CHECKING:
    from grader.lesson import Lesson

MOST_TRIED = 20  # answers to one exercise, the last ones
PRIMES = (11, 13, 17, 19, 23, 29, 31, 37)
"""Sizes to draw with: a length tells which sizes it is the product of."""


@dataclass(frozen=True)
class Wanted:
    """The `[notebook]` table, read. `consumers` are {gradient: upstream gradients that its own step reads}."""

    names: tuple[str, ...]
    given: Given
    again: frozenset[str] = frozenset()
    after: str | None = None
    loop: str | None = None
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    consumers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sizes: LessonSizes = field(default_factory=LessonSizes)


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
    )


def lesson_sizes(lesson: Lesson, chosen: Collection[str], same: Mapping[str, str]) -> LessonSizes:
    """The sizes of `inputs`, found out by drawing once with a different prime for each. `chosen` are the
    values that its steps may request."""
    from grader.problem import Draw

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
    return {
        **vars(wanted),
        "given": given,
        "again": sorted(wanted.again),
        "groups": groups,
        "consumers": consumers,
        "sizes": vars(wanted.sizes),
    }


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
    )


@lru_cache(maxsize=64)
def sought_of(lesson: Lesson) -> Sought:
    """Raises LessonError where the lesson's `[notebook]` table is none."""
    from grader.lesson import Lesson

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
    from grader.lesson import LessonError

    kinds = {"names": list, "values": list, "again": list, "after": str, "loop": str, "same": dict}
    path = lesson.exercise / "lesson.toml"
    if not isinstance(table, dict):
        raise LessonError(f"{path}: [notebook] is a table.")
    for key, value in table.items():
        kind = kinds.get(key)
        entries = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        if kind is None or not isinstance(value, kind) or not all(isinstance(entry, str) for entry in entries):
            raise LessonError(f"{path}: [notebook] {key} is not as grader/notebook/lesson_part.py says.")


@dataclass(frozen=True)
class Found:
    """A gradient's run of statements, and its slice or why there is none."""

    run: tuple[int, ...]
    part: Slice | None = None
    reason: CannotSlice | None = None


class Chooser:
    """Picks, for one lesson, each gradient's run of statements out of a script."""

    def __init__(self, script: Script, uses: Uses, wanted: Wanted, chain: Wanted) -> None:
        self.statements, self.uses, self.wanted, self.chain = script.statements, uses, wanted, chain
        self.slicer = Slicer(script.statements, uses, wanted.given)

    @cached_property
    def end_of_chain(self) -> int:
        """Where the last gradient begins that the notebook assigns in its chain only; -1 when there is none."""
        once = [name for name in self.chain.names if name not in self.chain.again]
        return max((run[0] for name in once for run in self.runs(name)), default=-1)

    @cached_property
    def loops_around_the_chain(self) -> set[int]:
        """Loops with so much of the chain in them that they are no training with shorter formulas."""
        once = [name for name in self.chain.names if name not in self.chain.again]
        found = Counter(
            loop
            for name in once
            for loop in {self.statements[run[0]].loop for run in self.uses.runs.get(name, [])}
            if loop is not None
        )
        return {loop for loop, count in found.items() if 3 * count >= 2 * len(once)} if not self.wanted.loop else set()

    def runs(self, name: str, loop: bool = False) -> list[list[int]]:
        """The name's runs outside of any loop around all, or inside of one."""
        runs = [run for run in self.uses.runs.get(name, []) if self.statements[run[0]].computes]
        inside = {n: self.statements[run[0]].loop for n, run in enumerate(runs)}
        if loop:
            return [run for n, run in enumerate(runs) if inside[n] is not None]
        return [run for n, run in enumerate(runs) if inside[n] is None or inside[n] in self.loops_around_the_chain]

    def choose(self, name: str) -> Found | None:
        """The run that counts, or None: the last one in its place, and of several the last that fits the graph."""
        runs, end = self.runs(name), self.end_of_chain
        if self.wanted.after is None and name not in self.wanted.again:
            written = [run for run in runs if not self.is_placeholder(run)]
            return self.found(name, (written or runs)[-1]) if runs else None
        if self.wanted.after is None:
            here = [run for run in runs if run[0] <= end or self.is_of_the_chain(name, run)]
        else:
            here = [run for run in runs if run[0] > end and not self.is_of_the_chain(name, run)]
        here = [run for run in here if not self.is_placeholder(run)] or here
        candidates = [self.found(name, run) for run in here[: -MOST_TRIED - 1 : -1]]
        if self.wanted.after is not None and not candidates:
            runs = [*self.runs(name, loop=True), *(run for run in runs if not self.is_of_the_chain(name, run))]
            candidates = [self.found(name, run) for run in runs[: -MOST_TRIED - 1 : -1]]
            return next((each for each in candidates if self.fits(name, each)), None)
        return next((each for each in candidates if self.fits(name, each)), candidates[0] if candidates else None)

    def is_of_the_chain(self, name: str, run: Sequence[int]) -> bool:
        """Whether it reads one of the gradients from which the chain's step for this name is computed."""
        consumers = self.chain.consumers.get(name, frozenset())
        return any(not consumers.isdisjoint(self.statements[i].names.reads) for i in run)

    def is_placeholder(self, run: Sequence[int]) -> bool:
        return is_placeholder([self.statements[i] for i in run])

    def found(self, name: str, run: Sequence[int]) -> Found:
        try:
            return Found(tuple(run), self.slicer.slice({name: run}))
        except CannotSlice as reason:
            return Found(tuple(run), reason=reason)

    def fits(self, name: str, found: Found) -> bool:
        """Whether it is computed from the upstream gradients that this lesson's step is computed from."""
        if found.part is None:
            return False
        upstream = set(found.part.parameters) & self.wanted.given.gradients
        consumers = self.wanted.consumers.get(name, frozenset())
        return bool(upstream & consumers) if consumers else not upstream

    def choose_loop(self) -> tuple[dict[str, list[int]], Found] | None:
        """({gradient: its run} of the loop that has most of them, the slice of all)."""
        loops: dict[int, dict[str, list[int]]] = {}
        for name in self.wanted.names:
            for run in self.runs(name, loop=True):
                number = self.statements[run[0]].loop
                assert number is not None
                loops.setdefault(number, {})[name] = run
        if not loops:
            return None
        targets = max(loops.items(), key=lambda entry: (len(entry[1]), entry[0]))[1]
        try:
            return targets, Found((), self.slicer.slice(targets))
        except CannotSlice as reason:
            return targets, Found((), reason=reason)


def is_placeholder(run: Sequence[Statement]) -> bool:
    """Whether it says `dlogits = None # TODO` only."""
    node = run[0].node if run else None
    value = node.value if isinstance(node, ast.Assign) else None
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    alone = all(each is run[0] for each in run)
    return alone and all(isinstance(v, ast.Constant) and v.value in (None, ...) for v in values)
