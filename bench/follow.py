"""`grade run --follow` under a burst: how long after its arrival does each submission have its result?

    python -m bench.follow                                   4,000 submissions of lesson 03 within a minute
    python -m bench.follow --count 300 --seconds 10          a smaller one
    python -m bench.follow --count 300 --wrong               every other one is wrong: it takes longer

Submissions are written into the folder one after another, each directly under its final name. A result counts from the
moment when its results.json is written. The time that the cores need is measured twice: by the processor time that all
processes of the run used, divided by the number of cores, and by a plain `grade run` of the same folder afterwards,
which other work on the machine slows down as well. From either comes a queue in which submissions wait for each other
and for nothing else. The goal: 99 of 100 have their result within the time of that queue and 10 seconds. On a busy
machine only the second figure is fair.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.made_up_class import RIGHT, WRONG, source_of
from grader.lesson.lesson import Course
from grader.lesson.paths import BACKWARD_FILE
from grader.results import RESULTS_FILE

ROOT = Path(__file__).resolve().parent.parent
GOAL_SECONDS = 10.0
GRADE_RUN = [sys.executable, "-c", "from grader.commands.start_grade import main; main()", "run"]
TICK = os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    found = [pid]
    for each in found:
        for tasks in Path(f"/proc/{each}/task").glob("*/children"):
            found += [int(child) for child in tasks.read_text().split()]
    return found


def processor_seconds(pid: int) -> float:
    """Of a process, of all that it started, and of what these have reaped."""
    total = 0
    for each in descendants(pid):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICK


def queue_ends(arrivals: list[float], service: float) -> list[float]:
    """When each submission is ready, of a queue that needs `service` seconds for one and has no other delay."""
    ends: list[float] = []
    for arrival in arrivals:
        ends.append(max(arrival, ends[-1] if ends else arrival) + service)
    return ends


def wait_for(path: Path, seconds: float, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + seconds
    while not path.is_file():
        if time.monotonic() > end or process.poll() is not None:
            raise SystemExit(f"{path.name} was not written")
        time.sleep(0.1)


def plain_rate(arguments: list[str], inbox: Path, out: Path, names: list[str]) -> float:
    """Submissions per second from the first result to the last of a plain run of the same folder."""
    subprocess.run([*GRADE_RUN, str(inbox), "-o", str(out), *arguments], cwd=ROOT, check=True)
    written = [(out / name / RESULTS_FILE).stat().st_mtime for name in names]
    return (len(names) - 1) / (max(written) - min(written))


def hundredth(ordered: list[float]) -> float:
    """What 99 of 100 do not exceed."""
    return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=60.0, help="in which they arrive")
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--wrong", action="store_true", help="every other submission is wrong")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    lesson = Course(ROOT).find(options.lesson)
    kinds = (RIGHT, WRONG) if options.wrong else (RIGHT,)
    texts = [source_of(lesson, number, kinds[number % len(kinds)]) for number in range(options.count)]
    names = [f"student_{number:06}" for number in range(options.count)]
    base = Path(tempfile.mkdtemp())
    inbox, out = base / "inbox", base / "out"
    inbox.mkdir()
    arguments = ["--lesson", lesson.number, "--quiet", "--jobs", str(options.jobs)]
    process = subprocess.Popen([*GRADE_RUN, "--follow", str(inbox), "-o", str(out), *arguments], cwd=ROOT)
    try:
        for number in range(options.jobs):  # each grader has made its references before the burst
            (inbox / f"first_{number}.py").write_text(f"# {number}\n" + texts[-1])
        for number in range(options.jobs):
            wait_for(out / f"first_{number}" / RESULTS_FILE, 300, process)
        used, started = processor_seconds(process.pid), time.time()
        arrivals = []
        for number, (name, text) in enumerate(zip(names, texts, strict=True)):
            time.sleep(max(0.0, started + number * options.seconds / options.count - time.time()))
            folder = inbox / name / lesson.name
            folder.mkdir(parents=True)
            (folder / BACKWARD_FILE).write_text(text)
            arrivals.append(time.time())
        wait_for(out / names[-1] / RESULTS_FILE, 3600, process)
        for name in names:
            wait_for(out / name / RESULTS_FILE, 600, process)
        used = processor_seconds(process.pid) - used
        written = [(out / name / RESULTS_FILE).stat().st_mtime for name in names]
        process.send_signal(signal.SIGTERM)
        status = process.wait(60)
        with open(out / "grades.csv", encoding="utf-8", newline="") as file:
            students = sum(1 for _ in csv.DictReader(file))
        plain = plain_rate(arguments, inbox, base / "plain", names)
        full = students == options.count + options.jobs
    finally:
        process.kill()
        shutil.rmtree(base, ignore_errors=True)
    cores = min(options.jobs, os.cpu_count() or 1)
    waits = sorted(end - arrival for end, arrival in zip(written, arrivals, strict=True))
    rate = options.count / (max(written) - arrivals[0])
    print(f"{options.count} submissions arrived in {arrivals[-1] - arrivals[0]:.0f} s; load {os.getloadavg()[0]:.1f}")
    print(
        f"from arrival to result: median {statistics.median(waits):.1f} s, 99 % {hundredth(waits):.1f} s; "
        f"{rate:.1f} per second, {1000 * used / options.count:.0f} ms of processor time each"
    )
    late = {}
    for name, service in (("processor time", used / options.count / cores), ("grade run", 1 / plain)):
        ends = queue_ends(arrivals, service)
        late[name] = hundredth(sorted(end - ready for end, ready in zip(written, ends, strict=True)))
        verdict = "within" if late[name] <= GOAL_SECONDS else "BEYOND"
        print(f"{1 / service:.1f} per second by {name}: 99 % within its time and {late[name]:.1f} s ({verdict} 10 s)")
    print(f"exit status {status}; grades.csv has {'all' if full else 'NOT ALL'} students")
    raise SystemExit(0 if late["grade run"] <= GOAL_SECONDS and full and status == 0 else 1)


if __name__ == "__main__":
    main()
