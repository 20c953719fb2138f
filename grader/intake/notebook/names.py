"""Which of a notebook's variables is which gradient and which value, where they are not called as the lecture's.

In this order: the notebook's own comparisons (claims.py), the places of names in the lines of the forward pass
(forward_pass.py), then a name that is near a gradient's (`dlogits_maxes`, `grad_probs`), if its formula reads the
right upstream gradients, then the formula alone. A name is taken only where it is the one reading; otherwise a sentence
says why it is not.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from grader.intake.notebook.claims import GradientClaim
from grader.intake.notebook.forward_pass import NamedExpression, agreeing_names, lines_like, other_names
from grader.intake.notebook.lesson_part import Chooser, ChosenRun
from grader.intake.notebook.script import Page, Statement
from grader.intake.notebook.spellings import GRADIENT_MARKS, WORDS_AROUND_A_GRADIENT, meant_by, names_by_spelling
from grader.intake.notebook.uses import Uses
from grader.lesson.notebook_table import NotebookLesson, NotebookTable
from grader.source.similar_names import MAX_CANDIDATES, MAX_COMPARED_NAME, plain_name, similarity
from grader.source.syntax import all_nodes, nested_statements

NEAR = 0.75
"""The least ratio of difflib's SequenceMatcher at which a name may be a gradient's, if its formula is, too."""
ClaimsByGradient = dict[str, dict[str, GradientClaim]]  # {gradient: {variable: claim}}
DisputedClaim = tuple[GradientClaim, str, str]  # with the value that the text names, and the one of the tensor


@dataclass(frozen=True)
class KnownNames:
    """What is known about other names.

    Attributes:
        others: {the notebook's name: the lecture's}, gradients and values of the forward pass.
        compared: {the notebook's name of a value: the lecture's}, from comparisons only.
        remarks: {the notebook's name: why it is taken for a gradient}, a sentence.
        reasons: {gradient: why nothing is taken for it}, a sentence.
    """

    others: Mapping[str, str] = field(default_factory=dict)
    compared: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def remarks_on(self, row: str, variable: str) -> dict[str, str]:
        """{row: the remark} where there is one on the row's variable."""
        return {row: self.remarks[variable]} if variable in self.remarks else {}

    def added_to(self, table: NotebookTable) -> NotebookTable:
        """The table with these names among the inputs of its functions."""
        if not self.others and not self.compared:
            return table
        return replace(table, given=replace(table.given, others=self.others, compared=self.compared))


def names_for(lesson: NotebookLesson, table: NotebookTable, page: Page, uses: Uses) -> KnownNames:
    """The chain's names, and those of a lesson that follows it."""
    names = NameReader(lesson, lesson.chain, page, uses, KnownNames()).names()
    if table.after is None:
        return names
    own = NameReader(lesson, table, page, uses, names).names()
    return replace(own, reasons={**names.reasons, **own.reasons} if names.reasons else own.reasons)


class NameReader:
    """Finds the names for one lesson; `known` are those of the chain that it follows."""

    def __init__(self, lesson: NotebookLesson, table: NotebookTable, page: Page, uses: Uses, known: KnownNames) -> None:
        """`table` is the lesson's own, or that of the chain that comes before it."""
        chain = lesson.chain
        self.table, self.chain, self.stepwise, self.uses = table, chain, lesson.stepwise or chain, uses
        self.claims = page.claims
        self.gradients = {name for name in (*chain.names, *table.names) if name.startswith("d")}
        self.ordered = [name for name in table.names if name in self.gradients]
        self.forward = [*dict.fromkeys((*table.lines, *chain.lines))]
        self.computed = {name for name, _ in self.forward}
        given = (table.given, chain.given)
        self.values = {name for each in given for name in each.values} | {name[1:] for name in self.gradients}
        self.values |= self.computed
        self.same = {name: value for each in given for name, value in each.same.items()}
        self.others, self.compared = dict(known.others), dict(known.compared)
        self.of_the_chain = frozenset(known.others)
        self.remarks, self.reasons = dict(known.remarks), dict[str, str]()
        self.visited = 0

    def names(self) -> KnownNames:
        chooser = self.chooser()
        lacking = [name for name in self.ordered if not chooser.has_own(name)]
        claims = [claim for claim in self.claims if claim.variable in self.bound]
        self.read_values(claims)
        if lacking or any(self.is_free(each.variable) or self.is_free(each.tensor) for each in claims):
            self.read_claims(claims, set(lacking))
        for evidence, why in ((self.similar, "by its name and its formula"), (self.computed_alike, "by its formula")):
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
            self.take(variable, gradient, f"{why} it can only be `{gradient}`.")
        for gradient, variables in variables_of.items() if not sure else ():
            if len(variables) > 1:
                names = " and ".join(f"`{each}`" for each in variables[:3])
                self.reasons[gradient] = f"{names} may each be meant by it: call the one that counts `{gradient}`."
        return bool(sure)

    def take(self, variable: str, gradient: str, why: str) -> None:
        self.others[variable] = gradient
        self.compared.pop(variable, None)
        self.remarks[variable] = f"Read from `{variable}`: {why}"

    def chooser(self) -> Chooser:
        names = KnownNames(self.others, self.compared)
        return Chooser(self.uses, names.added_to(self.table), names.added_to(self.stepwise))

    @cached_property
    def bound(self) -> set[str]:
        return {name for s in self.uses.statements if s.computes for name in s.names.binds}

    def is_free(self, name: str | None) -> bool:
        """Whether it is a name of the notebook's own."""
        return name is not None and not any(name in each for each in (self.values, self.gradients, self.same))

    # values of the forward pass

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

    def read_misplaced(self, lines: Sequence[NamedExpression], known: Mapping[str, str]) -> None:
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
                    self.take(f"d{name}", f"d{value}", f"{why}.")
                    self.reasons[f"d{name}"] = f"Your `d{name}` is read as `d{value}`, because {why}."

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

    # near names

    def similar(self, gradients: Sequence[str]) -> dict[str, list[str]]:
        """{gradient: variables with a similar name whose formula reads the right upstream gradients}"""
        near = {gradient: self.near[gradient] for gradient in gradients if gradient in self.near}
        return {gradient: [*self.fitting_runs(gradient, variables)] for gradient, variables in near.items()}

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

    @cached_property
    def strangers(self) -> list[str]:
        """The notebook's own names about which nothing is known yet."""
        unusable = {
            name
            for s in self.uses.statements
            if any(isinstance(node, ast.Attribute) and node.attr in ("grad", "autograd") for node in all_nodes(s.node))
            for name in s.names.binds
        }
        said = [each for each in self.claims if self.value_of_label(each.label) or self.value(each.tensor)]
        own = self.bound - unusable - {claim.variable for claim in said} - self.others.keys()
        return sorted(name for name in own if self.is_free(name) and len(name) <= MAX_COMPARED_NAME)

    @cached_property
    def near(self) -> dict[str, list[str]]:
        """{gradient: variables whose names are nearer to its name than to any other gradient's}"""
        found: dict[str, list[str]] = {}
        of_values = {f"d{name}": f"d{value}" for name, value in self.others.items() if value in self.values}
        for variable in self.strangers[:MAX_CANDIDATES]:
            if variable in of_values:
                found.setdefault(of_values[variable], []).append(variable)
                continue
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
