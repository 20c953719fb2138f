"""Hostile submissions: each gets the result that its header says, reads nothing, writes nothing, leaves nothing.

And whoever is graded after it, on the same zygote, gets exactly what they get alone. The corpus is
tests/corpus/hostile; bench/attacks/firing_range.py runs it, with a canary in everything that is secret.
Here it runs at the level that this machine reaches, and with `-m slow` at every other level and as an ordinary user
(docs/security.md).
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from long_texts import FAMILIES
from shared_nursery import SharedNursery
from support import CORPUS, GUARD_SECONDS, guarded, sampled

from bench.attacks.arena import Arena, adopt_orphans, descendants, make_arena, new_descendants
from bench.attacks.corpus import FOLDER, Attack, corpus, helpers
from bench.attacks.files import WHERE, reason_not_to, run_elsewhere
from bench.attacks.firing_range import ROOT, Range, differences, range_at
from bench.members import Member, members_of
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import SubmissionResult
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.probe import at_least, probe
from grader.sandbox.workers.client import ZygoteProcess

if not kernel.supported():
    pytest.skip("needs Linux on x86_64 or aarch64", allow_module_level=True)

ATTACKS = corpus()
CHEATS = [each for path in sorted((CORPUS / "cheats").glob("*.py")) for each in members_of(path)]
STATUSES = ["passed", "failed", "shape", "todo", "missing", "error", "timeout", "crashed", "forbidden"]


@pytest.fixture(scope="module")
def level() -> str:
    return probe().level


@pytest.fixture(scope="module")
def a_zygote_of_its_own() -> Iterator[None]:
    """Other modules may share zygotes that outlive their sessions; here a session's end must end everything.

    The nursery of all tests lives on; it is started before, so that it is not among what the session started.
    """
    SharedNursery().program("pass").wait()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.gradebook.grading.session.ZygoteProcess", ZygoteProcess)
        yield


@pytest.fixture(scope="module")
def opened(level: str, a_zygote_of_its_own: None) -> Iterator[Range]:
    if level == "none":
        pytest.skip(f"nothing locks hostile code in here: {' '.join(probe().missing)}")
    with range_at(level) as opened:
        yield opened


# The corpus ----------------------------------------------------------------------------------------------------------


@sampled("attack", ATTACKS, keep=1, ids=lambda attack: attack.name)
def test_attack(attack: Attack, opened: Range) -> None:
    outcome = opened.run(attack)
    assert outcome.problems == []


def test_the_corpus_is_what_it_is_said_to_be() -> None:
    assert len(ATTACKS) >= 70
    for attack in ATTACKS:
        for row in (key for key in attack.header if key.startswith("rows")):
            assert set(attack.header[row].split(", ")) <= set(STATUSES), f"{attack.name}: {attack.header[row]}"
        assert attack.stopped_from in ("never", "none", "weak", "fair", "good", "strong"), attack.name
        if "race" in attack.header and "passed" in attack.header["rows"]:  # a pass is earned, whoever wins
            assert is_answered_rightly(attack), attack.name
        assert not re.search(r"canary-[0-9a-f]{32}", attack.files[BACKWARD_FILE].decode())


def is_answered_rightly(attack: Attack) -> bool:
    """Whether every graded function of a file is the answer key's, and is bound once."""
    bound = [
        (getattr(statement, "module", None), name.asname or name.name)
        for statement in ast.parse(attack.files[BACKWARD_FILE]).body
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for name in statement.names
    ]
    others = {
        node.id if isinstance(node, ast.Name) else node.name
        for node in ast.walk(ast.parse(attack.files[BACKWARD_FILE]))
        if isinstance(node, ast.FunctionDef) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }
    functions = Course(ROOT).find(attack.lesson).functions
    return all(("right", name) in bound and name not in others for name in functions)


@pytest.mark.full
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_what_the_attacks_of_a_file_have_in_common_stops_none_of_them(path: Path, opened: Range) -> None:
    """Else nobody would see whether an attack does."""
    common = next(members_of(path)).common
    assert opened.run(attack(f"{common}\nfrom right import dlogits\n".encode(), "passed")).problems == []


def test_every_attack_but_few_is_stopped_where_it_counts() -> None:
    open_at_fair = {attack.name for attack in ATTACKS if not attack.stops_at("fair")}
    derivatives = {"own_tape"}
    assert open_at_fair == {"own_account", "stat_hidden_files", "thread_bomb"} | derivatives


# Derivatives without doing it by hand: tests/corpus/cheats, through real workers
# ---------------------------------------


def attack(text: bytes, rows: str, lesson: str = "04", **neighbours: bytes) -> Attack:
    """Of a text that is no member of tests/corpus/hostile."""
    files = {BACKWARD_FILE: text, **{f"{name}.py": each for name, each in neighbours.items()}}
    return Attack("attack", "", "", files, {"rows": rows, "lesson": lesson})


@sampled("cheat", CHEATS, keep=2, ids=lambda cheat: cheat.name)
def test_cheat(cheat: Member, opened: Range) -> None:
    statuses = ", ".join({*STATUSES} - {"passed"})
    assert opened.run(attack(cheat.text.encode(), statuses, "03"), with_next=False).problems == []


def test_a_right_submission_after_all_cheats(opened: Range) -> None:
    """After each of them would cost a third of the time: no cheat can do more than the attacks above."""
    assert opened.is_unaffected("03")


# Texts that are an attack themselves: on whoever parses them ----------------------------------------------------------

TEXTS = {
    "nulls": b"\0" * 1000,
    "no_utf_8": b"\xff\xfe\x00def dlogits(logits):\n    return logits\n",
    "parentheses": b"(" * 200_000,
    "minuses": b"x = " + b"-" * 200_000 + b"1",
    "sums": b"x = " + b"1 + " * 60_000 + b"1",
    "calls": b"x = print" + b"()" * 60_000,
    "attributes": b"x = print" + b".a" * 60_000,
    "lambdas": b"x = " + b"lambda: " * 30_000 + b"0",
    "lists": b"x = " + b"[" * 90 + b"]" * 90 + b"\n" + b"y = " + b"[" * 50_000,
    "blocks": b"".join(b" " * depth + b"if 1:\n" for depth in range(1000)),
    "rot13": b"# coding: rot13\nqrs qybtvgf(ybtvgf):\n    erghea ybtvgf\n",
    "utf_7": b"# coding: utf-7\n+AGQAZQBm- dlogits(logits):\n    return logits\n",
    "no_such_coding": b"# coding: ../../etc/passwd\n",
    "one_line": b"x = '" + b"a" * 1_000_000 + b"'",
    "many_lines": b"a = 1\n" * 160_000,
    "imports_itself": b"from backward import *\nimport backward\n",
    "no_end": b"def dlogits(logits):\n    x = (1,",
    "numbers": b"x = " + b"9" * 100_000,
    "targets": b"a=b=c=" * 48_000 + b"1\n",
    "walruses": FAMILIES["walrus"](100_000).encode(),
}


@sampled("text", TEXTS.values(), keep=1, ids=TEXTS.keys())
def test_text(text: bytes, opened: Range) -> None:
    assert opened.run(attack(text, "error, crashed, missing, failed, timeout")).problems == []


@pytest.mark.slow
def test_many_large_helpers_cost_the_grader_little(opened: Range) -> None:
    large = b"x = [" + b"a," * 140_000 + b"]\n"
    text = b"def dlogits(logits):\n    return logits\n"
    with guarded():
        opened.run(attack(text, "failed", **{f"n{i}": large for i in range(16)}))


# What no submission may find -----------------------------------------------------------------------------------------


def test_workers_share_no_memory_that_they_can_write(opened: Range) -> None:
    """Else one submission could leave something for the next."""
    assert opened.started
    for pid in opened.started:
        mappings = Path(f"/proc/{pid}/maps").read_text().splitlines()
        assert [line for line in mappings if re.match(r"\S+ .w.s ", line)] == []


def test_the_zygote_knows_no_secret(opened: Range) -> None:
    assert opened.started
    for pid in opened.started:
        environment = Path(f"/proc/{pid}/environ").read_bytes() + Path(f"/proc/{pid}/cmdline").read_bytes()
        assert opened.arena.token.encode() not in environment
        assert all(not os.path.isfile(path) or path.startswith(("/dev", "/usr")) for path in open_files(pid))


def open_files(pid: int) -> list[str]:
    links = [f"/proc/{pid}/fd/{entry}" for entry in os.listdir(f"/proc/{pid}/fd")]
    return [os.readlink(link) for link in links]


# As students hand it in, and as an instructor runs it ----------------------------------------------------------------

SLOW = {"print_for_ever", "print_in_a_thread", "flush_that_waits"}
SHOWN = {"reading hidden files", "hunting references", "files next to it", "output"}


def lay_out(attack: Attack, arena: Arena, lesson: Lesson, folder: Path) -> Path:
    """The attack as a folder on disk, with everything that lies beside it."""
    place = folder / attack.name / lesson.name
    place.mkdir(parents=True)
    beside = FOLDER / attack.name
    if beside.is_dir():
        shutil.copytree(beside, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    solution = (ROOT / "solutions" / lesson.name / BACKWARD_FILE).read_bytes()
    world = arena.world(lesson, [os.getpid()]).encode()
    for name, text in {
        **helpers(),
        "right.py": solution,
        "world.py": world,
        BACKWARD_FILE: attack.files[BACKWARD_FILE],
    }.items():
        if not (place / name).exists() or name == BACKWARD_FILE:
            (place / name).write_bytes(text)
    return place


def grade_run(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-P",
        "-c",
        "from grader.commands.grade import main; main()",
        "run",
        *map(str, arguments),
    ]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=GUARD_SECONDS)


@pytest.mark.full
@sampled("every", [8, pytest.param(1, marks=pytest.mark.slow)], keep=1)
def test_the_whole_command_keeps_its_secrets(every: int, level: str, tmp_path: Path) -> None:
    """From folders on disk to reports: statuses as expected, and the canary nowhere in what was written or said."""
    if not at_least(level, "fair"):
        pytest.skip(f"level {level}: secrets lie open here")
    adopt_orphans()
    arena = make_arena(ROOT, tmp_path / "world", ["04"])
    lesson = arena.course.find("04")
    chosen = [a for a in ATTACKS if a.stops_at(level) and a.lesson == "04" and a.name not in SLOW]
    chosen = [a for a in chosen if a.group in SHOWN or a.name in ("forge_markup", "pickle_reduce", "find_environment")]
    chosen = chosen[::every]
    submission = tmp_path / "submitted"
    for attack in chosen:
        lay_out(attack, arena, lesson, submission)
    before, processes = arena.snapshot(), descendants()
    out, course = tmp_path / "out", arena.root / "course"
    done = grade_run(submission, "-o", out, "--course", course, "--lesson", "04", "--timeout", 1, "--seed", 3)
    assert done.returncode == 0, done.stderr[-2000:]
    assert arena.snapshot() == before
    assert new_descendants(processes, GUARD_SECONDS) == {}
    said = done.stdout + done.stderr
    assert arena.token not in said and "\x1b" not in said
    for path in out.rglob("*"):
        if path.is_file():
            assert arena.token.encode() not in path.read_bytes(), path
    for attack in chosen:
        results = SubmissionResult.from_text((out / attack.name / "results.json").read_text())
        assert differences(attack, results.lessons[0]) == [], attack.name
        page = (out / attack.name / "report.html").read_text()
        assert "<script>document.title" not in page and "<img src=x" not in page


@pytest.mark.full
def test_a_run_from_inside_a_submission_imports_nothing_of_it(tmp_path: Path) -> None:
    arena = make_arena(ROOT, tmp_path / "world", ["04"])
    lesson = arena.course.find("04")
    (attack,) = [attack for attack in ATTACKS if attack.name == "files_next_to_it"]
    place = lay_out(attack, arena, lesson, tmp_path / "submitted")
    course = arena.root / "course"
    done = grade_run(".", "-o", tmp_path / "out", "--course", course, "--lesson", "04", "--require", "weak", cwd=place)
    assert "GOT THROUGH" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stderr[-2000:]


# The other levels, and an ordinary user ------------------------------------------------------------------------------

QUICK = {"reading hidden files", "writing", "signals to others", "network"}


@pytest.mark.full
@sampled("every", [6, pytest.param(1, marks=pytest.mark.slow)], keep=1)
def test_what_matters_most_at_fair(every: int) -> None:
    if reason := reason_not_to():
        pytest.skip(reason)
    names = [attack.name for attack in ATTACKS if attack.group in QUICK][::every]
    try:
        outcomes = run_elsewhere("fair", "user", names)
    except RuntimeError as error:
        pytest.skip(str(error))
    assert len(outcomes) == len(names)
    assert {outcome.name: outcome.problems for outcome in outcomes if outcome.problems} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("level", "who"), WHERE, ids=["-".join(pair) for pair in WHERE])
def test_every_level(level: str, who: str) -> None:
    try:
        outcomes = run_elsewhere(level, who)
    except RuntimeError as error:
        pytest.skip(str(error))
    assert len(outcomes) == sum(attack.may_run_at(level) for attack in ATTACKS)
    assert {outcome.name: outcome.problems for outcome in outcomes if outcome.problems} == {}


def test_the_table_in_the_manual_names_every_group() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+) \| +(\d+) \|", text, re.MULTILINE))
    groups = [attack.group for attack in ATTACKS]
    assert rows == {group: str(groups.count(group)) for group in set(groups)}
    open_ones = re.findall(r"^- `(\w+)` \(", text, re.MULTILINE)
    assert set(open_ones) >= {attack.name for attack in ATTACKS if attack.stopped_from == "never"}
