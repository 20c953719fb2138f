"""Shows that the cache of verdicts changes no byte of results.json: synthetic submissions with it and without it.

    python -m bench.same_verdicts                              1,000 submissions of lesson 03
    python -m bench.same_verdicts --count 200 --lesson 02
    python -m bench.same_verdicts --other ../before            and another checkout, which may have no cache

Half of the submissions are right and half wrong. Of each half, one in three is the lesson's solution (with one known
mistake), two in three draw each function from several spellings; one in ten prints, loops, fails or uses what is not
allowed. All three runs have one seed. Neither `seconds` nor the line that a step was at when its time was over is
compared. The exit status is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.spellings import RIGHT, WRONG, varied
from bench.throughput import sources
from grader.lesson.lesson import Course, Lesson

ROOT = Path(__file__).resolve().parent.parent
MAX_SHOWN = 10
# Runs in either checkout, so it uses only what both have.
PROGRAM = """
import json, sys
from pathlib import Path
sys.path.insert(0, ".")
from grader.gradebook.grading.session import Session
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.sandbox.isolation.limits import Limits

lesson = Course(Path(".")).find(sys.argv[1])
limits = Limits(import_seconds=3, step_seconds=3, total_seconds=12)
options = {} if sys.argv[2] == "as it is" else {"cache": sys.argv[2] == "on"}
session = Session([lesson], 3, limits, **options)

def without_time(data):
    if isinstance(data, dict):
        left_out = {"seconds"} | ({"line"} if data.get("status") == "timeout" else set())
        return {name: without_time(value) for name, value in data.items() if name not in left_out}
    return [without_time(value) for value in data] if isinstance(data, list) else data

for text in json.load(open(sys.argv[3])):
    files = LessonFiles(lesson.name, {"backward.py": text.encode()})
    graded = session.grade(Submission("student", Path("student"), {lesson.name: files}))
    print(json.dumps([without_time(graded.results.to_json()), graded.pictures, graded.printed]), flush=True)
session.close()
"""
ODD = (
    "\n\nprint('loaded')\n",
    "\n\ndef {name}(*given):\n    while True:\n        pass\n",
    "\n\ndef {name}():\n    for _ in range(10 ** 12):\n        pass\n",
    "\n\ndef {name}():\n    raise ValueError('no')\n",
    "\n\ndef {name}(**given):\n    return torch.rand(3)\n",
    "\n\ndef {name}(): return torch.ones(2, 3, 4).T\n",
    "\n\ntorch.Tensor.sum = torch.Tensor.mean\n",
    "\n\ntorch.set_default_dtype(torch.float64)\n",
    "\n\n{name} = {name}\n",
    "\n\ndef {name}(): return {name}()\n",
    "\n\ndef helper(x): return x\n\n\ndef {name}(): return helper(torch.zeros(10 ** 12))\n",
    "\n\nimport os\n\nos._exit(0)\n",
)


def class_of(lesson: Lesson, count: int) -> list[str]:
    one = {kind: sources(lesson, kind) for kind in (RIGHT, WRONG)}
    many = {kind: varied(lesson, kind) for kind in (RIGHT, WRONG)}

    def files() -> Iterator[str]:
        for number in range(count):
            draw = random.Random(number)
            kind = (RIGHT, WRONG)[number % 2]
            text = next((one if draw.random() < 1 / 3 else many)[kind]).decode()
            odd = draw.choice(ODD) if draw.random() < 0.1 else ""
            yield text + odd.format(name=draw.choice(lesson.functions))

    return list(files())


def verdicts(root: Path, lesson: str, cache: str, files: Path) -> Iterator[str]:
    command = [sys.executable, "-c", PROGRAM, lesson, cache, str(files)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield from process.stdout


def differences(one: object, other: object, path: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for name in one:
            yield from differences(one[name], other[name], f"{path}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{path}/{number}")
    elif json.dumps(one) != json.dumps(other):
        yield f"{path}: {str(one)[:200]!r}, {str(other)[:200]!r}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.same_verdicts", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=1000, metavar="N")
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--other", type=Path, help="another checkout of this repository")
    chosen = parser.parse_args(arguments)
    lesson = Course(ROOT).find(chosen.lesson)
    class_, different, compared = class_of(lesson, chosen.count), 0, 0
    with tempfile.TemporaryDirectory(prefix="same-verdicts-") as folder:
        files = Path(folder) / "files.json"
        files.write_text(json.dumps(class_))
        runs = [(ROOT, "on"), (ROOT, "off"), *([(chosen.other, "as it is")] if chosen.other else [])]
        for number, lines in enumerate(
            zip(*(verdicts(root, lesson.number, c, files) for root, c in runs), strict=True)
        ):
            compared += 1
            if len(set(lines)) > 1:
                different += 1
                for (root, cache), line in zip(runs[1:], lines[1:], strict=True):
                    for difference in [*differences(json.loads(lines[0]), json.loads(line))][:MAX_SHOWN]:
                        print(f"submission {number}, {root.name} with the cache {cache}{difference}", flush=True)
    print(f"{compared} of {len(class_)} submissions of {lesson.name} compared in {len(runs)} runs: {different} differ")
    return int(different > 0 or compared < len(class_))


if __name__ == "__main__":
    sys.exit(main())
