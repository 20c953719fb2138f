"""How often somebody is right who understands nothing: by looks of the choices, or by the key that is most frequent."""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from grader.defence.question import DefenceQuestion

Score = Callable[[str, str, Sequence[str]], float]
"""(a choice, the file's own line, all choices) -> how much speaks for the choice"""


def tokens(code: str) -> Counter[str]:
    return Counter(re.findall(r"\w+|\*\*|[^\w\s]", code.strip("`")))


def operators(code: str) -> int:
    return sum(tokens(code)[each] for each in ("+", "-", "*", "/", "@", "**"))


def likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def without_others(code: str, four: Sequence[str]) -> int:
    """Tokens that no other choice has."""
    return len(set(tokens(code)) - {token for each in four if each != code for token in tokens(each)})


def lacking(code: str, four: Sequence[str]) -> int:
    """Tokens that all other choices have."""
    return len(set.intersection(*(set(tokens(each)) for each in four if each != code)) - set(tokens(code)))


LOOKS: Mapping[str, Score] = {
    "least like the file's line": lambda code, own, four: -likeness(own, code),
    "most like the file's line": lambda code, own, four: likeness(own, code),
    "longest": lambda code, own, four: len(code),
    "shortest": lambda code, own, four: -len(code),
    "least like the others": lambda code, own, four: -sum(likeness(code, each) for each in four),
    "most like the others": lambda code, own, four: sum(likeness(code, each) for each in four),
    "most operators": lambda code, own, four: operators(code),
    "fewest operators": lambda code, own, four: -operators(code),
    "most brackets": lambda code, own, four: code.count("("),
    "has keepdim": lambda code, own, four: code.count("keepdim"),
    "lacks what the file's line has": lambda code, own, four: (tokens(own) - tokens(code)).total(),
    "has what the file's line lacks": lambda code, own, four: (tokens(code) - tokens(own)).total(),
    "has what no other has": lambda code, own, four: without_others(code, four),
    "lacks what all others have": lambda code, own, four: lacking(code, four),
}


def guesses(question: DefenceQuestion) -> list[tuple[str, float]]:
    """(strategy, its chance of being right) for a question about four lines: of equal choices one is drawn."""
    if question.family != "which_line":
        return []
    own, four = question.claim["line"], list(question.choices.values())
    found = []
    for name, score in LOOKS.items():
        scores = {choice: score(code, own, four) for choice, code in question.choices.items()}
        best = [choice for choice, value in scores.items() if value == max(scores.values())]
        found.append((name, (question.key in best) / len(best)))
    return found


def right_by_lesson(questions: Iterable[tuple[str, str, str]]) -> float:
    """How often the key is right that is most frequent in every second (family, lesson, key) of its lesson."""
    found = right_by_majority((f"{family} {lesson}", key) for family, lesson, key in questions).values()
    return sum(share * count for _, share, count in found) / max(1, sum(count for *_, count in found))


def right_by_majority(questions: Iterable[tuple[str, str]]) -> dict[str, tuple[str, float, int]]:
    """{family: (key that is most frequent in every second question, its share of the others, how many these are)}."""
    keys: dict[str, list[str]] = defaultdict(list)
    for family, key in questions:
        keys[family].append(key)
    found = {}
    for family, each in keys.items():
        known, asked = each[::2], each[1::2]
        if asked:
            key = Counter(known).most_common(1)[0][0]
            found[family] = key, asked.count(key) / len(asked), len(asked)
    return found
