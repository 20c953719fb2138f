"""What benches rest on: the class that they make up, and the page that has their figures."""

from __future__ import annotations

import ast
import datetime
from collections import Counter

from bench import write
from bench.__main__ import listed
from bench.made_up_class import HANGING, HOSTILE, RIGHT, WRONG, kind_of, source_of


def test_of_every_hundred_one_hangs_and_one_is_hostile():
    kinds = [kind_of(number) for number in range(1000)]
    for start in range(0, 1000, 100):
        part = Counter(kinds[start : start + 100])
        assert (part[HANGING], part[HOSTILE], part[RIGHT] + part[WRONG]) == (1, 1, 98)
    assert Counter(kinds) == {RIGHT: 577, WRONG: 403, HANGING: 10, HOSTILE: 10}


def test_no_two_submit_the_same_and_all_of_it_is_python(lesson):
    sources = [source_of(lesson, number) for number in range(200)]
    assert len(set(sources)) == 200
    for source in sources:
        ast.parse(source)
    assert sources[37].endswith("    while True:\n        pass\n")


PAGE = """Measured on another machine.

| claim | command | last printed | when |
|---|---|---|---|
| it lists | `python -m bench`, in no time | nothing | never |
| it fails | `python -m bench no_such_bench` | 7 | 2020-01-01 |
| no bench | `make verify` | 57 variants | 2020-01-01 |
"""


def test_what_a_command_prints_last_is_written_into_its_row(tmp_path, capsys):
    page = tmp_path / "measured.md"
    page.write_text(PAGE, encoding="utf-8")
    assert write.main([], page) == 1
    failed = "failed, its row stays as it is: `python -m bench no_such_bench`"
    assert capsys.readouterr().out.splitlines() == ["written: `python -m bench`, in no time", failed]
    before, after = PAGE.splitlines(), page.read_text(encoding="utf-8").splitlines()
    assert [n for n, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [4]
    printed, when = after[4].strip("| ").split(" | ")[2:]
    assert printed == listed().splitlines()[-1].strip()
    assert when.startswith(f"{datetime.date.today()}, ") and when.endswith(write.this_machine())
    page.write_text(PAGE.replace("another machine", write.this_machine()), encoding="utf-8")
    assert write.main(["cold"], page) == 1 and "No row of measured.md" in capsys.readouterr().out
    assert write.main([], page) == 1 and write.this_machine() not in page.read_text(encoding="utf-8").splitlines()[4]
