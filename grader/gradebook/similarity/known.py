"""What a course itself contains: sharing it with another student says nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.lesson.lesson import Lesson
from grader.source.code_forms import FileForms, FunctionForm, forms_of


@dataclass
class KnownCode:
    """The stub, the answer key and the variants of a lesson, in their normal form.

    Attributes:
        untouched: {function: its form in the stub}.
        right: (function, form) of the right answers.
        tokens: {function: the tokens of each right answer}.
        lines: normal forms of single statements.
        texts: comments and strings.
        whole: {function: form} of each right file.
        mistakes: words of mistakes.py, among them the ids of the known mistakes.
    """

    untouched: dict[str, str] = field(default_factory=dict)
    right: set[tuple[str, str]] = field(default_factory=set)
    tokens: dict[str, list[Counter[str]]] = field(default_factory=dict)
    lines: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    whole: list[dict[str, str]] = field(default_factory=list)
    mistakes: frozenset[str] = frozenset()

    def add(self, forms: FileForms) -> None:
        self.texts |= {condensed(words) for words, _ in forms.texts}
        for function in forms.functions:
            self.lines |= {line for line, _, _ in function.lines}

    def add_right(self, forms: FileForms) -> None:
        self.add(forms)
        self.whole.append({function.name: function.form for function in forms.functions})
        for function in forms.functions:
            self.right.add((function.name, function.form))
            self.tokens.setdefault(function.name, []).append(Counter(function.tokens))


def known_code(lesson: Lesson, steps: frozenset[str]) -> KnownCode:
    """What the files of a lesson contain. A student's kit has no solutions: then only the stub is known."""
    found = KnownCode()
    stub = read_forms(lesson.pristine, steps)
    if stub is not None:
        found.add(stub)
        found.untouched = {function.name: function.form for function in stub.functions}
    forward = read_forms(lesson.exercise / "forward.py", steps)
    if forward is not None:
        found.add(forward)
    for path in (lesson.solution / "backward.py", *sorted((lesson.solution / "variants").glob("*.py"))):
        right = read_forms(path, steps)
        if right is not None:
            found.add_right(right)
    mistakes = lesson.solution / "mistakes.py"
    if mistakes.is_file():
        text = mistakes.read_text(encoding="utf-8", errors="replace")
        found.mistakes = frozenset(part for word in re.findall(r"\w+", text) for part in (word, *word.split("__")))
    return found


def read_forms(path: Path, steps: frozenset[str]) -> FileForms | None:
    return forms_of(path.read_bytes(), steps) if path.is_file() else None


def distance(function: FunctionForm, others: Iterable[Counter[str]]) -> int:
    """How many tokens a function has more or less often than the closest of `others`; all of them without any."""
    own = Counter(function.tokens)
    return min((max((own - other).total(), (other - own).total()) for other in others), default=own.total())


def condensed(words: str) -> str:
    """A comment or a string without layout and capital letters."""
    return " ".join(words.casefold().split())
