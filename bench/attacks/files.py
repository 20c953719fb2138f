"""Runs tests/corpus/hostile, the hostile submissions, at every level of isolation that this machine can reach.

python -m bench attacks                   at the level of this machine: what got through, if anything
python -m bench attacks --level fair      at another level
python -m bench attacks --table           at every level, as root and as an ordinary user: docs/security.md's table
"""

from __future__ import annotations

import argparse
import json
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench import ROOT
from bench.attacks.arena import new_token
from bench.attacks.corpus import corpus
from bench.attacks.firing_range import Outcome, range_at
from grader.sandbox.isolation import kernel, namespaces
from grader.sandbox.isolation.probe import LEVELS, probe

ORDINARY_USER = 65521  # that nobody has, like lockdown.WORKER_UID

Runs = dict[tuple[str, str], list[Outcome] | str]
"""(level, "root" or "user"): the outcomes, or why there are none."""

WHERE = [
    *(("strong", "root"), ("strong", "user"), ("good", "root"), ("fair", "root"), ("fair", "user")),
    *(("weak", "root"), ("weak", "user"), ("none", "user")),
]
"""Who is not root cannot become another user, so has no `good`. Nothing hostile runs as root without a lock."""


def run_all(level: str, names: Sequence[str] = ()) -> list[Outcome]:
    """In this process, as this user. Raises RuntimeError where the level is not reached."""
    chosen = [a for a in corpus() if (not names or a.name in names) and a.may_run_at(level)]
    with range_at(level) as opened:
        return [opened.run(attack) for attack in chosen]


# As somebody else ----------------------------------------------------------------------------------------------------


def reason_not_to() -> str:
    """Why no run with another view of the file system, or as another user, is possible here; empty if it is."""
    if not kernel.supported():
        return "no layer is known for this system"
    if os.geteuid() != 0:
        return "only root can become another user"
    if not kernel.has_capabilities(kernel.CAP_SYS_ADMIN, kernel.CAP_SETUID, kernel.CAP_SETGID):
        return "root lacks CAP_SYS_ADMIN, CAP_SETUID or CAP_SETGID here"
    return ""


def step_aside(uid: int | None) -> None:
    """In a new process: makes Python reachable for everybody (it may lie under /root), and becomes user `uid`.

    What follows is an ordinary machine, on which other users can start Python: that is where levels differ.
    """
    kernel.syscall("unshare", namespaces.CLONE_NEWNS)
    namespaces.mount(None, Path("/"), None, namespaces.MS_REC | namespaces.MS_PRIVATE)
    everywhere = [folder for folder in Path("/").iterdir() if folder.stat().st_mode & stat.S_IXOTH]
    namespaces.show_only([*everywhere, Path(sys.prefix), Path(sys.base_prefix), ROOT])
    os.chdir(ROOT)
    if uid is not None:
        kernel.become(uid)


def run_elsewhere(level: str, who: str, names: Sequence[str] = ()) -> list[Outcome]:
    """`run_all` in a process of its own, as "root" or "user". Raises RuntimeError with the reason if it cannot."""
    if reason := reason_not_to():
        raise RuntimeError(reason)
    done = subprocess.run(
        [sys.executable, "-m", "bench", "attacks", "--json", "--level", level, *names],
        preexec_fn=lambda: step_aside(ORDINARY_USER if who == "user" else None),
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "GRADER_SECRET": new_token()},
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise RuntimeError((done.stderr.strip().splitlines() or ["not a word"])[-1])
    return [Outcome(**entry) for entry in json.loads(done.stdout.splitlines()[-1])]


def run_everywhere() -> Runs:
    runs: Runs = {}
    for level, who in WHERE:
        print(f"{level} as {who} ...", file=sys.stderr, flush=True)
        try:
            runs[level, who] = run_elsewhere(level, who)
        except RuntimeError as error:
            runs[level, who] = f"not run: {error}"
    return runs


# The table -----------------------------------------------------------------------------------------------------------


def table(runs: Runs) -> str:
    """Markdown: what each level stops, group by group; what some level does not stop; what was run."""
    attacks = corpus()
    levels = LEVELS[::-1]
    lines = [f"| group | attacks | {' | '.join(levels)} | statuses |", "| --- | ---: |" + " --- |" * (len(levels) + 1)]
    open_at: dict[str, list[str]] = {}
    for group in sorted({attack.group for attack in attacks}):
        there_are, statuses, cells = sum(attack.group == group for attack in attacks), set[str](), []
        for level in levels:
            ran = [o for (at, _), found in runs.items() if at == level and not isinstance(found, str) for o in found]
            mine = [outcome for outcome in ran if outcome.group == group]
            through = {outcome.name for outcome in mine if outcome.through}
            for name in through:
                open_at.setdefault(name, []).append(level)
            if level != "none":
                statuses.update(status for outcome in mine for status in outcome.statuses.values())
            cells.append(cell(len({outcome.name for outcome in mine}), len(through), there_are))
        lines.append(f"| {group} | {there_are} | {' | '.join(cells)} | {', '.join(sorted(statuses))} |")
    lines += ["", "Not stopped, and where:", ""]
    what = {attack.name: attack.what for attack in attacks}
    lines += [f"- `{name}` ({', '.join(at)}): {what[name]}" for name, at in sorted(open_at.items())]
    lines += ["", "Runs:", ""]
    for (level, who), found in runs.items():
        person = "root" if who == "root" else "an ordinary user"
        lines.append(f"- {level}, as {person}: {found if isinstance(found, str) else summary(found)}")
    return "\n".join(lines)


def cell(tried: int, through: int, there_are: int) -> str:
    if not tried:
        return "not run"
    message = f"**{through} of {tried} not stopped**" if through else "stopped"
    return message if tried == there_are else f"{message} ({there_are - tried} not run)"


def summary(outcomes: Sequence[Outcome]) -> str:
    through, unexpected = sum(bool(o.through) for o in outcomes), sum(bool(o.problems) for o in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    stopped = len(outcomes) - through
    return f"{len(outcomes)} attacks, {stopped} stopped, {through} not, {unexpected} unexpected, {seconds:.0f} s"


def results_text(outcomes: Sequence[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        statuses = ", ".join(dict.fromkeys(outcome.statuses.values()))
        lines.append(f"{outcome.name:24} {outcome.seconds:6.2f} s  {statuses}")
        lines += [f"    {line[:300]}" for line in dict.fromkeys(outcome.problems + outcome.through)]
    return "\n".join([*lines, summary(outcomes)])


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("names", nargs="*", help="only these attacks")
    parser.add_argument("--level", choices=LEVELS, help="the level to run at (default: this machine's)")
    parser.add_argument("--table", action="store_true", help="every level, as a table in Markdown")
    parser.add_argument("--json", action="store_true", help="the outcomes as JSON")
    chosen = parser.parse_args()
    if chosen.table:
        print(table(run_everywhere()))
        return 0
    try:
        outcomes = run_all(chosen.level or probe().level, chosen.names)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps([asdict(outcome) for outcome in outcomes]) if chosen.json else results_text(outcomes))
    return 1 if any(outcome.problems for outcome in outcomes) else 0
