"""What a step must not do is named with its line, and what honest code and libraries do is not.

The hook cannot be removed from a process, so all expressions are evaluated in one that ends afterwards.
"""

from __future__ import annotations

import json
from functools import cache

from shared_nursery import run_python

PROGRAM = """
import json, sys
from grader.calling.autograd_used import AutogradUsed
from grader.sandbox.workers import acts
uses, AutogradUsed.student_files = AutogradUsed.reported, ("backward.py",)
sys.addaudithook(acts.refuse_acts)
found = []
for expression in json.loads(sys.argv[1]):
    names = {}
    lines = "import gc, inspect, os, re, socket, subprocess, sys, torch\\ndef dx(x):\\n    return " + expression
    exec(compile(lines, "backward.py", "exec"), names)
    uses.clear()
    acts.ActUsed.is_watched_for = True
    try:
        names["dx"](ValueError())
    except acts.ActUsed as used:
        assert uses == [used]
    except Exception:
        pass
    acts.ActUsed.is_watched_for = False
    found.append([[use.line, use.message(True)] for use in uses])
print(json.dumps(found))
"""

NAMED = {
    "os.system('true')": "`os.system`",
    "getattr(os, 'sys' + 'tem')('true')": "`os.system`",
    "os.fork()": "a function of `os` for processes",
    "os.popen('true').read()": "`subprocess`",
    "socket.socket()": "`socket`",
    "sys._getframe(1)": "`sys._getframe`",
    "inspect.currentframe()": "`sys._getframe`",
    "gc.get_objects()": "`gc.get_objects`",
    "eval('1')": "`exec`, `eval` or `compile`",
    "open('/none/x', mode='ab')": "`open(…)` for writing",
    "(y for y in [x]).gi_frame": "a frame of the program",
}
HONEST = [
    "open('/none/names.txt').read()",
    "gc.collect()",
    "inspect.signature(dx)",
    "inspect.getsource(dx)",
    "re.compile('(a|b)+c')",
    "__import__('collections').namedtuple('Layer', 'w b')(1, 2)",
    "__import__('dataclasses').make_dataclass('Layer', ['w', 'b'])(1, 2)",
    "__import__('ast').literal_eval('[1, 2]')",
    "__import__('logging').getLogger('a').warning('odd')",
    "__import__('traceback').format_exc()",
    "__import__('tempfile').TemporaryFile()",
    "__import__('numpy').random.default_rng(0).normal()",
    "torch.compile(dx)",
    "torch.vmap(torch.exp)(torch.ones(3))",
    "torch.nn.Linear(2, 3)(torch.ones(1, 2))",
]


@cache
def found() -> dict[str, list[tuple[int, str]]]:
    expressions = [*NAMED, *HONEST]
    done = run_python(PROGRAM, json.dumps(expressions))
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(zip(expressions, json.loads(done.stdout.splitlines()[-1]), strict=True))


def test_an_act_is_named() -> None:
    for expression, name in NAMED.items():
        ((line, message),) = found()[expression]
        assert line == 3
        assert message.startswith(f"Line 3 uses {name}, which is not available where steps are graded")


def test_honest_code_is_not() -> None:
    assert [expression for expression in HONEST if found()[expression]] == []
