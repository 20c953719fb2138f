"""Questions to a student in a random order, some of them asked twice, so that no answer follows from its place.

Where an answer has few values (True or False, a name, a rate), a student who counts the calls would know the answers of
a fixed list. A scenario collects its questions here instead:

    def claims(on, generator):
        questions = Shuffled(generator)
        for _ in range(questions.some(2, 4)):
            x, f, dx = problem(generator)
            questions.add("ok for the right gradient", lambda f=f, x=x, dx=dx: on.call("gradient_check", f, x, dx))
            ...
        return questions.answers()

The student and the reference get the same questions in the same order: both scenarios draw from equal generators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

ShuffledCall = Callable[[], Any]


class Shuffled:
    """Questions of one scenario. The random numbers are drawn from `generator`."""

    def __init__(self, generator: torch.Generator, twice: float = 0.25) -> None:
        """`twice`: the probability that a question is put a second time."""
        self._generator, self._twice = generator, twice
        self._questions: dict[str, ShuffledCall] = {}
        self._numbers: dict[str, int] = {}

    def some(self, least: int, most: int) -> int:
        """A random whole number from `least` to `most`: how many questions of a kind there are."""
        return int(torch.randint(least, most + 1, (), generator=self._generator))

    def add(self, name: str, ask: ShuffledCall, again: ShuffledCall | None = None) -> None:
        """Add a question. `ask` calls the student and returns the answer; `name` is the answer's name in messages.

        `again` asks an equivalent question that has the same answer; the default is the same question. Questions with
        equal names are numbered.
        """
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        label = name if number == 1 else f"{name} ({number})"
        self._questions[label] = ask
        if float(torch.rand((), generator=self._generator)) < self._twice:
            self._questions[f"{label}, asked again"] = again or ask

    def answers(self) -> Mapping[str, Any]:
        """Ask every question, in a random order. Return {name: answer} in the order in which they were added."""
        names = list(self._questions)
        order = torch.randperm(len(names), generator=self._generator).tolist()
        found = {names[number]: self._questions[names[number]]() for number in order}
        return {name: found[name] for name in names}
