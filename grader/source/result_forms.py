"""What a piece of code computes, line by line, in normal forms: with its names, without them, and with blanks.

A piece of code is a function's body or a few lines of a text. Names that it does not assign are its inputs."""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from grader.source.normal_form import LIBRARY
from grader.source.normal_statements import Normaliser
from grader.source.normal_values import NormalValue, plain
from grader.source.parsing import parse_text
from grader.source.syntax import all_nodes, children

BLANK_PIECE, MARKED_PIECE = plain("_"), plain("@")
MAX_INPUTS = 24


class ResultReader(Normaliser):
    """Notes each value that a body computes. Its inputs have `labels`, or their own names, or blanks."""

    def __init__(
        self, labels: Mapping[str, NormalValue], others: NormalValue | None = None, is_inlined: bool = True
    ) -> None:
        super().__init__({}, LIBRARY)
        self.labels, self.others, self.is_inlined = labels, others, is_inlined
        self.results: list[tuple[str, NormalValue]] = []
        """(the name that gets the value or "", the value)"""

    def _Name(self, node: ast.Name) -> NormalValue:
        return self.names.get(node.id) or self.labels.get(node.id) or self.others or plain(node.id)

    def _statement(self, node: ast.stmt) -> list[str]:
        if isinstance(node, ast.Return | ast.Expr) and node.value is not None:
            self.results.append(("", self.value(node.value)))
        return super()._statement(node)

    def _assign(self, target: ast.expr, value: NormalValue, node: ast.expr | None = None) -> None:
        super()._assign(target, value, node)
        changed = {each.id for each in all_nodes(target) if isinstance(each, ast.Name)} & self.names.keys()
        self.results += [(name, self.names[name]) for name in sorted(changed)]
        if not self.is_inlined:
            self.names.clear()

    def _compound(self, node: ast.stmt) -> list[str]:
        before = dict(self.names)
        effects = super()._compound(node)
        new = sorted(name for name in self.names if before.get(name) != self.names[name])
        self.results += [(name, self.names[name]) for name in new]
        return effects


@dataclass(frozen=True, eq=False)
class Result:
    """One value that a piece of code computes. Two pieces have the same `blank` if they differ in inputs' names only,
    or in which input is where. `place` is its number among the results of the same reading; `name` is what gets it.
    """

    name: str
    blank: str
    named: str
    body: Sequence[ast.stmt]
    place: int
    is_inlined: bool

    @cached_property
    def renamed(self) -> str:
        """Equal for results that differ in their inputs' names only. It takes a reading for each input."""
        inputs = inputs_of(self.body)
        if len(inputs) > MAX_INPUTS:
            return self.named
        colours = {name: self._read({name: MARKED_PIECE}, BLANK_PIECE) for name in inputs}
        used = sorted((name for name in inputs if colours[name] != self.blank), key=colours.__getitem__)
        return self._read({name: plain(f"_{place}") for place, name in enumerate(used)}, BLANK_PIECE)

    def _read(self, labels: Mapping[str, NormalValue], others: NormalValue | None) -> str:
        return results_with(self.body, labels, others, self.is_inlined)[self.place][1]


def results_with(
    body: Sequence[ast.stmt], labels: Mapping[str, NormalValue], others: NormalValue | None, is_inlined: bool
) -> list[tuple[str, str]]:
    """[(the name that gets the value or "", its form without the sign)], in order."""
    reader = ResultReader(labels, others, is_inlined)
    reader.run(body)
    return [(name, value.key) for name, value in reader.results]


def results_of(body: Sequence[ast.stmt]) -> list[Result]:
    """The values that a body computes, with temporary variables replaced by their values, and as they are written.

    A value and its negative have the same forms: which of them a text shows makes little difference to a reader.
    """
    found = []
    for is_inlined in (True, False) if len(body) > 1 else (True,):
        blanks = results_with(body, {}, BLANK_PIECE, is_inlined)
        names = results_with(body, {}, None, is_inlined)
        found += [
            Result(name, blank, named, body, place, is_inlined)
            for place, ((name, blank), (_, named)) in enumerate(zip(blanks, names, strict=True))
        ]
    return found


def returned_value(body: Sequence[ast.stmt]) -> Result | None:
    """The value that a function returns at its end, if nothing else that it does has an effect."""
    if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
        return None
    blank, named = ResultReader({}, BLANK_PIECE), ResultReader({})
    if len(blank.run(body)) != 1:
        return None
    named.run(body)
    place = len(blank.results) - 1
    return Result("", blank.results[place][1].key, named.results[place][1].key, body, place, True)


def bodies(tree: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    """(name or "", statements) of the module and of each function."""
    for node in all_nodes(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            own = [each for each in children(node) if isinstance(each, ast.stmt)]
            if own:
                yield getattr(node, "name", ""), own


def inputs_of(body: Sequence[ast.stmt]) -> list[str]:
    """Names that occur in a body, each once, except those of functions that are called."""
    called = {id(n.func) for s in body for n in all_nodes(s) if isinstance(n, ast.Call)}
    nodes = [n for s in body for n in all_nodes(s) if isinstance(n, ast.Name) and id(n) not in called]
    return list(dict.fromkeys(node.id for node in nodes if node.id not in LIBRARY))


TOO_SMALL = (ast.Name, ast.Constant, ast.Starred, ast.Slice, ast.UnaryOp, ast.Attribute)
TELLING = (ast.Call, ast.Constant, ast.Subscript)
"""A piece has one of these: `_ - _` and `(_, _)` are in every function, too."""
MAX_PIECE_NODES = 6
"""Nodes of a piece."""


def pieces_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The pieces of some statements. Names of functions that are called stay."""
    found: set[str] = set()
    for node in (each for statement in nodes for each in all_nodes(statement)):
        if not isinstance(node, ast.expr) or isinstance(node, TOO_SMALL):
            continue  # they are in every function
        inside = list(islice(all_nodes(node), MAX_PIECE_NODES + 1))
        if len(inside) <= MAX_PIECE_NODES and any(isinstance(each, TELLING) for each in inside):
            found.add(ast.unparse(Nameless().visit(copy.deepcopy(node))))
    return found


def pieces_of_text(text: str) -> set[str]:
    """The pieces of some lines; none where they are not Python on their own."""
    lines = textwrap.dedent(text)
    tree = parse_text(lines) or parse_text(f"{lines}\n    pass")
    return pieces_in(tree.body) if tree is not None else set()


class Nameless(ast.NodeTransformer):
    """`_` for each name."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        self.generic_visit(node)
        node.func = function if isinstance(function, ast.Name) else node.func
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("_", node.ctx)
