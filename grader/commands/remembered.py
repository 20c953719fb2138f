"""The roster and the times of submission: from files of the command line, or as the gradebook remembers them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.console import print_remarks
from grader.commands.opened_gradebook import read_gradebook
from grader.gradebook.database import GRADEBOOK
from grader.results.typed_json import from_json, to_json
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.intake.submissions.roster import Roster

ROSTER_ENTRY, TIMES_ENTRY = "roster", "times"
"""Names under which the gradebook keeps [file's name, roster] and {file's name: times}."""


class ClassFiles:
    """What is known of the class beside its submissions.

    Attributes:
        roster: the class's list, None if no run was given one; `roster_name` is the name of its file.
        remembered: {file's name: times} of earlier runs.
        times: the same with the files of this run, once they are read.
    """

    def __init__(self, out: Path, roster_file: Path | None, times_files: Sequence[Path], quiet: bool) -> None:
        """Reads `roster_file`, and from the gradebook in `out` what no file is given for, and says so unless `quiet`.

        Raises UserError.
        """
        from grader.intake.submissions.roster import Roster, read_roster
        from grader.intake.submissions.submission_times import SubmissionTime

        self.roster: Roster | None = None
        self.roster_name, self.remembered = "", dict[str, list[SubmissionTime]]()
        kept, said = dict[str, str | None](), list[str]()
        if (out / GRADEBOOK).is_file():
            with read_gradebook(out) as gradebook:
                kept = {name: gradebook.kept(name) for name in (ROSTER_ENTRY, TIMES_ENTRY)}
        if roster_file is not None:
            self.roster_name, self.roster = roster_file.name, read_roster(roster_file)
        elif text := kept.get(ROSTER_ENTRY):
            self.roster_name, stored = json.loads(text)
            roster: Roster = from_json(Roster, stored)
            self.roster = roster
            said.append(f"{self.roster_name} of an earlier run: {count_text(len(roster.members), 'student')}.")
        given = set(map(str, times_files))
        for name, stored in json.loads(kept.get(TIMES_ENTRY) or "{}").items():
            if name not in given:
                self.remembered[name] = from_json(list[SubmissionTime], stored)
                count = count_text(len(self.remembered[name]), "submission time")
                said.append(
                    f"{name} of an earlier run: {count}. For newer submissions, give --times with a newer file."
                )
        self.times = dict(self.remembered)
        print_remarks(() if quiet else said)

    def entries(self) -> dict[str, str]:
        """What the gradebook keeps for later runs."""
        found = {TIMES_ENTRY: json.dumps({name: to_json(times) for name, times in self.times.items()})}
        if self.roster is not None:
            found[ROSTER_ENTRY] = json.dumps([self.roster_name, to_json(self.roster)])
        return found


def roster_of(out: Path, roster_file: Path | None) -> Roster | None:
    """The roster in a file, else the one that the gradebook in `out` remembers, if there is any. Raises UserError."""
    return ClassFiles(out, roster_file, (), quiet=True).roster
