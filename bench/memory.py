"""The memory of every process of a `grade run`: here, and in another checkout.

    python -m bench memory                              40 submissions of lesson 03, two grader processes
    git worktree add ../before 9f2ed5a~1                the last commit before the work on cold starts
    python -m bench memory ../before                    and the same there, for comparison

Every few milliseconds the kernel's account of each process is read (/proc/PID/smaps_rollup). PSS divides a shared page
among those who share it, so that the sum over all processes is what the run takes; USS is what would be free if this
process alone ended. Printed are the largest values of each kind of process, in MB, and the largest sum. Both need
reading the account of other processes, so run it as root (isolation `strong`).

    coordinator    hands out submissions, writes the gradebook
    nursery        has torch loaded; graders and zygotes are forked from it
    grader         judges, holds the hidden suites
    zygote         forks workers, holds no secret
    worker         runs a student's code
    reader         reads source text
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from bench import ROOT
from bench.made_up_class import RIGHT, WRONG, write_class
from grader.lesson.lesson import Course

KINDS = ("coordinator", "nursery", "grader", "zygote", "worker", "reader")
MB = 1_000_000
PAUSE_SECONDS = 0.02
START = """
import sys
try:
    from grader.commands.start_grade import main
except ImportError:  # a checkout from before the early nursery
    try:
        from grader.commands.grade import main
    except ImportError:
        from grader.cli import main
main()
"""


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in tasks.read_text().split()]
        except OSError:
            continue
    return found


def kinds_below(root: int) -> dict[int, str]:
    """{pid: kind} of a run's processes, by their names and their place in the tree.

    With namespaces, a zygote is a process inside a shell of the same name, and workers keep that name as well.
    """
    found, waiting = {root: "coordinator"}, [(root, "", "")]
    while waiting:
        parent, name_above, name_of_parent = waiting.pop()
        for pid in children_of(parent):
            try:
                name = Path(f"/proc/{pid}/comm").read_text().strip()
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if name == "zygote":
                found[pid] = "worker" if name_above == name_of_parent == "zygote" else "zygote"
            elif b"source/reader.py" in command:
                found[pid] = "reader"
            else:
                found[pid] = name if name == "grader" else "nursery"
            waiting.append((pid, name_of_parent, name))
    return found


def account(pid: int) -> tuple[int, int]:
    """(PSS, USS) in bytes; zeros for a process that has ended."""
    values: dict[str, int] = {}
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, _, rest = line.partition(":")
            values[name] = 1024 * int(rest.split()[0])
    except (OSError, ValueError, IndexError):
        return 0, 0
    return values.get("Pss", 0), values.get("Private_Clean", 0) + values.get("Private_Dirty", 0)


class Largest:
    """The largest values that were seen."""

    def __init__(self) -> None:
        self.pss: dict[str, int] = defaultdict(int)
        self.uss: dict[str, int] = defaultdict(int)
        self.total = 0

    def see(self, root: int) -> None:
        total = 0
        for pid, kind in kinds_below(root).items():
            pss, uss = account(pid)
            total += pss
            self.pss[kind], self.uss[kind] = max(self.pss[kind], pss), max(self.uss[kind], uss)
        self.total = max(self.total, total)


def measure(checkout: Path, submissions: Path, lesson: str, jobs: int) -> Largest:
    largest = Largest()
    with tempfile.TemporaryDirectory() as out:
        options = ["--lesson", lesson, "--jobs", str(jobs), "--quiet", "-o", f"{out}/out"]
        process = subprocess.Popen([sys.executable, "-c", START, "run", str(submissions), *options], cwd=checkout)
        while process.poll() is None:
            largest.see(process.pid)
            time.sleep(PAUSE_SECONDS)
        if process.returncode:
            raise SystemExit(f"{checkout}: `grade run` ended with status {process.returncode}")
    return largest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", type=Path, help="another checkout")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not Path("/proc/self/smaps_rollup").exists():
        raise SystemExit("this needs /proc/PID/smaps_rollup, which Linux has since 4.14")
    lesson = Course(ROOT).find(options.lesson)
    with tempfile.TemporaryDirectory() as place:
        write_class(Path(place) / "class", lesson, options.count, (RIGHT, WRONG))
        found = {"here": measure(ROOT, Path(place) / "class", options.lesson, options.jobs)}
        if options.before is not None:
            found["before"] = measure(options.before.resolve(), Path(place) / "class", options.lesson, options.jobs)
    print(
        f"{options.count} submissions of lesson {lesson.number}, {options.jobs} grader processes; largest values in MB"
    )
    print(f"{'':14}" + "".join(f"{name + ' PSS':>14}{name + ' USS':>14}" for name in found))
    for kind in KINDS:
        figures = "".join(f"{each.pss[kind] / MB:14.0f}{each.uss[kind] / MB:14.0f}" for each in found.values())
        print(f"{kind:14}{figures}")
    print(f"{'all together':14}" + "".join(f"{each.total / MB:14.0f}{'':14}" for each in found.values()))
