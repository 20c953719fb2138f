"""Which of a notebook's variables is which gradient and which value, where they are not called as the lecture's.

In this order: the notebook's own comparisons (claims.py), the places of names in the lines of the forward pass
(forward_pass.py), then a name that is near a gradient's (`dlogits_maxes`, `grad_probs`), if its formula reads the
right upstream gradients. A name is taken only where it is the one reading; otherwise a sentence says why it is not.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grader.intake.notebook.answers import Chooser, GradientAnswer
from grader.intake.notebook.claims import GradientClaim
from grader.intake.notebook.forward_pass import NamedExpression, agreeing_names, one_to_one, other_names
from grader.intake.notebook.script import Page, Statement
from grader.intake.notebook.slices import Uses
from grader.intake.notebook.spellings import GRADIENT_MARKS, WORDS_AROUND_A_GRADIENT, meant_by, names_by_spelling
from grader.lesson.notebook_table import NotebookLesson, NotebookTable
from grader.source.similar_names import MAX_CANDIDATES, MAX_COMPARED_NAME, plain_name, similarity
from grader.source.syntax import all_nodes, nested_statements

NEAR = 0.75
"""The least ratio of difflib's SequenceMatcher at which a name may be a gradient's, if its formula is, too."""


@dataclass(frozen=True)
class KnownNames:
    """What is known about other names.

    Attributes:
        others: {the notebook's name: the lecture's}, gradients and values of the forward pass.
        remarks: {the notebook's name: why it is taken for a gradient}, a sentence.
        reasons: {gradient: why nothing is taken for it}, a sentence.
    """

    others: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def added_to(self, table: NotebookTable) -> NotebookTable:
        """The table with these names among the inputs of its functions."""
        return table.with_names(self.others)


def names_for(lesson: NotebookLesson, table: NotebookTable, page: Page, uses: Uses) -> KnownNames:
    """The chain's names, and those of a lesson that follows it."""
    names = NameReader(lesson, lesson.chain, page, uses, KnownNames()).names()
    return NameReader(lesson, table, page, uses, names).names() if table.after else names


class NameReader:
    """Finds the names for one lesson; `known` are those of the chain that it follows."""

    def __init__(self, lesson: NotebookLesson, table: NotebookTable, page: Page, uses: Uses, known: KnownNames) -> None:
        """`table` is the lesson's own, or that of the chain that comes before it."""
        chain = lesson.chain
        self.table, self.chain, self.stepwise, self.uses = table, chain, lesson.stepwise or chain, uses
        self.gradients = {name for name in (*chain.names, *table.names) if name.startswith("d")}
        self.forward = [*dict.fromkeys((*table.lines, *chain.lines))]
        self.same = {**table.same, **chain.same}
        self.values = {*table.values, *chain.values, *(name for name, _ in self.forward)}
        self.values |= {name[1:] for name in self.gradients}
        self.by_spelling = names_by_spelling(self.values)
        self.bound = {name for s in uses.statements if s.computes for name in s.names.binds}
        self.claims = [claim for claim in page.claims if claim.variable in self.bound]
        self.others, self.remarks, self.reasons = dict(known.others), dict(known.remarks), dict(known.reasons)
        self.of_the_chain = frozenset(known.others)

    def names(self) -> KnownNames:
        chooser = self.chooser()
        lacking = [name for name in self.table.names if name in self.gradients and not chooser.has_own(name)]
        self.read_values()
        self.read_claims(lacking)
        while self.settle(self.similar(self.without_answer(lacking))):
            pass  # each name that is known makes others readable
        return KnownNames(self.others, self.remarks, self.reasons)

    def settle(self, variables_of: Mapping[str, Sequence[str]]) -> bool:
        """Takes each variable that is the only one for its gradient and for no other; whether there is any.

        Where there is none, a sentence says which gradients have several.
        """
        sure = one_to_one(variables_of)
        for gradient, variable in sure.items():
            self.take(variable, gradient, f"by its name and its formula it can only be `{gradient}`.")
        for gradient, variables in variables_of.items() if not sure else ():
            if len(variables) > 1:
                names = " and ".join(f"`{each}`" for each in variables[:3])
                self.reasons[gradient] = f"{names} may each be meant by it: call the one that counts `{gradient}`."
        return bool(sure)

    def take(self, variable: str, gradient: str, why: str) -> None:
        self.others[variable] = gradient
        self.remarks[variable] = f"Read from `{variable}`: {why}"

    def chooser(self) -> Chooser:
        names = KnownNames(self.others)
        return Chooser(self.uses, names.added_to(self.table), names.added_to(self.stepwise))

    def is_free(self, name: str) -> bool:
        """Whether it is a name of the notebook's own."""
        return bool(name) and not any(name in each for each in (self.values, self.gradients, self.same))

    def value(self, name: str) -> str | None:
        """The value that a variable is, or that the text of a comparison names: `counts_sum`, `dcounts_sum`."""
        name = name.strip()
        found = self.others.get(name, name)
        return found if found in self.values else None

    # values of the forward pass

    def read_values(self) -> None:
        """Adds the names of values to `others`, where names are needed and none is known."""
        forward = self.forward_statements()
        bound = {name for s in forward if s.computes for name in s.names.binds} & self.values
        if self.others or self.values <= bound:
            return
        compared: dict[str, set[str]] = {}
        for claim in self.claims:
            value = self.value(claim.label)
            if value and self.is_free(claim.tensor) and value not in self.bound:
                compared.setdefault(claim.tensor, set()).add(value)
        self.others = one_to_one(compared)
        lines = assigned_lines(forward)
        found = other_names(lines, self.forward, self.values, bound, {**self.same, **self.others})
        self.others |= {name: value for name, value in found.items() if self.is_free(name)}
        self.read_misplaced(lines, bound)

    def read_misplaced(self, lines: Sequence[NamedExpression], bound: Collection[str]) -> None:
        """In `emb = C[Xb].flatten(1); hprebn = emb @ W1 + b1` the notebook's `emb` is the lesson's `embcat`.

        A name whose own line is not the lesson's belongs to the value whose place it has in the other lines, where the
        notebook has no other variable for that.
        """
        known = {**self.same, **self.others}
        there = self.bound | self.others.keys() | {*self.others.values()}
        own = {target for target, _ in lines} & {name for name, _ in self.forward}
        for name in sorted(own - agreeing_names(lines, self.forward)):
            found = other_names(lines, self.forward, self.values - {name}, {*bound} - {name}, known)
            value = found.get(name, name)
            if value not in there and f"d{value}" in self.gradients:
                self.others[name] = value
                if f"d{name}" in self.bound and f"d{value}" not in self.bound:
                    why = f"your `{name}` is this exercise's `{value}`"
                    self.take(f"d{name}", f"d{value}", f"{why}.")
                    self.reasons[f"d{name}"] = f"Your `d{name}` is read as `d{value}`, because {why}."

    def forward_statements(self) -> list[Statement]:
        """Those above the first gradient: of each loop, for a lesson about a loop, where the script has one."""
        in_loops = [each for each in self.uses.statements if each.loop is not None] if self.table.loop else []
        gradients = self.gradients | {claim.variable for claim in self.claims}
        found, ended = list[Statement](), set[int | None]()
        for statement in in_loops or self.uses.statements:
            loop = statement.loop if in_loops else None
            binds = statement.names.binds if statement.computes else ()
            if any(name in gradients or meant_by(name, self.by_spelling) for name in binds):
                ended.add(loop)
            elif loop not in ended:
                found.append(statement)
        return found

    # comparisons

    def read_claims(self, lacking: Collection[str]) -> None:
        """Takes a variable for the one gradient that it is compared with and that has no variable of its own."""
        said: dict[str, dict[str, GradientClaim]] = {}
        for claim in self.claims:
            values = [self.value(claim.label), self.value(claim.tensor)]
            gradients = [f"d{value}" for value in values if f"d{value}" in self.gradients]
            if self.is_free(claim.variable):
                for gradient in gradients:
                    said.setdefault(claim.variable, {}).setdefault(gradient, claim)
            elif claim.variable in self.gradients and gradients and claim.variable not in gradients:
                self.reasons[gradients[0]] = (
                    f"`{claim.text}` ({claim.place}) compares `{claim.variable}` with the gradient of "
                    f"`{gradients[0][1:]}`, but `{claim.variable}` is the name of the gradient of "
                    f"`{claim.variable[1:]}`."
                )
        for variable, claims in said.items():
            open_ones = [name for name in claims if name in lacking or (name in self.chain.again and len(claims) == 1)]
            for gradient in open_ones:
                claim = claims[gradient]
                if len(open_ones) == 1:
                    self.take(
                        variable,
                        gradient,
                        f"`{claim.text}` in {claim.place} compares it with the gradient of `{gradient[1:]}`.",
                    )
                    continue
                of = " and ".join(f"`{each[1:]}`" for each in open_ones[:3])
                self.reasons[gradient] = (
                    f"`{variable}` is compared with the gradients of {of} ({claim.place}), so it is taken for neither. "
                    "Give each gradient a variable of its own."
                )

    # near names

    def similar(self, gradients: Sequence[str]) -> dict[str, list[str]]:
        """{gradient: variables with a similar name whose formula reads the right upstream gradients}"""
        return {each: [*self.fitting_answers(each, self.near[each])] for each in gradients if each in self.near}

    def without_answer(self, lacking: Iterable[str]) -> list[str]:
        """Gradients that nothing is taken for yet, and about which no comparison disagrees."""
        taken = {gradient for variable, gradient in self.others.items() if self.is_in_its_place(variable)}
        return [name for name in lacking if name not in taken and name not in self.reasons]

    def is_in_its_place(self, variable: str) -> bool:
        """Whether a gradient's variable may be this lesson's: none of the chain before it, and in the loop, if any."""
        if self.table.after and variable in self.of_the_chain:
            return False
        runs = self.uses.runs.get(variable, [])
        return not self.table.loop or any(self.uses.statements[i].loop is not None for run in runs for i in run)

    @cached_property
    def strangers(self) -> list[str]:
        """The notebook's own names about which nothing is known yet."""
        unusable = {
            name
            for s in self.uses.statements
            if any(isinstance(node, ast.Attribute) and node.attr in ("grad", "autograd") for node in all_nodes(s.node))
            for name in s.names.binds
        }
        said = {each.variable for each in self.claims if self.value(each.label) or self.value(each.tensor)}
        own = self.bound - unusable - said - self.others.keys()
        return sorted(name for name in own if self.is_free(name) and len(name) <= MAX_COMPARED_NAME)

    @cached_property
    def near(self) -> dict[str, list[str]]:
        """{gradient: variables whose names are nearer to its name than to any other gradient's}"""
        found: dict[str, list[str]] = {}
        of_values = {f"d{name}": f"d{value}" for name, value in self.others.items() if value in self.values}
        ordered = [name for name in self.table.names if name in self.gradients]
        for variable in self.strangers[:MAX_CANDIDATES]:
            words = [word for word in variable.casefold().split("_") if word]
            core = "".join(word for word in words if word not in WORDS_AROUND_A_GRADIENT)
            matcher = difflib.SequenceMatcher(b=core if core[:1] == "d" else f"d{core}")
            ratios = {gradient: similarity(matcher, plain_name(gradient), NEAR) for gradient in ordered}
            best = max(ratios.values(), default=0.0)
            begun = [gradient for gradient in ordered if variable.startswith(f"{gradient}_")]
            if variable in of_values:
                nearest = [of_values[variable]]
            elif variable[:1] != "d" and GRADIENT_MARKS.isdisjoint(words):
                continue
            elif best >= NEAR:
                nearest = [gradient for gradient, ratio in ratios.items() if ratio == best]
            else:  # words of the student's own behind it: `dlogits_simple`
                nearest = sorted(begun, key=len)[-1:]
            for gradient in nearest:
                found.setdefault(gradient, []).append(variable)
        return found

    def fitting_answers(self, gradient: str, variables: Iterable[str]) -> dict[str, GradientAnswer]:
        """{variable: its answer}, where its upstream gradients are those of this gradient."""
        found, chooser = dict[str, GradientAnswer](), self.chooser()
        for variable in variables:
            trial = chooser.with_name(variable, gradient) if variable not in self.others else None
            for each in reversed(trial.here(gradient)[-3:]) if trial else ():
                answer = trial.sliced(each) if trial else each
                if trial and each.variable == variable and trial.is_consistent(gradient, answer):
                    found[variable] = answer
                    break
        return found


def assigned_lines(statements: Iterable[Statement]) -> list[NamedExpression]:
    """Those that assign to one name, also in a loop that the backward pass comes after."""
    inner = nested_statements(each.node for each in statements)
    nodes = [each for each in inner if isinstance(each, ast.Assign) and len(each.targets) == 1]
    return [(node.targets[0].id, node.value) for node in nodes if isinstance(node.targets[0], ast.Name)]
