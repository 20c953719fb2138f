"""The rules that undo a common slip in a student's code (rules.toml), and what they write in place of a piece of it."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

from grader.source.syntax import names_in
from grader.verdict.explain.edits import coded_changes
from grader.verdict.explain.edits.coded_changes import Around, new_name
from grader.verdict.explain.edits.patterns import filled, matches, variants_of


@dataclass(frozen=True)
class Rule:
    """An entry of rules.toml, which says what its parts mean."""

    id: str
    text: str
    example: Sequence[str]
    change: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    coded: str = ""
    fix: str = "With that changed"
    question: str = ""

    def message(self, words: Mapping[str, str]) -> str:
        """The sentences about one place, without the question. `{it}` is left for what becomes right."""
        return f"{self.text.format(it='{it}', **words)} {self.fix.format(**words)}, {{it}} is right."


RULES = [Rule(**each) for each in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["rule"]]


@cache
def patterns_by_type() -> Mapping[type[ast.AST], Sequence[tuple[int, ast.AST, ast.AST]]]:
    """{type of a node: (number of a rule, pattern, what takes its place)}. Transposes and `@` may be calls as well."""
    found = defaultdict(list)
    for number, rule in enumerate(RULES):
        for before, after in rule.change.items():
            for new in [after] if isinstance(after, str) else after:
                for pattern, template in variants_of(before, new):
                    found[type(pattern)].append((number, pattern, template))
                    if isinstance(pattern, ast.Attribute) or isinstance(getattr(pattern, "op", None), ast.MatMult):
                        found[ast.Call].append((number, pattern, template))
    return found


def changes_by_rules(node: ast.AST, around: Around) -> Iterator[tuple[int, ast.AST, Mapping[str, ast.AST | str]]]:
    """(number of a rule, what it writes in place of the node, the words and pieces of code for its sentence)."""
    for number, pattern, template in patterns_by_type().get(type(node), ()):
        for bound in matches(pattern, node, {}):
            for supplied in supplied_values(template, node, around):
                parts = {**bound, **supplied}
                named = {name: part for name, part in parts.items() if not isinstance(part, list)}
                yield number, filled(template, parts), named
    for number, rule in enumerate(RULES):
        if rule.coded:
            yield from ((number, *found) for found in getattr(coded_changes, rule.coded)(node, around))


def supplied_values(template: ast.AST, node: ast.AST, around: Around) -> Iterator[dict[str, ast.expr]]:
    """Every choice of what only the replacement names."""
    names = names_in(template)
    choices: dict[str, Sequence[ast.expr]] = {
        "EPS": [ast.Constant(each) for each in around.known.constants],
        "SIZE": [new_name(each) for each in around.known.sizes],
        "FACTOR": [new_name(each) for each in around.factors],
    }
    used = [name for name in choices if name in names]
    for chosen in product(*(choices[name] for name in used)):
        yield dict(zip(used, chosen, strict=True))
