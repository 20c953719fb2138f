"""Whatever bytes, JSON or cells a notebook is made of: it is read, or refused with a sentence; nothing is raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from lecture_notebooks import CHAIN, NOTEBOOKS, STYLES

from grader.intake.lesson_files import LessonFiles
from grader.intake.notebook.cells import NotebookError, cells_of
from grader.intake.notebook.reading import read_lesson_part
from grader.intake.notebook.script import Page
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_lesson import notebook_lesson

STORED = [(NOTEBOOKS / f"{style}.ipynb").read_bytes() for style in STYLES]
LINES = """%%bash
%matplotlib inline
!ls \\
x?
def dh(dlogits, W2):
    return dlogits @ W2.T
dh = (
)
dlogits += dlogits
dh = dh + dh
del dh
dW2, db2 = db2, dW2
for dh in dlogits:
  dW2 = dh; dh += 1
cmp('probs', dL_dp, probs)
for s, g, t in [('W2', gw, W2), ('b2', gw)]:
  cmp(s, g, t); cmp(*s)
dL_dp = dlogprobs / probs
gw = h.T @ dlogits
gw += 1
d_probs = grad_probs = dL_dp
C = table = C
def cmp(s, dt, t): return dt == t.grad
cmp(dt=gw, t=W2, s=1)
gw - W2.grad
pre = bngain * bnraw + bnbias
class dC: pass
from torch import *
import dC
async def f(): await dh
lambda: (yield)
global dh
dprobs: int
dprobs: int = 1
(dh := 2)
with a as dh, b as [h, *dC]:
while True: dh += 1
return dh
dh = dlogits;dlogits = dh
tmp = dC; tmp[0] = 1
match dh:
  case [h, *n]: dC = h
try: dC = 1
finally: pass
if __name__ == '__main__':
if True:
if 0:
break
dh = [dh for dh in dC if (h := dh)]
n = n
"""
OF_NOTEBOOKS = {line for data in STORED for cell in cells_of(data, "a") for line in cell.text.split("\n")}
PIECES = sorted(OF_NOTEBOOKS.union(CHAIN.split("\n"), LINES.split("\n"), ["\ud800"]))
sources = some.lists(some.sampled_from(PIECES) | some.text(max_size=20), max_size=25).map("\n".join) | some.text(
    max_size=60
)
plain = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=10),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)
cells = some.fixed_dictionaries(
    {}, optional={"cell_type": some.sampled_from(["code", "markdown", 3]), "source": sources | plain, "input": sources}
)
code = sources.map(lambda source: {"cell_type": "code", "source": source})
documents = some.one_of(
    some.lists(code | cells | plain, max_size=8).map(lambda found: {"cells": found}),
    some.lists(some.lists(code, max_size=4).map(lambda found: {"cells": found}) | plain).map(
        lambda s: {"worksheets": s}
    ),
    plain,
)


@some.composite
def torn(draw: some.DrawFn) -> bytes:
    """One of the golden notebooks with a piece cut out and another put in."""
    data = draw(some.sampled_from(STORED))
    start, length = draw(some.integers(0, len(data))), draw(some.integers(0, 40))
    return data[:start] + draw(some.binary(max_size=6)) + data[start + length :]


anything = some.one_of(some.binary(max_size=200), documents.map(lambda d: json.dumps(d).encode()), torn())


@pytest.fixture(scope="module")
def readers(course: Course) -> list[Lesson]:
    """The lessons that take something from the lecture's notebook, and one that does not."""
    return [e for e in course.lessons.values() if e.notebook is not None] + [course.find("02")]


def is_read(data: bytes, lesson: Lesson) -> None:
    try:
        found = cells_of(data, "fuzz.ipynb")
    except NotebookError as error:
        assert str(error).endswith(".")
        return
    try:
        submission = read_lesson_part(notebook_lesson(lesson), Page(found), "fuzz.ipynb")
    except NotebookError as error:
        submission = LessonFiles(lesson.name, message=str(error), rejected=True)
    assert submission.present or submission.message
    assert submission.origin is not None or submission.rejected
    source: Any = submission.files.get("backward.py")
    if source is not None and submission.origin is not None:
        if submission.is_chain:
            compile(source, "backward.py", "exec", dont_inherit=True)
        lengths = {cell.file: len(cell.text.split("\n")) for cell in found}
        for file, line in submission.origin.lines.values():
            assert 1 <= line <= lengths[file]
        assert len(submission.origin.fingerprint) > 0


@pytest.mark.full
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(anything, some.integers(0, 4))
def test_whatever_it_is(readers, data, which):
    is_read(data, readers[which])


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(anything, some.integers(0, 4))
def test_20_000_of_them(readers, data, which):
    is_read(data, readers[which])
