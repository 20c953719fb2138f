"""Reads tests/corpus/hostile: hostile submissions, each with the result that it must get.

A submission is a file, or a folder with a backward.py and what lies beside it. Its docstring says what it does, and a
header what must come of it:

    # group: reading hidden files
    # rows: passed                 the statuses that its gradients may have
    # rows of in_one_go: failed    another row, if it is not what follows from the gradients
    # race: who reads first        why each row gets any of these statuses, whatever the others get; a row that may
                                   pass is answered by the file's own right function
    # message: exit status 0       what stands in a message, with | between alternatives
    # refused: 7                   how many of its attempts are refused
    # stopped from: fair           the weakest level that stops it; `weak` if not said, `never` if none does
    # lesson: 02                   the lesson that it answers; 04 if not said
    # unlocked: safe               it may run where nothing stops it: it harms nothing but its arena

A line `# 2000 times: aN,` stands for two thousand lines, with the numbers from 0 in the place of N, and a line
`# the text of right.py` for the text of shared/right.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bench import ROOT
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.isolation.probe import LEVELS

FOLDER = ROOT / "tests" / "corpus" / "hostile"
HEADER = re.compile(
    r"^# (group|rows|rows of \w+|race|message|refused|stopped from|lesson|unlocked): (.+)$", re.MULTILINE
)
REPEATED = re.compile(r"^# (\d+) times: (.+)$", re.MULTILINE)
INCLUDED = re.compile(r"^# the text of (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """One hostile submission and what must come of it, from its header."""

    name: str
    what: str
    files: dict[str, bytes]
    header: dict[str, str]

    @property
    def group(self) -> str:
        return self.header["group"]

    @property
    def lesson(self) -> str:
        return self.header.get("lesson", "04")

    @property
    def stopped_from(self) -> str:
        return self.header.get("stopped from", "weak")

    def stops_at(self, level: str) -> bool:
        return self.stopped_from != "never" and LEVELS.index(level) >= LEVELS.index(self.stopped_from)

    def may_run_at(self, level: str) -> bool:
        """Without any layer, only what harms nothing: the rest would take the machine down, which nobody doubts."""
        return level != "none" or self.header.get("unlocked") == "safe"

    def statuses(self, row: str, gradients: Sequence[str]) -> set[str]:
        """The statuses that a row may have; a check's follow from its gradients' where nothing is said."""
        rows = set(self.header["rows"].split(", "))
        if said := self.header.get(f"rows of {row}"):
            return set(said.split(", "))
        if row.startswith("d") or "race" in self.header:
            return rows
        possible = {*gradients} if "passed" in gradients else {*gradients, *rows}
        return {"failed" if status == "shape" else status for status in possible}


def read_attack(path: Path, unless_said: Mapping[str, str] = MappingProxyType({})) -> Attack:
    """Raises ValueError for a header that is not complete. `unless_said` are keys that it need not have."""
    main = path / BACKWARD_FILE if path.is_dir() else path
    shared = path.parent / "shared"
    text = REPEATED.sub(repeated_line, main.read_text(encoding="utf-8"))
    text = INCLUDED.sub(lambda found: (shared / found[1]).read_text(encoding="utf-8").rstrip("\n"), text)
    header = {**unless_said, **dict(HEADER.findall(text))}
    if not {"group", "rows"} <= set(header) or not text.startswith('"""'):
        raise ValueError(f"{main} has no header: expected a docstring, `# group:` and `# rows:`")
    files = {BACKWARD_FILE: text.encode()}
    if path.is_dir():
        files.update({other.name: other.read_bytes() for other in path.iterdir() if other.suffix == ".py"})
    return Attack(path.stem, text[3 : text.index('"""', 3)].strip(), files, header)


def repeated_line(found: re.Match[str]) -> str:
    return "\n".join(found[2].replace("N", str(number)) for number in range(int(found[1])))


def corpus() -> list[Attack]:
    paths = [*FOLDER.glob("*.py"), *(main.parent for main in FOLDER.glob(f"*/{BACKWARD_FILE}"))]
    return [read_attack(path) for path in sorted(paths) if path.name != "conftest.py"]


def helpers() -> dict[str, bytes]:
    """Neighbours that every attack gets."""
    return {path.name: path.read_bytes() for path in (FOLDER / "shared").glob("*.py")}
