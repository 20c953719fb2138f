"""What runs on Gradescope: `grade run` for /autograder/submission, with what Gradescope's metadata says about it.

Its result becomes /autograder/results/results.json. A submission that cannot be read is a result. After a fault of the
grader nothing is written, so that Gradescope reports a failed autograder and counts no zero. The reason is in the
output, which instructors see.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grader.gradebook.assignment.attempts import end_of_due_time
from grader.gradebook.assignment.config import ASSIGNMENT_FILE
from grader.gradebook.files import write_whole
from grader.publish.export.formats import export_of, gradescope_json
from grader.publish.inert import inert
from grader.results import points_text, read_results
from grader.sandbox.isolation.probe import at_least, probe

SETTINGS, METADATA_FILE = "settings.json", "submission_metadata.json"
AUTOGRADER_SCRIPTS = ("setup.sh", "run_autograder")


@dataclass(frozen=True)
class AutograderSettings:
    """The options of `grade export gradescope`, as the archive holds them.

    Attributes:
        lessons: full names.
        assignment: the text of the assignment file; "" without one.
        maximum: the points to which scores are scaled; None for the points as they are.
    """

    lessons: list[str]
    require: str = "fair"
    timeout: float = 10.0
    assignment: str = ""
    maximum: float | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"


def main(arguments: Sequence[str]) -> int:
    """`[--check] ROOT`: grade what is in ROOT, which is /autograder; with --check only say how ROOT isolates."""
    root = Path(arguments[-1])
    settings = AutograderSettings(**json.loads((root / "source" / SETTINGS).read_text(encoding="utf-8")))
    if "--check" in arguments:
        level = probe().level
        print(f"isolation {level}; {settings.require} is required")
        return 0 if at_least(level, settings.require) else 1
    with TemporaryDirectory() as folder:
        out = Path(folder) / "grades"
        done = subprocess.run([*run_command(root, settings, Path(folder)), "--out", out])
        graded = [found for each in out.iterdir() if (found := read_results(each))] if done.returncode == 0 else []
    if not graded:
        print(f"autograder: no score, because `grade run` ended with status {done.returncode}. See docs/ci.md.")
        return 1
    best = max(graded, key=lambda each: each.score)  # of a group, whose members have answered questions of their own
    text, _ = export_of(best, lambda each: gradescope_json(each, settings.maximum))
    (root / "results").mkdir(exist_ok=True)
    write_whole(root / "results" / "results.json", text or "")
    print(f"{best.student}: {points_text(best.score)} of {points_text(best.max_score)}; isolation {best.isolation}.")
    return 0


def run_command(root: Path, settings: AutograderSettings, folder: Path) -> list[str]:
    """The command line of `grade run`; writes into `folder` what Gradescope says of people and times."""
    lessons = [word for name in settings.lessons for word in ("--lesson", name)]
    start = [sys.executable, "-P", "-m", "grader.commands.start_grade", "run", str(root / "submission"), "--quiet"]
    start += ["--course", str(root / "source" / "course"), "--jobs", "1", *lessons]
    start += ["--require", settings.require, "--timeout", f"{settings.timeout}"]
    if settings.assignment:
        write_whole(folder / ASSIGNMENT_FILE, settings.assignment)
        start += ["--assignment", str(folder / ASSIGNMENT_FILE)]
    has_due_date, tables = "due" in tomllib.loads(settings.assignment), dict[str, list[list[str]]]()
    try:
        tables = metadata_tables(root / METADATA_FILE, has_due_date)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        print(f"autograder: nothing is known about people and times: {METADATA_FILE} cannot be read ({error!r}).")
    for option, rows in tables.items():
        path = folder / f"{option}.csv"
        with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
            csv.writer(file).writerows(rows)
        start += [f"--{option}", str(path)] if len(rows) > 1 else []
    return start


def metadata_tables(path: Path, has_due_date: bool) -> dict[str, list[list[str]]]:
    """{option of `grade run`: rows of its CSV} from Gradescope's metadata.

    All submitters of a group are members of the group. A due date that Gradescope has extended is extended here.
    Raises OSError, ValueError, LookupError, TypeError or AttributeError for a file that is not Gradescope's.
    """
    metadata = json.loads(path.read_text(encoding="utf-8"))
    submitted, people = datetime.fromisoformat(metadata["created_at"]), metadata["users"]
    general, *own = map(due_date, (metadata, *people))
    due_dates = [end_of_due_time(date) for date in (general, *own) if date]
    late = "yes" if due_dates and submitted >= max(due_dates) else "no" if due_dates else ""
    roster = [["name", "id", "email", "group", "submission"]]
    times, extensions = [["name", "submitted", "late"]], [["student", "until"]]
    for place, (user, extended) in enumerate(zip(people, own, strict=True)):
        name, *marks = (" ".join(inert(str(user.get(key) or "")).split()) for key in ("name", "sid", "email"))
        name = name or marks[1] or f"submitter {place + 1}"
        roster.append([name, *marks, "submission", "" if place else "submission"])
        times.append([name, submitted.isoformat(), late])
        if has_due_date and general and extended and extended > general:
            extensions.append([name, extended.isoformat()])
    return {"roster": roster, "times": times, "extensions": extensions}


def due_date(entry: dict[str, Any]) -> datetime | None:
    """The due date of an entry of the metadata: of everybody, or of one student."""
    date = (entry.get("assignment") or {}).get("due_date")
    return datetime.fromisoformat(date) if date else None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
