"""Other lines made from a student's: rewritten ones with the same value, and wrong ones. Text only, without torch.

The wrong ones are made by the table of rules that explains mistakes. Whether a line is equal or wrong is for a run
to say.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from grader.source.parsing import parse_text
from grader.verdict.explain.edits.coded_changes import Around, Known
from grader.verdict.explain.edits.patterns import filled, matches, parsed_pair
from grader.verdict.explain.edits.rules import RULES, changes_by_rules
from grader.verdict.explain.edits.source_file import nodes_with_places, replace_node

MAX_REWRITTEN = 14
MAX_REWRITTEN_AGAIN = 5
MAX_WRONG = 20
MAX_DISGUISED = 6
"""Rewritten lines from which wrong ones are made, and wrong ones made from each."""
MAX_VERSION_CHARACTERS = 130
EQUAL: Mapping[str, Sequence[str]] = {
    "A @ B": ("(B.mT @ A.mT).mT", "(A.unsqueeze(-1) * B.unsqueeze(-3)).sum(-2)", "-(A @ -B)"),
    "A * B": ("B * A", "-(A * -B)", "2 * A * B / 2"),
    "A + B": ("B + A", "A - -B"),
    "A - B": ("-(B - A)", "-B + A"),
    "A / B": ("A * (1 / B)", "1 / B * A", "A / (2 * B) * 2"),
    "1 - A ** 2": ("(1 - A) * (1 + A)",),
    "A ** B": ("A ** (B - 1) * A", "1 / A ** -B"),
    "-A": ("0 - A", "A * -1"),
    "A.mT": ("A.mT", "A.transpose(0, 1)"),
    "A.sum()": ("A.mean() * A.numel()",),
    "A.sum(0)": ("torch.ones_like(A[:, 0]) @ A",),
    "A.sum(B)": ("A.mean(B) * A.shape[B]", "A.cumsum(B).select(B, -1)", "A.sum(B, keepdim=True).squeeze(B)"),
    "A.sum(B, keepdim=True)": (
        *("A.mean(B, keepdim=True) * A.shape[B]", "A.cumsum(B).narrow(B, -1, 1)", "A.sum(B).unsqueeze(B)"),
    ),
    "A.mean(B)": ("A.sum(B) / A.shape[B]", "A.mean(B, keepdim=True).squeeze(B)"),
    "A.mean(B, keepdim=True)": ("A.sum(B, keepdim=True) / A.shape[B]", "A.mean(B).unsqueeze(B)"),
}
"""{an expression: others with its value}, see explain.edits.patterns"""


@dataclass(frozen=True)
class Variant:
    """Another line. `kind` names the change, `words` say what it does."""

    kind: str
    code: str
    words: str = ""


def versions_of(lines: Sequence[tuple[str, Sequence[str]]]) -> list[dict[str, list[Variant]]]:
    """Other lines for each (code, names): "equal", "wrong", and "disguised" ones, which are wrong and rewritten."""
    found = []
    for code, names in lines:
        equal = equal_versions(code)
        disguised = {each.code: each for right in evenly(equal) for each in evenly([*wrong_changes(right.code)])}
        found.append({"equal": equal, "wrong": wrong_versions(code, names), "disguised": [*disguised.values()]})
    return found


def evenly(several: Sequence[Variant]) -> Sequence[Variant]:
    """Up to MAX_DISGUISED of them, from the first to the last."""
    count = min(MAX_DISGUISED, len(several))
    return [several[place * len(several) // count] for place in range(count)]


def equal_versions(code: str) -> list[Variant]:
    """Lines that should have the same value and look different."""
    first = [*equal_changes(code)]
    again = (other for each in first[:MAX_REWRITTEN_AGAIN] for other in equal_changes(each.code))
    found = {each.code: each for each in (*first, *again) if each.code != code}
    return [*found.values()][:MAX_REWRITTEN]


def wrong_versions(code: str, names: Sequence[str]) -> list[Variant]:
    """Lines with one mistake each, of as many kinds as there are; at the end those right for some sizes only."""
    of_kind: dict[str, list[Variant]] = defaultdict(list)
    for each in wrong_changes(code):
        of_kind[each.kind].append(each)
    turns = chain.from_iterable(zip_longest(*of_kind.values()))
    kept = [each for each in turns if each is not None][:MAX_WRONG]
    for name in names:
        words = f"it is multiplied by the number of rows of `{name}` and divided by its number of columns"
        kept.append(Variant("ratio", f"({code}) * {name}.shape[0] / {name}.shape[-1]", words))
    return [*{each.code: each for each in reversed(kept)}.values()][::-1]  # the first kind of a code


def equal_changes(code: str) -> Iterator[Variant]:
    """The line with one of its parts rewritten."""

    def rewritten(node: ast.AST, _: Around) -> Iterator[tuple[str, ast.AST]]:
        for before, afters in EQUAL.items():
            for pattern, template in (parsed_pair(before, after) for after in afters):
                yield from (("equal", filled(template, bound)) for bound in matches(pattern, node, {}))

    return changes_of_line(code, rewritten)


def wrong_changes(code: str) -> Iterator[Variant]:
    """The line with one of its parts changed by a rule."""
    return changes_of_line(
        code, lambda node, around: ((RULES[n].id, new) for n, new, _ in changes_by_rules(node, around))
    )


def changes_of_line(code: str, made: Callable[[ast.AST, Around], Iterator[tuple[str, ast.AST]]]) -> Iterator[Variant]:
    """The line with what `made` gives for each of its parts. None unless the text is an expression."""
    tree = parse_text(f"def line():\n    return ({code})")
    function = tree.body[0] if tree is not None else None
    if not isinstance(function, ast.FunctionDef) or not isinstance(statement := function.body[0], ast.Return):
        return
    around, places = Around(function, Known(), "line"), list(nodes_with_places(function))
    around.parents |= {id(node): place[0] for node, place in places}
    for node, place in places:
        for kind, new in made(node, around):
            if not isinstance(node, ast.expr) or not isinstance(new, ast.expr):
                continue
            words = f"`{ast.unparse(node)}` becomes `{ast.unparse(new)}`"
            old = replace_node(place, new)
            written = ast.unparse(statement).removeprefix("return ")
            replace_node(place, old)
            if written != code and len(written) <= MAX_VERSION_CHARACTERS and parse_text(f"({written})") is not None:
                yield Variant(kind, written, words)
