"""Which of a notebook's variables is which gradient and which value, where they are not called as the lecture's.

The notebook's own comparisons say it (claims.py), and the places of names in the lines of the forward pass
(forward_pass.py). A gradient under any other name is missing, and a sentence asks whether a similar one is meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from grader.intake.notebook.answers import is_placeholder
from grader.intake.notebook.claims import GradientClaim
from grader.intake.notebook.forward_pass import NamedExpression, other_names
from grader.intake.notebook.script import Page, Statement
from grader.intake.notebook.slices import Uses
from grader.lesson.notebook_table import NotebookLesson, NotebookTable
from grader.source.syntax import nested_statements


class KnownNames:
    """What is known about other names, for one lesson's table and the chain that comes before it.

    Attributes:
        others: {the notebook's name: the lecture's}, gradients and values of the forward pass.
        remarks: {the notebook's name: why it is taken for a gradient}, a sentence.
    """

    def __init__(self, lesson: NotebookLesson, table: NotebookTable, page: Page, uses: Uses) -> None:
        chain = lesson.chain
        self.table, self.chain, self.uses = table, chain, uses
        self.others, self.remarks = dict[str, str](), dict[str, str]()
        self.gradients = [each for each in dict.fromkeys((*chain.names, *table.names)) if each.startswith("d")]
        self.forward = [*dict.fromkeys((*table.lines, *chain.lines))]
        self.same = {**table.same, **chain.same}
        self.values = {*table.values, *chain.values, *(name for name, _ in self.forward)}
        self.values |= {name[1:] for name in self.gradients}
        self.bound = {name for s in uses.statements if s.computes for name in s.names.binds}
        self.claims = [claim for claim in page.claims if claim.variable in self.bound]
        self.read_values()
        self.read_claims()
        for name, value in [*self.others.items()]:
            if f"d{name}" in self.bound and f"d{value}" in self.gradients and f"d{value}" not in self.bound:
                self.take(f"d{name}", f"d{value}", f"your `{name}` is this exercise's `{value}`.")

    def added_to(self, table: NotebookTable) -> NotebookTable:
        """The table with these names among the inputs of its functions."""
        return replace(table, others=self.others)

    def take(self, variable: str, gradient: str, why: str) -> None:
        if self.is_free(variable):
            self.others[variable] = gradient
            self.remarks[variable] = f"Read from `{variable}`: {why}"

    def is_free(self, name: str) -> bool:
        """Whether it is a name of the notebook's own, about which nothing is known yet."""
        return bool(name) and not any(name in e for e in (self.values, self.gradients, self.same, self.others))

    def value(self, name: str) -> str | None:
        """The value that a variable is, or that the text of a comparison names."""
        found = self.others.get(name.strip(), name.strip())
        return found if found in self.values else None

    def read_values(self) -> None:
        """Adds the names of values, where the notebook lacks some of the lecture's."""
        forward = self.forward_statements()
        bound = {name for s in forward if s.computes for name in s.names.binds} & self.values
        if self.values <= bound:
            return
        found = other_names(assigned_lines(forward), self.forward, self.values, bound, self.same)
        self.others |= {name: value for name, value in found.items() if self.is_free(name)}

    def forward_statements(self) -> list[Statement]:
        """Those above the first gradient: of each loop, for a lesson about a loop, where the script has one."""
        in_loops = [each for each in self.uses.statements if each.loop is not None] if self.table.loop else []
        gradients = {*self.gradients, *(claim.variable for claim in self.claims)}
        found, ended = list[Statement](), set[int | None]()
        for statement in in_loops or self.uses.statements:
            loop = statement.loop if in_loops else None
            if statement.computes and not gradients.isdisjoint(statement.names.binds):
                ended.add(loop)
            elif loop not in ended:
                found.append(statement)
        return found

    def read_claims(self) -> None:
        """Takes a variable for the one gradient that it is compared with and that has no variable of its own."""
        written = {
            name
            for name in self.gradients
            for run in self.uses.runs.get(name, [])
            if (statements := [self.uses.statements[i] for i in run])
            if (statements[0].loop is not None) == bool(self.table.loop) and not is_placeholder(statements)
        }
        said: dict[str, dict[str, GradientClaim]] = {}
        for claim in self.claims:
            values = [self.value(claim.label), self.value(claim.tensor)]
            for gradient in (f"d{value}" for value in values if f"d{value}" in self.gradients):
                if self.is_free(claim.variable):
                    said.setdefault(claim.variable, {}).setdefault(gradient, claim)
        for variable, claims in said.items():
            lacking = [
                name for name in claims if name not in written or (name in self.chain.again and len(claims) == 1)
            ]
            if len(lacking) == 1:
                claim, of = claims[lacking[0]], f"the gradient of `{lacking[0][1:]}`"
                self.take(variable, lacking[0], f"`{claim.text}` in {claim.place} compares it with {of}.")


def assigned_lines(statements: Iterable[Statement]) -> list[NamedExpression]:
    """Those that assign to one name, also in a loop that the backward pass comes after."""
    inner = nested_statements(each.node for each in statements)
    nodes = [each for each in inner if isinstance(each, ast.Assign) and len(each.targets) == 1]
    return [(node.targets[0].id, node.value) for node in nodes if isinstance(node.targets[0], ast.Name)]
