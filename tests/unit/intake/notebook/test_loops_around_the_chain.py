"""The chain inside a loop is read as if it stood alone; a loop of training is the training lesson's."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest
from lecture_notebooks import BATCH_NORM, CHAIN, SOFTMAX, STYLES, stored
from support import sampled

from grader.intake.notebook.cells import Cell
from grader.intake.notebook.reading import read_lesson_part
from grader.intake.notebook.script import Page
from grader.lesson.notebook_lesson import notebook_lesson

FORWARD = "".join(stored(STYLES[0])["cells"][9]["source"])
BOTH = f"{FORWARD}\n{CHAIN}"
UPPER, LOWER = CHAIN.split("dh = ")
UPDATE = "for p, grad in zip(parameters, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]):\n    p.data += -0.1 * grad\n"


def inside(head: str, body: str) -> str:
    """The body below the lines of `head`, each of which is inside the one before it."""
    for line in reversed(head.split(" / ")):
        body = f"{line}\n{textwrap.indent(body, '    ')}\n"
    return body


LOOPS = {
    "once": inside("for i in range(1):", BOTH),
    "while": inside("while True:", f"{BOTH}\nbreak"),
    "a counter": "i = 0\n" + inside("while i < 1:", f"{BOTH}\ni += 1"),
    "batches without gradients of autograd": inside("for Xb, Yb in batches: / with torch.no_grad():", BOTH),
    "of a function with a parameter": inside("def run(steps): / for i in range(steps):", BOTH) + "run(1)\n",
    "in a loop": inside("for epoch in range(2): / for Xb, Yb in loader:", BOTH),
    "try": inside("for i in range(1): / try:", BOTH) + "    except KeyboardInterrupt:\n        pass\n",
    "first round only": inside("for i in range(3): / if i == 0:", BOTH),
    "two loops": inside("for _ in range(1):", UPPER) + inside("for _ in range(1):", f"dh = {LOWER}"),
    "a loop for each line": "\n".join(
        inside("for _ in range(1):", line) for line in CHAIN.split("\n") if line[:1] not in ("", " ", "#", "f")
    ),
}


@pytest.fixture
def read(course) -> Callable[[str], dict[str, int]]:
    """read(text): {lesson: how many rows the text has for it}."""

    def rows(text: str) -> dict[str, int]:
        page, found = Page([Cell("mine.py", text)]), dict[str, int]()
        for lesson in (notebook_lesson(course.find(number)) for number in ("03", "04", "05", "07")):
            reading = read_lesson_part(lesson, page, "mine.py")
            if reading.present:
                found[lesson.name[:2]] = len(lesson.rows) - len(reading.origin.missing)
        return found

    return rows


@sampled("name", LOOPS, keep=4)
def test_the_chain_in_a_loop_is_the_chain(read, name):
    assert read(LOOPS[name]) == {"03": 26}


def test_what_else_is_in_the_loop(read):
    for text, rows in [
        (inside("for i in range(1):", f"{BOTH}\n{SOFTMAX}\n{BATCH_NORM}"), {"03": 26, "04": 2, "05": 1}),
        (inside("for i in range(1):", BOTH) + f"{SOFTMAX}\n{BATCH_NORM}", {"03": 26, "04": 2, "05": 1}),
        (inside("for i in range(9):", f"loss = F.cross_entropy(logits, Yb)\n{BOTH}\n{UPDATE}"), {"03": 26, "07": 8}),
        (inside("for i in range(1):", CHAIN.split("dnorm_logits")[0]), {"03": 5}),
        (inside("for i in range(1):", "dh = dlogits @ W2.T\ndW2 = h.T @ dlogits\ndb2 = dlogits.sum(0)"), {"03": 3}),
    ]:
        assert read(text) == rows


def test_a_loop_of_training_is_no_chain(read):
    training = "".join(stored(STYLES[0])["cells"][15]["source"])
    assert read(training) == {"04": 2, "05": 1, "07": 8}
    assert read(f"{CHAIN}\n{training}") == {"03": 26, "04": 2, "05": 1, "07": 8}
