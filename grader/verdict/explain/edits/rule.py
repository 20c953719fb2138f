"""A rule of the table: a slip in a student's code, and what undoes it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from grader.verdict.explain.edits.generators import Around

RuleChange = tuple[ast.AST, Mapping[str, str]]
"""(what takes a node's place, the words for a rule's sentence)"""
LOCAL_DERIVATIVE = "What is the local derivative of the forward line?"
TOGETHER = "Index rows and columns together, so that each row is paired with its own entry; then {it} is right."
WITHOUT = "Without it, {it} is right."


@dataclass(frozen=True)
class Rule:
    """A slip and what undoes it.

    Attributes:
        id: of the mistake, for counting over a class.
        change: {pattern: what takes its place, or several of these}, see patterns; or what changes a node.
        text: kind and place of the slip. `{code}` is the student's code, `{new}` what takes its place, `{A}` a part.
        fix: what makes it right; `{it}` is what becomes right.
        question: follows where the function is a derivative.
        example: code with the slip, and without.
    """

    id: str
    change: Mapping[str, str | tuple[str, ...]] | Callable[[ast.AST, Around], Iterator[RuleChange]]
    text: str
    fix: str
    example: tuple[str, str]
    question: str = ""
