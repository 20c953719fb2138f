"""What benches rest on: the class that they make up, and what a notebook has recorded."""

from __future__ import annotations

import ast
import json
from collections import Counter

from bench.made_up_class import HANGING, HOSTILE, RIGHT, WRONG, kind_of, source_of
from bench.verdicts.recorded import recorded


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
