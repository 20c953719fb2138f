"""docs/instructor.md: every command in it, in the page's order, in a small course with a class of its own.

A command is a line of an indented block; no other line may be in one. Prepared are the files that the page names
(`prepare`) and what it tells a person to do between two commands (BY_HAND). A fenced `text` block is what the commands
before it print: each of its lines, where `...` stands for anything.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT, solution_of

from grader.commands.grade import main
from grader.lesson.lesson import Course

PAGE = (ROOT / "docs" / "instructor.md").read_text(encoding="utf-8")
LESSON = "04_cross_entropy"
SUITE = Path("solutions", LESSON, "test_cross_entropy.py")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "variants")
BUG = ("if dlogits.passes(FAR_APART):", "if not dlogits.passes(FAR_APART):")
GUESS = (f"{LESSON}: first.py,", f"{LESSON}: second.py,")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```|^ {4}([^\n]*)$", re.MULTILINE | re.DOTALL)
ODD = "import torch\n\n\ndef dlogits(logits, Yb, n):\n    odd = logits.exp() * 0.125 - 3 * Yb.sum()\n    return odd\n"
NAMES = ("Ada Okafor", "Bo Li", "Cy Nowak", "Dan Mensah", "Eve Sato", "Fay Haddad", "Gil Ito")
EMAILS = {name: f"{name.split()[0].lower()}@example.edu" for name in NAMES}
IN_TIME, LATE = "2026-11-20 12:00:00.000000000 Z", "2026-11-22 12:00:00.000000000 Z"
BY_HAND = {
    "grade run submissions.zip --roster roster.csv -o hw2 --intake hw2/intake.csv": (Path("hw2/intake.csv"), *GUESS),
    "grade verify 04": (SUITE, *reversed(BUG)),
}
"""{a command: the file that a person edits before it, what is there, what is written}"""


def blocks() -> Iterator[tuple[str, str]]:
    """("command", one line of an indented block) or (language, a fenced block), in the page's order."""
    for found in BLOCK.finditer(PAGE):
        language, block, line = found.groups()
        yield (language, block) if line is None else ("command", re.split(r"\s+# ", line)[0].strip())


def files_in_page(language: str) -> list[str]:
    return [text for kind, text in blocks() if kind == language]


def prepare(place: Path, course: Course) -> None:
    """The files that the page names: a course with a bug in a suite, a class's downloads, and its lists."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / LESSON, place / part / LESSON, ignore=LEFT_OUT)
    edit(place / SUITE, *BUG)
    right = solution_of(course.find("04"))
    submitted = {
        "Ada Okafor": {"backward.py": right},
        "Bo Li": {"backward.py": right},
        "Cy Nowak": {
            "first.py": right + "\n\ndef dlogits(logits, Yb, n):\n    return logits\n",
            "second.py": right,
        },
        "Dan Mensah": {"backward.py": ODD},
        "Eve Sato": {"backward.py": ODD.replace("odd", "strange")},
        "Gil Ito": {"homework.pdf": "%PDF-1.7"},
    }
    metadata = "---\n" + "".join(
        f"submission_{number}:\n  :submitters:\n  - :name: {name}\n    :email: {EMAILS[name]}\n"
        f"  :created_at: {LATE if name == 'Bo Li' else IN_TIME}\n"
        for number, name in enumerate(submitted)
    )
    with zipfile.ZipFile(place / "submissions.zip", "w") as archive:
        archive.writestr("assignment_export/submission_metadata.yml", metadata)
        for number, files in enumerate(submitted.values()):
            for name, text in files.items():
                archive.writestr(f"assignment_export/submission_{number}/{name}", text)
    by_mail = place / "late" / "Gil Ito" / LESSON / "backward.py"
    by_mail.parent.mkdir(parents=True)
    people = [(number, name, EMAILS[name]) for number, name in enumerate(NAMES, 1)]
    for path, text in {
        by_mail: right,
        place / "hw2.toml": files_in_page("toml")[0],
        place / "times.csv": files_in_page("csv")[0],
        place / "extensions.csv": files_in_page("csv")[1],
        place / "roster.csv": "id,name,email\n" + "".join(f"{id},{name},{email}\n" for id, name, email in people),
        place / "worksheet.csv": "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade)\n"
        + "".join(f"Participant {id},{name},{email},-,50,-\n" for id, name, email in people),
        place / "export.csv": "Student,ID,SIS User ID,SIS Login ID,Section,Homework (98765)\n"
        + "    Points Possible,,,,,20\n"
        + "".join(f"{name},{id},{id},{email},1,\n" for id, name, email in people),
    }.items():
        path.write_text(text, encoding="utf-8")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_every_indented_line_is_a_command_and_every_fenced_block_is_used():
    kinds = [kind for kind, _ in blocks()]
    assert kinds.count("command") > 20 and kinds.count("text") > 10
    assert set(kinds) == {"command", "text", "toml", "csv"} and kinds.count("csv") == 2
    commands = [text for kind, text in blocks() if kind == "command"]
    assert [line for line in commands if not line.startswith("grade ")] == []
    assert len(commands) == sum(line.startswith("    grade ") for line in PAGE.splitlines())
    assert all(commands.count(command) == 1 for command in BY_HAND)
    in_prose = re.findall(r"`(grade [^`]*)`", BLOCK.sub("", PAGE))
    assert [each for each in in_prose if not re.fullmatch(r"grade( [a-z][a-z0-9-]+){1,2}", each)] == []  # only names


@pytest.mark.full
def test_every_command_of_the_page_works_in_its_order(course, tmp_path, monkeypatch):
    place, home = tmp_path / "course", tmp_path / "home"
    home.mkdir()
    prepare(place, course)
    (place / "templates").symlink_to(ROOT / "templates")
    monkeypatch.setattr("grader.lesson.paths._PACKAGE", place / "grader")  # this course is the installed checkout
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GRADE_AUTHOR", "Grace")
    printed, was_compared = "", False
    for kind, text in blocks():
        if kind == "command":
            printed, was_compared = "" if was_compared else printed, False
            if text in BY_HAND:
                edit(*BY_HAND[text])
            words = [os.path.expanduser(word) for word in shlex.split(text)[1:]]
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, f"{text}\n{done.output}"
            printed += done.output
        elif kind == "text":
            was_compared = True
            for line in text.splitlines():
                pattern = ".*".join(map(re.escape, line.split("...")))
                assert re.search(f"^{pattern}$", printed, re.MULTILINE), f"{line}\nis not in\n{printed}"
