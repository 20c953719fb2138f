"""Which of a notebook's variables is which value of the forward pass, where they are not called as the lecture's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from grader.intake.notebook.claims import GradientClaim
from grader.intake.notebook.forward_pass import NamedExpression, agreeing_names, lines_like, other_names
from grader.intake.notebook.script import Page, Statement
from grader.intake.notebook.spellings import KnownNames, meant_by, names_by_spelling
from grader.intake.notebook.uses import Uses
from grader.lesson.notebook_table import NotebookLesson, NotebookTable
from grader.source.similar_names import plain_name
from grader.source.syntax import nested_statements


class ValueReader:
    """Finds the names of values for one lesson; `known` are names of the chain that it follows."""

    def __init__(self, lesson: NotebookLesson, table: NotebookTable, page: Page, uses: Uses, known: KnownNames) -> None:
        """`table` is the lesson's own, or that of the chain that comes before it."""
        chain = lesson.chain
        self.table, self.chain, self.stepwise, self.uses = table, chain, lesson.stepwise or chain, uses
        self.claims = page.claims
        self.gradients = {name for name in (*chain.names, *table.names) if name.startswith("d")}
        self.ordered = [name for name in table.names if name in self.gradients]
        given = (table.given, chain.given)
        self.forward = [*dict.fromkeys((*table.lines, *chain.lines))]
        self.values = {name for each in given for name in each.values} | {name[1:] for name in self.gradients}
        self.computed = {name for name, _ in self.forward}
        self.values |= self.computed
        tensors = {name for each in (table, chain) for name in each.sizes.axes}
        self.batch = {name for name in tensors - self.computed if f"d{name}" not in self.gradients}
        self.same = {name: value for each in given for name, value in each.same.items()}
        self.others, self.compared = dict(known.others), dict(known.compared)
        self.of_the_chain = frozenset(known.others)
        self.remarks, self.reasons = dict(known.remarks), dict[str, str]()

    @cached_property
    def bound(self) -> set[str]:
        return {name for s in self.uses.statements if s.computes for name in s.names.binds}

    def read_values(self, claims: Sequence[GradientClaim]) -> None:
        """Adds the names of values to `others` and `compared`, where names are needed and none is known."""
        if self.values <= self.bound_in_forward or (self.others and not self.table.loop):
            return
        for claim in claims:
            value = self.value_of_label(claim.label)
            if value and claim.tensor and self.is_free(claim.tensor) and value not in self.bound:
                refused = self.compared.get(claim.tensor, value) != value
                self.compared[claim.tensor] = "" if refused else value
        self.compared = {name: value for name, value in self.compared.items() if value}
        doubles = [value for value in self.compared.values() if list(self.compared.values()).count(value) > 1]
        self.compared = {name: value for name, value in self.compared.items() if value not in doubles}
        lines = assigned_lines(self.forward_statements)
        known = {name: value for name, value in self.compared.items() if name in self.bound}
        bound = self.bound_in_forward & self.values
        found = other_names(lines, self.forward, self.values, bound, {**self.same, **known})
        agreeing = agreeing_names(lines, self.forward, known)
        agreeing |= {name for name, value in known.items() if value not in self.computed}  # inputs have no line
        self.others |= {name: self.compared.pop(name) for name in sorted(agreeing)}
        self.others |= {name: value for name, value in found.items() if self.is_free(name)}
        self.read_misplaced(lines, {**self.same, **self.others})
        self.read_spelled_inputs()

    def read_misplaced(self, lines: Sequence[tuple[str, ast.expr]], known: Mapping[str, str]) -> None:
        """In `emb = C[Xb].flatten(1); hprebn = emb @ W1 + b1` the notebook's `emb` is the lesson's `embcat`.

        A name whose own line is not the lesson's belongs to the value whose place it has in the other lines, where the
        notebook has no other variable for that.
        """
        there = self.bound | self.others.keys() | {*self.others.values()}
        own = {target for target, _ in lines} & self.computed
        for name in sorted(own - agreeing_names(lines, self.forward, {each: each for each in own})):
            bound = (self.bound_in_forward & self.values) - {name}
            value = other_names(lines, self.forward, self.values - {name}, bound, known).get(name, name)
            if value not in there and f"d{value}" in self.gradients:
                self.others[name] = value
                if f"d{name}" in self.bound and f"d{value}" not in self.bound:
                    why = f"your `{name}` is this exercise's `{value}`"
                    self.others[f"d{name}"] = f"d{value}"
                    self.remarks[f"d{name}"] = f"Read from `d{name}`: {why}."
                    self.reasons[f"d{name}"] = f"Your `d{name}` is read as `d{value}`, because {why}."

    def read_spelled_inputs(self) -> None:
        """`xb` for `Xb`, where the forward pass does not show it: a batch, which nobody can compute from the text."""
        missing = self.batch - self.bound - {*self.others.values(), *self.compared.values()}
        spelled: dict[str, list[str]] = {}
        for name in sorted(self.bound):
            if self.is_free(name) and name not in self.others and name not in self.compared:
                spelled.setdefault(plain_name(name), []).append(name)
        for value in sorted(missing):
            names = spelled.get(plain_name(value), [])
            if len(names) == 1:
                self.compared[names[0]] = value

    @cached_property
    def forward_statements(self) -> list[Statement]:
        """Those above the first gradient: of the loops, for a lesson about a loop, where the script has one."""
        computed = lines_like(assigned_lines(self.uses.statements), self.forward)
        gradients = {*self.gradients, *(each.variable for each in self.claims if each.tensor in computed)}
        in_loops = [each for each in self.uses.statements if each.loop is not None] if self.table.loop else []
        return above_gradients(
            in_loops or self.uses.statements,
            lambda name: name in gradients or meant_by(name, self.by_spelling) is not None,
            each_loop=bool(in_loops),
        )

    @cached_property
    def bound_in_forward(self) -> set[str]:
        return {name for s in self.forward_statements if s.computes for name in s.names.binds}

    def is_free(self, name: str | None) -> bool:
        """Whether it is a name of the notebook's own."""
        return name is not None and not any(name in each for each in (self.values, self.gradients, self.same))

    def value_of_label(self, label: str | None) -> str | None:
        """The value that a comparison's text names: `counts_sum`, `dcounts_sum`, `counts sum`."""
        label = (label or "").strip()
        if label in self.values:
            return self.value(label)
        if label[:1] == "d" and label in self.gradients:
            return label[1:]
        return self.by_spelling.get(plain_name(label)) or meant_by(label, self.by_spelling)

    @cached_property
    def by_spelling(self) -> dict[str, str]:
        return names_by_spelling(self.values)

    def value(self, name: str | None) -> str | None:
        found = self.others.get(name or "") or self.compared.get(name or "")
        return found if found in self.values else name if name in self.values else None


def above_gradients(
    statements: Iterable[Statement], is_gradient: Callable[[str], bool], each_loop: bool
) -> list[Statement]:
    """The statements above the first gradient; with `each_loop` above the first one of each loop."""
    found, ended = list[Statement](), set[int | None]()
    for statement in statements:
        loop = statement.loop if each_loop else None
        if statement.computes and any(map(is_gradient, statement.names.binds)):
            ended.add(loop)
        elif loop not in ended:
            found.append(statement)
    return found


def assigned_lines(statements: Iterable[Statement]) -> list[NamedExpression]:
    """Those that assign to one name, also in a loop that the backward pass comes after."""
    inner = nested_statements(each.node for each in statements)
    nodes = [each for each in inner if isinstance(each, ast.Assign) and len(each.targets) == 1]
    return [(node.targets[0].id, node.value) for node in nodes if isinstance(node.targets[0], ast.Name)]
