"""Whoever is killed, whenever: nothing that they started is left.

Every process here is a descendant of this one, which adopts orphans: none can hide by losing its parent, nor in a
namespace of its own. What is killed is busy with an endless loop, or anywhere on the way to it.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import GUARD_SECONDS, sampled, wait_until

from bench.attacks.arena import adopt_orphans, avoid_above, descendants, new_descendants
from grader.errors import ZygoteDied
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.student import Student

if not kernel.supported():
    pytest.skip("needs Linux on x86_64 or aarch64", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[4]
ENDLESS = Limits(import_seconds=3600.0, step_seconds=3600.0, total_seconds=3600.0, cpu_seconds=3600)
"""No deadline ends a worker before the test does."""
LOOPS = {
    "in a step": "def dlogits(logits):\n    while True:\n        pass\n",
    "at import": "while True:\n    pass\n",
    "in threads": (
        "import threading, time\n\n\ndef run():\n    while True:\n        pass\n\n\n"
        "for _ in range(3):\n    threading.Thread(target=run).start()\nrun()\n"
    ),
    "printing": "import os\nwhile True:\n    os.write(1, b'x' * 60000)\n",
    "deaf": (
        "import signal\nfor number in signal.valid_signals() - {9, 19}:\n    signal.signal(number, signal.SIG_IGN)\n"
        "while True:\n    try:\n        signal.pause()\n    except BaseException:\n        pass\n"
    ),
}


@pytest.fixture(autouse=True)
def alone() -> Iterator[dict[int, str]]:
    """What ran before; whatever a failed test leaves is killed, so that it fails one test only."""
    adopt_orphans()
    before = descendants()
    yield before
    for pid in new_descendants(before, 0.0):
        os.kill(pid, signal.SIGKILL)


def slow(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


# A whole run ---------------------------------------------------------------------------------------------------------


def start_run(folder: Path) -> subprocess.Popen[bytes]:
    """A real `grade run` over two graders and submissions that never end."""
    for name, text in LOOPS.items():
        place = folder / "submissions" / name / "04_cross_entropy"
        place.mkdir(parents=True)
        (place / "backward.py").write_text(text)
    command = "from grader.commands.grade import main; main()"
    arguments = ["run", "submissions", "-o", "out", "--lesson", "04", "--jobs", "2", "--timeout", "3600"]
    arguments += ["--course", str(ROOT), "--require", "none"]
    return subprocess.Popen(
        [sys.executable, "-c", command, *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def victims(run: subprocess.Popen[bytes]) -> dict[str, list[int]]:
    """The processes of a run by what they are: its graders, the nursery, its zygotes, the workers."""
    nurseries = [pid for pid in descendants(run.pid) if parent_of(pid) == run.pid]
    forked = [pid for pid in descendants(run.pid) if parent_of(pid) in nurseries]
    makers = [pid for pid in forked if name_of(pid) == "maker"]
    zygotes = [pid for pid in descendants(run.pid) if parent_of(pid) in makers]
    inner = [pid for outer in zygotes for pid in descendants(outer)]
    graders = [pid for pid in forked if name_of(pid) == "grader"]
    return {"grader": graders, "nursery": nurseries, "maker": makers, "zygote": zygotes, "inside": inner}


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


# seconds after the start: while Python and torch are loaded, while graders and zygotes start, in the midst of grading
MOMENTS = [0.3, 1.2, 2.2, 3.2, 4.4, 6.2]


def some_moments(count: int, seed: int) -> list[float]:
    """`MOMENTS`, each moved by chance, over and over."""
    generator = random.Random(seed)
    return [MOMENTS[i % len(MOMENTS)] + generator.uniform(-0.3, 0.6) for i in range(count)]


@pytest.mark.parametrize("moment", [1.2, *map(slow, some_moments(60, seed=2))], ids=lambda moment: f"{moment:.2f}")
def test_a_coordinator_that_is_killed(moment: float, alone: dict[int, str], tmp_path: Path) -> None:
    run = start_run(tmp_path)
    time.sleep(max(0.0, moment))  # no race: any moment is right
    run.kill()
    run.wait()
    assert new_descendants(alone, GUARD_SECONDS) == {}, f"killed after {moment:.2f} s"


@pytest.mark.full
def test_coordinator_and_graders_at_once(alone: dict[int, str], tmp_path: Path) -> None:
    """What is left then has nobody who could clean up."""
    run = start_run(tmp_path)
    assert wait_until(lambda: len(victims(run)["inside"]) >= 4), victims(run)
    for pid in [run.pid, *victims(run)["grader"]]:
        os.kill(pid, signal.SIGKILL)
    run.wait()
    assert new_descendants(alone, GUARD_SECONDS) == {}


@pytest.mark.full
@sampled("victim", ["grader", slow("nursery"), slow("maker"), slow("zygote"), slow("inside")], keep=1)
def test_a_part_that_is_killed_ends_what_hangs_on_it(victim: str, alone: dict[int, str], tmp_path: Path) -> None:
    """A run goes on without it; what it had started ends with it, and the run's end ends the rest."""
    run = start_run(tmp_path)
    assert wait_until(lambda: len(victims(run)["inside"]) >= 4), victims(run)
    pid = victims(run)[victim][0]
    below = [pid, *descendants(pid), *(victims(run)["inside"] if victim in ("nursery", "maker") else [])]
    zygotes = victims(run)["zygote"]
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not set(below) & descendants().keys()), (below, descendants())
    if victim == "grader":  # its zygote is the maker's child, and nobody's once the grader has ended
        assert wait_until(lambda: len(set(zygotes) & descendants().keys()) == len(zygotes) - 1)
    run.kill()
    run.wait()
    assert new_descendants(alone, GUARD_SECONDS) == {}


# A zygote and a worker, at every level -------------------------------------------------------------------------------

GRADER = """
import pickle, sys
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.messages import Load, pack
zygote = ZygoteProcess(pickle.loads(bytes.fromhex(sys.argv[1])))
worker = zygote.worker()
print("asked", flush=True)
worker.wait_until_locked_in()
worker.answers(pack(Load({"backward.py": sys.argv[2].encode()}, "backward.py")), 3600.0)
"""


def plan_at(level: str) -> Plan:
    isolation = probe(avoid=avoid_above(level))
    if isolation.level != level:
        pytest.skip(f"level {level} cannot be reached here, it is {isolation.level}")
    return Plan(isolation.layers, ENDLESS)


def start_grader(plan: Plan, source: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", GRADER, pickle.dumps(plan).hex(), source]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


QUICK = [("strong", "in threads"), ("none", "deaf")]
PAIRS = [(level, loop) for level in ("strong", "good", "fair", "weak", "none") for loop in LOOPS]


@pytest.mark.full
@sampled(("level", "loop"), [pair if pair in QUICK else slow(*pair) for pair in PAIRS], keep=1)
def test_a_grader_that_is_killed_in_the_midst(level: str, loop: str, alone: dict[int, str]) -> None:
    grader = start_grader(plan_at(level), LOOPS[loop])
    assert grader.stdout is not None and grader.stdout.readline() == b"asked\n"
    time.sleep(random.Random(level + loop).uniform(0.0, 0.3))  # no race: any moment is right
    grader.kill()
    grader.wait()
    assert new_descendants(alone, GUARD_SECONDS) == {}


@pytest.mark.full
@sampled("level", ["strong", slow("fair")], keep=1)
def test_a_zygote_that_is_killed_is_a_fault_of_ours(level: str, alone: dict[int, str]) -> None:
    process = ZygoteProcess(plan_at(level))
    student = Student(process, {"backward.py": LOOPS["at import"].encode()}, ["dlogits"])
    process.wait_until_ready()
    # no race: the zygote is reported as dead, however far the file is by then
    threading.Timer(0.3, lambda: [os.kill(pid, signal.SIGKILL) for pid in new_descendants(alone, 0.0)]).start()
    with pytest.raises(ZygoteDied):
        student.load_failure  # noqa: B018  # a property that runs the file
    assert new_descendants(alone, GUARD_SECONDS) == {}
    with pytest.raises(ZygoteDied):
        process.worker()
    process.close()
