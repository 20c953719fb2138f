"""Python code of a syntax tree, as people write it."""

from __future__ import annotations

import ast
import io
import re
import tokenize

UNUSUAL = re.compile(r"e-0|\*\* \(-")
BINDS_FIRST = frozenset({"**", ".", "[", "("})
"""What applies before a minus sign: after these brackets, it would apply to the number alone."""
ZEROS_OF_AN_EXPONENT = re.compile(r"(?<=e-)0+(?=\d)")


def code_of(node: ast.AST) -> str:
    """`x ** -0.5 + 1e-5`, for which `ast.unparse` writes `x ** (-0.5) + 1e-05`; in as many lines as it."""
    text = ast.unparse(node)
    if UNUSUAL.search(text) is None:
        return text
    lines = text.split("\n")
    changed: dict[tuple[int, int], tuple[int, str]] = {}  # {where a token begins: where it ends, what takes its place}
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for number, token in enumerate(tokens):
        if token.type == tokenize.NUMBER:
            changed[token.start] = token.end[1], ZEROS_OF_AN_EXPONENT.sub("", token.string)
        before, middle, after = (tokens[number + i : number + i + n] for i, n in ((0, 3), (3, 1), (4, 1)))
        is_exponent = [each.string for each in (*before, *after)] == ["**", "(", "-", ")"]
        if is_exponent and middle[0].type == tokenize.NUMBER and tokens[number + 5].string not in BINDS_FIRST:
            for bracket in (before[1], after[0]):
                changed[bracket.start] = bracket.end[1], ""
    for (row, column), (end, new) in sorted(changed.items(), reverse=True):
        lines[row - 1] = lines[row - 1][:column] + new + lines[row - 1][end:]
    return "\n".join(lines)
