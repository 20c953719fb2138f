"""Python code of a syntax tree, as people write it."""

from __future__ import annotations

import ast
import re

from grader.source.parsing import parse_text

NEGATIVE_POWER = re.compile(r"\*\* \((-[\d.e-]+)\)(?! \*\*|[.\[(])")
"""An exponent in brackets that it does not need: nothing behind them applies before the minus sign."""
ZEROS_OF_AN_EXPONENT = re.compile(r"(?<=\de-)0+(?=\d)")


def code_of(node: ast.AST) -> str:
    """`x ** -0.5 + 1e-5`, for which `ast.unparse` writes `x ** (-0.5) + 1e-05`; in as many lines as it."""
    text = ast.unparse(node)
    usual = NEGATIVE_POWER.sub(r"** \1", ZEROS_OF_AN_EXPONENT.sub("", text))
    if usual == text:
        return text
    trees = [parse_text(each) for each in (text, usual)]  # a text in quotes stays as it is
    return text if None in trees or len({ast.dump(each) for each in trees if each}) > 1 else usual
