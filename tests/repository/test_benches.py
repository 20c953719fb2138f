"""What the benches of a class rest on: the class that they make up, and what growth says of it."""

from __future__ import annotations

import ast
import json
from collections import Counter

from bench.growth import Grown, table, verdicts
from bench.made_up_class import HANGING, HOSTILE, RIGHT, WRONG, kind_of, source_of
from bench.verdicts.recorded import recorded


def test_of_every_hundred_one_hangs_and_one_is_hostile():
    kinds = [kind_of(number) for number in range(1000)]
    for start in range(0, 1000, 100):
        part = Counter(kinds[start : start + 100])
        assert (part[HANGING], part[HOSTILE], part[RIGHT] + part[WRONG]) == (1, 1, 98)
    assert Counter(kinds) == {RIGHT: 577, WRONG: 403, HANGING: 10, HOSTILE: 10}


def test_no_two_hand_in_the_same_and_all_of_it_is_python(lesson):
    sources = [source_of(lesson, number) for number in range(200)]
    assert len(set(sources)) == 200
    for source in sources:
        ast.parse(source)
    assert sources[37].endswith("    while True:\n        pass\n")


GROWN = [
    Grown(10, 0.050, 6.0, 0.08, 200 << 20),
    Grown(100, 0.052, 11.0, 0.081, 201 << 20),
    Grown(10_000, 0.054, 560.0, 0.082, 231 << 20),
]


def test_growth_as_a_table_and_in_words():
    assert table(GROWN).splitlines()[2:] == [
        "| 10 | 50.0 ms | 80.0 ms | 6.0 s | 200.0 MiB |",
        "| 100 | 52.0 ms | 81.0 ms | 11.0 s | 201.0 MiB |",
        "| 10,000 | 54.0 ms | 82.0 ms | 560.0 s | 231.0 MiB |",
    ]
    assert verdicts(GROWN) == [
        "cost a submission: at most +8 % over the smallest class's (goal: 10 %)",
        "coordinator's memory: +30.0 MiB from 100 to 10,000 (goal: below 50 MiB to 10,000)",
    ]


def test_the_last_comparison_that_a_notebook_kept_counts(tmp_path):
    lines = [
        "probs           | exact: False | approximate: False | maxdiff: 0.1\n",
        "h | exact: False | approximate: True  | maxdiff: 1e-9\n",
        "something else\n",
    ]
    again = "probs           | exact: True  | approximate: True  | maxdiff: 0.0"
    cells = [
        {"cell_type": "code", "outputs": [{"output_type": "stream", "text": lines}, {"data": {"image/png": ""}}]},
        {"cell_type": "markdown"},
        {"cell_type": "code", "outputs": [{"output_type": "stream", "text": again}]},
    ]
    path = tmp_path / "student.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert recorded(path) == {"dprobs": True, "dh": True}
    path.write_text("no JSON", encoding="utf-8")
    assert recorded(path) == {}
