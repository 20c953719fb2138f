"""Which of a notebook's variables is which gradient, where they are not called as the lecture's.

In this order: the notebook's own comparisons (claims.py), then a name that differs from the lecture's in its
spelling or by an affix (`grad_probs`, `dcounts_suminv`), then a similar name (`dlogits_maxes`) whose formula reads the
right upstream gradients. A name is taken only where it is the one reading; otherwise a sentence says why it is not.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from grader.intake.notebook.claims import GradientClaim
from grader.intake.notebook.lesson_part import Chooser, ChosenRun, last_of
from grader.intake.notebook.script import Page
from grader.intake.notebook.spellings import (
    GRADIENT_MARKS,
    WORDS_AROUND_A_GRADIENT,
    KnownNames,
    meant_by,
    names_by_spelling,
)
from grader.intake.notebook.uses import Uses
from grader.intake.notebook.value_names import ValueReader
from grader.lesson.notebook_table import NotebookLesson, NotebookTable
from grader.source.similar_names import MAX_CANDIDATES, MAX_COMPARED_NAME, plain_name, similarity
from grader.source.syntax import all_nodes

NEAR = 0.75
"""The least ratio of difflib's SequenceMatcher at which a name may be a gradient's, if its formula is, too."""
FEWEST_VALUES = 5
"""Values of the forward pass that a notebook has, if a name alone makes a variable a gradient; others have `h`."""
ClaimsByGradient = dict[str, dict[str, GradientClaim]]  # {gradient: {variable: claim}}
DisputedClaim = tuple[GradientClaim, str, str]  # with the value that the text names, and the one of the tensor


def names_for(lesson: NotebookLesson, table: NotebookTable, page: Page, uses: Uses) -> KnownNames:
    """The chain's names, and those of a lesson that follows it."""
    names = NameReader(lesson, lesson.chain, page, uses, KnownNames()).names()
    if table.after is None:
        return names
    own = NameReader(lesson, table, page, uses, names).names()
    return replace(own, reasons={**names.reasons, **own.reasons} if names.reasons else own.reasons)


class NameReader(ValueReader):
    """Finds the names of gradients for one lesson; `known` are those of the chain that it follows."""

    visited = 0

    def names(self) -> KnownNames:
        chooser = self.chooser()
        lacking = [name for name in self.ordered if not chooser.has_own(name)]
        claims = [claim for claim in self.claims if claim.variable in self.bound]
        self.read_values(claims)
        if lacking or any(self.is_free(each.variable) or self.is_free(each.tensor) for each in claims):
            self.read_claims(claims, set(lacking))
        for evidence, why in (
            (self.spelled, "by its name it is"),
            (self.similar, "by its name and its formula it can only be"),
            (self.computed_alike, "by its formula it can only be"),
        ):
            while self.settle(evidence(self.candidates(lacking)), why):
                pass  # each name that is known makes others readable
        return KnownNames(self.others, self.compared, self.remarks, self.reasons)

    def settle(self, variables_of: Mapping[str, Sequence[str]], why: str) -> bool:
        """Takes each variable that is the only one for its gradient and for no other; whether there is any.

        Where there is none, a sentence says which gradients have several.
        """
        meant = [variable for variables in variables_of.values() for variable in variables]
        sure = {
            gradient: variables[0]
            for gradient, variables in variables_of.items()
            if len(variables) == 1 and meant.count(variables[0]) == 1
        }
        for gradient, variable in sure.items():
            self.take(variable, gradient, f"{why} `{gradient}`.")
        for gradient, variables in variables_of.items() if not sure else ():
            if len(variables) > 1:
                names = " and ".join(f"`{each}`" for each in variables[:3])
                self.reasons[gradient] = f"{names} may each be meant by it: call the one that counts `{gradient}`."
        return bool(sure)

    def chooser(self) -> Chooser:
        names = KnownNames(self.others, self.compared)
        return Chooser(self.uses, names.added_to(self.table), names.added_to(self.stepwise))

    # comparisons

    def read_claims(self, claims: Sequence[GradientClaim], lacking: Collection[str]) -> None:
        said, disputed = self.claims_by_gradient(claims)
        for claim, by_label, by_tensor in disputed:
            gradient = f"d{by_tensor}"
            if (f"d{by_label}" not in lacking or f"d{by_label}" in said) and gradient not in said:
                said[gradient] = {claim.variable: claim}  # the text names a gradient that is known by another variable
                continue
            for each in (by_label, by_tensor):
                self.reasons[f"d{each}"] = (
                    f"`{claim.text}` ({claim.place}) names `{by_label}` and compares with the gradient of "
                    f"`{by_tensor}`, so `{claim.variable}` is taken for neither."
                )
        for gradient in [each for each in said if each in lacking or each in self.chain.again]:
            for variable, claim in said[gradient].items():
                among = [other for other, variables in said.items() if variable in variables]
                if len(among) > 1:
                    of = " and ".join(f"`{each[1:]}`" for each in among[:3])
                    self.reasons[gradient] = (
                        f"`{variable}` is compared with the gradients of {of} ({claim.place}), so it is taken for "
                        "neither. Give each gradient a variable of its own."
                    )
                    continue
                says = f"says that it is `{gradient}`"
                if any(claim == each for each, _, _ in disputed):
                    says = f"compares it with the gradient of `{gradient[1:]}`"
                self.take(variable, gradient, f"`{claim.text}` in {claim.place} {says}.")

    def claims_by_gradient(self, claims: Sequence[GradientClaim]) -> tuple[ClaimsByGradient, list[DisputedClaim]]:
        """The comparisons of variables that are free. Disputed ones name one value, and compare with another's."""
        said: ClaimsByGradient = {}
        disputed: list[DisputedClaim] = []
        for claim in claims:
            by_label = self.value_of_label(claim.label) or self.value(
                claim.label if claim.label in self.others else None
            )
            by_tensor = self.value(claim.tensor)
            value = by_label or by_tensor
            gradient = f"d{value}"
            if value is None or gradient not in self.gradients:
                continue
            if by_label and by_tensor and by_label != by_tensor:
                if self.is_free(claim.variable):
                    disputed.append((claim, by_label, by_tensor))
            elif self.is_free(claim.variable):
                said.setdefault(gradient, {}).setdefault(claim.variable, claim)
            elif claim.variable != gradient and claim.variable in self.gradients:
                self.reasons[gradient] = (
                    f"`{claim.text}` ({claim.place}) compares `{claim.variable}` with the gradient of `{value}`, but "
                    f"`{claim.variable}` is the name of the gradient of `{claim.variable[1:]}`."
                )
        return said, disputed

    def take(self, variable: str, gradient: str, why: str) -> None:
        self.others[variable] = gradient
        self.compared.pop(variable, None)
        self.remarks[variable] = f"Read from `{variable}`: {why}"

    # names

    @cached_property
    def strangers(self) -> list[str]:
        """Variables of the notebook's own that may be gradients: no result of autograd, no comparison with one."""
        unusable = {
            name
            for s in self.uses.statements
            if any(isinstance(node, ast.Attribute) and node.attr in ("grad", "autograd") for node in all_nodes(s.node))
            for name in s.names.binds
        }
        said = [each for each in self.claims if self.value_of_label(each.label) or self.value(each.tensor)]
        found = self.bound - unusable - {claim.variable for claim in said}
        return sorted(name for name in found if self.is_free(name) and len(name) <= MAX_COMPARED_NAME)

    def candidates(self, lacking: Iterable[str]) -> list[str]:
        """Gradients that nothing is taken for yet, and about which no comparison disagrees."""
        taken = {gradient for variable, gradient in self.others.items() if self.is_in_its_place(variable)}
        return [name for name in lacking if name not in taken and name not in self.reasons]

    def is_in_its_place(self, variable: str) -> bool:
        """Whether a gradient's variable may be this lesson's: none of the chain before it, and in the loop, if any."""
        if self.table.after is not None and variable in self.of_the_chain:
            return False
        if not self.table.loop:
            return True
        runs = self.uses.runs.get(variable, [])
        return any(self.uses.statements[i].loop is not None for run in runs for i in run)

    def spelled(self, gradients: Sequence[str]) -> dict[str, list[str]]:
        """{gradient: variables whose names spell it}"""
        known = {name: value for name, value in self.others.items() if value in self.values}
        values = names_by_spelling(self.values, known)
        found: dict[str, list[str]] = {}
        for variable in self.strangers:
            value = meant_by(variable, values) if variable not in self.others else None
            if f"d{value}" in gradients and self.is_of_the_network(f"d{value}", variable):
                found.setdefault(f"d{value}", []).append(variable)
        for gradient, variables in found.items():
            if len(variables) > 1:
                fitting = self.fitting_runs(gradient, variables)
                found[gradient] = (last_of(fitting) if len(fitting) == len(variables) else []) or variables
        return found

    def is_of_the_network(self, gradient: str, variable: str) -> bool:
        """Whether the notebook has the lesson's network, or this gradient reads the next: `w2.grad = 0.5` is no dW2."""
        shown = {self.others.get(name, name) for name in self.bound} & self.computed
        return len(shown) >= FEWEST_VALUES or bool(self.fitting_runs(gradient, [variable]))

    def similar(self, gradients: Sequence[str]) -> dict[str, list[str]]:
        """{gradient: variables with a similar name whose formula reads the right upstream gradients}"""
        near = {gradient: self.near[gradient] for gradient in gradients if gradient in self.near}
        return {gradient: last_of(self.fitting_runs(gradient, variables)) for gradient, variables in near.items()}

    def computed_alike(self, gradients: Sequence[str]) -> dict[str, list[str]]:
        """`da = (1 - a**2) * dh`, where `a` is the lesson's `h`: only one gradient is computed from `dh`."""
        found: dict[str, list[str]] = {}
        named = [each for each in self.strangers if each[:1] == "d" and each[1:] in self.bound]
        named = [each for each in named if each not in self.others][:MAX_CANDIDATES]
        for gradient in gradients if named else ():
            consumers = self.table.consumers.get(gradient, frozenset())
            if consumers and [*self.table.consumers.values()].count(consumers) == 1:
                for variable, run in self.fitting_runs(gradient, named).items():
                    if run.part and consumers == self.table.given.gradients.intersection(run.part.parameters):
                        found.setdefault(gradient, []).append(variable)
        return found

    @cached_property
    def near(self) -> dict[str, list[str]]:
        """{gradient: variables whose names are nearer to its name than to any other gradient's}"""
        found: dict[str, list[str]] = {}
        for variable in [name for name in self.strangers if name not in self.others][:MAX_CANDIDATES]:
            words = [word for word in variable.casefold().split("_") if word]
            if not (variable[:1] == "d" or not GRADIENT_MARKS.isdisjoint(words)):
                continue
            core = "".join(word for word in words if word not in WORDS_AROUND_A_GRADIENT)
            matcher = difflib.SequenceMatcher(b=core if core[:1] == "d" else f"d{core}")
            ratios = {gradient: similarity(matcher, plain_name(gradient), NEAR) for gradient in self.ordered}
            if max(ratios.values(), default=0.0) < NEAR:  # words of the student's own behind it: `dlogits_simple`
                begun = [gradient for gradient in self.ordered if variable.startswith(f"{gradient}_")]
                ratios |= {max(begun, key=len): 1.0} if begun else {}
            best = max(ratios.values(), default=0.0)
            for gradient, ratio in ratios.items():
                if ratio >= max(NEAR, best):
                    found.setdefault(gradient, []).append(variable)
        return found

    def fitting_runs(self, gradient: str, variables: Iterable[str]) -> dict[str, ChosenRun]:
        """{variable: its run of statements}, where its upstream gradients are those of this gradient."""
        found, chooser = dict[str, ChosenRun](), self.chooser()
        for variable in variables:
            trial = chooser.with_name(variable, gradient) if variable not in self.others else None
            for run in reversed(trial.here(gradient)[-3:]) if trial else ():
                assert trial is not None
                trial.slicer.visited = self.visited
                each = trial.found(run)
                self.visited = trial.slicer.visited
                if run.variable == variable and trial.is_consistent(gradient, each):
                    found[variable] = each
                    break
        return found
