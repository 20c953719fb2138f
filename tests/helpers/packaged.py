"""The corpus of packaging: what students submit when they do not submit NN_name/backward.py, and what it must give.

Every case is one student's folder of a class. `files` are {place: content}; a content is bytes, or a mapping that is
packed as the archive that its name says. `full` are the lessons with all points; every other lesson has none.
`kinds` are the kinds of the remarks in results.json, and `asked` says whether intake.csv has a line.
"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import ROOT

GRADED = ("02", "04", "11")
"""The lessons of the run: 02 and 04 both have a function dlogits, 11 shares dh, dx and others with 05."""
NAMES = {number: next(ROOT.glob(f"exercises/{number}_*")).name for number in (*GRADED, "03", "05", "08")}


def right(number: str) -> bytes:
    return (ROOT / "solutions" / NAMES[number] / "backward.py").read_bytes()


def stub(number: str) -> bytes:
    return (ROOT / "exercises" / NAMES[number] / ".stub").read_bytes()


def half(number: str) -> bytes:
    """The solution with only its first function."""
    text = right(number).decode()
    start = text.index("\ndef ", text.index("\ndef ") + 1)
    return text[:start].encode()


def other(number: str) -> bytes:
    """A right solution with another text."""
    return right(number) + b"\n\nMY_NAME = 'Ann Lee'\n"


def counted(source: bytes) -> bytes:
    """The same with a global name that its functions change."""
    count = b"calls = 0\n\n\ndef count():\n    global calls\n    calls += 1\n\n\n"
    return count + source.replace(b"    return ", b"    count()\n    return ")


def notebook(*cells: bytes) -> bytes:
    code = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell.decode()}
        for cell in cells
    ]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def packed(name: str, files: Mapping[str, Any]) -> bytes:
    made = io.BytesIO()
    contents = {place: packed(place, what) if isinstance(what, Mapping) else what for place, what in files.items()}
    if name.lower().endswith(".zip"):
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for place, data in contents.items():
                archive.writestr(place, data)
        return made.getvalue()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for place, data in contents.items():
            entry = tarfile.TarInfo(place)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return made.getvalue()


@dataclass(frozen=True)
class Case:
    files: Mapping[str, Any]
    full: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    is_question: bool = False
    why: str = ""  # a piece of the reason for a score of 0, on the class page


def read(*numbers: str, **more: Any) -> dict[str, Any]:
    """Full points for these lessons, each recognised with a remark."""
    return {"full": numbers, "kinds": ("recognised",) * len(numbers), **more}


EXPORTED = b"# coding: utf-8\n\n# In[1]:\n\nget_ipython().system('pip install torch')\n\n# In[2]:\n\n"
MACOS = {"__MACOSX/._backward.py": b"\0\5\x16\7", ".DS_Store": b"\0\0\0\1Bud1", "04_cross_entropy/._backward.py": b"\0"}
VENV = {f"env/lib/python3.11/site-packages/pkg/m{n}.py": b"def dlogits(): pass\n" for n in range(30)}

CASES: dict[str, Case] = {
    # the eight of the issue
    "copy of a browser": Case({"backward (1).py": right("04")}, **read("04")),
    "folder with a space": Case({"Lesson 04/backward.py": right("04")}, **read("04")),
    "folder without a zero": Case({"lesson4/backward.py": right("04")}, **read("04")),
    "folder with a date": Case({"04_cross_entropy-20261120/backward.py": right("04")}, **read("04")),
    "solution.py": Case({"02_small_net/solution.py": right("02")}, **read("02")),
    "zip in a zip": Case({"upload.zip": {"hw.zip": {"04_cross_entropy/backward.py": right("04")}}}, full=("04",)),
    "two files": Case({"backward.py": right("02"), "backward-1.py": right("04")}, **read("02", "04")),
    "archive with the lesson's name": Case({"04_cross_entropy.zip": {"backward.py": right("04")}}, **read("04")),
    # copies of systems and browsers
    "copy of Windows": Case({"backward - Copy.py": right("04")}, **read("04")),
    "copy of macOS": Case({"02_small_net/backward copy.py": right("02")}, **read("02")),
    "hidden suffix": Case({"backward.py.txt": right("04")}, **read("04")),
    "number behind the suffix": Case({"backward.py (1)": right("04")}, **read("04")),
    "upper case": Case({"04_CROSS_ENTROPY/BACKWARD.PY": right("04")}, full=("04",)),
    "upper case elsewhere": Case({"HOMEWORK/BACKWARD.PY": right("04")}, **read("04")),
    "byte order mark": Case({"work.py": b"\xef\xbb\xbf" + right("04")}, **read("04")),
    "Windows line ends": Case({"work.py": right("04").replace(b"\n", b"\r\n")}, **read("04")),
    "UTF-16": Case({"04_cross_entropy/backward.py": right("04").decode().encode("utf-16")}, full=("04",)),
    "files of the Finder": Case({**MACOS, "04_cross_entropy/backward.py": right("04")}, full=("04",)),
    "files of the Finder in a zip": Case({"a.zip": {**MACOS, "lesson 4/backward.py": right("04")}}, **read("04")),
    # folders and archives
    "Google Drive": Case(
        {"drive-download-20261120T101112Z-001/hw/04_cross_entropy/backward.py": right("04")}, full=("04",)
    ),
    "Google Drive's zip": Case(
        {
            "drive-download-20261120T101112Z-001.zip": {
                "Lesson 2/backward.py": right("02"),
                "Lesson 4/x.py": right("04"),
            }
        },
        **read("02", "04"),
    ),
    "versions in the name": Case({"hw4_final_v2.zip": {"backward.py": right("04")}}, **read("04")),
    "the lesson's name without its number": Case({"Cross_Entropy/backward.py": right("04")}, full=("04",)),
    "the lesson's number, and its full name": Case(
        {"02/backward.py": half("02"), "02_small_net/backward.py": right("02")}, full=("02",)
    ),
    "nested folders": Case({"submission/exercises/02_small_net/backward.py": right("02")}, full=("02",)),
    "a file for each lesson": Case({"lesson02.py": right("02"), "lesson04.py": right("04")}, **read("02", "04")),
    "two archives": Case(
        {"l2.zip": {"backward.py": right("02")}, "l4.zip": {"backward.py": right("04")}}, **read("02", "04")
    ),
    "archive next to a file": Case({"l2.zip": {"a.py": right("02")}, "b.py": right("04")}, **read("02", "04")),
    "flattened": Case({f"{number}_backward.py": right(number) for number in GRADED}, **read(*GRADED)),
    "all functions in one file": Case({"all.py": right("02") + b"\n" + right("11")}, **read("02", "11")),
    "one name twice in one file": Case({"all.py": right("02") + b"\n" + right("04")}, **read("02", "04")),
    "a counter of the file's own": Case({"work.py": counted(right("04"))}, **read("04")),
    "tgz": Case({"work.tgz": {"lesson4/backward.py": right("04")}}, **read("04")),
    "git repository": Case(
        {".git/HEAD": b"ref", ".git/hooks/x.py": other("04"), "src/b.py": right("04")}, **read("04")
    ),
    "virtual environment": Case({**VENV, "src/backward.py": right("04")}, **read("04")),
    "virtual environment in a zip": Case({"a.zip": {**VENV, "src/backward.py": right("04")}}, **read("04")),
    "checkpoints": Case(
        {"04/.ipynb_checkpoints/a-checkpoint.py": other("04"), "04/backward.py": right("04")}, full=("04",)
    ),
    # notebooks
    "notebook in a zip": Case({"hw.zip": {"hw.ipynb": notebook(b"import torch", right("04"))}}, **read("04")),
    "notebook with the lesson's number": Case({"Lesson_2_Ann_Lee.ipynb": notebook(right("02"))}, **read("02")),
    "a notebook for each lesson": Case(
        {"a.ipynb": notebook(right("02")), "b.ipynb": notebook(right("04"))}, **read("02", "04")
    ),
    "a notebook for several lessons": Case({"hw.ipynb": notebook(*map(right, ("11", "04", "02")))}, **read(*GRADED)),
    "notebook saved as JSON": Case({"hw.ipynb.json": notebook(right("04"))}, **read("04")),
    # copies and stubs
    "equal copies": Case({"a/backward.py": right("04"), "b/backward.py": right("04") + b"\n"}, **read("04")),
    "stub next to the work": Case(
        {"04_cross_entropy/backward.py": stub("04"), "my work.py": right("04")}, **read("04")
    ),
    "stub in a copy": Case({"backward.py": stub("04"), "backward (1).py": right("04")}, **read("04")),
    "kit with one lesson filled": Case(
        {f"kit/exercises/{NAMES[n]}/backward.py": right(n) if n == "02" else stub(n) for n in NAMES}, full=("02",)
    ),
    "helper": Case(
        {"hw/mine.py": b"from tools import *\n" + right("04"), "hw/tools.py": b"def softmax(x):\n    return x\n"},
        **read("04"),
    ),
    "wrong folder": Case({"04_cross_entropy/backward.py": right("11")}, **read("11")),
    # texts that are Python
    "text file": Case({"backward.txt": right("04")}, (), ("unread",), why="and no Python file"),
    "script exported by Jupyter": Case({"hw4.py": EXPORTED + right("04")}, **read("04")),
    "folder of the file's name": Case({"04_cross_entropy/backward.py/backward.py": right("04")}, **read("04")),
    "gzip without tar": Case({"backward.py.gz": b"\x1f\x8b\x08"}, (), ("unread",), why="and no Python file"),
    "archive without a suffix": Case(
        {"submission": packed("x.zip", {"backward.py": right("04")})}, (), ("unread",), why="and no Python file"
    ),
    "functions in a text": Case({"answer.md": b"```python\n" + right("04")}, (), ("unread",), why="and no Python file"),
    "functions of a class": Case(
        {"work.py": b"class Answers:\n    pass\n"}, is_question=True, why="holds nothing that can be graded"
    ),
    # several interpretations
    "two versions": Case({"a.py": right("04"), "b.py": other("04")}, ("04",), ("guess",), is_question=True),
    "old and new": Case(
        {"old/backward.py": half("02"), "new/backward.py": right("02")}, ("02",), ("guess",), is_question=True
    ),
    "copy next to the file": Case(
        {"04_cross_entropy/backward.py": right("04"), "04_cross_entropy/backward (1).py": other("04")}, full=("04",)
    ),
    "nothing that says the lesson": Case(
        {"my.py": b"def gradient(x):\n    return x\n"}, is_question=True, why="holds nothing that can be graded"
    ),
    # nothing to grade, and why
    "a PDF": Case({"report.pdf": b"%PDF"}, (), ("unread",), why="Submitted <code>report.pdf</code>"),
    "a PDF in a zip": Case(
        {"a.zip": {"hw/report.pdf": b"%PDF"}}, (), ("unread",), why="Submitted <code>report.pdf</code>"
    ),
    "empty": Case({"": b""}, why="The folder is empty"),
    "untouched stubs": Case({"04_cross_entropy/backward.py": stub("04")}, why="0 of 2 right, 2 to do."),
    "RAR": Case({"work.rar": b"Rar!\x1a\7\0"}, why="a RAR archive, which is not read"),
    "7-Zip": Case({"work.7z": b"7z\xbc\xaf\x27\x1c"}, why="a 7-Zip archive, which is not read"),
    "another lesson": Case({"work.py": right("08")}, kinds=("unread",), why="which this run does not grade"),
    "three zips": Case({"a.zip": {"b.zip": {"c.zip": {"backward.py": right("04")}}}}, kinds=("unread",), why="c.zip"),
}


def lay_out_class(folder: Path) -> Path:
    """The corpus as a class's folder, one folder per case."""
    for name, case in CASES.items():
        (folder / name).mkdir(parents=True)
        for place, what in case.files.items():
            if place:
                path = folder / name / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(packed(place, what) if isinstance(what, Mapping) else what)
    return folder
