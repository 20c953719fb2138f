"""Code in any text: files of code, strings in code and JSON, pages, blocks, backticks, and lines between prose."""

from __future__ import annotations

import ast
import html
import re
import textwrap
from collections.abc import Iterator

from grader.source.parsing import parse_text

QUOTED_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SPAN = re.compile(r"`+([^`\n]+)`+")
FENCED_CODE = re.compile(r"^[ >]*(```+|~~~+)[^\n]*\n(.*?)^[ >]*\1", re.DOTALL | re.MULTILINE)
TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<!--|-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
PROMPT = re.compile(r"^[ \t]*(?:>>> ?|\.\.\. ?|In \[\d*\]: ?|[-*>#|] +)", re.MULTILINE)
SAYS_SOMETHING = re.compile(r"[-+*/@(\[=]")
OPENS = re.compile(r"(?:def|class|for|while|if|elif|else|with|try|except|finally)\b.*:$")


def code_in(text: str) -> Iterator[ast.Module]:
    """The pieces of code in a text, each parsed."""
    views = [text, "\n".join(QUOTED_STRING.findall(text)).replace(r"\n", "\n").replace(r"\"", '"')]
    if "</" in text:
        views += (html.unescape(TAG.sub(instead, text)) for instead in ("\n", ""))
    for view in views:
        blocks = [PROMPT.sub("", block[2]) for block in FENCED_CODE.finditer(view)]
        spans = [part for span in SPAN.finditer(view) for part in (span[1], *re.split(r"\s+=\s+|→|=>", span[1]))]
        lines = PROMPT.sub("", view).splitlines()
        for piece in dict.fromkeys((view, *blocks, *spans, *runs_of_code(lines))):
            if SAYS_SOMETHING.search(piece) and (tree := parsed_piece(piece)) is not None:
                yield tree


def runs_of_code(lines: list[str]) -> Iterator[str]:
    """Successive lines that are code, as one text. Where they do not parse as one, each line is a text."""
    run, is_open = list[str](), False  # open: the indented lines below belong to it
    for line in [*lines, "."]:
        bare, is_inside = line.strip(), line[:1] in " \t"
        opens = bool(OPENS.match(bare))
        if not bare or opens or (is_open and is_inside) or (SAYS_SOMETHING.search(bare) and parsed_piece(bare)):
            run.append(line)
            is_open = opens or (is_open and is_inside)
        else:
            together = "\n".join(run)
            yield from run if parsed_piece(together) is None else [together]
            run, is_open = [], False


def parsed_piece(text: str) -> ast.Module | None:
    """A piece of code, which may be indented and may begin with `return`; None if it is not Python."""
    code = textwrap.dedent(text).strip("\n").rstrip(".;, ")
    return parse_text(code) or parse_text(code.strip())
