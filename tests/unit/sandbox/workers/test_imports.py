"""What a submission may import, and what an unused import of something else costs: nothing."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from shared_nursery import forked_zygote, run_python

from grader.calling.protocol import CallRequest
from grader.sandbox.isolation import landlock
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import at_least, probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.student import Student

UNUSED = b"""
import ctypes
import networkx as nx
import sympy
import pandas as pd
from jax import grad, numpy as jnp
from sympy.abc import x
from torch import _decomp
from torch.utils.tensorboard import SummaryWriter

tanh = jnp.tanh

try:
    import cupy as xp
except ImportError:
    import numpy as xp

def dx(dy):
    return dy * float(xp.asarray([2.0])[0])

def dw(dy):
    return sympy.Symbol("x") * dy

def db(dy):
    from mpmath import diff
    return dy
"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    process = forked_zygote(Plan(probe().layers, imports=("iniconfig",)))
    yield process
    process.close()


def outcomes(zygote: ZygoteProcess, source: bytes, *steps: str, **files: bytes) -> tuple[Student, dict[str, str]]:
    """What came of steps that are called with `dy`, of ones."""
    named = {f"{name}.py": text for name, text in files.items()}
    student = Student(zygote, {"backward.py": source, **named}, steps)
    found = {}
    if student.load_failure is not None:
        student.close()
        return student, {step: f"{student.load_failure.outcome}: {student.load_failure.message}" for step in steps}
    for step in steps:
        called = student.call(CallRequest(step, [torch.ones(2)]))
        found[step] = "returned" if called.outcome == "returned" else f"{called.outcome}: {called.message}"
    student.close()
    return student, found


def test_an_unused_import_costs_nothing(zygote: ZygoteProcess) -> None:
    _, found = outcomes(zygote, UNUSED, "dx", "dw", "db")
    assert found["dx"] == "returned"
    assert found["dw"].startswith("raised: NotAvailable: `sympy` is not available where steps are graded: use torch,")
    assert found["db"].startswith("raised: NotAvailable: `mpmath` is not available")


USED_AT_THE_TOP = {  # what none of the steps below it needs
    "a download": """
        import requests
        text = requests.get("https://example.org/names.txt").text
        chars = sorted(set("".join(text.splitlines())))
        stoi = {s: i for i, s in enumerate(chars)}
        for i, char in enumerate(chars):
            stoi[char] = i
    """,
    "a library's value in the standard library": """
        import json, requests
        data = json.loads(requests.get("https://example.org").text)
        words = data["words"]
    """,
    "Colab": """
        try:
            import google.colab
            in_colab = True
        except ImportError:
            in_colab = False
        assert not in_colab
        from google.colab import drive
        drive.mount("/content/drive")
    """,
    "a file": """
        words = open("names.txt").read().splitlines()
        n = len(words)
    """,
    "autograd": """
        import torch
        x = torch.ones(2, requires_grad=True)
        (x * x).sum().backward()
        print(x.grad.sum())
    """,
    "several in one line": """
        import requests, json, torch as t, jax.numpy as jnp
        if True:
            import pandas as pd
        assert json.loads("[1]") == [1] and t.ones(1) == 1
        zeros = jnp.zeros(3)
    """,
    "a plot": """
        import matplotlib as mpl, matplotlib.pyplot as plt
        plt.rcParams["figure.figsize"] = (8, 6)
        fig, axes = plt.subplots(1, 2)
        figure, ((a, b), (c, d)) = plt.subplots(2, 2)
        line, = axes[0].plot([1, 2])
        n, bins, patches = plt.hist([1, 2])
        with plt.style.context("ggplot"):
            a.plot([1, 2])
        print(mpl.__version__)
    """,
    "bases": """
        import lightning as L
        from typing_extensions import Protocol
        class Model(L.LightningModule):
            learning_rate = 0.1
        class HasName(Protocol):
            name: str
    """,
}


def test_what_the_top_of_a_file_uses_costs_no_step_that_does_not_need_it(zygote: ZygoteProcess) -> None:
    for name, top in USED_AT_THE_TOP.items():
        source = textwrap.dedent(top) + "\ndef dx(dy): return dy\n"
        assert outcomes(zygote, source.encode(), "dx")[1] == {"dx": "returned"}, name


def test_a_step_that_needs_it_fails_with_the_library_s_name(zygote: ZygoteProcess) -> None:
    top = USED_AT_THE_TOP["a library's value in the standard library"]
    source = textwrap.dedent(top) + "\n\ndef dx(dy): return dy * len(words)\ndef dw(dy): return requests.get(dy)\n"
    student, found = outcomes(zygote, source.encode(), "dx", "dw")
    for message in found.values():
        assert message.startswith("raised: NotAvailable: `requests` is not available where steps are graded")
    assert student.note.startswith("Line 3 fails: NotAvailable: `requests` is not available")


def test_another_error_at_the_top_is_the_file_s(zygote: ZygoteProcess) -> None:
    _, found = outcomes(zygote, b"import pandas\nx = 1 / 0\ndef dx(dy): return dy\n", "dx")
    assert found == {"dx": "raised: ZeroDivisionError: division by zero"}


BARS = """
from alive_progress import alive_it
from rich.progress import track
from tqdm import tqdm, trange
from tqdm.auto import tqdm as auto
from tqdm.notebook import trange as in_notebook
import tqdm as module

def dx(dy):
    rounds, total = 0, 0
    for _ in trange(1000):
        rounds += 1
    for i in tqdm(range(5), desc="five"):
        total += i
    assert (rounds, total) == (1000, 10)
    assert list(module.tqdm([])) == [] and len(tqdm("abc")) == 3 and list(in_notebook(2, 4)) == [2, 3]
    assert sum(track(range(4), description="a")) == 6 and sum(alive_it([1, 2])) == 3 and sum(auto([3])) == 3
    assert list(enumerate(tqdm("ab"))) == [(0, "a"), (1, "b")] and list(reversed(tqdm(range(3)))) == [2, 1, 0]
    assert list(zip(tqdm(x for x in range(2)), "ab")) == [(0, "a"), (1, "b")]
    with tqdm(range(3)) as bar:
        for i in bar:
            bar.set_postfix(loss=i)
    assert i == 2
    return dy
"""


DECORATED = """
from __future__ import annotations
import einops, jax, numba, unheard_of
from typing import Optional
from torch import Tensor
from beartype import beartype
from jaxtyping import Float, jaxtyped
import numpy.typing as npt

Matrix = Float[Tensor, "a b"]

@jaxtyped(typechecker=beartype)
def dx(dy: Optional[Float[Tensor, "a"]], other: Matrix | None = None, third: Tensor | Matrix = 3) -> Matrix:
    return dy if isinstance(dy, Float[Tensor, "a"]) else None

@numba.njit(parallel=True)
def dw(dy):
    for _ in numba.prange(3):
        pass
    return dy

@unheard_of.checked
def db(dy):
    return dy

dc = jax.grad(dx)

def dh(dy):
    return einops.rearrange(dy, "a -> a")
"""


@pytest.mark.parametrize("first", ["", "from __future__"], ids=["evaluated", "postponed"])
def test_decorators_and_annotations_of_missing_libraries_change_nothing(zygote: ZygoteProcess, first: str) -> None:
    source = DECORATED if first else DECORATED.replace("from __future__ import annotations\n", "")
    _, found = outcomes(zygote, source.encode(), "dx", "dw", "db", "dc", "dh")
    assert [found[step] for step in ("dx", "dw", "db")] == ["returned"] * 3
    assert found["dc"].startswith("raised: NotAvailable: `jax`") and found["dh"].startswith("raised: NotAvailable: `ei")


RELATIVE = b"""
from utils.ops import twice
import utils.ops as ops, utils
from .utils import ops as same
from .top import one

def dx(dy):
    from utils.deep.er import two
    return twice(dy) + ops.twice(dy) + same.twice(dy) + utils.ops.twice(dy) * one * two
"""
OWN: dict[str, tuple[bytes, dict[str, bytes]]] = {
    "packages, with relative imports": (
        RELATIVE,
        {
            "utils/ops": b"from . import more\nfrom .more import two\nfrom top import one\ntwice = lambda x: two * x\n",
            "utils/more": b"two = 2\n",
            "utils/deep/__init__": b"",
            "utils/deep/er": b"from ..more import two\n",
            "top": b"one = 1\n",
        },
    ),
    "also under the name of a library": (
        b"import sympy, helpers\ndef dx(dy): return sympy.twice(dy) + helpers.one\n",
        {"sympy": b"def twice(x): return 2 * x\n", "helpers": b"one = 1\n"},
    ),
    "what an instructor allows": (
        b"import iniconfig\ndef dx(dy):\n    from iniconfig import exceptions, IniConfig\n    return dy\n",
        {},
    ),
    "a progress bar, which passes its iterable through": (BARS.encode(), {}),
}


def test_own_files_and_what_is_allowed_can_be_imported(zygote: ZygoteProcess) -> None:
    for name, (source, files) in OWN.items():
        assert outcomes(zygote, source, "dx", **files)[1] == {"dx": "returned"}, name


@pytest.mark.parametrize("name", ["random", "torch"])
def test_a_file_called_like_a_library_gets_a_sentence_that_says_so(zygote: ZygoteProcess, name: str) -> None:
    source = f"import {name}\ndef dx(dy): return {name}.twice(dy)\ndef dw(dy):\n    from {name} import twice\n"
    _, found = outcomes(zygote, source.encode(), "dx", "dw", **{name: b"def twice(x): return 2 * x\n"})
    assert found.keys() == {"dx", "dw"}
    for message in found.values():
        assert message.endswith(f"`{name}` is Python's, not your `{name}.py`: give your file another name"), message


@pytest.mark.parametrize("name", ["yaml", "torchgen", "ctypes", "grader.reference.tape", "torch._inductor.ir"])
def test_installed_or_not_the_rest_does_not_exist(zygote: ZygoteProcess, name: str) -> None:
    source = f"import importlib\ndef dx(dy):\n    importlib.import_module({name!r})\n    return dy\n".encode()
    _, found = outcomes(zygote, source, "dx")
    assert found["dx"].startswith(f"raised: NotAvailable: `{name.partition('.')[0] if 'torch._' not in name else name}")


def test_files_of_other_libraries_cannot_be_opened(zygote: ZygoteProcess) -> None:
    if not at_least(probe().level, "fair"):
        pytest.skip("nothing keeps a file from being read here")
    site = Path(torch.__file__).parents[1]
    folders = ("sympy/core", "torch/_decomp", "torch", "torchgen")
    paths = [path for folder in folders for path in site.glob(f"{folder}/*.py")]
    source = f"""
def dx(dy):
    opened = 0
    for path in {[str(path) for path in paths]!r}:
        try:
            open(path).close()
            opened += 1
        except PermissionError:
            pass
    if opened:
        raise ValueError(opened)
    return dy
""".encode()
    assert len(paths) > 50
    assert outcomes(zygote, source, "dx")[1] == {"dx": "returned"}


def test_no_function_with_a_formula_is_left() -> None:
    """In a process made ready as a zygote is."""
    program = (
        "from grader.sandbox.workers import zygote\n"
        "zygote.warm_up(); zygote.take_away()\n"
        "import gc, sys\n"
        "from types import FunctionType\n"
        "folders = [f'/torch/_{each}/' for each in ('decomp', 'refs', 'prims', 'dynamo', 'inductor')]\n"
        "folders += ['/sympy/', '/mpmath/', '/torchgen/']\n"
        "files = {t.__code__.co_filename for t in gc.get_objects() if type(t) is FunctionType}\n"
        "print([file for file in files if any(folder in file for folder in folders)])\n"
        "print([name for name in ('sympy', 'mpmath', 'ctypes') if name in sys.modules])\n"
    )
    done = run_python(program)
    assert done.stdout.split("\n")[:2] == ["[]", "[]"], done.stdout + done.stderr[-2000:]


def test_the_kernels_cannot_be_taken_back() -> None:
    """Not by the library that made them, once a worker has locked the dispatcher, and not by forgetting it."""
    program = (
        "import torch\n"
        "made, original = [], torch._C._dispatch_library\n"
        "torch._C._dispatch_library = lambda *given: made.append(original(*given)) or made[-1]\n"
        "from grader.sandbox.workers import autograd_off, library_off\n"
        "autograd_off.take_away_autograd(); library_off.lock_the_dispatcher()\n"
        "assert made and [library.reset() for library in made]\n"
        "made.clear()\n"
        "print(autograd_off.autograd_works())\n"
    )
    done = run_python(program)
    assert done.stdout.strip() == "False", done.stdout + done.stderr[-2000:]


def test_readable_files_hold_no_other_library() -> None:
    site = Path(torch.__file__).parents[1]
    files = landlock.worker_files().readable
    assert not any(path in (site, *site.parents) for path in files)
    inside = {path.relative_to(site).parts[0] for path in files if site in path.parents}
    assert inside <= {"numpy", "numpy.libs", "torch"}
    assert [path.name for path in files if site / "torch" in path.parents] == ["lib"]
