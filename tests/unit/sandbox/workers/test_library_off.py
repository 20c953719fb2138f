"""Parts of PyTorch that a lesson asks the student to write: no way leads to them, and everything else still works."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase

import pytest
import torch
from support import ROOT, sampled

from grader.calling.answer import Answer
from grader.calling.protocol import CallRequest
from grader.lesson.lesson import Course
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.isolation import kernel
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.library_off import OPERATOR_PREFIX
from grader.sandbox.workers.student import Student

if not kernel.supported():
    pytest.skip("needs Linux on x86_64 or aarch64", allow_module_level=True)

NOT_ALLOWED = ("torch.optim", "torch.nn.utils.clip_grad", "torch.ops.aten._fused_sgd*", "torch.ops.aten.lstm*")
P, G = torch.ones(2), torch.tensor([3.0, 4.0])

# Each would make `p` what a step of gradient descent makes of it, in line 8.
OPTIMIZERS = {
    "by its name": "torch.optim.SGD([p], lr=1.0).step()",
    "by sys.modules": "import sys; sys.modules['torch.optim.sgd'].SGD([p], lr=1.0).step()",
    "as a function": "from torch.optim.sgd import sgd; sgd([p], [g], [None], **most, foreach=False)",
    "without __init__": "o = object.__new__(torch.optim.SGD); o.__dict__.update(hollow(p)); o.step()",
    "by the class's table": "vars(torch.optim.SGD)['step'](o(p))",
    "in a thread": "import threading as s; t = s.Thread(target=lambda: torch.optim.SGD([p])); t.start(); t.join()",
    "in the garbage": "import gc; gc.unfreeze(); found(gc)._single_tensor_sgd([p], [g], [None], None, None, **most)",
    "swallowed": "exec('try: torch.optim.SGD([p], lr=1.0).step()\\nexcept BaseException: p -= g')",
    "a schedule": "torch.optim.lr_scheduler.LambdaLR(o(p), lambda n: 1.0); p -= g",
    "fused": "torch._fused_sgd_([p], [g], [], **most, **first)",
    "fused, by operator": "torch.ops.aten._fused_sgd_.default([p], [g], [], **most, **first)",
    "clipped": "p.grad = g; torch.nn.utils.clip_grad_norm_([p], 1.0); p -= g",
    "a norm of gradients": "torch.nn.utils.get_total_norm([g]); p -= g",
}
HEAD = """import torch, types
most = dict(weight_decay=0.0, momentum=0.0, lr=1.0, dampening=0.0, nesterov=False, maximize=False)
first = {'is_first_step': True}
hollow, o = lambda p: {}, lambda p: types.SimpleNamespace(p=p, param_groups=[], _optimizer_step_pre_hooks={})
found = lambda gc: [m for m in gc.get_objects() if type(m) is types.ModuleType and m.__name__ == 'torch.optim.sgd'][0]
"""


def called(zygote: ZygoteProcess, source: str, not_allowed: tuple[str, ...] = NOT_ALLOWED) -> Answer:
    student = Student(zygote, {BACKWARD_FILE: source.encode()}, not_allowed=not_allowed)
    try:
        return student.call(CallRequest("update", [P.clone(), G.clone()]))
    finally:
        student.close()


def update(line: str) -> str:
    return f"{HEAD}def update(p, g):\n    p.grad = g\n    {line}\n    return p\n"


@sampled("line", OPTIMIZERS.values(), keep=3, ids=OPTIMIZERS.keys())
def test_no_way_leads_to_an_optimizer(zygote, line):
    failed = called(zygote, update(line))
    assert failed.outcome == "forbidden"
    assert failed.line == 8 or "exec" in line or "found(gc)" in line  # executed text and `found` have their own lines


WORKING = [key for key in OPTIMIZERS if key.split(",")[0] in ("by its name", "fused", "as a function")]


@pytest.mark.parametrize("way", WORKING)
def test_a_lesson_that_does_not_ask_for_one_allows_it(zygote, way):
    value = called(zygote, update(OPTIMIZERS[way]), ()).value
    assert torch.equal(value, P - G)


def test_the_message_names_the_call_and_the_line(zygote):
    failed = called(zygote, update(OPTIMIZERS["by its name"]))
    assert failed.message == (
        "Line 8 calls `SGD`. This lesson asks you to write what it does, so the step is not counted. "
        'Use arithmetic on tensors. A self-check under `if __name__ == "__main__":` is fine.'
    )


def test_a_use_while_the_file_is_run_leaves_the_functions_above_it(zygote):
    source = HEAD + "def update(p, g):\n    return p - g\ntorch.optim.SGD([torch.ones(1)], lr=1.0)\n"
    student = Student(zygote, {BACKWARD_FILE: source.encode()}, not_allowed=NOT_ALLOWED)
    try:
        value = student.call(CallRequest("update", [P, G])).value
        assert torch.equal(value, P - G)
        assert student.note.startswith("Line 8 calls `SGD` while the file is being run. This lesson asks")
    finally:
        student.close()


HONEST = {
    "imports": "import torch.optim; from torch.optim import AdamW; from torch.nn.utils import clip_grad_norm_",
    "mentions": "optimizers = {'sgd': torch.optim.SGD}; assert not isinstance(p, torch.optim.Optimizer)",
    "a check that is not called": "check = lambda: torch.optim.SGD([p], lr=1.0)",
    "arithmetic on lists": "torch._foreach_add_([p], [g], alpha=0.0)",
    "norms": "assert torch.linalg.vector_norm(g) == torch.nn.utils.parameters_to_vector([g]).norm() == 5",
    "layers": "torch.nn.Linear(2, 2)(p); torch.nn.LayerNorm(2)(p); torch.nn.RNN(2, 3)(p[None])",
    "attention": "q = torch.ones(1, 2, 3); torch.nn.functional.scaled_dot_product_attention(q, q, q)",
    "draws": "torch.multinomial(p, 1)",
}


def test_honest_uses_stay_right(zygote):
    for name, line in HONEST.items():
        result = called(zygote, update(f"{line}; p = p - g"))
        assert result.outcome == "returned" and torch.equal(result.value, P - G), name


def test_nothing_can_be_registered_again(zygote):
    for line in ("torch.library.Library('aten', 'IMPL')", "torch._C._dispatch_library('IMPL', 'aten', '', 'x', 0)"):
        for not_allowed in ((), NOT_ALLOWED):
            failed = called(zygote, update(line), not_allowed)
            assert "not available where steps are graded" in failed.message


LESSONS = [lesson for lesson in Course(ROOT).lessons.values() if lesson.not_allowed]


def test_some_lessons_name_what_they_ask_for():
    assert {lesson.name[:2] for lesson in LESSONS} == {"05", "07", "10", "15", "16", "19"}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_name_is_one_of_this_version_of_torch(lesson):
    operators = {name.removeprefix("aten::").partition(".")[0] for name in torch._C._dispatch_get_all_op_names()}
    assert lesson.not_allowed
    for name in lesson.not_allowed:
        if name.startswith(OPERATOR_PREFIX):
            assert any(fnmatchcase(each, name.removeprefix(OPERATOR_PREFIX)) for each in operators), name
        else:
            __import__(name)
            assert name in sys.modules
