"""After autograd is taken away, honest arithmetic is untouched, honest files run, and no way to differentiate is left.

Taking autograd away cannot be undone, so arithmetic is compared in a fork. Student files are graded: those of
tests/corpus/honest_styles are right, and each member of tests/corpus/cheats says by what it is stopped, and marks the
line to be named with ``# here``:

* ``tripwire``  it raises `AutogradUsed`, or raised it and the student's code caught it, with that line;
* ``error``     it raises something else;
* ``value``     it returns a wrong gradient.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support import rows_of, sampled

from bench.members import Member, members_of
from grader.authoring.verify import submission_of
from grader.calling.autograd_used import AutogradUsed, tripwire
from grader.gradebook.grading.session import Session
from grader.lesson.lesson import Lesson
from grader.sandbox.isolation import landlock

ROOT = Path(__file__).resolve().parents[4]
CORPUS = ROOT / "tests" / "corpus"
HONEST = sorted((CORPUS / "honest_styles").glob("*.py"))
CHEATS = [each for path in sorted((CORPUS / "cheats").glob("*.py")) for each in members_of(path)]
STOPPED_BY = {"forbidden": "tripwire", "error": "error", "failed": "value", "shape": "value"}


@cache
def arithmetic_results() -> dict[str, Any]:
    """What `arithmetic` returns in a fork."""
    from shared_nursery import run_python  # not where this file is run as a program: what it loads would be loaded too

    program = f"import json, runpy; print(json.dumps(runpy.run_path({__file__!r})['arithmetic']()))"
    done = run_python(program)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# ---- arithmetic ----


@pytest.mark.full
def test_honest_operators_keep_their_values_bit_by_bit() -> None:
    outcome = arithmetic_results()
    assert (outcome["changed"], outcome["raised"]) == ([], [])
    assert outcome["compared"] == 2 * len(EXPRESSIONS)  # float32 and float64


def test_no_result_has_a_graph_afterwards() -> None:
    assert arithmetic_results()["graphs_before"] > 30
    assert arithmetic_results()["graphs_after"] == 0


# ---- student files ----


@pytest.fixture(scope="module")
def graded(lesson: Lesson, warm_zygotes: None) -> Callable[[str], tuple[str, dict[str, Any]]]:
    """graded(text): (the lesson's message, {step: its row} of the steps that a file has)."""
    session = Session([lesson], seed=3)

    def graded(text: str) -> tuple[str, dict[str, Any]]:
        results = session.grade(submission_of(lesson, "student", text)).results
        rows = {name: row for name, row in rows_of(results).items() if row["status"] != "missing"}
        return results.lessons[0].message or "", rows

    return graded


@sampled("path", HONEST, keep=3, ids=lambda path: path.stem)
def test_an_honest_file_is_right(path: Path, graded: Any) -> None:
    _, rows = graded(path.read_text())
    assert rows and {row["status"] for row in rows.values()} == {"passed"}, rows


@sampled("cheat", CHEATS, keep=3, ids=lambda cheat: cheat.name)
def test_a_cheat_is_stopped_as_it_says(cheat: Member, graded: Any) -> None:
    if cheat.name.startswith("formulas_") and not landlock.abi():
        pytest.skip("nothing keeps a file from being read here")
    message, rows = graded(cheat.text)
    expected = set(dict(cheat.keys)["stopped by"].split(", "))
    named = {int(line) for line in re.findall(r"Line (\d+) calls `", message)}
    named |= {row["line"] for row in rows.values() if row["status"] == "forbidden"}
    assert rows and {STOPPED_BY[row["status"]] for row in rows.values()} <= expected | {"error"}, rows
    assert named <= {number for number, line in enumerate(cheat.text.splitlines(), 1) if line.endswith("# here")}
    assert bool(named) == ("tripwire" in expected)


@pytest.mark.full
def test_what_the_cheats_of_a_file_have_in_common_stops_none_of_them(graded: Any) -> None:
    """Else nobody would see whether a cheat does."""
    commons = {cheat.common for cheat in CHEATS}
    assert len(commons) > 1
    for common in commons:
        _, rows = graded(f"{common}\n\ndef dprobs(dlogprobs, probs):\n    return dlogprobs / probs\n")
        assert rows["dprobs"]["status"] == "passed", rows


# ---- tripwires by themselves ----


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[AutogradUsed]:
    """What is reported while this file plays the student's."""
    monkeypatch.setattr(AutogradUsed, "student_files", (__file__,))
    monkeypatch.setattr(AutogradUsed, "reported", [])
    return AutogradUsed.reported


def test_a_use_is_reported_even_if_the_student_catches_it(reported: list[AutogradUsed]) -> None:
    grad = tripwire("torch.autograd.grad")
    try:
        grad(1, inputs=2)
    except BaseException as error:
        caught = error
    (used,) = reported
    assert used is caught and not isinstance(caught, Exception)
    line = used.line or 0
    assert "grad(1, inputs=2)" in Path(__file__).read_text().splitlines()[line - 1]
    assert str(used) == "torch.autograd.grad was called"


# ---- what happens elsewhere ----

# Evaluated with the tensors of `operands`; results are compared bit by bit before and after.
EXPRESSIONS = [
    line
    for line in """
positive.exp()
positive ** -1.5
x.abs()
x.tanh()
x + y
x @ w
torch.where(x > 0, x, y)
torch.addcmul(torch.ones_like(x), x, x, value=-1)
torch.addmm(torch.ones_like(x @ w), x, w)
torch.einsum("ij,jk->ik", x, w)
torch.cdist(x, y)
x.sum(0, keepdim=True)
x.var(0, unbiased=True, keepdim=True)
torch.linalg.vector_norm(x, dim=1)
x.logsumexp(1)
x.sort(1)
x.softmax(1)
x.log_softmax(1)
F.cross_entropy(x, Yb)
F.ctc_loss(images[0].log_softmax(2), letters, (3,) * 8, (2,) * 8)
F.embedding(Yb, x)
F.bilinear(x, y, torch.ones(2, 5, 5, dtype=x.dtype))
F.batch_norm(x, None, None, training=True)
F.prelu(x, x.new_tensor([0.2]))
F.pad(images, (1, 1, 2, 2), mode="reflect")
F.conv2d(images, torch.ones(4, 3, 3, 3, dtype=x.dtype), padding=1, stride=2)
F.max_pool2d(images, 2, return_indices=True)
F.grid_sample(images, images.new_zeros(2, 4, 4, 2), align_corners=False)
F.scaled_dot_product_attention(images, images, images)
seeded(lambda: F.dropout(x, 0.5))
seeded(lambda: torch.randn(3, dtype=x.dtype))
seeded(lambda: torch.multinomial(positive, 2))
torch.zeros(5, 5, dtype=x.dtype).index_add_(0, Yb, x)
torch.zeros(5, 5, dtype=x.dtype).index_put_((Yb,), x, accumulate=True)
torch.zeros_like(x).scatter_add_(1, Yb[:, None], x)
x.gather(1, Yb[:, None])
x[torch.arange(6), Yb]
x[1:3, ::2]
changed(x, lambda own: own.__setitem__((range(6), Yb), -1.0))
changed(x, lambda own: own.add_(y).mul_(2).div_(positive).sub_(1))
changed(x, lambda own: own.copy_(y).zero_().fill_(3))
changed(x, lambda own: torch.softmax(own, 1, out=own))
x.sum_to_size(1, 5)
torch.stack([x, y])
Yb.unique(return_counts=True)
torch.linalg.solve(x.T @ x + torch.eye(5, dtype=x.dtype), w)
torch.fft.rfft(x).abs()
torch.sparse.mm(x.to_sparse(), w)
torch.vmap(lambda row: (row * 2).tanh().sum())(x)
torch.func.vmap(torch.outer)(x, y).sum(0)
torch.from_numpy(numpy.exp(x.numpy()))
x.detach()
x.to(torch.float64).float().double()
copy.deepcopy(x)
pickle.loads(pickle.dumps(x))
with_mode(torch.enable_grad(), lambda: x @ w)
with_mode(torch.inference_mode(), lambda: (x @ w).clone())
(leaf() * 2).tanh().detach()
leaf().requires_grad_(False) + 1
torch.tensor(leaf().requires_grad)
with_mode(torch.no_grad(), lambda: leaf().sub_(y))
checkpoint(torch.tanh, x, use_reentrant=False)
checkpoint(torch.tanh, leaf(), use_reentrant=True).detach()
seeded(lambda: torch.distributions.Categorical(probs=positive).sample())
run(torch.nn.Linear(5, 3), x)
run(torch.nn.BatchNorm1d(5), x)
run(torch.nn.LSTM(5, 4, num_layers=2), x[:, None])
run(torch.nn.TransformerEncoderLayer(5, 1, 8, dropout=0.0), x[:, None])
run(torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten()), images)
stepped(torch.optim.SGD, lr=0.1, momentum=0.9)
""".splitlines()
    if line
]


def operands(dtype: Any) -> dict[str, Any]:
    """The names that EXPRESSIONS use."""
    import copy
    import pickle

    import numpy
    import torch
    import torch.nn.functional as F
    from torch.utils.checkpoint import checkpoint

    torch.manual_seed(1)
    x, y, w = (torch.randn(*shape, dtype=dtype) for shape in ((6, 5), (6, 5), (5, 4)))
    images = torch.randn(2, 3, 8, 8, dtype=dtype)

    def seeded(draw: Callable[[], Any]) -> Any:
        torch.manual_seed(0)
        return draw()

    def changed(tensor: Any, change: Callable[[Any], object]) -> Any:
        own = tensor.clone()
        change(own)
        return own

    def with_mode(mode: Any, compute: Callable[[], Any]) -> Any:
        with mode:
            return compute()

    def run(module: Any, value: Any) -> list[Any]:
        module = module.to(dtype)
        for parameter in module.parameters():
            parameter.data.copy_(torch.linspace(-1, 1, parameter.numel()).view(parameter.shape))
        return [module.train()(value), module.eval()(value)]

    def stepped(optimizer: Any, **options: float) -> Any:
        parameter = torch.nn.Parameter(x.clone())
        parameter.grad = y.clone()
        optimizer([parameter], **options).step()
        return parameter.detach()

    return {
        **{"torch": torch, "F": F, "numpy": numpy, "copy": copy, "pickle": pickle},
        **{"x": x, "y": y, "w": w, "positive": x.abs() + 0.1, "images": images},
        **{"Yb": torch.tensor([0, 1, 4, 4, 2, 0]), "letters": torch.tensor([[1, 2]] * 8)},
        **{"leaf": lambda: x.clone().requires_grad_(), "checkpoint": checkpoint},
        **{"seeded": seeded, "changed": changed, "with_mode": with_mode, "run": run, "stepped": stepped},
    }


def tensors_in(value: Any) -> Iterator[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors_in(part)


def arithmetic() -> dict[str, Any]:
    """Every expression in both precisions, before and after."""
    import torch

    from grader.sandbox.workers.loader import Gate
    from grader.sandbox.workers.zygote import take_away, warm_up

    warm_up()

    def evaluate() -> dict[tuple[str, str], Any]:
        values: dict[tuple[str, str], Any] = {}
        for dtype in (torch.float32, torch.float64):
            names = operands(dtype)
            for expression in EXPRESSIONS:
                try:
                    result: Any = [value.detach().clone() for value in tensors_in(eval(expression, names))]
                except Exception as error:
                    result = f"{type(error).__name__}: {error}"
                values[expression, str(dtype)] = result
        return values

    def graphs() -> int:
        names = operands(torch.float64)
        names["x"].requires_grad_()
        count = 0
        for expression in EXPRESSIONS:
            try:
                count += any(value.grad_fn is not None for value in tensors_in(eval(expression, names)))
            except Exception:  # e.g. .numpy() of what requires a gradient
                continue
        return count

    torch.set_num_threads(1)
    before, graphs_before = evaluate(), graphs()
    take_away()
    sys.meta_path.insert(0, Gate({}))
    after = evaluate()
    raised = [f"{key}: {value}" for key, value in (*before.items(), *after.items()) if isinstance(value, str)]
    return {
        "changed": [key for key, value in before.items() if not identical(value, after[key])],
        "raised": raised,
        "compared": len(before),
        "graphs_before": graphs_before,
        "graphs_after": graphs(),
    }


def identical(before: list[Any] | str, after: list[Any] | str) -> bool:
    import torch

    if isinstance(before, str) or isinstance(after, str):
        return before == after
    pairs = zip(before, after, strict=True)
    return all(a.dtype == b.dtype and a.stride() == b.stride() and torch.equal(a, b) for a, b in pairs)
