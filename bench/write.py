"""Run the commands of docs/measured.md and write what they print last into their rows.

    python -m bench --write               each row whose command begins with `python -m bench`
    python -m bench --write cold fork     the rows of these benches

A row gets the last line of each of its commands, the date, the commit, and the machine unless the lines above the
first table name it. If a command fails, its row stays as it is, and the exit status is 1.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from importlib.metadata import version
from pathlib import Path

from bench import ROOT

PAGE = ROOT / "docs" / "measured.md"
COMMAND = re.compile(r"`(python -m bench\b[^`]*)`")


def this_machine() -> str:
    """Such as "2 cores (AMD EPYC), Linux 6.18, Python 3.11.7, torch 2.13.0"."""
    about = Path("/proc/cpuinfo")  # of Linux
    model = re.search(r"model name\s*: (.+)", about.read_text(encoding="utf-8") if about.exists() else "")
    system = f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"
    cores = f"{os.cpu_count()} cores ({model[1] if model else platform.machine()})"
    return f"{cores}, {system}, Python {platform.python_version()}, torch {version('torch')}"


def last_line(command: str) -> str:
    """What a shell command prints last, with this Python as `python`; empty if it fails."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    return done.stdout.rstrip().rpartition("\n")[2].strip() if done.returncode == 0 else ""


def write_rows(page: Path, names: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield each chosen row's command, and whether its row is written. `page` is saved after each row."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=8"]
    commit = subprocess.run(describe, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    text, machine = page.read_text(encoding="utf-8"), this_machine()
    when = f"{datetime.date.today()}, {commit}"
    when += "" if machine in text.partition("\n|")[0] else f", {machine}"
    lines = text.split("\n")
    for number, line in enumerate(lines):
        cells = line.strip("| ").split(" | ")
        commands = COMMAND.findall(cells[1]) if len(cells) == 4 and cells[1].startswith("`python -m bench") else []
        if not commands or (names and not any(set(command.split()[3:4]) & {*names} for command in commands)):
            continue
        printed = [last_line(command) for command in commands]
        if all(printed):
            last_printed = "; ".join(printed).replace("|", "\\|")
            lines[number] = f"| {cells[0]} | {cells[1]} | {last_printed} | {when} |"
            page.write_text("\n".join(lines), encoding="utf-8")
        yield cells[1], all(printed)


def main(names: Collection[str], page: Path = PAGE) -> int:
    rows = list[tuple[str, bool]]()
    for command, is_written in write_rows(page, names):
        print(f"{'written' if is_written else 'failed, its row stays as it is'}: {command}", flush=True)
        rows.append((command, is_written))
    if not rows:
        print(f"No row of {page.name} has a command that begins with `python -m bench {' '.join(names)}`.")
    return 0 if rows and all(is_written for _, is_written in rows) else 1
