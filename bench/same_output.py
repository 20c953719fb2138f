"""Proves that students and instructors see the same output from this checkout as from another one.

    git worktree add ../before COMMIT
    python -m bench.same_output ../before            everything, about 5 minutes of processor time
    python -m bench.same_output ../before --quick    a sample, about half of that
    python -m bench.same_output .                    this checkout twice: what differs here is random

Both checkouts run the real command line in this Python, one after the other, on the same input files at the same paths;
the inputs always come from this checkout. A dojo's kit is the exercises/ of the checkout that runs it. Each group is a
folder of outputs:

    timeouts   the golden submissions that run into a deadline
    golden     every other golden submission, as one class
    examples   examples/submissions with a roster, the exports to Canvas and Moodle, and a second run on the same folder
    corpora    each lesson's solution, stub and first variant; a sample of tests/in_the_wild, honest_styles and cheats
    dojo       what a student's terminal shows, the report and the training run
    screens    help texts and error messages

Every file of a group is compared byte for byte: results.json, grades.csv, reports, the formats of other programs, and a
text file per command with its exit status, standard output and standard error. `without_times` lists what a clock or a
random number generator writes; everything else must be equal. `NOT_COMPARED` lists the files that are left out, with
the reason. Graders run one at a time (`--jobs 1`), because with several the order of the progress lines is the order in
which submissions end. Not covered: `grade run --cluster`, `grade verify`, and the archives of `grade release` and
`grade export gradescope`, which contain the engine itself.

The exit status is 1 if any file differs, or if a checkout could not grade every submission.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
SEED = "3"
DEADLINE = "2"  # seconds, for the submissions that never end: short, but enough for everything else on a busy machine
PATIENCE = "4"  # seconds, for the examples: one of them never ends either
NEVER_ENDS = "loop_"  # how the names of these golden submissions begin
SLOW = ("07", "08", "09", "10")  # lessons whose solutions take seconds to grade: not with --quick
SHOWN = 160  # characters of a line that differs
MAX_SHOWN = 8  # files per group
SCREEN = "screen_"

SECONDS = r"\d+(?:\.\d+)?(?:e-\d+)?"
TIMES = [
    (r"results\.json", rf'(?<="seconds": ){SECONDS}'),
    (r"gradescope\.json", r'(?<="execution_time": )\d+'),
    (r"junit\.xml", r'(?<= timestamp=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=")'),
    (r"junit\.xml", rf'(?<= time="){SECONDS}(?=")'),
    (r"report\.html", rf"(?<=<p>Graded in ){SECONDS}(?= seconds ·)"),
    (r"report\.html", rf"(?<=<p>Checked in ){SECONDS}(?= seconds ·)"),
    # index.html: the sum of the seconds, their median, the slowest submission, and the last column of the table
    (r"index\.html", r"(?<=<dt>grading time</dt><dd>)[\d.]+ (?:s|min|h)(?=</dd>)"),
    (r"index\.html", r"(?<=<dt>Grading, in total</dt><dd>)[\d.]+ (?:s|min|h)(?=</dd>)"),
    (r"index\.html", r"(?<=<dt>Median submission</dt><dd>)[\d.]+(?= s</dd>)"),
    (r"index\.html", r"(?<=<dt>Slowest submission</dt><dd>)[\d.]+ s, [^<]+(?=</dd>)"),
    (r"index\.html", r'(?<=<td class="num">)\d+\.\d(?=</td></tr>\n)'),
    # `dojo train`: how long it took, in its last lines
    (
        rf"{SCREEN}train.*\.txt|log\.txt",
        rf"(?<=^\(training took ){SECONDS} s of processor time, autograd's {SECONDS} s(?=\)$)",
    ),
    # a new random token for each run: between it and its repetition GitHub takes nothing as a command
    (rf"{SCREEN}run.*\.txt", r"(?<=^::stop-commands::)[0-9a-f]{32}$|(?<=^::)[0-9a-f]{32}(?=::$)"),
]
"""(name of the file, what a clock or a random number generator wrote in it)."""

NOT_COMPARED = {
    r"gradebook\.sqlite": "its rows have the time of grading, and each results.json is written from them",
    r"\.grade-run\.lock": "empty; it only keeps two runs off one folder",
    r"checkpoint\.pt": "training's parameters as torch saves them; log.txt has the figures computed from them",
}
"""{name of a file: why it is not compared}."""


# Comparing -----------------------------------------------------------------------------------------------------------


def without_times(name: str, text: str) -> str:
    """The text of the file called `name`, with a # for everything that a clock or a random number generator wrote."""
    for pattern, time in TIMES:
        if re.fullmatch(pattern, name):
            text = re.sub(time, "#", text, flags=re.MULTILINE)
    return text


@dataclass(frozen=True)
class Difference:
    """The first difference between two files of the same path."""

    path: str
    here: str
    other: str

    def __str__(self) -> str:
        return f"  {self.path}\n    here:  {self.here}\n    other: {self.other}"


@dataclass
class Compared:
    """How many files of a group were compared, and the differences found."""

    group: str
    files: int = 0
    differences: list[Difference] = field(default_factory=list)

    def __str__(self) -> str:
        shown = [str(each) for each in self.differences[:MAX_SHOWN]]
        if len(self.differences) > MAX_SHOWN:
            shown.append(f"  ... and {len(self.differences) - MAX_SHOWN} more")
        head = f"{self.group:10} {self.files:5} files compared, {len(self.differences):4} differ"
        return "\n".join([head, *shown])


def compare(group: str, here: Path, other: Path) -> Compared:
    """Compare all files below two folders. A file that only one of them has is a difference."""
    compared = Compared(group)
    for path in sorted({*files_below(here), *files_below(other)}):
        compared.files += 1
        difference = compare_files(path, here / path, other / path)
        if difference:
            compared.differences.append(difference)
    return compared


def files_below(folder: Path) -> Iterator[str]:
    """Paths relative to `folder`, without the files that are not compared."""
    for path in folder.rglob("*"):
        if path.is_file() and not any(re.fullmatch(pattern, path.name) for pattern in NOT_COMPARED):
            yield path.relative_to(folder).as_posix()


def compare_files(path: str, here: Path, other: Path) -> Difference | None:
    if not (here.is_file() and other.is_file()):
        return Difference(path, *("(a file)" if place.is_file() else "(no file)" for place in (here, other)))
    # surrogateescape: bytes that are not UTF-8 are compared as they are
    ours, theirs = (
        without_times(place.name, place.read_bytes().decode("utf-8", "surrogateescape")) for place in (here, other)
    )
    return None if ours == theirs else first_difference(path, ours, theirs)


def first_difference(path: str, here: str, other: str) -> Difference:
    """The first line that differs, from a little before the first character that differs."""
    ours, theirs = here.split("\n"), other.split("\n")
    number = next(
        (at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))
    )
    mine, its = (lines[number] if number < len(lines) else None for lines in (ours, theirs))
    equal = next((at for at, (a, b) in enumerate(zip(mine or "", its or "", strict=False)) if a != b), 0)
    column = max(0, equal - SHOWN // 4)
    shown = ("(the file ends)" if line is None else repr(line[column : column + SHOWN]) for line in (mine, its))
    return Difference(f"{path}, line {number + 1}", *shown)


# Inputs --------------------------------------------------------------------------------------------------------------


def write_inputs(place: Path, quick: bool) -> None:
    """Write the submissions, the roster and the student's files that both checkouts get."""
    sys.path.insert(0, str(TESTS))
    from support import golden_names, lay_out, solution_of

    from grader.lesson.lesson import Course

    course = Course(ROOT)
    shutil.copytree(ROOT / "examples" / "submissions", place / "examples", ignore=shutil.ignore_patterns("README.md"))
    names = sorted(path.name for path in (place / "examples").iterdir())
    rows = [f"{name.replace('_', ' ').title()},{number},{name}@example.edu" for number, name in enumerate(names, 1000)]
    rows += ["Nobody Submitted,2000,nobody@example.edu"]
    (place / "roster.csv").write_text("\n".join(["name,id,email", *rows, ""]), encoding="utf-8")

    (place / "outside").mkdir()  # what a link of a golden submission points to
    (place / "outside" / "backward.py").write_text(solution_of(course.find("04")), encoding="utf-8")
    for name in golden_names():
        lay_out(name, place / ("timeouts" if name.startswith(NEVER_ENDS) else "golden"))

    for lesson in course.lessons.values():
        if quick and lesson.name.startswith(SLOW):
            continue
        texts = {"solution": solution_of(lesson), "stub": lesson.pristine.read_text(encoding="utf-8")}
        for variant in sorted((lesson.solution / "variants").glob("*.py"))[:1]:
            texts["variant"] = variant.read_text(encoding="utf-8")
        for kind, text in texts.items():
            write(place / "corpora" / f"every_{kind}" / lesson.name / "backward.py", text)
    write_corpora(place / "corpora", quick)
    write_dojo_files(place / "dojo")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_corpora(place: Path, quick: bool) -> None:
    """A sample of the corpora of tests/, each file as a submission of its lesson."""
    from wild_members import handed_in, member_of

    from grader.lesson.lesson import Course

    course = Course(ROOT)
    classes = sorted(path for path in (TESTS / "in_the_wild").iterdir() if path.is_dir())
    for folder in classes[:: 2 if quick else 1]:
        for path in sorted(folder.glob("*.py"))[: 1 if quick else None : 5]:
            member = member_of(path)
            if not member.course:  # it needs a course.toml of its own
                handed_in(member, course, place / f"wild_{folder.name}_{path.stem}")
    for corpus, sample in (("honest_styles", 15 if quick else 5), ("cheats", 25 if quick else 6)):
        for path in sorted((TESTS / corpus).glob("*.py"))[::sample]:
            text = path.read_text(encoding="utf-8")
            write(place / f"{corpus}_{path.stem}" / "03_makemore_steps" / "backward.py", text)


def write_dojo_files(place: Path) -> None:
    """A student's files for the kit: lessons 02 and 07 right, 03 with mistakes, 04 begun; the others are stubs."""
    from support import solution_of

    from grader.lesson.lesson import Course

    course = Course(ROOT)
    for number in ("02", "07"):
        write(place / course.find(number).name / "backward.py", solution_of(course.find(number)))
    mistaken = ROOT / "examples" / "submissions" / "emil_novak" / "03_makemore_steps" / "backward.py"
    write(place / course.find("03").name / "backward.py", mistaken.read_text(encoding="utf-8"))
    begun = course.find("04").pristine.read_text(encoding="utf-8")
    write(
        place / course.find("04").name / "backward.py", begun.replace("raise NotImplementedError", "return logits", 1)
    )
    shutil.copy(TESTS / "notebooks" / "colab_as_in_the_lecture.ipynb", place / "lecture.ipynb")


# Running -------------------------------------------------------------------------------------------------------------

LAUNCHER = """import sys
from grader.commands.{program} import main
sys.argv[0] = "{program}"
sys.exit(main())
"""


class Checkout:
    """Runs commands of the checkout at `root`, with everything else below the scratch folder `place`.

    Raises RuntimeError when Python does not import the engine of that checkout.
    """

    def __init__(self, root: Path, place: Path) -> None:
        self._root, self._place = root.resolve(), place
        self.inputs, self.kit, self.out = place / "in", place / "kit", place / "out"
        for program in ("grade", "dojo"):
            write(place / "bin" / program, LAUNCHER.format(program=program))
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("GITHUB_", "PYTHON"))}
        self._environment = {
            **kept,
            **{"PYTHONPATH": str(self._root), "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"},
            **{"HOME": str(place), "GITHUB_WORKSPACE": str(self.inputs)},
        }
        where = self._run(
            [sys.executable, "-c", "import grader; print(grader.__file__)"], self._root, {}
        ).stdout.strip()
        if Path(os.fsdecode(where)).parent != self._root / "grader":
            raise RuntimeError(f"Python imports {os.fsdecode(where)!r}, not the engine in {self._root}")

    def _run(self, command: Sequence[str], folder: Path, more: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
        environment = {**self._environment, **more}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL)

    def screen(self, group: str, name: str, *words: str) -> None:
        """Run a command as typed, and keep its exit status and what it prints as a file of the group.

        `dojo` runs in the kit, `grade` in the checkout.
        """
        folder = self.out / group
        folder.mkdir(parents=True, exist_ok=True)
        summary = folder / f"summary_{name}.md"  # the summary of a job on GitHub
        command = [sys.executable, str(self._place / "bin" / words[0]), *words[1:]]
        at = self.kit if words[0] == "dojo" else self._root
        done = self._run(command, at, {"GITHUB_STEP_SUMMARY": str(summary)})
        parts = [f"$ {' '.join(words)}\nexit status {done.returncode}\n".encode(), done.stdout, b"--- stderr\n"]
        (folder / f"{SCREEN}{name}.txt").write_bytes(b"".join([*parts, done.stderr]))

    def grade(self, group: str, submissions: str, *options: str) -> None:
        words = ("grade", "run", str(self.inputs / submissions), "-o", str(self.out / group / "grades"))
        formats = [word for each in ("gradescope", "github", "junit") for word in ("--format", each)]
        self.screen(group, "run", *words, "--seed", SEED, "--jobs", "1", *formats, *options)

    def make_kit(self) -> None:
        """The exercises of this checkout, and in them the student's files."""
        shutil.copytree(self._root / "exercises", self.kit / "exercises", ignore=shutil.ignore_patterns("__pycache__"))
        for stub in self.kit.glob("exercises/*/.stub"):
            shutil.copy(stub, stub.with_name("backward.py"))
        shutil.copytree(self.inputs / "dojo", self.kit / "exercises", dirs_exist_ok=True)
        shutil.move(self.kit / "exercises" / "lecture.ipynb", self.kit / "lecture.ipynb")


def golden(checkout: Checkout) -> None:
    checkout.grade("golden", "golden", "--lesson", "02", "--lesson", "04")


def timeouts(checkout: Checkout) -> None:
    checkout.grade("timeouts", "timeouts", "--timeout", DEADLINE)


def examples(checkout: Checkout) -> None:
    roster, grades = str(checkout.inputs / "roster.csv"), str(checkout.out / "examples" / "grades")
    checkout.grade("examples", "examples", "--roster", roster, "--timeout", PATIENCE)
    words = ("grade", "run", str(checkout.inputs / "examples"), "-o", grades, "--seed", SEED, "--timeout", PATIENCE)
    checkout.screen("examples", "run_again", *words, "--fail-under", "50", "--roster", roster)
    for platform in ("canvas", "moodle"):
        checkout.screen("examples", platform, "grade", "export", platform, grades, "--roster", roster)
    total = ("grade", "export", "canvas", grades, "--roster", roster, "--name", "total=Backprop", "--max", "10")
    checkout.screen("examples", "canvas_total", *total, "-o", str(checkout.out / "examples" / "total.csv"))


def corpora(checkout: Checkout) -> None:
    checkout.grade("corpora", "corpora")


def dojo(checkout: Checkout, quick: bool) -> None:
    checkout.make_kit()
    commands = {
        "list_at_first": "list",
        "check_wrong": "check 03",
        "hint_1": "hint",
        "hint_2": "hint 05.dhprebn",
        "hint_3": "hint 02.dlogits",
        "hint_4": "hint 02.dlogits",
        "hint_unknown": "hint dnothing",
        "check_unknown": "check 99",
        "train_not_written": "train 07",
    }
    if not quick:
        commands |= {
            "train": "train --steps 30",
            "check_right": "check 02",
            "check_rows": "check 03.dprobs dcounts",
            "check_begun": "check 04",
            "check_last": "check",
            "check_notebook": "check lecture.ipynb",
            "report": "report --no-open -o report.html",
            "reset": "reset 03",
            "list": "list",
        }
    for name, words in commands.items():
        checkout.screen("dojo", name, "dojo", *words.split())
    for path in (checkout.kit / "my-training", checkout.kit / "report.html"):
        if path.exists():
            shutil.move(path, checkout.out / "dojo" / path.name)


GRADE_COMMANDS = ("run", "verify", "stubs", "figures", "new-lesson", "release", "export")
DOJO_COMMANDS = ("check", "hint", "list", "report", "reset", "train", "watch")


def screens(checkout: Checkout) -> None:
    checkout.screen("screens", "grade_help", "grade", "--help")
    checkout.screen("screens", "dojo_help", "dojo", "--help")
    for command in GRADE_COMMANDS:
        checkout.screen("screens", f"grade_{command}_help", "grade", command, "--help")
    for platform in ("github", "gradescope", "canvas", "moodle"):
        checkout.screen("screens", f"grade_export_{platform}_help", "grade", "export", platform, "--help")
    for command in DOJO_COMMANDS:
        checkout.screen("screens", f"dojo_{command}_help", "dojo", command, "--help")
    submissions, nowhere = str(checkout.inputs / "examples"), str(checkout.out / "screens" / "nowhere")
    (checkout.out / "screens" / "classroom").mkdir()
    mistakes = {
        "no_submissions": ["run", nowhere],
        "empty_folder": ["run", str(checkout.inputs / "golden" / "empty_folder")],
        "unknown_lesson": ["run", submissions, "--lesson", "99"],
        "unknown_option": ["run", submissions, "--lessons", "3"],
        "no_roster": ["run", submissions, "--roster", str(checkout.inputs / "outside" / "backward.py")],
        "out_is_a_file": ["run", submissions, "-o", str(checkout.inputs / "roster.csv")],
        "no_course": ["run", submissions, "--course", str(checkout.inputs)],
        "nothing_to_export": ["export", "canvas", nowhere, "--roster", str(checkout.inputs / "roster.csv")],
        "export_github": ["export", "github", str(checkout.out / "screens" / "classroom")],
    }
    for name, words in mistakes.items():
        checkout.screen("screens", name, "grade", *words)


GROUPS = ("timeouts", "golden", "examples", "corpora", "dojo", "screens")


def run_all(checkout: Checkout, quick: bool) -> None:
    """Write checkout.out, two groups at a time. What runs into deadlines has the machine to itself."""
    timeouts(checkout)
    rest: list[Callable[[], None]] = [
        lambda: corpora(checkout),
        lambda: examples(checkout),
        lambda: dojo(checkout, quick),
        lambda: golden(checkout),
        lambda: screens(checkout),
    ]
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(each) for each in rest]:
            done.result()


def unfinished(out: Path) -> list[str]:
    """What stopped the runs that did not grade every submission: a comparison of those proves nothing."""
    found = []
    for group in ("timeouts", "golden", "examples", "corpora"):
        screen = (out / group / f"{SCREEN}run.txt").read_text(encoding="utf-8", errors="replace")
        if screen.split("\n")[1] != "exit status 0" or not list((out / group / "grades").glob("*/results.json")):
            found.append(f"{group} was not graded:\n{screen[-1000:]}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.same_output", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("other", type=Path, help="another checkout of this repository")
    parser.add_argument("--quick", action="store_true", help="fewer inputs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep all outputs in DIR/here and DIR/other")
    chosen = parser.parse_args(arguments)
    complete = True
    with tempfile.TemporaryDirectory(prefix="same_output-") as name:
        place = Path(name).resolve()
        (place / "in").mkdir()
        write_inputs(place / "in", chosen.quick)
        for side, root in (("other", chosen.other), ("here", ROOT)):
            checkout = Checkout(root, place)
            run_all(checkout, chosen.quick)
            for sentence in unfinished(checkout.out):
                complete = False
                print(f"{side}: {sentence}")
            checkout.out.rename(place / side)
            shutil.rmtree(checkout.kit)
        if chosen.keep:
            for side in ("other", "here"):
                shutil.copytree(place / side, chosen.keep / side)
        compared = [compare(group, place / "here" / group, place / "other" / group) for group in GROUPS]
    for each in compared:
        print(each)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time: {used.ru_utime + used.ru_stime:.0f} s")
    return 0 if complete and not any(each.differences for each in compared) else 1


if __name__ == "__main__":
    sys.exit(main())
