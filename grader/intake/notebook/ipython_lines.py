"""A cell's text as Python, line for line, by the rules of IPython, which is not needed for it.

IPython removes a common indentation and pasted prompts. Of what it understands and Python does not (`%matplotlib
inline`, `!wget ...`, `torch.max?`) the line becomes `pass`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from grader.source.parsing import parse_text

# Prompts as in IPython.core.inputtransformer2
IPYTHON_PROMPT = re.compile(r"((\[nav\]|\[ins\])? )?In \[\d+\]: |\s*\.{3,}: ?")
PYTHON_PROMPT = re.compile(r"^[^\S\n]*>>>", re.MULTILINE)
PYTHON_PROMPTS = re.compile(r"^[^\S\n]*(>>>|\.\.\.)[ \t]?", re.MULTILINE)

MAGIC_LINE = re.compile(r"^(?P<indent>\s*)(%{1,2}[A-Za-z]|!|\?{1,2}[A-Za-z_])")
HELP = re.compile(r"^(?P<indent>\s*)[^\s#][^#]*\?\s*$")
ASSIGNED = re.compile(r"^(?P<indent>\s*)[A-Za-z_][^=#(]*=\s*[%!]")  # `files = !ls`
ACCELERATOR = re.compile(r"""\.(?:cuda|xpu)\([^()]*\)|(["'])(?:cuda|mps|xpu)(?::\d+)?\1""")
TIMED = re.compile(r"^(?P<indent>\s*)%time\s+(?=\S)")
PYTHON_CELL = re.compile(r"^\s*%%(check|time|timeit|capture|prun|debug|python3?|(writefile|file)\s+(-a\s+)?\S+\.py)\b")
CELL_MAGIC = re.compile(r"^\s*%%[A-Za-z]")


def python_of(source: str) -> str:
    """The cell as Python, line for line. A cell of another language (`%%bash`) is empty."""
    # the grader's problems are on the CPU
    source = ACCELERATOR.sub(lambda found: f"{found[1]}cpu{found[1]}" if found[1] else ".cpu()", source)
    text = source
    for clean in dict.fromkeys(clean_texts(source)):
        text = without_commands(clean)
        if parse_text(text) is not None:
            break
    return text


def clean_texts(source: str) -> Iterator[str]:
    """The cell as it is, without its indentation, and without Python's prompts; each without those of IPython.

    IPython's prompts come first: Python reads `In [3]: x = 1` as an annotation.
    """
    yield without_ipython_prompts(source)
    text = without_ipython_prompts(without_indentation(source))
    yield text
    if PYTHON_PROMPT.search(text):
        yield textwrap.dedent(PYTHON_PROMPTS.sub("", text))


def without_indentation(text: str) -> str:
    """Without the indentation of all lines, or of the first line, where others do not have it: IPython did both."""
    text = textwrap.dedent(text)
    stripped = text.lstrip()
    indent = text[: len(text) - len(stripped)].rpartition("\n")[2]
    return "\n".join(line.removeprefix(indent) for line in text.split("\n"))


def without_ipython_prompts(text: str) -> str:
    """Without `In [3]: ` and `   ...: ` before each line, where one of the first two lines has a prompt."""
    if not any(IPYTHON_PROMPT.match(line) for line in text.lstrip("\n").split("\n")[:2]):
        return text
    lines = text.split("\n")
    return "\n".join(line[found.end() :] if (found := IPYTHON_PROMPT.match(line)) else line for line in lines)


def without_commands(source: str) -> str:
    """Without IPython's own commands, where the text is no Python."""
    if parse_text(source) is not None:
        return source  # a line that begins with % inside brackets is Python's own
    lines = source.split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), 0)
    if CELL_MAGIC.match(lines[first]):
        if not PYTHON_CELL.match(lines[first]):
            return ""
        lines[first] = "pass"
    result: list[str] = []
    goes_on = False  # a shell line that ends in a backslash
    for line in lines:
        timed = TIMED.match(line)
        found = MAGIC_LINE.match(line) or HELP.match(line) or ASSIGNED.match(line)
        if goes_on:
            result.append("")
        elif timed:
            result.append(timed["indent"] + line[timed.end() :])
            continue
        else:
            result.append(f"{found['indent']}pass" if found else line)
        goes_on = (goes_on or bool(found)) and line.rstrip().endswith("\\")
    return "\n".join(result)
