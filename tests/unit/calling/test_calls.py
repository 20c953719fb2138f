"""Lessons whose hidden suites call functions and classes, and lessons with one function for all gradients."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support import SHORT_LIMITS, rows_of, sampled

from grader.authoring.verify import submission_of, verify_lesson
from grader.calling.answer import Answer
from grader.calling.calls import call
from grader.calling.operators import CallWatch
from grader.calling.protocol import CallFailed, CallRequest, Function, precision_of
from grader.calling.target import ModuleTarget
from grader.comparison.trees import agreement
from grader.gradebook.grading.session import Session
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Course
from grader.sandbox.workers.codec import Frame, Unpacker, take_frame
from grader.sandbox.workers.messages import (
    PackedRequest,
    decode_reply,
    encode_reply,
    pack,
)
from grader.sandbox.workers.waiting import WireError

COURSE = Course(Path(__file__).parents[2] / "corpus" / "courses" / "calling")
CALLS, JOINT = COURSE.find("01"), COURSE.find("02")
SOLUTION = (CALLS.solution / "backward.py").read_text(encoding="utf-8")
TOGETHER = (JOINT.solution / "backward.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def session(warm_zygotes):
    return Session([CALLS], 5, SHORT_LIMITS)


@pytest.fixture(scope="module")
def joint_session(warm_zygotes):
    return Session([JOINT], 5, SHORT_LIMITS)


@pytest.fixture(scope="module")
def row(session):
    """row(name, replaced): the row of a submission that is the solution but for the given functions."""

    def of(name: str, source: str) -> dict:
        return rows_of(session.grade(submission_of(CALLS, "student", SOLUTION + "\n\n" + source)).results)[name]

    return of


@sampled("lesson", [CALLS, JOINT], keep=1, ids=lambda lesson: lesson.name)
def test_the_course_is_in_order(lesson, warm_zygotes):
    assert verify_lesson(lesson, seed=3).problems == []


# What students do with a function ------------------------------------------------------------------------------------

RIGHT = {
    "a tensor for a number": (
        "gap",
        "def gap(a, b):\n    d = (a-b).abs()\n    return {'gap': d.max(), 'where': d.argmax()}",
    ),
    "numpy": (
        "gap",
        "import numpy as np\ndef gap(a, b):\n    d = np.abs(a.numpy() - b.numpy())\n"
        "    return dict(gap=np.max(d), where=np.argmax(d))",
    ),
    "Richardson": (
        "slope",
        "def slope(f, x):\n    d = lambda h: (f(x + h) - f(x - h)) / (2 * h)\n    return (4 * d(5e-4) - d(1e-3)) / 3",
    ),
}


@sampled("name", RIGHT, keep=3)
def test_other_styles_are_right(row, name):
    check, source = RIGHT[name]
    assert (row(check, source)["status"], row(check, source)["message"]) == ("passed", None)


WRONG = {
    "todo": ("gap", "def gap(a, b):\n    raise NotImplementedError", "todo", None),
    "no result": (
        "gap",
        "def gap(a, b):\n    pass",
        "shape",
        "The result is None; expected 2 values: gap, where.",
    ),
    "a key too few": (
        "gap",
        "def gap(a, b):\n    return {'gap': 1.0}",
        "shape",
        "lacks where; expected the keys gap, where",
    ),
    "a loop": ("gap", "def gap(a, b):\n    while True: pass", "timeout", "did not return within 0.5 seconds"),
    "a crash": (
        "gap",
        "import numpy\nclass Nowhere:\n    __array_interface__ = {'shape': (1,), 'typestr': '<i8', 'data': (8, False), "
        "'version': 3}\ndef gap(a, b):\n    return numpy.array(Nowhere())",
        "crashed",
        "SIGSEGV",
    ),
    "autograd": (
        "slope",
        "def slope(f, x):\n    x = torch.tensor(x).requires_grad_()\n    f(x).backward()",
        "forbidden",
        "asks for the gradient by hand",
    ),
    "no method": (
        "kept",
        "class Counter:\n    def __init__(self, size):\n        self.seen = 0\n    def update(self, x):\n        pass",
        "error",
        "'Counter' object has no attribute 'add'",
    ),
    "nothing in place": ("doubled", "def doubled(values):\n    return [2 * v for v in values]", "failed", "[0]"),
}


@sampled("name", WRONG, keep=2)
def test_the_message_says_what_is_wrong(row, name):
    check, source, status, message = WRONG[name]
    found = row(check, source)
    assert (found["status"], found["points"]) == (status, 0)
    assert message in found["message"] if message else found["message"] is None


def test_a_missing_function_is_guessed(session):
    source = SOLUTION.replace("def gap(", "def gaps(").replace("class Counter", "class Kounter")
    rows = rows_of(session.grade(submission_of(CALLS, "student", source)).results)
    assert rows["gap"]["message"] == "There is no function `gap`; did you mean `gaps`? Rename it."
    assert rows["kept"]["message"] == "There is no class `Counter`; did you mean `Kounter`? Rename it."
    assert rows["slope"]["status"] == "passed"


@pytest.mark.full
def test_one_function_that_hangs_costs_its_own_rows_and_one_deadline(session, missed_deadlines):
    source = SOLUTION + "\n\ndef gap(a, b):\n    while True: pass\n"
    graded = session.grade(submission_of(CALLS, "student", source)).results.to_json()
    rows = rows_of(graded)
    assert [name for name, row in rows.items() if row["status"] == "timeout"] == ["gap", "in_few_operators"]
    assert len(missed_deadlines) == 1


def test_a_row_has_the_line_of_its_function_and_a_file_that_stops_has_only_errors(row, session):
    assert row("gap", "def gap(a, b):\n    return 1")["line"] == len(SOLUTION.splitlines()) + 3
    rows = rows_of(session.grade(submission_of(CALLS, "student", "1 / 0\n" + SOLUTION)).results)
    assert {each["status"] for each in rows.values()} == {"error"}


# One function for all gradients --------------------------------------------------------------------------------------


def joint_rows(session, source):
    return rows_of(session.grade(submission_of(JOINT, "student", source)).results)


def test_what_a_joint_function_may_return_and_change(joint_session):
    source = TOGETHER.replace("return (y**2).sum() / n, [dW, db]", "return {'db': db, 'dW': dW, 'loss': 0}")
    rows = joint_rows(joint_session, source.replace("W, b = parameters", "W, b = parameters\n    x *= 1; W -= 0"))
    assert {name: (row["status"], row["exact"]) for name, row in rows.items()} == {
        "dW": ("passed", True),
        "db": ("passed", True),
    }


JOINT_WRONG = {
    "too few": (
        "return (y**2).sum() / n, [dW]",
        "shape",
        "`backward` returned 2 values; expected 3 values: loss, dW, db.",
    ),
    "nothing": ("pass", "shape", "`backward` returned None; expected 3 values: loss, dW, db."),
    "todo": ("raise NotImplementedError", "todo", "`raise NotImplementedError` still ends it"),
    "one transposed": ("return 0, [dW, db[None]]", "shape", ""),
    "one left out": ("return {'dW': dW, 'loss': 0}", "missing", "`backward` returned a dict without `db`."),
    "None for one": ("return 0, dW, None", "todo", ""),
}


@sampled("name", JOINT_WRONG, keep=3)
def test_a_joint_function_that_gives_nothing_fails_every_row_and_a_wrong_gradient_its_own(joint_session, name):
    line, status, message = JOINT_WRONG[name]
    rows = joint_rows(joint_session, TOGETHER.replace("return (y**2).sum() / n, [dW, db]", line))
    assert rows["db"]["status"] == status and message in (rows["db"]["message"] or "")
    assert rows["dW"]["status"] == ("passed" if "dW" in line and "[dW]" not in line else status)


# Trees on the wire ---------------------------------------------------------------------------------------------------

NUMBERS = st.lists(st.integers(0, 100), max_size=5)
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"]))
    | st.builds(lambda n: torch.tensor(n, dtype=torch.float64), NUMBERS)
    | st.builds(lambda n: torch.tensor(n, dtype=torch.int64).reshape(1, -1), NUMBERS)
)
TREES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(alphabet="abc", max_size=3) | st.integers(-5, 5), inner, max_size=4)
    ),
    max_leaves=12,
)


def identical(a, b) -> bool:
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(identical(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(identical, a, b))
    return type(a) is type(b) and a == b


@pytest.mark.full
@given(TREES)
@settings(deadline=None)
def test_a_tree_survives_the_wire_both_ways(tree):
    counts = {"operators": 3, "dispatched": {"mm": 2, "tanh": 1}, "peak_bytes": 80, "low_precision": True, "line": 7}
    back = through_the_wire(Answer("returned", value=tree, arguments=[tree], **counts))
    assert identical(back.value, tree) and identical(back.arguments, [tree])
    assert back._replace(value=None, arguments=()) == Answer("returned", **counts)
    packed = pack(CallRequest("f", [tree]))
    request = pickle.loads(packed.data)
    assert request.name == "f" and identical(request.args, [tree])


ASKED = PackedRequest(CallRequest("f"), b"", 4, 1 << 24)


def through_the_wire(answer: Answer) -> Answer:
    return decode_reply(received(encode_reply([("f", answer)], 4)), ASKED)[0]


def received(data: bytes) -> Frame:
    return take_frame(bytearray(data))


@given(st.permutations(range(3)))
def test_a_tensor_arrives_with_its_axes_in_the_same_order_in_memory(order):
    tensor = torch.arange(24.0).reshape(2, 3, 4).permute(order)
    request = pickle.loads(pack(CallRequest("f", [tensor, tensor])).data)
    found, other = request.args
    assert other is not found and torch.equal(other, found.add_(1) - 1)  # what is given twice is not shared
    found -= 1
    assert torch.equal(found, tensor) and found.stride() == tensor.stride()
    back = through_the_wire(Answer("returned", value=tensor))
    assert back.value.is_contiguous(), "a worker's values come as plain tensors"


def test_no_function_and_no_generator_is_taken_from_a_worker():
    for node in (
        {"fn": ["def f(): pass", {"d": []}]},
        {"g": ["uint8", [5056]]},
        {"p": [{"t": ["uint8", [5056]]}, [0]]},
        {"t": ["uint8", [5057]]},
        {"t": ["uint8"]},
        {"t": True},
    ):
        with pytest.raises(WireError):
            Unpacker(bytes(5056)).unpack(node)


# Comparing -----------------------------------------------------------------------------------------------------------


AGREEMENTS = [
    (torch.tensor(2.0), 2.0, None),
    (2, 2.0, None),
    ([1.0, 2.0], torch.tensor([1.0, 2.0]), None),
    (torch.tensor([1.0, 2.0]), [1.0, 2.0], None),
    (numpy.array([1.0, 2.0]), torch.tensor([1.0, 2.0]), None),
    ((1, "a"), [1, "a"], None),
    (torch.tensor(True), True, None),
    (numpy.float64(2.0), 2.0, None),
    (2.0, numpy.float64(2.0), None),
    (1.0, torch.ones(1), "expected (1,)"),
    (True, 1.0, "is True; expected a number"),
    (1, True, "is 1; expected True"),
    ("healthy", "dead", "is 'healthy'; expected 'dead'"),
    (float("nan"), 1.0, "is nan, not a finite number"),
    (torch.tensor([1.0, float("inf")]), torch.ones(2), "at [1] is inf"),
    ([1, 2], [1, 2, 3], "has 2 entries; expected 3"),
    (torch.tensor([1.0, 2.0 + 1e-6]), torch.tensor([1.0, 2.0], dtype=torch.float64), None),  # float32
    (torch.tensor([1.0, 2.0 + 1e-6], dtype=torch.float64), torch.tensor([1.0, 2.0]), "Worst element [1]"),
    (torch.tensor([1, 3]), torch.tensor([1, 2]), "found 3, expected 2"),
    ({"a": 1}, {"a": 1, "b": 2}, "lacks b"),
    ({"a": 1, "b": 2}, {"a": 1}, "has b besides"),
    ({"a": {"b": [0, 5]}}, {"a": {"b": [0, 4]}}, "`a.b[1]` is 5; expected 4."),
]


def test_agreement():
    for found, expected, message in AGREEMENTS:
        result = agreement(found, expected)
        assert result.holds == (message is None), (found, expected)
        assert message is None or message in result.findings[0].message


# Calling -------------------------------------------------------------------------------------------------------------


def test_counts_of_a_call():
    def deep(x, w):
        kept = [x]
        for _ in range(6):
            kept.append(torch.tanh(kept[-1] @ w))
        return kept[-1]

    def shallow(x, w):
        for _ in range(6):
            x = torch.tanh(x @ w)
        return x

    x, w = torch.ones(50, 2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.float64)
    kept, passed_on = (call(f, "f", [x, w], {}, torch.float64, watch=CallWatch(100, [x, w])) for f in (deep, shallow))
    assert kept.dispatched == passed_on.dispatched == {"mm": 6, "tanh": 6}
    assert (kept.peak_bytes, passed_on.peak_bytes) == (7 * x.nbytes, 3 * x.nbytes)


def test_views_of_arguments_take_no_memory():
    def views(x):
        return x.T, x.view(-1), x[0]

    ones = torch.ones(5, 5)
    assert call(views, "views", [ones], {}, torch.float32, watch=CallWatch(100, ones)).peak_bytes == 0


def test_the_default_precision_follows_the_arguments():
    assert precision_of([1, {"a": torch.ones(2)}]) == torch.float32
    assert precision_of([torch.ones(2), torch.ones(2, dtype=torch.float64)]) == torch.float64
    assert precision_of([5, "x", torch.arange(3)]) == torch.float64


def test_a_function_s_name_does_not_travel():
    def wrong_by_a_factor(x, by):
        return by * x

    made = Function(wrong_by_a_factor, by=3.0).build()
    assert made(2.0) == 6.0
    assert made.func.__name__ == "f"


def added_twice(Counter, doubled, x):
    """Needs objects of the target's class, and another of its functions."""
    counter = Counter(2)
    counter.add(x)
    values = [x.clone()]
    doubled(values)
    return {"mean": counter.add(3 * x), "doubled": values[0]}


def test_the_course_s_function_runs_with_the_target_s_classes():
    x, uses = torch.tensor([[1.0, 2.0]], dtype=torch.float64), ["Counter", "doubled"]
    expected = {"mean": torch.tensor([2.0, 4.0], dtype=torch.float64), "doubled": 2 * x}
    module = ModuleTarget(CALLS.answers)
    assert agreement(module.run_with(uses, Function(added_twice), x), expected).holds
    with pytest.raises(CallFailed) as failed:
        module.run_with(["Counter", "nothing"], Function(added_twice), x)
    assert failed.value.answer.outcome == "missing"


def test_float32_anywhere_in_a_scenario_is_remembered():
    class Narrow:
        @staticmethod
        def half(x):
            return (x.float() / 2).double()

    target = ModuleTarget(Narrow)
    _, wide = target.counted("half", torch.ones(2, dtype=torch.float64))
    _, narrow = target.counted("half", torch.ones(2, dtype=torch.float32))
    assert target.low_precision and wide.low_precision and not narrow.low_precision


def test_a_side_shares_nothing_with_the_caller():
    class Spoils:
        @staticmethod
        def zero(x):
            return x.zero_()

    x = torch.ones(3)
    target = ModuleTarget(Spoils)
    assert not target.call("zero", x).any() and bool(x.all())
    assert not target.apply("zero", x)[1][0].any() and bool(x.all())
    with pytest.raises(CallFailed):
        target.call("one", x)


def test_no_call_leaves_python_s_recursion_limit_changed(tmp_path):
    """Otherwise an answer that raises it would make a later one right that recurses too deeply."""
    limit, path = sys.getrecursionlimit(), tmp_path / "course.py"
    call(sys.setrecursionlimit, "raises", [limit + 1000], {}, torch.float64)
    assert sys.getrecursionlimit() == limit
    path.write_text(f"import sys\nsys.setrecursionlimit({limit + 1000})\n")
    load_module(path, "a_course_file_that_raises_the_limit")
    assert sys.getrecursionlimit() == limit
