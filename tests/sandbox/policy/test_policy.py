"""The static check names what tests/cheats says it names, nothing in tests/honest_styles, and survives any bytes."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import calls_in, guarded

from grader.calling.autograd_used import autograd_message
from grader.sandbox.policy import static_check
from grader.sandbox.policy.names import may_hold_acts
from grader.sandbox.policy.static_check import MAX_PARSED_BYTES, Finding

TESTS = Path(__file__).resolve().parents[2]
HONEST = sorted((TESTS / "honest_styles").glob("*.py"))
CHEATS = sorted((TESTS / "cheats").glob("*.py"))


def check(
    source: bytes, filename: str, entry_points: Collection[str], neighbours: Mapping[str, bytes] | None = None
) -> list[Finding]:
    """As the grader's, where no file is passed over that holds an act."""
    found = static_check.find_acts(source, filename, entry_points, neighbours)
    assert not found or any(map(may_hold_acts, (source, *(neighbours or {}).values())))
    return found


def findings(text: str, *entry_points: str, **neighbours: str) -> list[Finding]:
    files = {f"{name}.py": dedent(source).encode() for name, source in neighbours.items()}
    return check(dedent(text).encode(), "backward.py", entry_points or ("dx",), files)


def shown(text: str, *entry_points: str, **neighbours: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.what) for finding in findings(text, *entry_points, **neighbours)]


def top_level_names(path: Path) -> list[str]:
    """Everything that could be a step, so that nothing in the file escapes by not being asked for."""
    names = []
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.FunctionDef):
            names.append(statement.name)
        elif isinstance(statement, ast.Assign):
            names += [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return [name for name in names if name.startswith("d")]


@pytest.mark.parametrize("path", HONEST, ids=lambda path: path.stem)
def test_honest_style_has_no_finding(path: Path) -> None:
    assert check(path.read_bytes(), path.name, top_level_names(path)) == []


@pytest.mark.parametrize("path", CHEATS, ids=lambda path: path.stem)
def test_cheat_is_named_where_it_says(path: Path) -> None:
    lines = path.read_text().splitlines()
    found = check(path.read_bytes(), path.name, top_level_names(path))
    marked = {number for number, line in enumerate(lines, 1) if line.endswith(("# here", "# static"))}
    assert {finding.line for finding in found} == (marked if "static" in lines[0] else set())
    for finding in found:
        assert finding.message.startswith(f"Line {finding.line} ")
        assert finding.filename == path.name
        assert lines[finding.line - 1][finding.column - 1 :].strip()


# ---- what is reached ----


def test_a_message_says_what_was_found_what_is_expected_and_what_is_fine() -> None:
    (finding,) = findings(
        """
        def dx(dy, x):
            y = x.exp()
            y.backward(dy)
            return x.grad
        """
    )
    assert finding == Finding(4, 5, "dx", ".backward()", autograd_message(4, ".backward()"), "backward.py")
    assert finding.message == (
        "Line 4 calls `.backward()`: this exercise asks for the gradient by hand, so the step is not counted. "
        "Write it by the chain rule, from the values that it is given. "
        'A self-check under `if __name__ == "__main__":` is fine.'
    )


def test_an_act_in_a_helper_counts_for_every_step_that_reaches_it() -> None:
    text = """
    import torch

    def helper(x):
        return torch.autograd.grad(x.exp(), x)

    def between(x):
        return helper(x)

    def dx(x): return between(x)
    def dy(x): return helper(x)
    def dz(x): return x
    """
    assert [(finding.line, finding.step) for finding in findings(text, "dx", "dy", "dz")] == [(5, "dx"), (5, "dy")]


@pytest.mark.parametrize("guard", ['if __name__ == "__main__":', "if '__main__' == __name__:"])
def test_the_main_block_is_the_students_own(guard: str) -> None:
    text = f"""
    loss = 1
    {guard}
        loss = dx(1).sum()
        loss.backward()
    else:
        other = __import__("torch").autograd.grad
    def dx(dy): return dy * loss
    def dz(dy): return other(dy)
    """
    assert shown(text, "dx") == []
    assert shown(text, "dz") == [(9, "torch.autograd.grad")]


def test_a_later_definition_replaces_an_earlier_one() -> None:
    first = "def dx(y):\n    y.backward()\n"
    assert shown(first + "def dx(y):\n    return y\n") == []
    assert shown("def dx(y):\n    return y\n" + first) == [(4, ".backward()")]
    assert shown(first + "dx = print(dx)\n") == [(2, ".backward()")]
    assert shown(first + "if True:\n    def dx(y):\n        return y\n") == [(2, ".backward()")]


def test_a_value_is_what_its_statements_make_it() -> None:
    text = """
    import torch
    rules = {}
    rules["x"] = torch.func.grad
    torch.manual_seed(0)
    torch.autograd.backward(torch.zeros(1))
    with open("names.txt") as file:
        words = file.read().splitlines()
    def dx(x): return rules["x"](x)
    def dy(x): return torch.exp(x)
    def dz(x): return words
    """
    assert shown(text, "dx") == [(4, "torch.func.grad")]
    assert shown(text, "dy") == []
    assert shown(text, "dz") == []


def test_parameters_and_locals_hide_imported_names() -> None:
    text = """
    from torch.autograd import grad
    from torch.func import vjp, jvp

    def dx(grad, x, *vjp, **jvp): return grad, vjp, jvp
    def dy(x):
        for grad in x:
            vjp = grad
        return [jvp + grad + vjp for jvp in x]
    def dz(x): return (lambda grad: grad)(x)
    def dw(x): return grad(x)
    """
    assert shown(text, "dx", "dy", "dz") == []
    assert shown(text, "dw") == [(11, "torch.autograd.grad")]


def test_defaults_decorators_and_nested_functions_are_read() -> None:
    text = """
    import torch
    def dx(x, *, pull=torch.func.vjp): return pull
    @torch.func.grad
    def dy(x): return x
    def dz(x):
        def inner():
            import torch.autograd as ag
            return ag.grad(x)
        return inner()
    class Rule:
        def __call__(self, x): return torch.func.jvp
    dw = Rule()
    """
    assert shown(text, "dx", "dy", "dz", "dw") == [
        (3, "torch.func.vjp"),
        (4, "torch.func.grad"),
        (9, "torch.autograd.grad"),
        (12, "torch.func.jvp"),
    ]


def test_neighbouring_files_are_followed() -> None:
    helper = """
    import torch
    def pull(x): return torch.func.vjp(x)
    def push(x): return x
    """
    for text in (
        "from helpers import pull as p\ndef dx(x): return p(x)",
        "import helpers as h\ndef dx(x): return h.pull(x)",
        "from helpers import *\ndef dx(x): return pull(x)",
    ):
        assert [(f.filename, f.line, f.step) for f in findings(text, helpers=helper)] == [("helpers.py", 3, "dx")]
    assert findings("from helpers import push, pull\ndef dx(x): return push(x)", helpers=helper) == []


def test_a_backward_of_the_students_own_is_not_taken_for_torchs() -> None:
    step = "def dx(layer, dy): return layer.backward(dy)\n"
    for own in (
        "class Layer:\n    def backward(self, dy): return dy\n",
        "class Layer:\n    backward = staticmethod(print)\n",
        "from dataclasses import dataclass\n@dataclass\nclass Layer:\n    backward: object\n",
        "from collections import namedtuple\nLayer = namedtuple('Layer', 'forward backward')\n",
        "from types import SimpleNamespace\nlayer = SimpleNamespace(backward=print)\n",
        "class Layer: pass\nLayer.backward = print\n",
    ):
        assert shown(own + step) == []
    assert shown(step) == [(1, ".backward()")]
    assert shown("import layers\ndef dx(dy): return layers.backward(dy)\n") == []


def test_steps_that_are_not_there_are_passed_over() -> None:
    assert findings("x = 1", "dx", "", "class") == []


# ---- other means ----


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("os.system('ls')", "os.system"),
        ("os._exit(0)", "os._exit"),
        ("os.execv('/bin/sh', [])", "os.execv"),
        ("subprocess.run(['ls'])", "subprocess.run"),
        ("ctypes.string_at(0)", "ctypes.string_at"),
        ("socket.socket()", "socket.socket"),
        ("sys._getframe(1)", "sys._getframe"),
        ("gc.get_objects()", "gc.get_objects"),
        ("inspect.stack()", "inspect.stack"),
        ("eval('1')", "eval"),
        ("exec('1')", "exec"),
        ("open('x', 'w')", "open(…) for writing"),
        ("open('x', mode='ab')", "open(…) for writing"),
        ("x.__traceback__.tb_frame", ".tb_frame"),
        ("object.__subclasses__()", ".__subclasses__"),
        ("__import__('os').system('ls')", "os.system"),
        ("getattr(os, 'sys' + 'tem')('ls')", "os.system"),
    ],
)
def test_other_means_are_named(expression: str, what: str) -> None:
    text = f"import ctypes, gc, inspect, os, socket, subprocess, sys\ndef dx(x): return {expression}\n"
    (finding,) = findings(text)
    assert (finding.line, finding.what) == (2, what)
    assert finding.message.startswith(f"Line 2 uses `{what}`, which is not available where steps are graded")


@pytest.mark.parametrize(
    "expression",
    [
        "open('names.txt').read()",
        "open('names.txt', 'r')",
        "os.path.join('a', 'b')",
        "os.environ.get('HOME')",
        "sys.version_info",
        "sys.float_info.epsilon",
        "gc.collect()",
        "inspect.signature(dx)",
        "re.compile('a')",
        "model.eval()",
        "torch.compile(dx)",
        "torch.jit.script(dx)",
        "torch.no_grad()",
        "torch.enable_grad()",
        "torch.is_grad_enabled()",
        "torch.autograd.Function",
        "torch.autograd.set_detect_anomaly(False)",
        "torch.func.vmap(dx)",
        "torch.func.functional_call(x, {}, ())",
        "torch.ops.aten.tanh(x)",
        "torch.gradient(x)",
        "x.requires_grad_(True).grad",
        "x.grad_fn is None",
        "x.grad.data.zero_()",
        "x.diff()",
        "self.vjp(x)",
        "grad(x)",
        "hasattr(x, 'backward')",
    ],
)
def test_what_only_looks_alike_is_not(expression: str) -> None:
    text = f"import gc, inspect, os, re, sys, torch\ngrad = model = self = None\ndef dx(x): return {expression}\n"
    assert shown(text) == []


# ---- any bytes ----

HARD = {
    "nothing": b"",
    "null bytes": b"def dx(x): return x\0",
    "syntax error": b"def dx(:\n  loss.backward()",
    "not utf-8": b"def dx(x): return '\xff\xfe'",
    "unknown encoding": b"# coding: klingon\n",
    "slow encoding": b"# coding: punycode\n" + b"a" * 500_000,
    "byte order mark": b"\xef\xbb\xbfdef dx(x): return x.backward()",
    "two encodings": b"\xef\xbb\xbf# coding: latin-1\n",
    "too long": b"#" * (MAX_PARSED_BYTES + 1),
    "brackets": b"dx = " + b"[" * 50_000 + b"]" * 50_000,
    "few brackets": b"dx = " + b"(" * 150 + b"x.backward()" + b")" * 150,
    "minus signs": b"dx = " + b"-" * 200_000 + b"1",
    "sum": b"dx = " + b"1+" * 100_000 + b"1",
    "attributes": b"dx = x" + b".a" * 100_000,
    "calls": b"dx = x" + b"()" * 100_000,
    "lambdas": b"dx = " + b"lambda:" * 50_000 + b"1",
    "not not": b"dx = " + b"not " * 100_000 + b"1",
    "conditional": b"dx = " + b"1 if x else " * 50_000 + b"1",
    "nested functions": b"".join(b" " * i + b"def dx(x):\n" for i in range(99)) + b" " * 99 + b"x.backward()\n",
    "nested blocks": b"".join(b" " * i + b"if x:\n" for i in range(99)) + b" " * 99 + b"dx = x.backward\n",
    "elif chain": b"if x: pass\n" + b"elif x: dx = 1\n" * 20_000,
    "huge number": b"dx = " + b"9" * 100_000,
    "huge power": b"dx = 9**9**9**9",
    "huge text": b"dx = 'a' * 10**12",
    "f-strings": b"dx = " + b"f'{" * 50 + b"1" + b"}'" * 50,
    "alias loop": b"a = b\nb = c\nc = a\ndef dx(x): return a.b(a)\n",
    "calls of calls": b"dx = torch" + b"('a')(torch)" * 400,
    "alias chain": b"dx = a0\n" + b"".join(b"a%d = a%d\n" % (i, i + 1) for i in range(2_000)),
    "many steps": b"dx = f0\n" + b"".join(b"def f%d(): f%d() + f%d()\n" % (i, i + 1, i + 2) for i in range(2_000)),
    "invalid escape": b"dx = '\\d'",
    "invalid escapes in a warning": b"dx = 1 is 1\nassert (1, 'x')\n",
    "async": b"async def dx(x):\n    async with x as y:\n        await y.backward()\n",
    "class bodies": b"class dx:\n    x.backward()\n    def f(self): pass\n",
    "del and global": b"global dx\ndx = 1\ndel dx\n",
    "star targets": b"*dx, (a, [b.c, d[0]]) = x.backward()\n",
    "relative import": b"from . import dx\nfrom .a import *\nfrom .. import x as dx\n",
    "try star": b"try: pass\nexcept* OSError as dx: dx.backward()\n",
    "match": b"match x:\n case {'a': dx, **b} | C(d=dx) if x.backward(): pass\n",
}


@pytest.mark.parametrize("source", HARD.values(), ids=HARD.keys())
def test_any_file_is_survived(source: bytes) -> None:
    with guarded():
        for finding in check(source, "backward.py", ["dx"], {"helpers.py": source, "x.txt": source}):
            assert finding.what == ".backward()"


def test_a_byte_order_mark_and_nested_brackets_hide_nothing() -> None:
    assert len(check(HARD["byte order mark"], "backward.py", ["dx"])) == 1
    assert len(check(HARD["few brackets"], "backward.py", ["dx"])) == 1


@pytest.mark.full
def test_no_bytes_end_the_process() -> None:
    """Deep nesting has crashed Python's parser before (cpython#91924); a crash here would take pytest with it."""
    program = (
        "import json, sys; from grader.sandbox.policy.static_check import find_acts\n"
        "for text in json.load(sys.stdin): find_acts(text.encode('latin-1'), 'backward.py', ['dx'])"
    )
    sources = json.dumps([source.decode("latin-1") for source in HARD.values()])
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=sources, cwd=TESTS.parent, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_random_bytes(source: bytes) -> None:
    assert check(source, "backward.py", ["dx"]) == []


@given(st.sampled_from([*HONEST, *CHEATS]), st.data())
@settings(max_examples=200, deadline=None)
def test_student_files_with_pieces_cut_out_and_swapped(path: Path, data: st.DataObject) -> None:
    source = path.read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), min_size=3, max_size=3)))
    first, second, third = source[: cuts[0]], source[cuts[0] : cuts[1]], source[cuts[1] : cuts[2]]
    for mutated in (first + third, first + third + second + source[cuts[2] :]):
        check(mutated, path.name, top_level_names(path))


def test_checking_twice_as_many_steps_takes_twice_the_work() -> None:
    step = b"def d%d(dy, x):\n    a = helper(x) * dy\n    b = a.sum(1, keepdim=True)\n    return torch.exp(b)\n"

    def calls(count: int) -> int:
        source = b"import torch\ndef helper(x): return x\n" + b"".join(step % i for i in range(count))
        assert check(source, "backward.py", [f"d{i}" for i in range(count)]) == []
        return calls_in(lambda: check(source, "backward.py", [f"d{i}" for i in range(count)]))

    assert calls(26) <= 2.5 * calls(13)  # quadratic work would be 4 times
