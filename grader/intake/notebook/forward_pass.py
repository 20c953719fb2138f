"""Which values of the lesson's forward pass a notebook's own names are, by the places of the names in its lines.

A line of the notebook, such as `h_pre = bn_gain * bn_raw + bn_bias`, is compared with the lines of the lesson's forward
pass in their canonical form. Names that are known already decide which line it is; the others follow from their places.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, product, starmap

from grader.source.canonical import LIBRARY, Canonicaliser, CodeValue, plain
from grader.source.code_forms import BLANK, MARKED
from grader.source.syntax import all_nodes, last_name, names_in

MAX_LINE_NODES = 60  # of a line that is compared; the longest of the lecture's has 20
MAX_FORWARD_LINES = 500  # of a notebook that may be lines of the forward pass
MAX_ORDERS = 24  # ways to give the names of one line to those of another
MODULE_NAMES = {**LIBRARY, "math": "math"}
RANGE_FUNCTIONS = frozenset({"range", "arange"})
"""All rows, however their number is written."""
NamedExpression = tuple[str, ast.expr]  # (assigned name, expression)


class LineReader(Canonicaliser):
    """Reads a name without a label as a blank, and all ways to say "all rows" alike."""

    def value(self, node: ast.AST) -> CodeValue:
        if isinstance(node, ast.Name):
            return self.names.get(node.id, BLANK)
        if isinstance(node, ast.Call):
            if last_name(node.func) in RANGE_FUNCTIONS:
                return plain("$range")
            if isinstance(node.func, ast.Name) and node.func.id != "len":  # `from torch import tanh`
                node = ast.Call(ast.Attribute(ast.Name("torch"), node.func.id), node.args, node.keywords)
        return super().value(node)


@dataclass(frozen=True, eq=False)
class LineForm:
    """A line of a forward pass, `target = expression`."""

    target: str
    expression: ast.expr

    @property
    def is_long(self) -> bool:
        return len(list(islice(all_nodes(self.expression), MAX_LINE_NODES + 1))) > MAX_LINE_NODES

    @cached_property
    def structure(self) -> str:
        return self.form({})

    @cached_property
    def places(self) -> dict[str, str]:
        """{name: the form with this name alone}, of names that matter; alike for those that may change places."""
        called = {last_name(each.func) for each in all_nodes(self.expression) if isinstance(each, ast.Call)}
        names = sorted(names_in(self.expression) - called - MODULE_NAMES.keys())
        marked = {name: self.form({name: MARKED}) for name in names}
        return {name: form for name, form in marked.items() if form != self.structure}

    def form(self, labels: Mapping[str, CodeValue]) -> str:
        """The canonical form with these labels in place of names, and a blank for every other name."""
        return LineReader(labels, MODULE_NAMES).text(self.expression)

    def pairs_with(self, other: LineForm, known: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """Each {own name: name of the other line} with which the two are one line, and which agrees with `known`."""
        if self.structure != other.structure or len(self.places) != len(other.places):
            return
        possible = [
            [each for each, alike in other.places.items() if alike == place and known.get(name, each) == each]
            for name, place in self.places.items()
        ]
        wanted = other.form({name: plain(name) for name in other.places})
        for names in islice(product(*possible), MAX_ORDERS):
            pairs = dict(zip(self.places, names, strict=True))
            is_one_to_one = len(set(names)) == len(names) and pairs.get(self.target, other.target) == other.target
            if is_one_to_one and self.form({name: plain(each) for name, each in pairs.items()}) == wanted:
                yield {self.target: other.target, **pairs}


@lru_cache(maxsize=256)
def form_of_text(target: str, text: str) -> LineForm:
    """A line of a lesson."""
    return LineForm(target, ast.parse(text, mode="eval").body)


def other_names(
    lines: Iterable[NamedExpression],
    forward: Iterable[tuple[str, str]],
    values: Collection[str],
    bound: Collection[str],
    known: Mapping[str, str],
) -> dict[str, str]:
    """{the notebook's name: the lecture's}, for values that the notebook does not have under the lecture's name.

    `lines` are the notebook's, `forward` the lesson's; `bound` are the names that the notebook gives a value, `known`
    other names that are certain. A name is left out where two lines or two places disagree.
    """
    lines = [*lines]
    here = {target for target, _ in lines}.union(*(names_in(value) for _, value in lines))
    known = {name: other for name, other in known.items() if name in here}
    searched: dict[str, list[LineForm]] = {}
    for line in forward:
        searched.setdefault(form_of_text(*line).structure, []).append(form_of_text(*line))
    every = (form for form in starmap(LineForm, lines) if not form.is_long and form.structure in searched)
    forms = list(islice(every, MAX_FORWARD_LINES))
    found, refused = dict(known), set[str]()
    while True:
        new: dict[str, set[str]] = {}
        for form in forms:
            readings = readings_of(form, searched[form.structure], found, values, bound)
            for name, other in readings[0].items() if len(readings) == 1 else ():
                new.setdefault(name, set()).add(other)
        counts = Counter(other for others in new.values() for other in others)
        alone = {name: other for name, (other, *more) in new.items() if not more and counts[other] == 1}
        sure = {name: other for name, other in alone.items() if name not in refused}
        refused |= new.keys() - sure.keys()
        if not sure:
            return {name: other for name, other in found.items() if name not in known}
        found |= sure


def readings_of(
    form: LineForm,
    searched: Sequence[LineForm],
    found: Mapping[str, str],
    values: Collection[str],
    bound: Collection[str],
) -> list[dict[str, str]]:
    """What the unknown names of a line would be, for each line of the forward pass that it may be.

    One of its names must be known.
    """
    names = {form.target, *form.places}
    known = {name: name if name in values else found[name] for name in names if name in values or name in found}
    unusable = {*bound, *found.values()}
    readings: list[dict[str, str]] = []
    for line in searched if known else ():
        for pairs in form.pairs_with(line, known):
            new = {name: other for name, other in pairs.items() if name not in known}
            agrees = known.get(form.target, line.target) == line.target
            is_new = new and unusable.isdisjoint(new.values()) and len({*new.values()}) == len(new)
            if agrees and is_new and new not in readings:
                readings.append(new)
    return readings
