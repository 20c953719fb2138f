"""Reads tests/corpus/hostile: hostile submissions, each with the result that it must get.

Attacks of one group are sections of one file (bench/members.py), or a folder with a backward.py and what lies beside
it. The first line of a section says what it does, and its keys what must come of it:

    # rows: passed                 the statuses that its gradients may have
    # rows of in_one_go: failed    another row, or several, if they are not what follows from the gradients
    # race: who reads first        why each row gets any of these statuses, whatever the others get; a row that may
                                   pass is answered by the file's own right function
    # message: exit status 0       what stands in a message, with | between alternatives
    # refused: 7                   how many of its attempts are refused
    # stopped from: fair           the weakest level that stops it; `weak` if not said, `never` if none does
    # lesson: 02                   the lesson that it answers; 04 if not said
    # unlocked: safe               it may run where nothing stops it: it harms nothing but its arena

A line `# 2000 times: aN,` stands for two thousand lines, with the numbers from 0 in the place of N.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import ROOT
from bench.members import DOCSTRING, Member, keys_of, members_of
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.isolation.probe import LEVELS

FOLDER = ROOT / "tests" / "corpus" / "hostile"
KEYS = {"rows", "race", "message", "refused", "stopped from", "lesson", "unlocked"}
ROWS_OF = "rows of "
REPEATED = re.compile(r"^# (\d+) times: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """One hostile submission and what must come of it, from its header."""

    name: str
    what: str
    group: str
    files: dict[str, bytes]
    header: dict[str, str]

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


def header_of(keys: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The keys of an attack, one for each row that is named. Raises ValueError for a key that there is not."""
    header: dict[str, str] = {}
    for key, value in keys:
        if key.startswith(ROWS_OF):
            header |= {ROWS_OF + row: value for row in key.removeprefix(ROWS_OF).split(", ")}
        elif key in KEYS:
            header[key] = value
        else:
            raise ValueError(f"{key!r} is no key of a hostile submission; there are {sorted(KEYS)}")
    return header


def attack_of(member: Member, group: str) -> Attack:
    text = REPEATED.sub(repeated_line, member.text)
    return Attack(member.name, member.what, group, {BACKWARD_FILE: text.encode()}, header_of(member.keys))


def attack_in_folder(folder: Path) -> Attack:
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".py"}
    text = files[BACKWARD_FILE].decode()
    keys, _ = keys_of(DOCSTRING.sub("", text))
    what = text.removeprefix('"""').partition('"""')[0]
    return Attack(folder.name, what, folder.name.replace("_", " "), files, header_of(keys))


def repeated_line(found: re.Match[str]) -> str:
    return "\n".join(found[2].replace("N", str(number)) for number in range(int(found[1])))


def corpus() -> list[Attack]:
    """In the order of their names."""
    found = [attack_of(each, path.stem.replace("_", " ")) for path in FOLDER.glob("*.py") for each in members_of(path)]
    found += [attack_in_folder(main.parent) for main in FOLDER.glob(f"*/{BACKWARD_FILE}")]
    return sorted(found, key=lambda attack: attack.name)


def helpers() -> dict[str, bytes]:
    """Neighbours that every attack gets."""
    return {path.name: path.read_bytes() for path in (FOLDER / "shared").glob("*.py")}
