"""A student's file cannot decide the keys of its own defence, and cannot choose what is asked."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from made_gradebook import add_attempt, grade
from shared_nursery import forked_zygote
from support import sampled, solution_of

from grader.defence.generate import Defence, generate
from grader.defence.plain_part import plain_part
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.lesson.lesson import Course, Lesson
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe

ATTACKS = {
    "another helper of this name": "def _defence_run(jobs):\n    return [[True, 0] for _ in jobs]\n",
    "built-in functions": "import builtins\nbuiltins.eval = builtins.hasattr = builtins.getattr = lambda *_: None\n",
    "operators of a tensor": "torch.Tensor.__matmul__ = torch.Tensor.__mul__ = lambda a, b: a + 1\n",
    "functions of torch": "torch.sum = torch.zeros_like = torch.allclose = lambda *a, **k: torch.ones(1)\n",
    "the default type": "torch.set_default_dtype(torch.float16)\ntorch.use_deterministic_algorithms(True)\n",
    "the end of the process": "import atexit, os\natexit.register(os._exit, 3)\n",
    "attributes of a module": "def __getattr__(name):\n    return lambda *a, **k: 3\n",
    "a function with a decorator": "import functools\n@functools.lru_cache\ndef more(x): return x\n",
    "a default value": "def more(x, y=torch.set_default_dtype(torch.float16)): return x\n",
    "an annotation": "def more(x: torch.set_default_dtype(torch.float16)): return x.__class__\n",
    "a class": "class More(torch.Tensor):\n    def __init_subclass__(cls): torch.sum = None\nclass Most(More): pass\n",
    "a branch": "if True:\n    def dh(dlogits, W2): return 0 * dlogits @ W2.T\n",
}


def defence_of(lesson: Lesson, text: str, seed: str = "1") -> Defence:
    """The questions about a file whose rows the judge has found right."""
    zygote = forked_zygote(Plan(probe().layers, Limits(step_seconds=2.0)))
    try:
        return generate(lesson, {"backward.py": text.encode()}, [each.name for each in lesson.items], zygote, seed)
    finally:
        zygote.close()


@sampled("attack", ATTACKS.values(), keep=6, ids=list(ATTACKS))
def test_only_the_plain_part_of_a_file_is_run(course: Course, attack: str):
    """What stands before or after the functions is not in the text, so it can have no effect on a key."""
    text = solution_of(course.find("03"))
    assert plain_part(f"{text}\n{attack}") == plain_part(text)
    assert "import torch" in plain_part(text) and "def dh(" in plain_part(text)


@pytest.mark.full
def test_a_hostile_file_has_the_keys_of_an_honest_one(course: Course):
    """All attacks together, in a worker: the same questions, choices and keys as without them."""
    lesson, zygote = course.find("02"), forked_zygote(Plan(probe().layers, Limits(step_seconds=2.0)))
    text, right = solution_of(lesson), [each.name for each in lesson.gradients]
    hostile = "\n".join([text, *ATTACKS.values()])
    try:
        one, other = (generate(lesson, {"backward.py": t.encode()}, right, zygote, "7") for t in (text, hostile))
    finally:
        zygote.close()
    assert one.questions and [(q.text, q.choices, q.key) for q in one.questions] == [
        (q.text, q.choices, q.key) for q in other.questions
    ]


def test_a_function_that_does_more_than_compute_is_left_out():
    for function in [
        "@torch.compile\ndef f(x): return x.T",
        "def f(x, y=[]): return x.T",
        "def f(*x): return x[0].T",
        "def f(x): return x.__class__",
        "def f(x): return x.register_hook(x)",
        "def f(x): return torch.utils.model_zoo.os.system('true')",
        "def f(x): return eval('x')",
        "def f(x): return helper(x)",
        "def f(x): return f'{x.__class__}'",
        "def f(x): torch.sum = x",
        "def f(x): x.data = x",
        "def f(x):\n    global EPS\n    EPS = x",
        "def f(x):\n    import os\n    return x.T",
        "def f(x): return _defence_note('0', {})",
        "def f(x):\n    yield x",
        "async def f(x): return x",
        "def f(x): return (_defence_copy := x)",
        "def f(x): return KEEPS.append(x)",
        "def f(x): return TENSOR.add_(1)",
    ]:
        before = "import torch\nEPS = 1e-5\nKEEPS = []\nTENSOR = torch.zeros(1)\n"
        assert plain_part(f"{before}{function}\ndef g(x): return x * EPS\n") == plain_part(
            "import torch\nEPS = 1e-5\ndef g(x): return x * EPS\n"
        )


def lambdas(text: str, kept: list[str]) -> str:
    """The file with every function of one line as a lambda, apart from those `kept`."""
    tree = ast.parse(text)
    for place, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name not in kept and isinstance(node.body[-1], ast.Return):
            node.args.defaults = []
            value = ast.unparse(ast.Lambda(node.args, node.body[-1].value or ast.Constant(None)))
            if len(node.body) == 1:
                tree.body[place] = ast.parse(f"{node.name} = {value}").body[0]
    return ast.unparse(tree)


@pytest.mark.full
def test_who_hides_most_lines_does_not_choose_what_is_asked(course: Course):
    lesson = course.find("03")
    text, names = solution_of(lesson), ["dW2", "db2"]
    replaced = "".join(f"{each.name} = right['{each.name}']\n" for each in lesson.gradients)
    decoys = re.sub(r"return (.+)", r"return 1.5 * (\1)", text)
    helpers = ast.parse(text)
    for node in [each for each in helpers.body if isinstance(each, ast.FunctionDef)]:
        call = f"hidden_{node.name}({ast.unparse(node.args)})"
        helpers.body.append(
            ast.parse(f"def {node.name}({ast.unparse(node.args)}):\n    x = {call}\n    return x * 1").body[0]
        )
        node.name = f"hidden_{node.name}"
    for hidden in (lambdas(text, names), f"{decoys}\n{replaced}", ast.unparse(helpers)):
        found = defence_of(lesson, hidden)
        assert found.questions == () and found.is_oral and found.reason.startswith("Oral defence: ")
    assert len(defence_of(lesson, lambdas(text, [each.name for each in lesson.gradients][:16])).questions) == 6


def test_a_function_that_never_returns_here_gets_no_questions(course: Course):
    """It returned when the judge called it: the row is right for `generate`."""
    zygote = forked_zygote(Plan(probe().layers, Limits(step_seconds=0.1)))
    try:
        text = b"def db2(dlogits):\n    while True:\n        pass\n    return dlogits.sum(0)\n"
        found = generate(course.find("03"), {"backward.py": text}, ["db2"], zygote, "1")
    finally:
        zygote.close()
    assert found.questions == () and found.is_oral


@pytest.mark.full
def test_the_sheet_says_that_the_defence_is_oral(course: Course, tmp_path: Path):
    """No code, no questions and nothing in the gradebook that could be entered."""
    lesson, out = course.find("02"), tmp_path / "grades"
    add_attempt(out, "Ada", lesson.name, lambdas(solution_of(lesson), ["dW2"]))
    done = grade("defence", "--lesson", "02", "--paper", "-o", out)
    assert done.exit_code == 0 and "Ada: Oral defence: " in done.output, done.output
    papers, keys = ((out / "defence" / lesson.name / name).read_text() for name in ("papers.html", "keys.html"))
    assert "<strong>Oral defence.</strong>" in papers and 'class="question"' not in papers
    assert 'class="code"' not in papers and "oral defence" in keys and "Oral defence: " in keys
    gradebook = Gradebook(out / GRADEBOOK)
    assert not [key for key in gradebook.about() if key.startswith("defence ") and key != "defence seed"]
    gradebook.close()
