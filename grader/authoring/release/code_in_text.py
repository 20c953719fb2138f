"""Code in any file of a kit: Python, notebooks, Markdown, pages, and lines of code between lines of prose."""

from __future__ import annotations

import ast
import html
import json
import re
import textwrap
import tomllib
from collections.abc import Iterator
from typing import Any

from grader.source.parsing import parse_text

SPAN = re.compile(r"`+([^`\n]+)`+")
FENCED_CODE = re.compile(r"^[ >]*(```+|~~~+)[^\n]*\n(.*?)^[ >]*\1", re.DOTALL | re.MULTILINE)
TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<!--|-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
PROMPT = re.compile(r"^[ \t]*(?:>>> ?|\.\.\. ?|In \[\d*\]: ?|[-*>#|] +)", re.MULTILINE)
SAYS_SOMETHING = re.compile(r"[-+*/@(\[=]")
OPENS = re.compile(r"(?:def|class|for|while|if|elif|else|with|try|except|finally)\b.*:$")


def code_in(name: str, text: str) -> Iterator[ast.Module]:
    """The pieces of code in a file, each parsed."""
    for words in texts_in(name, text):
        if SAYS_SOMETHING.search(words):
            yield from pieces_of(words)


def texts_in(name: str, text: str) -> Iterator[str]:
    """The text of a file and those inside it, by the suffix of its name: strings, comments, cells, a page's words."""
    yield text
    if name.endswith((".py", ".stub")) and (tree := parse_text(text)) is not None:
        yield from (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) if type(node.value) is str)
        yield "\n".join(line.partition("#")[2].removeprefix(" ") for line in text.splitlines())
    elif name.endswith((".ipynb", ".json", ".toml")):
        try:
            yield from strings_in(tomllib.loads(text) if name.endswith(".toml") else json.loads(text))
        except ValueError:
            return
    elif "<" in text:
        yield from (html.unescape(TAG.sub(instead, text)) for instead in ("\n", ""))


def strings_in(data: Any) -> Iterator[str]:
    """The texts in JSON or TOML; a list of lines, as a notebook's cell has it, is one text."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list) and data and all(isinstance(each, str) for each in data):
        yield "".join(data) if any(each.endswith("\n") for each in data) else "\n".join(data)
    elif isinstance(data, (list, dict)):
        for each in data.values() if isinstance(data, dict) else data:
            yield from strings_in(each)


def pieces_of(text: str) -> Iterator[ast.Module]:
    """A text that is code; else the code blocks, the code in backticks, and the lines that are code in it."""
    whole = parsed_piece(text)
    if whole is not None:
        yield whole
        return
    blocks = [PROMPT.sub("", block[2]) for block in FENCED_CODE.finditer(text)]
    spans = [part for span in SPAN.finditer(text) for part in {span[1], *re.split(r"\s+=\s+|→|=>", span[1])}]
    for piece in (*blocks, *spans, *runs_of_code(PROMPT.sub("", text).splitlines())):
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
            continue
        if any(map(SAYS_SOMETHING.search, run)):
            together = "\n".join(run)
            yield from run if parsed_piece(together) is None else [together]
        run, is_open = [], False


def parsed_piece(text: str) -> ast.Module | None:
    """A piece of code, which may be indented and may begin with `return`; None if it is not Python."""
    code = textwrap.dedent(text).strip("\n").rstrip(".;, ")
    return parse_text(code) or parse_text(code.strip())
