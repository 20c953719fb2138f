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
PROMPT = re.compile(r"^\s*(?:>>> ?|\.\.\. ?|In \[\d*\]: ?|[-*>#|] +)")
SAYS_SOMETHING = re.compile(r"[-+*/@(\[=]")
OPENS = re.compile(r"(?:def|class|for|while|if|elif|else|with|try|except|finally)\b.*:$")
MARKUP = (".html", ".htm", ".svg", ".xml")


def code_in(name: str, text: str) -> Iterator[ast.Module]:
    """The pieces of code in a file, each parsed, by the suffix of its name."""
    if name.endswith((".py", ".stub")) and (tree := parse_text(text)) is not None:
        yield tree
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and SAYS_SOMETHING.search(node.value):
                yield from code_in_prose(node.value)
        comments = [line.partition("#")[2].removeprefix(" ") if "#" in line else "" for line in text.splitlines()]
        yield from code_in_prose("\n".join(comments))
    elif name.endswith((".ipynb", ".json", ".toml")):
        try:
            data = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
        except ValueError:
            data = text
        for words in texts_in(data):
            yield from code_in_prose(words)
    elif name.endswith(MARKUP):
        yield from code_in_prose(html.unescape(TAG.sub("\n", text)))
        yield from code_in_prose(html.unescape(TAG.sub("", text)))
    else:
        yield from code_in_prose(text)
        if "<" in text:
            yield from code_in_prose(html.unescape(TAG.sub("", text)))


def texts_in(data: Any) -> Iterator[str]:
    """The texts in JSON or TOML; a list of lines, as a notebook's cell has it, is one text."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list) and data and all(isinstance(each, str) for each in data):
        yield "".join(data) if any(each.endswith("\n") for each in data) else "\n".join(data)
    elif isinstance(data, (list, dict)):
        for each in data.values() if isinstance(data, dict) else data:
            yield from texts_in(each)


def code_in_prose(text: str) -> Iterator[ast.Module]:
    """Code blocks, code in backticks, and lines that are code, in Markdown or plain text."""
    for block in FENCED_CODE.finditer(text):
        if (tree := parsed_piece(without_prompts(block[2]))) is not None:
            yield tree
    for span in SPAN.finditer(text):
        for part in {span[1], *re.split(r"\s+=\s+|→|=>", span[1])}:
            if SAYS_SOMETHING.search(part) and (tree := parsed_piece(part)) is not None:
                yield tree
    whole = parsed_piece(text) if SAYS_SOMETHING.search(text) else None
    if whole is not None:
        yield whole
        return
    yield from runs_of_code(without_prompts(text).splitlines())


def runs_of_code(lines: list[str]) -> Iterator[ast.Module]:
    """Successive lines that are code, as one piece. Where they do not parse as one, each line is a piece."""
    run: list[str] = []
    is_open = False  # the indented lines below belong to it
    for line in [*lines, "."]:
        bare = line.strip()
        is_code = not bare or is_line_of_code(bare) or (is_open and line[:1] in " \t")
        if is_code:
            run.append(line)
            is_open = bool(OPENS.match(bare)) or (is_open and (not bare or line[:1] in " \t"))
            continue
        yield from pieces_of_run(run)
        run, is_open = [], False


def pieces_of_run(run: list[str]) -> Iterator[ast.Module]:
    if not any(SAYS_SOMETHING.search(line) for line in run):
        return
    tree = parsed_piece("\n".join(run))
    if tree is not None:
        yield tree
        return
    for line in run:
        if SAYS_SOMETHING.search(line) and (tree := parsed_piece(line)) is not None:
            yield tree


def is_line_of_code(line: str) -> bool:
    return bool(OPENS.match(line)) or (bool(SAYS_SOMETHING.search(line)) and parsed_piece(line) is not None)


def without_prompts(text: str) -> str:
    """The text without what a terminal, a list or a quotation puts before a line."""
    return "\n".join(PROMPT.sub("", line) if PROMPT.match(line) else line for line in text.splitlines())


def parsed_piece(text: str) -> ast.Module | None:
    """A piece of code, which may be indented and may begin with `return`; None if it is not Python."""
    code = textwrap.dedent(text).strip("\n").rstrip(".;, ")
    return parse_text(code) or parse_text(code.strip())
