"""Members of a corpus file: what they have in common, then one section for each.

    \"\"\"Every way to end the process.\"\"\"
    # rows: crashed

    import os

    # === exit_at_import: Ends the process while the file is being run.
    # message: exit status 0

    os._exit(0)

The lines right below the docstring and below a section's first line are keys, of all members and of the one. A line
that is indented by four blanks continues the line before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SECTION = re.compile(r"^# === (\w+): (.+(?:\n#  +.+)*)\n", re.MULTILINE)
DOCSTRING = re.compile(r'\A""".+?"""\n', re.DOTALL)
KEYS = re.compile(r"\A(?:# .+\n)*")
CONTINUED = re.compile(r"\n# {4,}")


@dataclass(frozen=True)
class Member:
    """`keys` are the file's and then the member's own; `common` is the file's text above all sections."""

    name: str
    what: str
    keys: list[tuple[str, str]]
    common: str
    own: str

    @property
    def text(self) -> str:
        """What is submitted: a docstring, the text of all members, and the member's own."""
        return f'"""{self.what}"""\n{self.common}\n{self.own}'


def members_of(path: Path) -> Iterator[Member]:
    """Raises ValueError for a key without a colon."""
    common, *sections = SECTION.split(path.read_text(encoding="utf-8"))
    of_all, common = keys_of(DOCSTRING.sub("", common))
    for name, what, section in zip(sections[::3], sections[1::3], sections[2::3], strict=True):
        keys, own = keys_of(section)
        yield Member(name, CONTINUED.sub(" ", what), [*of_all, *keys], common, own)


def keys_of(text: str) -> tuple[list[tuple[str, str]], str]:
    """The keys at the beginning of a text, and what comes after them."""
    lines = KEYS.match(text)[0]  # type: ignore[index]  # it matches any text
    pairs = [line.removeprefix("# ").partition(": ") for line in CONTINUED.sub(" ", lines).splitlines()]
    if missing := [key for key, colon, _ in pairs if not colon]:
        raise ValueError(f"{missing[0]!r} is no key: expected `# key: value`")
    return [(key, value) for key, _, value in pairs], text[len(lines) :]
