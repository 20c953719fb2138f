"""Why a gradient is wrong: one ranked list of hypotheses, of which the first that holds becomes the row's message.

They come from the numbers (known mistakes of the lesson, patterns) and from edits of the student's own code. A verdict
is final before its explanation is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from grader.calling.answer import Answer
from grader.lesson.lesson import Item
from grader.reference.problem import Draw, Problem
from grader.results import NamedMistake, Row
from grader.results.wording import listed_as_code
from grader.verdict.explain import coefficients, formulas
from grader.verdict.explain.attempts import attempt, check_interrupt, explaining
from grader.verdict.explain.edits.changed_functions import INNER_GRADIENT
from grader.verdict.explain.edits.search import Trials, changes_tried, explain_contents, explain_edits, known_on, slips
from grader.verdict.explain.errors import explain_no_answer
from grader.verdict.explain.explanation import SURE, UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.known import are_right, known_mistake, mistakes_of_gradients
from grader.verdict.explain.needs import FunctionContents, is_borne_out
from grader.verdict.explain.probes import explain_by_properties
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.sizes import explain_hard_coded_sizes, sizes_by_name
from grader.verdict.explain.where_wrong import where_it_is_wrong
from grader.verdict.explain.wrong_answer import Cases, first_that_fits, wrong_gradient
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.line import Verdict
from grader.verdict.judge.messages import not_earned_alone

ERRORS_OF_SHAPES = {"shapes_do_not_fit", "index_out_of_range", "axis_out_of_range"}
"""Meanings of an error for which a change of the code says more."""
PATTERNS = (
    coefficients.zeros,
    formulas.wrong_sum,
    coefficients.constant_multiple,
    coefficients.wrong_branches,
    formulas.wrong_shape,
    formulas.not_broadcast,
    formulas.transposed,
    formulas.unchanged_upstream,
    formulas.other_gradient,
    coefficients.wrong_inner_parts,
    formulas.sum_still_missing,
    formulas.upstream_forgotten,
    coefficients.unnamed_multiple,
)
"""The patterns of wrong numbers, in the order of trust: the first that holds, and that the code bears out, counts."""


def explain_gradient(check: GradientCheck, draws: Sequence[Draw], row: Row) -> None:
    """Write the mistake of a gradient that is not right, what is said of it and its line into its row."""
    verdict = check.judge(draws)
    if verdict.passed:
        return
    case = GradientCase(check, verdict)
    with explaining(check.student):
        if verdict.mistake is None and any(answer.outcome != "returned" for _, answer in verdict.cases):
            attempt(lambda: explain_no_answer(case.name, verdict, case.contents))
        if verdict.status in ("failed", "shape", "error"):
            if verdict.message is None:
                verdict.message = where_it_is_wrong(case.name, verdict.cases)  # unless something explains it
            found = next(filter(None, map(attempt, case.hypotheses())), None)
            if found is not None:
                verdict.mistake = NamedMistake(found.id, found.message)
                verdict.message, verdict.line = found.message, found.line or verdict.line
    row.mistake, row.message, row.line = verdict.mistake, verdict.message, verdict.line


def explain(name: str, cases: Cases, contents: FunctionContents | None = None) -> Explanation | None:
    """The pattern that gives the answers of all `cases`, or None. `name` is the forward value (`probs` for `dprobs`).

    `contents` is what the student's function is made of: an explanation that contradicts it is left out.
    """
    wrong = wrong_gradient(name, cases)
    if wrong is None:
        return None
    return next((e for e in first_that_fits(wrong, PATTERNS) if is_borne_out(e.needs, contents)), None)


class GradientCase:
    """A gradient that is not right, with everything that may explain it. `name` is the forward value whose it is."""

    def __init__(self, check: GradientCheck, verdict: Verdict) -> None:
        self.check, self.verdict = check, verdict
        self.item, self.lesson, self.student = check.item, check.lesson, check.student
        self.cases: Cases = verdict.cases
        self.problems = [problem for problem, _ in self.cases]
        self.name, self.step, self.function = str(self.item.target), self.item.name, self.item.function
        self.is_alone = self.step == self.function
        self.trials: Trials | None = self.student.trials

    @cached_property
    def contents(self) -> FunctionContents | None:
        """What the student's function is made of: no explanation contradicts it."""
        return self.trials.contents(self.function) if self.trials is not None else None

    def cases_of(self, step: str) -> Cases:
        """The answers to a gradient on all problems that decide."""
        return [(problem, self.student.answers(problem)[step]) for problem in self.problems]

    @cached_property
    def right_by_value(self) -> list[Item]:
        """The gradients that are right, also those that are zero without any work."""
        every = self.lesson.gradients
        return [each for each in every if each.target and are_right(each.target, self.cases_of(each.name))]

    @property
    def right(self) -> list[str]:
        """The values whose gradients are right, without those that are zero without any work."""
        return [str(each.target) for each in self.right_by_value if not each.earned_with]

    # What the numbers say ---------------------------------------------------------------------------------------------

    def predicted(self) -> Explanation | None:
        """What the numbers or the error say, without a look at the code."""
        verdict, mistake = self.verdict, self.verdict.mistake
        if mistake is not None and mistake.id != "changed_argument":
            return Explanation(mistake.id, mistake.message)
        found = self.known()
        if found is not None or mistake is not None or verdict.status == "error":
            return found or (Explanation(*mistake) if mistake is not None else None)
        return explain(self.name, self.cases, self.contents)

    def known(self) -> Explanation | None:
        """The known mistake of the lesson that gives these answers, if it can be the cause."""
        cases = {
            each.name: self.cases_of(each.name)
            for each in self.lesson.gradients
            if each.function == self.function and (each is self.item or not each.earned_with)
        }
        mistakes = mistakes_of_gradients(self.lesson, self.function, self.problems)
        return known_mistake(self.step, cases, mistakes, self.contents)

    # The ranked list --------------------------------------------------------------------------------------------------

    def hypotheses(self) -> Iterator[Callable[[], Explanation | None]]:
        """Searches for an explanation, in the order of trust: the first that finds one names the mistake."""
        called = self.contents["bare_calls"] if self.contents is not None else ()
        if any(item.function in called and item.name in self.student.wrong_rows for item in self.lesson.checks):
            return  # the row of the wrong function that is called says what is wrong
        predicted = attempt(self.predicted)
        is_known = predicted is not None and predicted.known
        if not is_known and (not self.is_alone or (predicted is not None and predicted.id == "other_gradient")):
            yield self.changed_places
        if self.item.earned_with and self.verdict.status == "failed":  # zero equals many things by chance
            is_zero = predicted is not None and predicted.id == "zeros"
            missing = attempt(self.check.wrong_partner) if predicted is None or is_zero else None
            if missing is not None:
                yield lambda: Explanation(*not_earned_alone(self.step, missing, is_zero))
            yield lambda: predicted
            return
        has_own_sizes = self.student.terms.sizes is not None
        if not is_known and not has_own_sizes:
            yield self.sizes_of_the_lecture
        can_run = self.verdict.status != "error"
        read = self.contents["names"] if self.contents is not None else ()
        is_sure = predicted is not None and predicted.id in SURE and set(predicted.left_out).isdisjoint(read)
        if can_run and not (is_known or is_sure):
            yield self.by_edits
        if predicted is not None and predicted.id in ERRORS_OF_SHAPES:
            yield self.edit_after_the_error
        yield lambda: predicted
        if can_run:
            yield lambda: explain_contents(self.contents)
        if self.verdict.status == "failed":
            yield lambda: explain_by_properties(self.student, self.step, self.name, self.problems)

    def changed_places(self) -> Explanation | None:
        """Two or more gradients in a ring, of which each has the value of the next."""
        rows = {
            str(each.target): each.name
            for each in self.lesson.gradients
            if each.target is not None and (self.is_alone or each.function == self.function)
        }
        ring, held = [self.name], ""
        while held != self.name:
            answers = self.cases_of(rows[ring[-1]])
            held = next((target for target in rows if are_right(target, answers)), "")
            if not held or held in ring[1:] or (held == self.name and len(ring) == 1):
                return None
            ring.append(held)
        texts = [f"your `{rows[target]}` that of `{held}`" for target, held in pairwise(ring[1:])]
        they = "the two" if len(texts) == 1 else "they"
        text = ", ".join([f"Your `{self.step}` is exactly the gradient of `{ring[1]}`", *texts[:-1]])
        return Explanation("changed_places", f"{text}, and {texts[-1]}: {they} have changed places.")

    def by_edits(self) -> Explanation | None:
        """The small change that makes the gradient right, or the first gradient on the way that is wrong.

        It keeps right gradients right, and repairs what comes from a wrong one, and what this one comes from.
        """
        trials, right, wrong, explanation = self.trials, list[str](), "", None
        if trials is None:
            return None
        if not self.is_alone:  # a gradient on the way takes a few calls, and the changes hundreds
            wrong, on_the_way, explanation = attempt(self.first_wrong_on_the_way) or ("", [], None)
            right = [*(str(each.target) for each in self.right_by_value), *(name[1:] for name in on_the_way)]
        if explanation is not None and explanation.known:
            return explanation
        known = known_on(self.problems[0], self.step, self.lesson.small_numbers, right, wrong)
        edits = trials.edits(self.function, known)
        sound = {item.function for item in self.lesson.checks} - {self.function}  # with rows, none of them wrong
        numbers = [n for n, edit in enumerate(edits) if edit.kind != INNER_GRADIENT and edit.function not in sound]
        steps = [each.name for each in self.lesson.gradients if each.function == self.function]
        if self.verdict.status != "error":
            others = (n for n in steps if self.goes_through(n, wrong) or self.goes_through(self.step, n))
            steps = [*dict.fromkeys((self.step, *(n for n in steps if n[1:] in self.right), *others))]
        found = attempt(lambda: slips(changes_tried(steps, self.cases, trials, numbers), edits)) or []
        it = f"your `{self.step}`" if self.is_alone else "this gradient"
        return explain_edits(found, it, found[0].question if found and self.is_alone else "") or explanation

    def goes_through(self, step: str, wrong: str) -> bool:
        """Whether a gradient is computed from the `wrong` one: what undoes the slip makes it right as well."""
        finer = self.cases[0][0].finer
        return wrong[1:] in finer.values and finer.goes_through(step[1:], wrong[1:])

    def edit_after_the_error(self) -> Explanation | None:
        """The text of the error, and then the change that makes the gradient right, where one was found."""
        raised = next((answer.message.rstrip(".") for _, answer in self.cases if answer.outcome == "raised"), "")
        found = self.by_edits() if raised else None
        if found is None:
            return None
        before, _, _ = (self.verdict.message or raised).partition(raised)
        return Explanation(found.id, f"{before}{raised}. {found.message}", line=self.verdict.line)

    def sizes_of_the_lecture(self) -> Explanation | None:
        """An explanation of sizes that are written as numbers, see sizes.py."""
        sizes = sizes_by_name(self.lesson.public, self.name).values()
        numbers = [each for each in (self.contents or {}).get("numbers", ()) if each[0] in sizes]
        if not numbers:
            return None
        (problem,) = self.check.book.problems(self.lesson, [Draw()])
        published = problem, self.student.answers(problem)[self.step]
        others = [case for case in self.cases if case[0].draw.sizes] or self.cases
        it = f"Your `{self.step}`" if self.is_alone else "This gradient"
        return explain_hard_coded_sizes(self.name, it, published, others, numbers)

    # Gradients on the way, of a function that returns all: its `dout` is compared with the gradient of `out` ---------

    @cached_property
    def on_the_way(self) -> Mapping[str, tuple[int, int]]:
        """{a variable named like a gradient: (number of the changed function that returns it, its line)}"""
        known = known_on(self.problems[0], self.step, self.lesson.small_numbers, self.right)
        edits = self.trials.edits(self.function, known) if self.trials is not None else []
        return {edit.message: (n, edit.line) for n, edit in enumerate(edits) if edit.kind == INNER_GRADIENT}

    def first_wrong_on_the_way(self) -> tuple[str, Sequence[str], Explanation | None]:
        """The first one that is wrong, those before it that are right, and what is wrong with it; "" where none is.

        What right gradients are all computed from is not wrong, whatever its name: a student's `dscores` may have the
        factor of the next line already. Where other gradients are wrong as well, the cause may be further up.
        """
        finer = self.cases[0][0].finer
        above = finer.above(self.name)
        answers = self.answers_on_the_way([n for n in self.on_the_way if n[1:] in above and n != self.step])
        right = [name for name, cases in answers.items() if are_right(name[1:], cases)]
        ends, before = [*self.right, *(name[1:] for name in right)], list[str]()
        wrong = [each.target for each in self.lesson.gradients if each.target and each.target not in self.right]
        for name, cases in answers.items():
            check_interrupt()
            explains_all = all(name[1:] in finer.above(target) for target in wrong)
            if name in right:
                before.append(name)
            elif any(finer.goes_through(end, name[1:]) for end in ends):
                continue
            elif explains_all or any(finer.goes_through(name[1:], end) for end in ends):
                found = explain(name[1:], cases)
                last = listed_as_code(before[-3:])
                texts = [f"Up to {last} your `{self.function}` is right."] if before else []
                texts.append(f"`{name}` is wrong, and `{self.step}` is computed from it.")
                texts += [found.message] if found is not None and found.id != UNNAMED_MULTIPLE else []
                is_sure = found is not None and found.id in SURE and not found.left_out
                return name, before, Explanation("inner_gradient", " ".join(texts), is_sure, self.on_the_way[name][1])
        return "", right, None

    def answers_on_the_way(self, names: Sequence[str]) -> Mapping[str, Cases]:
        """{a gradient on the way: it on each problem}, without those that are not a tensor on all of them."""
        trials = self.trials
        if trials is None:
            return {}
        numbers = {name: self.on_the_way[name][0] for name in names}
        found: dict[str, list[tuple[Problem, Answer]]] = {name: [] for name in names}
        for problem, _ in self.cases if names else ():
            answers = trials.answers(self.step, problem, list(numbers.values()))
            whole = computed_once(problem, "unfused", problem.in_single_steps)
            for name, number in numbers.items():
                tensor, shape = answers[number].tensor if number in answers else None, whole.values[name[1:]].shape
                if tensor is not None:  # a student's `demb` may have another shape than `emb`, with the same numbers
                    tensor = tensor.reshape(shape) if tensor.numel() == shape.numel() else tensor
                    found[name].append((whole, answers[number]._replace(tensor=tensor)))
        return {name: cases for name, cases in found.items() if len(cases) == len(self.cases)}
