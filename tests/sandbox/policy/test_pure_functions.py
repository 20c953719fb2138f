"""Which files run nothing but pure functions: equal keys for equal functions only, and no key for anything else."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import MutableMapping, MutableSequence, MutableSet
from importlib import import_module
from types import FunctionType, ModuleType

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import ROOT, sampled, solution_of

from bench.spellings import RIGHT, spellings, submission
from grader.lesson.lesson import Course
from grader.sandbox.policy.pure_functions import PureFunction, pure_functions
from grader.sandbox.policy.pure_names import ATTRIBUTES, IMPORTABLE, PURE_NAMES, UNSETTLED

COURSE = Course(ROOT)
MutableCollections = (MutableMapping, MutableSequence, MutableSet)
IMPORTS = "import torch\nimport torch.nn.functional as F\n"
GRADED = ("dx", "dy")
PLAIN = "def dx(x, dz):\n    product = x * dz\n    return product.sum(0)\n"


def read(text: str, imports: str = IMPORTS) -> dict[str, PureFunction]:
    return pure_functions((imports + text).encode(), GRADED)


def key(text: str, imports: str = IMPORTS) -> str:
    return read(text, imports)["dx"].key


def test_every_function_of_a_solution_has_a_key_of_its_own():
    lesson = COURSE.find("03")
    found = pure_functions(solution_of(lesson).encode(), lesson.functions)
    assert list(found) == list(lesson.functions)
    assert len({function.key for function in found.values()}) == len(found)


@sampled("number", range(5), keep=2)
def test_lines_and_parameters_are_those_that_python_sees(number):
    lesson = COURSE.find("03")
    text = submission(lesson, number, RIGHT, spellings(lesson))
    found = pure_functions(text.encode(), lesson.functions)
    space: dict = {}
    exec(compile(text, "backward.py", "exec"), space)
    for name, function in found.items():
        code = space[name].__code__
        assert function.line == code.co_firstlineno
        assert list(function.parameters) == list(code.co_varnames[: code.co_argcount])
    assert len(found) == len(lesson.functions)


@pytest.mark.parametrize(
    "same",
    [
        "\n\n# further down\n" + PLAIN,
        PLAIN.replace("product", "result"),
        PLAIN.replace("    product =", "    # why\n    product  ="),
        PLAIN.replace("):\n", '):\n    """What it does."""\n', 1),
        PLAIN.replace("x, dz", "x: torch.Tensor, dz: 'Tensor'").replace("):\n", ") -> torch.Tensor:\n", 1),
        "def dx(x):\n    return x\n\n" + PLAIN,
        PLAIN + "\ndef unread():\n    print(open('/etc/passwd'))\n",
        PLAIN + "\nif __name__ == '__main__':\n    print(dx(torch.ones(3), 1))\n",
        "N = 3\nN = 3\n" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
    ],
)
def test_what_changes_nothing_does_not_change_the_key(same):
    assert key(same) == key(PLAIN)


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("sum(0)", "sum(1)"),
        PLAIN.replace("sum(0)", "sum(0.0)"),
        PLAIN.replace("sum(0)", "sum(False)"),
        PLAIN.replace("x, dz", "dz, x"),
        PLAIN.replace("x, dz", "x, dz=1"),
        PLAIN.replace("x * dz", "dz * x"),
        PLAIN.replace("product.sum", "x.sum"),
    ],
)
def test_what_may_change_the_result_changes_the_key(other):
    assert key(other) != key(PLAIN)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def half(x):\n    return x / 2\n", "def half(x):\n    return x / 3\n"),
        ("half = 2\n", "half = 2.0\n"),
        ("half = 2\n", "from math import exp as half\n"),
        ("from math import exp as half\n", "from torch import exp as half\n"),
    ],
)
def test_a_key_covers_what_the_function_reads(one, other):
    text = "\ndef dx(x):\n    return half\n"
    assert key(one + text) != key(other + text)
    assert key(one + text) == key("\n\n# comment\n" + one + text)


def test_a_key_covers_helpers_of_helpers():
    text = "def a(x):\n    return b(x)\n\ndef dx(x):\n    return a(x)\n\ndef b(x):\n    return x * {}\n"
    assert key(text.format(2)) != key(text.format(3))


IMPURE = [
    *(
        "torch.set_default_dtype(torch.float64)\n",
        "print()\n",
        "x = [1]\n",
        "class A:\n    pass\n",
        "dx = dx\n",
        "dx = 3\n",
    ),
    *("import os\n", "import numpy as np\n", "from os import *\n", "import torch as F\n", "import torch.autograd\n"),
    *("from torch import rand\n", "from torch.nn import Module\n", "from math import no_such_name\n", "N = 1\nN = 2\n"),
    *("for i in range(3):\n    pass\n", "with torch.no_grad():\n    pass\n", "try:\n    pass\nfinally:\n    pass\n"),
    *("if __name__ != '__main__':\n    pass\n", "if __name__ == '__main__':\n    pass\nelse:\n    print()\n"),
    *("__name__ = '__main__'\n", "N: int = 3\n", "N = M = 3\n", "torch.x = 3\n", "del dx\n", "assert True\n"),
    *(
        "@torch.no_grad\ndef helper():\n    pass\n",
        "def helper(x=[]):\n    pass\n",
        "def helper(x=print()):\n    pass\n",
    ),
    *(
        "def helper(x: int.Tensor):\n    pass\n",
        "from torch import Tensor as R\ndef helper(x) -> R.Tensor:\n    pass\n",
    ),
    *("def helper(x: print()):\n    pass\n", "def helper(x: Late):\n    pass\nfrom torch import Tensor as Late\n"),
    *("def helper():\n    return '\\d'\n", "def helper(x, x):\n    pass\n", "def helper():\n    return 1 is 1\n"),
    *(
        "async def helper():\n    pass\n",
        "# coding: latin-1\n",
        "x = 1\r\rdef dy(): pass\n",
        "def helper():\n    break\n",
    ),
]


@pytest.mark.parametrize("statement", IMPURE)
def test_a_file_that_does_more_than_define_has_no_keys(statement):
    assert read(PLAIN)
    assert read(PLAIN + statement) == {}


BODIES = [
    *("print(x)", "x.data = dz", "dx.cache = x", "global N; N = 3", "import os", "yield x", "torch.sum = torch.mean"),
    *("return torch.rand(3)", "return torch.randn_like(x)", "torch.manual_seed(1)", "torch.set_num_threads(2)"),
    *("return x.__class__", "return getattr(x, 'sum')", "return eval('x')", "return id(x)", "return hash(x)"),
    *("return x.backward()", "return x.grad", "x.requires_grad_()", "return torch.autograd", "return x.grad_fn"),
    *("return torch.zeros(3, requires_grad=True)", "return torch.sum(**{})", "return helper_that_is_not_there(x)"),
    *("return globals()", "return vars()", "return dir()", "return open('x')", "return input()", "return breakpoint()"),
    *(
        "return type(x)",
        "return x.storage()",
        "return x.data_ptr()",
        "return x.numpy()",
        "return x.as_strided((9,), (1,))",
    ),
    *(
        "return x.set_(dz)",
        "return x.resize_(99)",
        "return torch.from_numpy",
        "return torch.load('x')",
        "x.share_memory_()",
    ),
    *("return x.register_hook(print)", "return x.apply_(abs)", "return x.map_(dz, max)", "del x", "assert (x, 1)"),
    *(
        "return [print for print in x] + [print(x)]",
        "return [dy for dy in x], dy(x)",
        "return (lambda id: id)(x), id(x)",
    ),
    *(
        "return [0 for __builtins__ in ()], __builtins__['exec']",
        "return (lambda __builtins__: 0)(x), __builtins__['exec']",
        "return [[0 for __file__ in ()] for x in __file__]",
        "return '%r' % (lambda: 0)",
        "return b'%r' % x",
    ),
    *(
        "class A:\n        pass",
        "def inner():\n        pass",
        "try:\n        pass\n    except Exception:\n        pass",
    ),
    *(
        "with torch.no_grad():\n        pass",
        "return lambda x=print(): x",
        "return f'{x}'",
        "return {1: x}",
        "return dx(x)",
    ),
    *(
        "while True:\n        pass",
        "return Tensor(3)",
        "return torch.Tensor(3)",
        "(y := x)",
        "return 'a'(x)",
        "return 3[x]",
    ),
    *(
        "return dropout(x)",
        "return F.dropout(x)",
        "return torch.nn.Linear(3, 3)",
        "return torch.compile(x)",
        "return N",
    ),
]


@pytest.mark.parametrize("body", BODIES)
def test_a_function_that_does_more_than_compute_spoils_its_file(body):
    rest = "\nfrom torch import Tensor\n\ndef dy(x):\n    return x\n"
    assert read("def dx(x, dz):\n    return x\n" + rest)
    assert read(f"def dx(x, dz):\n    {body}\n" + rest) == {}
    assert read(f"def helper(x, dz):\n    {body}\n\ndef dx(x):\n    return helper(x, x)\n" + rest) == {}


def test_nothing_that_can_be_changed_is_within_reach():
    """Whatever attributes are read, one after another, of modules, of Python's functions and of a few values."""
    values = [getattr(import_module(module), name) for module, names in IMPORTABLE.items() for name in names.split()]
    values += [import_module(module) for module in IMPORTABLE] + [getattr(builtins, name) for name in PURE_NAMES]
    values += [torch.zeros(2, 2), torch.zeros(2, 2).max(0), torch.float64, torch.device("cpu"), torch.Size([2])]
    values += ["text", b"text", 1, 1.0, 1j, True, (), range(2), slice(2), ..., NotImplementedError(), lambda: 0]
    reached, due = dict[int, object](), values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while due:
            due = [value for value in due if id(value) not in reached and not isinstance(value, torch.Tensor)]
            reached |= {id(value): value for value in due}
            due = [getattr(value, name) for value in due for name in ATTRIBUTES | UNSETTLED if hasattr(value, name)]
    kinds = {type(value) for value in reached.values()}
    assert ModuleType in kinds and FunctionType in kinds
    assert not [kind for kind in kinds if issubclass(kind, MutableCollections)]
    modules = {value.__name__ for value in reached.values() if isinstance(value, ModuleType)}
    assert modules == {*IMPORTABLE, "torch.functional"}


NAMES = st.sampled_from(["torch", "F", "Tensor", "exp", "int", "sum", "max", "dx", "dy"])
ANNOTATIONS = st.builds("{}{}".format, NAMES, st.sampled_from(["", "", ".Tensor"])) | st.sampled_from(
    ["None", "'no type'"]
)
STATEMENTS = st.one_of(
    st.builds("import {}".format, st.sampled_from(["torch", "torch.nn.functional", "math"])),
    st.builds("import {} as {}".format, st.sampled_from(list(IMPORTABLE)), NAMES),
    st.builds("from torch import {} as {}".format, st.sampled_from(["Tensor", "exp", "nn"]), NAMES),
    st.builds("{} = {}".format, NAMES, st.sampled_from(["3", "0.5", "True"])),
    st.builds("def {}(a: {}, b=3) -> {}:\n    return a".format, NAMES, ANNOTATIONS, ANNOTATIONS),
)


@pytest.mark.full
@settings(max_examples=300, deadline=None)
@given(st.lists(STATEMENTS, max_size=5))
@example(["from torch import Tensor as Tensor", "def dx(a: Tensor.Tensor, b=3) -> None:\n    return a"])
def test_a_file_that_has_keys_runs_to_its_end(statements):
    text = "\n".join([*statements, "def dy(a):\n    return a\n"])
    if read(text, ""):
        exec(compile(text, "backward.py", "exec", dont_inherit=True), {"__name__": "backward"})


def test_what_calls_each_other_in_a_circle_has_no_keys():
    assert read("def dx(x):\n    return dy(x)\n\ndef dy(x):\n    return dx(x)\n") == {}


def test_a_function_that_reads_uninitialised_memory_has_no_key_and_harms_no_other():
    found = read("def dx(x):\n    y = torch.empty_like(x)\n    y[0] = x[0]\n    return y\n\ndef dy(x):\n    return x\n")
    assert found["dx"].key == "" and found["dy"].key
    filled = "def dx(x):\n    y = torch.empty_like(x)\n    for i in range(len(x)):\n        y[i] = x[i]\n    return y\n"
    assert read(filled)["dx"].key
    assert read(filled.replace("    y =", "    range = reversed\n    y ="))["dx"].key == ""
    assert read("range = 3\n" + filled) == {}
    assert read("def a(x):\n    return torch.empty(3)\n\ndef dx(x):\n    return a(x)\n")["dx"].key == ""


@pytest.mark.parametrize(
    "text", [b"\xff\xfe", b"\0", b"def dx(:", b"(" * 10_000, b"x" * 100_000, "\ufeff".encode(), b""]
)
def test_other_bytes_have_no_keys(text):
    assert pure_functions(text, GRADED) == {}
