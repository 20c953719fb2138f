"""A cell's text as Python, line for line.

Of what IPython understands and Python does not (`%matplotlib inline`, `!wget ...`, `torch.max?`) the line becomes
`pass`.
"""

from __future__ import annotations

import re
import textwrap

from grader.source.parsing import parse_text

MAGIC_LINE = re.compile(r"^(?P<indent>\s*)(%{1,2}[A-Za-z]|!|\?{1,2}[A-Za-z_])")
HELP = re.compile(r"""^(?P<indent>\s*)[^\s#"'][^#"']*\?\s*$""")  # no question with which a docstring begins
ASSIGNED = re.compile(r"^(?P<indent>\s*)[A-Za-z_][^=#(]*=\s*[%!]")  # `files = !ls`
TIMED = re.compile(r"^(?P<indent>\s*)%time\s+(?=\S)")
PYTHON_CELL = re.compile(r"^\s*%%(check|time|timeit|capture|prun|debug|python3?|(writefile|file)\s+(-a\s+)?\S+\.py)\b")
CELL_MAGIC = re.compile(r"^\s*%%[A-Za-z]")
ACCELERATOR = re.compile(r"""\.(?:cuda|xpu)\([^()]*\)|(["'])(?:cuda|mps|xpu)(?::\d+)?\1""")


def python_of(source: str) -> str:
    """The cell as Python, line for line. A cell of another language (`%%bash`) is empty."""
    # the grader's problems are on the CPU
    source = ACCELERATOR.sub(lambda found: f"{found[1]}cpu{found[1]}" if found[1] else ".cpu()", source)
    if parse_text(source) is not None:
        return source  # a line that begins with % inside brackets is Python's own
    lines = textwrap.dedent(source).split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), 0)
    if CELL_MAGIC.match(lines[first]):
        if not PYTHON_CELL.match(lines[first]):
            return ""
        lines[first] = "pass"
    result: list[str] = []
    goes_on = False  # a shell line that ends in a backslash
    for line in lines:
        found = MAGIC_LINE.match(line) or HELP.match(line) or ASSIGNED.match(line)
        if goes_on:
            result.append("")
        elif timed := TIMED.match(line):
            result.append(timed["indent"] + line[timed.end() :])
            continue
        else:
            result.append(f"{found['indent']}pass" if found else line)
        goes_on = (goes_on or bool(found)) and line.rstrip().endswith("\\")
    return "\n".join(result)
