"""Numerical differentiation that the text hides is seen while the function runs; odd code that is right is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from support import ROOT, SEED, sampled

from bench.numerical import course_with_points
from grader.gradebook.grading.session import Session
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.classroom import NUMERICAL, triage
from grader.results import Row, SubmissionResult

Grade = Callable[[str], SubmissionResult]

# {name: (row, method, text)}: what makes the difference or the complex number is found by no reading of the text
HIDDEN = {
    "high_order_in_a_loop": (
        "dhpreact",
        "differences",
        """
def near(v, k):
    return getattr(v, "ad" + "d")(k / (len("x" * 31) ** 2))

def dhpreact(dh, hpreact):
    points = [getattr(torch, "ta" + "nh")(near(hpreact, k)) for k in (-2, -1, 1, 2)]
    total = torch.stack([w * p for w, p in zip(globals()["WEIGHTS"], points)]).sum(0)
    return dh * total * len("x" * 31) ** 2

globals()["WEIGHTS"] = [1 / 12, -8 / 12, 8 / 12, -1 / 12]
""",
    ),
    "complex_by_computed_name": (
        "dprobs",
        "complex numbers",
        """
def dprobs(dlogprobs, probs):
    step = 2.0 ** (-len("x" * 60))
    moved = torch.stack([probs, torch.full_like(probs, step)], -1)
    made = getattr(torch, "view_as_" + "comp" + "lex")(moved)
    parts = getattr(torch, "view_as_" + "re" + "al")(getattr(made, "l" + "og")())
    return dlogprobs * parts[..., 1] / step
""",
    ),
    "complex_in_numpy": (
        "dnorm_logits",
        "complex numbers",
        """
import numpy as np

def dnorm_logits(dcounts, norm_logits):
    step = 2.0 ** (-len("x" * 60))
    z = norm_logits.numpy() + np.array((-1,), dtype="c" + "16") ** 0.5 * step
    return dcounts * torch.from_numpy(getattr(vars(np)["e" + "xp"](z), "im" + "ag") / step)
""",
    ),
    "differences_in_numpy": (
        "dhpreact",
        "differences",
        """
import numpy as np

def dhpreact(dh, hpreact):
    f, step = vars(np)["ta" + "nh"], 2.0 ** (-len("x" * 9))
    x = hpreact.numpy()
    one, two = (f(x + k * step) - f(x - k * step) for k in (1, 2))
    return dh * torch.from_numpy((8 * one - two) / 12 / step)
""",
    ),
    "helper_of_a_helper": (
        "dprobs",
        "differences",
        """
class Probe:
    def __init__(self, function, size):
        self.function, self.size = function, size

    def __getitem__(self, moved):
        return self.function(moved)

def walk(probe, start):
    ends = [start * probe.size**k for k in (2, 1, -1, -2)]
    a, b, c, d = map(probe.__getitem__, ends)
    u = len("x" * 7) * probe.size
    return (u * (b - c) - (a - d)) / start

def dprobs(dlogprobs, probs):
    f = getattr(torch, "lo" + "g")
    first = walk(Probe(f, 1 + 2.0 ** -len("x" * 9)), probs)
    scale = walk(Probe(f, 1 + 2.0 ** -len("x" * 9)), torch.ones_like(probs))
    return dlogprobs * first / scale
""",
    ),
    "all_steps_in_one_batch": (
        "dhpreact",
        "differences",
        """
def dhpreact(dh, hpreact):
    size = 1 / len("x" * 400)
    grid = torch.arange(-4, 5, dtype=hpreact.dtype)[:, None, None] * size
    known = torch.tensor([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280], dtype=hpreact.dtype)
    return dh * torch.einsum("k,kij->ij", known, getattr(torch, "ta" + "nh")(hpreact + grid)) / size
""",
    ),
    "one_number_at_a_time": (
        "dhpreact",
        "differences",
        """
import math

def dhpreact(dh, hpreact):
    f, out, size = getattr(math, "ta" + "nh"), torch.zeros_like(hpreact), 1 / len("x" * 1000)
    for i, row in enumerate(hpreact.tolist()):
        for j, p in enumerate(row):
            d = [f(p + k * size) - f(p - k * size) for k in (1, 2, 3)]
            out[i, j] = (45 * d[0] - 9 * d[1] + d[2]) / 60 / size * dh[i, j].item()
    return out
""",
    ),
}

# Right, and not to be recorded.
HONEST = {
    "loop_over_rows": """
def dhpreact(dh, hpreact):
    rows = []
    for i in range(len(dh)):
        t = torch.tanh(hpreact[i])
        rows.append(dh[i] * (1 - t * t))
    return torch.stack(rows)
""",
    "tanh_four_times": """
def dhpreact(dh, hpreact):
    a, b = torch.tanh(hpreact), hpreact.tanh()
    c = (torch.exp(hpreact) - torch.exp(-hpreact)) / (torch.exp(hpreact) + torch.exp(-hpreact))
    return dh * (1 - a * torch.tanh(hpreact) - b * c + hpreact.tanh() ** 2)
""",
    "loop_over_numbers": """
import math

def dprobs(dlogprobs, probs):
    out = torch.zeros_like(probs)
    for i in range(probs.shape[0]):
        for j in range(probs.shape[1]):
            out[i, j] = dlogprobs[i, j] * math.exp(-math.log(probs[i, j].item()))
    return out
""",
    "with_and_without_epsilon": """
def dbnvar(dbnvar_inv, bnvar):
    std, safe = bnvar.sqrt(), (bnvar + 1e-5).sqrt()
    if not torch.isfinite(1 / std).all():
        print("a variance of zero")
    return -0.5 * dbnvar_inv / (safe * safe * safe)
""",
    "exp_of_each_row": """
def dnorm_logits(dcounts, norm_logits):
    out = torch.empty_like(norm_logits)
    for i, row in enumerate(norm_logits):
        out[i] = row.exp() * dcounts[i]
    return out
""",
    "numpy_all_through": """
import numpy as np

def dcounts_sum(dcounts_sum_inv, counts_sum):
    c, up = counts_sum.numpy(), dcounts_sum_inv.numpy()
    return torch.from_numpy(-up / np.square(c) * np.exp(np.log(c)) / c)
""",
    "comparison_is_printed": """
import numpy as np

def dprobs(dlogprobs, probs):
    z = probs.numpy() + 1e-20j
    print("by a complex step", np.abs(np.log(z).imag / 1e-20 - (1 / probs).numpy()).max())
    h = 1e-4
    near = (torch.log(probs + h) - torch.log(probs - h)) / (2 * h)
    print("by differences", (near - 1 / probs).abs().max().item())
    return dlogprobs / probs
""",
    "float32_and_back": """
def dhpreact(dh, hpreact):
    rough, fine = torch.tanh(hpreact.float()).double(), torch.tanh(hpreact)
    if (rough - fine).abs().max() > 1e-3:
        print("far")
    return dh * (1 - fine**2)
""",
    "dual_numbers_as_blocks_of_large_values": """
def dW2(dlogits, h, W2):
    g, zero, row = torch.zeros_like(W2), torch.zeros_like(W2), torch.cat([h, torch.zeros_like(h)], 1)
    for place in ((i, j) for i in range(W2.shape[0]) for j in range(W2.shape[1])):
        unit = torch.zeros_like(W2)
        unit[place] = 1
        both = row @ torch.cat([torch.cat([100 * W2, unit], 1), torch.cat([zero, 100 * W2], 1)])
        g[place] = (dlogits * both[:, W2.shape[1] :]).sum()
    return g
""",
    "all_of_the_forward_pass_again": """
def dlogits(dnorm_logits, dlogit_maxes, logits, Yb):
    counts = (logits - logits.max(1, keepdim=True).values).exp()
    probs = counts * counts.sum(1, keepdim=True) ** -1
    loss = -probs.log()[range(len(Yb)), Yb].mean()
    onehot = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1])
    return dnorm_logits + onehot * dlogit_maxes + 0 * loss
""",
}


def submission(lesson: Lesson, text: str) -> Submission:
    source = (lesson.solution / BACKWARD_FILE).read_text(encoding="utf-8") + "\n\n" + text
    return Submission("ann", Path("ann"), {lesson.name: LessonFiles(lesson.name, {BACKWARD_FILE: source.encode()})})


def grading(course: Course) -> Iterator[Grade]:
    lesson = course.find("03")
    session = Session([lesson], SEED)
    yield lambda text: session.grade(submission(lesson, text)).results
    session.close()


@pytest.fixture(scope="module")
def grade() -> Iterator[Grade]:
    yield from grading(Course(ROOT))


@pytest.fixture(scope="module")
def grade_with_points(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grade]:
    yield from grading(course_with_points(tmp_path_factory.mktemp("points")))


def by_name(results: SubmissionResult) -> Mapping[str, Row]:
    return {row.name: row for row in results.rows()}


@sampled("name", HIDDEN, keep=4)
def test_what_the_text_hides_is_seen(grade: Grade, name: str) -> None:
    step, method, text = HIDDEN[name]
    rows = by_name(grade(text))
    row, use = rows[step], rows[step].numerical_differentiation
    assert use is not None and use.observed, (row.status, row.message)
    assert (row.status, row.points) == ("forbidden", 0)
    assert {"differences": "at inputs a small step apart", "complex numbers": "complex numbers"}[method] in use.observed
    assert row.message == use.message and "not counted" in row.message
    assert [each.name for each in rows.values() if each.numerical_differentiation] == [step]


@sampled("name", HONEST, keep=4)
def test_right_code_is_not_recorded(grade: Grade, name: str) -> None:
    rows = by_name(grade(HONEST[name]))
    assert {row: each.message for row, each in rows.items() if each.status != "passed"} == {}
    assert {row for row, each in rows.items() if each.numerical_differentiation} == set()


def test_a_course_may_give_points_for_it(grade_with_points: Grade) -> None:
    step, method, text = HIDDEN["high_order_in_a_loop"]
    results = grade_with_points(text)
    row = by_name(results)[step]
    assert row.status == "passed" and row.numerical_differentiation is not None
    assert row.message and "`tanh` 4 times" in row.message and "gives points for it" in row.message
    assert row.numerical_differentiation.method == method and row.numerical_differentiation.observed
    (entry,) = triage([SubmissionResult.from_text(results.to_text())])
    assert entry[:2] == (["ann"], ((NUMERICAL, f"03_makemore_steps: `{step}`, which counts"),))


def test_a_forward_pass_that_is_repeated_is_not_recorded(grade: Grade) -> None:
    """A whole pass again and again at the same values: slow code does that, too."""
    rows = by_name(
        grade(
            """
def dlogits(dnorm_logits, dlogit_maxes, logits):
    out = torch.zeros_like(logits)
    for i in range(len(logits)):
        p = (logits - logits.max(1, keepdim=True).values).exp()
        p = p * p.sum(1, keepdim=True) ** -1
        onehot = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1])
        out[i] = (dnorm_logits + onehot * dlogit_maxes + 0 * p)[i]
    return out
"""
        )
    )
    row = rows["dlogits"]
    assert row.status == "passed" and row.numerical_differentiation is None
