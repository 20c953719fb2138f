"""The forward line's derivative is right, but what went into it is another tensor: ones, another gradient or value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Explanation, Wrong, broadcasts, floats, kept

ENOUGH = 3
"""Elements that a gradient needs before it is recognised as that of another value."""


def unchanged_upstream(wrong: Wrong) -> Iterator[Explanation]:
    """An upstream gradient returned as it came."""
    name = wrong.name
    for consumer in wrong.problems[0].graph.consumers[name]:
        if wrong.consumer is None and wrong.holds(lambda problem, _, c=consumer: problem.upstream[c].double()):  # type: ignore[misc]
            yield Explanation(
                "local_derivative_missing",
                f"You return `d{consumer}` as it came: the upstream gradient still has to be multiplied by the "
                f"derivative of `{consumer}` with respect to `{name}`.",
            )


def other_gradient(wrong: Wrong) -> Iterator[Explanation]:
    """The gradient of another value: two functions, or two entries of what is returned, have changed places."""
    if wrong.consumer is not None or wrong.found[0].numel() < ENOUGH or is_an_upstream(wrong):
        return
    for other in wrong.problems[0].graph.names:
        if other == wrong.name or not all(wrong.equals(i, of_another(p, other)) for i, p in enumerate(wrong.problems)):
            continue
        if all(
            f.shape == e.shape and bool(torch.equal(f, e)) for f, e in zip(wrong.found, wrong.expected, strict=True)
        ):
            continue
        yield Explanation(
            "other_gradient",
            f"Your `d{wrong.name}` is exactly the gradient of `{other}`. Read the forward line that uses "
            f"`{wrong.name}` again: what is done with it there?",
        )
        return


def is_an_upstream(wrong: Wrong) -> bool:
    """Whether the answer is an upstream gradient as it came."""
    return wrong.problems[0].random_upstream and any(
        all(wrong.equals(i, p.upstream[name].double()) for i, p in enumerate(wrong.problems))
        for name in wrong.problems[0].graph.names
    )


def of_another(problem: Problem, name: str) -> Tensor | None:
    """The gradient of another value that a student writes; None where there is none, or where it is one or zero."""
    if not problem.graph.consumers.get(name):
        return None
    return kept(problem, ("another", name), lambda: problem.reference(name).double())


def pulled_back(problem: Problem, name: str, consumer: str, upstream: Tensor) -> Tensor:
    return problem.graph.vjp(consumer, upstream)[name].double()


def upstream_forgotten(wrong: Wrong) -> Iterator[Explanation]:
    """The local derivative alone, as if what comes from above were ones."""
    for consumer in consumers(wrong):

        def candidate(problem: Problem, expected: Tensor, c: str = consumer) -> Tensor:
            def make() -> Tensor:
                return pulled_back(problem, wrong.name, c, torch.ones_like(problem.upstream[c]))

            return rest(wrong, problem, expected, c) + kept(problem, ("ones", wrong.name, c), make)

        if problem_has_upstream(wrong, consumer) and wrong.holds(candidate):
            is_read = "d" + consumer in wrong.uses
            how = f"comes out as if `d{consumer}` were all ones" if is_read else f"does not use `d{consumer}`"
            yield Explanation(
                "upstream_forgotten",
                f"Your `d{wrong.name}` {how}: it is the local derivative of `{consumer}` alone. The chain rule "
                f"multiplies it by the upstream gradient `d{consumer}`.",
            )


def problem_has_upstream(wrong: Wrong, consumer: str) -> bool:
    """False for the loss, whose upstream gradient is one."""
    return all(p.upstream[consumer].ndim > 0 or p.graph.consumers[consumer] for p in wrong.problems)


def wrong_upstream(wrong: Wrong) -> Iterator[Explanation]:
    """Another name's upstream gradient of the same shape in place of the consumer's own."""
    graph = wrong.problems[0].graph
    for consumer in consumers(wrong):
        shape = wrong.problems[0].upstream[consumer].shape
        others = [n for n in graph.names if n != consumer and wrong.problems[0].upstream[n].shape == shape]
        asked = [n for n in others if "d" + n in wrong.uses]
        for other in asked if wrong.uses else others:

            def candidate(problem: Problem, expected: Tensor, c: str = consumer, o: str = other) -> Tensor | None:
                if problem.upstream[o].shape != problem.upstream[c].shape:
                    return None

                def make() -> Tensor:
                    return pulled_back(problem, wrong.name, c, problem.upstream[o])

                return rest(wrong, problem, expected, c) + kept(problem, ("other", wrong.name, c, o), make)

            if wrong.holds(candidate):
                yield Explanation(
                    "wrong_upstream",
                    f"You use `d{other}` where `d{consumer}` belongs: `{wrong.name}` is read in the line of "
                    f"`{consumer}`, so what comes back through that line is `{consumer}`'s gradient.",
                )


def upstream_with_a_factor(wrong: Wrong) -> Iterator[Explanation]:
    """The line's own derivative, fed the upstream gradient times or divided by a forward value, or a value alone.

    That is how a slip in a first line looks (`dxhat = dy / scale` for `dy * scale`) when more lines follow.
    """
    known = floats(wrong.problems[0])
    for consumer in consumers(wrong):
        arriving = wrong.problems[0].upstream[consumer]
        fitting = [n for n, v in known.items() if n in wrong.uses and broadcasts(v.shape, arriving.shape)]
        for words, made in fed(consumer, fitting):

            def candidate(problem: Problem, expected: Tensor, c: str = consumer, m: Made = made) -> Tensor | None:
                upstream = m(problem.upstream[c].double(), floats(problem)).expand(problem.upstream[c].shape)
                if not bool(torch.isfinite(upstream).all()):
                    return None
                return rest(wrong, problem, expected, c) + pulled_back(
                    problem, wrong.name, c, upstream.to(problem.dtype)
                )

            if wrong.holds(candidate):
                yield Explanation(
                    "upstream_with_a_factor",
                    f"What goes through `{consumer}` is treated as it should be, but {words} stands where "
                    f"`d{consumer}` belongs. Look at the first line that uses it: is it multiplied by what the forward "
                    "line says?",
                )
                return


Made = Callable[[Tensor, Mapping[str, Tensor]], Tensor]


def fed(consumer: str, names: Sequence[str]) -> Iterator[tuple[str, Made]]:
    """(in words, what is fed in the upstream gradient's place), simplest first."""
    for name in names:
        yield f"`{name}`", lambda _, known, n=name: known[n]  # type: ignore[misc]
        yield f"`d{consumer}` times `{name}`", lambda d, known, n=name: d * known[n]  # type: ignore[misc]
        yield f"`d{consumer}` divided by `{name}`", lambda d, known, n=name: d / known[n]  # type: ignore[misc]
        yield f"`d{consumer}` divided twice by `{name}`", lambda d, known, n=name: d / known[n] ** 2  # type: ignore[misc]
        yield f"`d{consumer}` squared, divided by `{name}`,", lambda d, known, n=name: d * d / known[n]  # type: ignore[misc]
    for name in names:
        for other in names:
            if other != name:
                yield (
                    f"`d{consumer}` times `{name}` divided by `{other}`",
                    lambda d, known, n=name, o=other: d * known[n] / known[o],  # type: ignore[misc]
                )
                yield f"`{name}` divided by `{other}`", lambda _, known, n=name, o=other: known[n] / known[o]  # type: ignore[misc]


def wrong_value(wrong: Wrong) -> Iterator[Explanation]:
    """Another forward value of the same shape in place of one that the line reads.

    Only values that the student's code reads although the line does not are tried: each costs a forward pass.
    """
    if not wrong.uses:
        return
    first = wrong.problems[0]
    values = floats(first)
    for consumer in consumers(wrong):
        reads = [n for n in first.graph.sources[consumer] | {wrong.name} if n in values]
        strangers = [n for n in values if n in wrong.uses and n not in reads and n != consumer]
        for right in reads:
            for taken in strangers:
                if values[taken].shape != values[right].shape or right in wrong.uses:
                    continue

                def candidate(
                    problem: Problem, expected: Tensor, c: str = consumer, r: str = right, t: str = taken
                ) -> Tensor | None:
                    def make() -> Tensor | None:
                        return with_another_value(problem, wrong.name, c, r, t)

                    share = kept(problem, ("value", wrong.name, c, r, t), make)
                    return None if share is None else rest(wrong, problem, expected, c) + share

                if wrong.holds(candidate):
                    yield Explanation(
                        "wrong_value",
                        f"You use `{taken}` where `{right}` belongs: the line of `{consumer}` reads `{right}`.",
                    )


def consumers(wrong: Wrong) -> tuple[str, ...]:
    return wrong.problems[0].graph.consumers[wrong.name] if wrong.same_shape and wrong.consumer is None else ()


def rest(wrong: Wrong, problem: Problem, expected: Tensor, consumer: str) -> Tensor:
    """What comes through all other consumers."""
    if len(problem.graph.consumers[wrong.name]) == 1:
        return torch.zeros_like(expected)
    return expected - problem.branches(wrong.name)[consumer].double()


class _Reached(Exception):
    """The line that is asked for has been run."""


class _Replay:
    """A tape on which every name is read as the problem's own value, but one, which is read as another's."""

    def __init__(self, problem: Problem, name: str, consumer: str, right: str, taken: str) -> None:
        values = dict(problem.values) | {right: problem.values[taken]}
        values[name] = values[name].clone().requires_grad_()
        vars(self).update(_values=values, _until=consumer, _fused=problem.graph.fused, output=None)

    def __getattr__(self, name: str) -> Any:
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name == self._until:
            vars(self)["output"] = value
            raise _Reached
        if name in self._fused:
            self._values[name] = value

    def fused(self) -> AbstractContextManager[None]:
        return nullcontext()


def with_another_value(problem: Problem, name: str, consumer: str, right: str, taken: str) -> Tensor | None:
    """One branch of d`name` with the value of `taken` wherever the forward pass reads `right`."""
    if problem.values[taken].shape != problem.values[right].shape:
        return None
    replay = _Replay(problem, name, consumer, right, taken)
    try:
        with torch.enable_grad():
            problem.run_on(replay)
    except _Reached:
        leaf = replay._values[name]
        share: Tensor | None
        (share,) = torch.autograd.grad(replay.output, [leaf], problem.upstream[consumer], allow_unused=True)
        return None if share is None else share.double()
    except (RuntimeError, IndexError):
        return None
    return None
