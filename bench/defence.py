"""python -m bench.defence [NUMBER] [--seed S] [--lessons 03,05] [--workers] [--into FILE] [--table FILE...]
python -m bench.defence NUMBER --waiting [--seed S] [--lessons 03,05]

Generates defences over solutions, variants and mutants of all lessons, and computes every key again by another path
(bench/defence_keys.py). Prints how many keys agree, how long generating takes, by family, and how often strategies that
only compare texts are right.

The course's files run in this process (bench/course_file_worker.py); with `--workers`, in locked-in workers, as a
student's file does. Both give the same questions. With `--into`, every defence adds a line to FILE, and a later call
goes on where an earlier one stopped. `--table` prints the table of such files and generates nothing.

`--waiting` measures what somebody waits for: every defence in a process of its own that has loaded torch and nothing
else, with the workers of `dojo defend` and `grade defence`, after the check that says which rows are right.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import torch

from bench.course_file_worker import NO_ZYGOTE, without_workers
from bench.defence_guesses import guesses, right_by_lesson, right_by_majority
from bench.defence_keys import Source, holds_here, is_confirmed, module_of
from grader.calling.joint import Joint
from grader.defence import generate as generating
from grader.defence.generate import QUESTIONS_PER_DEFENCE, Pose, generate
from grader.defence.question import DefenceQuestion
from grader.defence.small_problems import small_problems
from grader.dojo.check import LocalJudge
from grader.dojo.file import HERE
from grader.dojo.zygote import Starter
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Course, Lesson
from grader.reference.course_formulas import LocalStudent
from grader.sandbox.workers.client import ZygoteProcess
from grader.source.reader import source_reader
from grader.verdict.judge.examples import examples_of

REAPED = 0.3
"""Seconds after which the zygote knows the processor time of a worker that has ended."""
Record = dict[str, Any]
"""What one defence gave, as a line of JSON holds it."""


class CourseFile(NamedTuple):
    """The text of a solution, a variant, or a solution with a known mistake, which the row `wrong` has."""

    lesson: Lesson
    name: str
    text: str
    wrong: str = ""

    @property
    def source(self) -> Source:
        right = [row for row in right_rows(self.lesson, self.text) if row != self.wrong]
        return Source(self.lesson, self.name, self.text, right)


def files_of(lessons: Sequence[Lesson]) -> Iterator[CourseFile]:
    for lesson in lessons:
        solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
        texts = {"solution": solution}
        texts |= {
            f"variants/{p.name}": p.read_text(encoding="utf-8") for p in sorted(lesson.solution.glob("variants/*.py"))
        }
        yield from (CourseFile(lesson, name, text) for name, text in texts.items())
        for mistake in lesson.mistakes:
            with contextlib.suppress(ValueError):
                yield CourseFile(lesson, mistake.name, mistake.applied_to(solution), mistake.gradient)


def right_rows(lesson: Lesson, text: str) -> list[str]:
    """The gradients that a file of the course has right on the small problems; without any, the rows of its examples.

    A row whose example measures a process is left out.
    """
    try:
        module = module_of(text)
    except Exception:
        return []
    checks = {item.name for item in lesson.checks}
    holding = [row for row in examples_of(lesson) if row in checks and holds_here(lesson, row, module)]
    steps = [item.name for item in lesson.gradients]
    joint = Joint(lesson.joint.name, lesson.joint.returns) if lesson.joint else None
    student, right = LocalStudent(vars(module), steps, joint), set(steps)
    for problem in small_problems(lesson):
        for step, answer in student.answers(problem).items():
            reference = problem.reference(step[1:])
            found = answer.tensor
            is_right = found is not None and found.shape == reference.shape
            if not (is_right and torch.allclose(found.double(), reference, rtol=1e-8, atol=1e-9)):  # type: ignore[union-attr]
                right.discard(step)
    return [*(step for step in steps if step in right), *holding]


def is_unambiguous(question: DefenceQuestion) -> bool:
    """Whether exactly one answer is judged right, of all letters or of all sets of letters."""
    if question.kind == "choice":
        right = [letter for letter in question.letters.values() if question.judged(letter).status == "passed"]
        return right == [question.key_text] and len(set(question.choices.values())) == len(question.choices)
    return question.judged(question.key_text).status == "passed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int, nargs="?", default=200)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--lessons", default="", help="numbers, such as 03,05  [default: all]")
    parser.add_argument("--workers", action="store_true", help="run the files in locked-in workers")
    parser.add_argument("--waiting", action="store_true", help="measure each defence in a process of its own")
    parser.add_argument("--into", type=Path, help="a file of records, which a later call goes on with")
    parser.add_argument("--table", type=Path, nargs="+", default=(), help="print the table of these files")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.waiting:
        print(waiting_text(options.number, options.seed, options.lessons.split(",") if options.lessons else ()))
        return
    if options.table:
        found = Tally()
        for path in options.table:
            for record in records_in(path):
                found.add(record)
    else:
        lessons = options.lessons.split(",") if options.lessons else ()
        found = run(options.number, options.seed, lessons, options.into, options.workers)
    print(found.text())
    sys.exit(0 if not found.wrong and not found.ambiguous and not found.crashes else 1)


class Tally:
    """What the defences gave."""

    def __init__(self) -> None:
        self.defences, self.without, self.seconds = 0, 0, list[float]()
        self.questions, self.used = Counter[str](), Counter[str]()
        self.wrong, self.ambiguous, self.crashes = list[str](), list[str](), list[str]()
        self.keys: dict[str, Counter[str]] = defaultdict(Counter)
        self.asked = list[tuple[str, str, str]]()
        self.by_looks: dict[str, list[float]] = defaultdict(list)
        self.counts = Counter[int]()
        self.lessons = Counter[str]()
        self.family_seconds: dict[str, list[float]] = defaultdict(list)

    def add(self, record: Record) -> None:
        """Counts a record. One with a name only is of a file without a right row: a defence has nothing to ask."""
        if len(record) == 1:
            return
        for kind in ("wrong", "ambiguous", "crashes"):
            getattr(self, kind).extend(record[kind])
        if record["crashes"]:
            return
        self.seconds.append(record["seconds"])
        self.defences += 1
        self.lessons[record["lesson"]] += 1
        self.without += not record["questions"]
        self.counts[len(record["questions"])] += 1
        self.used.update(record["used"])
        for family, key in record["questions"]:
            self.questions[family] += 1
            self.keys[family][key] += 1
            self.asked.append((family, record["lesson"], key))
        for strategy, share in record.get("guesses", ()):
            self.by_looks[strategy].append(share)
        for family, seconds in record["family_seconds"]:
            self.family_seconds[family].append(seconds)

    def text(self) -> str:
        lines = [
            f"{self.defences} defences, {sum(self.questions.values())} questions, {self.without} without questions; "
            f"of so many questions: {dict(sorted(self.counts.items()))}",
            f"lessons: {dict(sorted(self.lessons.items()))}",
            f"keys that a second computation does not confirm: {len(self.wrong)}; ambiguous: {len(self.ambiguous)}; "
            f"crashes: {len(self.crashes)}",
            f"second paths used: {dict(self.used)}",
        ]
        if self.seconds:
            lines.append(f"processor time per defence, all processes: {seconds_text(self.seconds)}")
        for strategy, shares in self.by_looks.items():
            lines.append(
                f"which_line, the choice that is or {strategy}: {statistics.mean(shares):.0%} of {len(shares)}"
            )
        for family, (key, share, count) in sorted(right_by_majority((f, key) for f, _, key in self.asked).items()):
            of_lesson = right_by_lesson(each for each in self.asked if each[0] == family)
            lines.append(f"{family}, always {key}: {share:.0%} of {count}; the lesson's most frequent: {of_lesson:.0%}")
        lines.append("family         questions  attempts  seconds per attempt                     most frequent keys")
        for family in sorted(self.family_seconds.keys() | self.questions.keys()):
            seconds = self.family_seconds[family]
            keys = ", ".join(f"{key} {count}" for key, count in self.keys[family].most_common(5))
            lines.append(f"{family:14} {self.questions[family]:9} {len(seconds):9}  {seconds_text(seconds):38}  {keys}")
        return "\n".join([*lines, *self.wrong[:20], *self.ambiguous[:10], *self.crashes[:10]])


def seconds_text(seconds: Sequence[float]) -> str:
    if not seconds:
        return ""
    ordered = sorted(seconds)
    return f"median {statistics.median(ordered):.3f}, 95 % {ordered[int(len(ordered) * 0.95)]:.3f}"


def processor_seconds(zygote: ZygoteProcess | None) -> float:
    """Processor time so far of this process, of the zygote with its ended workers, and of the reader of texts."""
    total = time.process_time()
    for process in (zygote._process, source_reader()._process) if zygote is not None else ():
        if process is not None:
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
                total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def records_in(path: Path) -> list[Record]:
    """The whole lines of a file of records; the last one may have been cut off."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def run(
    number: int, seed: str, lessons: Sequence[str] = (), into: Path | None = None, in_workers: bool = False
) -> Tally:
    """`number` defences of the files of these lessons, or of all; those that `into` holds are not made again."""
    course = Course(Path.cwd())
    chosen = [course.find(each) for each in lessons] or list(course.lessons.values())
    files = list(files_of(chosen))
    random.Random(seed).shuffle(files)
    if not in_workers:
        with without_workers():
            return tally_of(files, number, seed, None, into, progress=True)
    starter = Starter()
    try:
        return tally_of(files, number, seed, starter.zygote, into, progress=True)
    finally:
        starter.zygote.close()


def tally_of(
    files: Sequence[CourseFile],
    number: int,
    seed: str,
    zygote: ZygoteProcess | None,
    into: Path | None = None,
    progress: bool = False,
) -> Tally:
    """Generate `number` defences of these files, one after another, and compute every key again."""
    tally, sources = Tally(), dict[int, Source]()
    known = set()
    for record in records_in(into) if into else ():
        tally.add(record)
        known.add(record["name"])
    for count in range(number):
        place = count % len(files)
        name = f"{files[place].lesson.name} {files[place].name} seed {seed}/{count}"
        if name in known:
            continue
        try:
            source = sources.setdefault(place, files[place].source)
            record = record_of(source, name, f"{seed}/{count}", zygote) if source.right else {"name": name}
        except KeyboardInterrupt:
            break  # what was done so far is printed
        tally.add(record)
        if into:
            with into.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        problems = [each for kind in ("wrong", "ambiguous", "crashes") for each in record.get(kind, ())]
        if progress and (problems or count % 50 == 49):
            print(f"{count + 1} of {number}", *problems, sep="\n  ", file=sys.stderr, flush=True)
    return tally


def record_of(source: Source, name: str, seed: str, zygote: ZygoteProcess | None) -> Record:
    """One defence, with what a second computation says of its keys."""
    found: Record = {"name": name, "lesson": source.lesson.number, "wrong": [], "ambiguous": [], "crashes": []}
    began = processor_seconds(zygote)
    try:
        with timed_families(zygote) as family_seconds:
            files = {"backward.py": source.text.encode()}
            made = generate(source.lesson, files, source.right, zygote or NO_ZYGOTE, seed)
    except Exception as error:
        found["crashes"].append(f"crash: {name}: {type(error).__name__}: {error}")
        return found
    used, guessed = Counter[str](), list[tuple[str, float]]()
    found |= {"seconds": processor_seconds(zygote) - began, "family_seconds": family_seconds}
    for question in made.questions:
        where = f"{name}: {question.family} {question.row} key {question.key}"
        if not is_unambiguous(question):
            found["ambiguous"].append(f"ambiguous: {where}")
        try:
            if not is_confirmed(source, question, used):
                found["wrong"].append(f"not confirmed: {where}")
        except Exception as error:
            found["wrong"].append(f"not confirmed: {where}: {type(error).__name__}: {error}")
        if question.row in {item.name for item in source.lesson.items} - set(source.right):
            found["wrong"].append(f"about a wrong row: {where}")
        guessed += guesses(question)
    questions = [(question.family, key_of(question)[:24]) for question in made.questions]
    return found | {"questions": questions, "used": used, "guesses": guessed}


def key_of(question: DefenceQuestion) -> str:
    """The key, for counting: of four lines the letter, because the key's name is always the same."""
    return question.key_text if question.family == "which_line" else str(question.key)


def waiting_text(number: int, seed: str, lessons: Sequence[str] = ()) -> str:
    """What generating takes, as it is waited for: by lesson, and over all defences that have six questions."""
    course = Course(Path.cwd())
    files = list(files_of([course.find(each) for each in lessons] or list(course.lessons.values())))
    random.Random(seed).shuffle(files)
    found: dict[str, list[Waited]] = defaultdict(list)
    for count in range(number):
        file = files[count % len(files)]
        receiver, sender = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(target=wait_for, args=(file, f"{seed}/{count}", sender))
        process.start()
        sender.close()
        with contextlib.suppress(EOFError):  # it ended with an error, which it has printed
            found[file.lesson.number].append(receiver.recv())
        process.join()
    lines = ["lesson  defences  questions  seconds to wait        processor seconds"]
    whole = [each for several in found.values() for each in several if each.questions == QUESTIONS_PER_DEFENCE]
    for name, several in [*sorted(found.items()), ("of six questions", whole)]:
        waited, used = ([getattr(each, what) for each in several] for what in ("waited", "used"))
        lines.append(
            f"{name:6}  {len(several):8}  {sum(each.questions for each in several):9}  {seconds_text(waited):21}  "
            f"{seconds_text(used)}"
        )
    return "\n".join(lines)


class Waited(NamedTuple):
    """A defence's questions, the seconds until they were there, and the processor time of all processes for it."""

    questions: int
    waited: float
    used: float


def wait_for(file: CourseFile, seed: str, sender: Connection) -> None:
    """Check a file, then generate a defence about it, as `dojo defend` and `grade defence` do."""
    with closing(LocalJudge()) as judge:
        submitted = LessonFiles(file.lesson.name, {"backward.py": file.text.encode()})
        rows = judge.judge(file.lesson, submitted).rows
        right = [row.name for row in rows if row.status in ("passed", HERE)]
        used, began = processor_seconds(judge.zygote), time.perf_counter()
        made = generate(file.lesson, submitted.files, right, judge.zygote, seed)
        waited = time.perf_counter() - began
        time.sleep(REAPED)
        sender.send(Waited(len(made.questions), waited, processor_seconds(judge.zygote) - used))


@contextlib.contextmanager
def timed_families(zygote: ZygoteProcess | None) -> Iterator[list[tuple[str, float]]]:
    """(family, processor time) of every attempt to pose a question while this is open."""
    found: list[tuple[str, float]] = []
    usual = generating.FAMILIES

    def timed(family: str, pose: Pose, *arguments: Any) -> Any:
        began = processor_seconds(zygote)
        try:
            return pose(*arguments)
        finally:
            found.append((family, processor_seconds(zygote) - began))

    generating.FAMILIES = {family: partial(timed, family, pose) for family, pose in usual.items()}
    try:
        yield found
    finally:
        generating.FAMILIES = usual


if __name__ == "__main__":
    main()
