"""A leaf that requires a gradient is changed in place under the guard where PyTorch itself would change it."""

from __future__ import annotations

import pickle

import pytest
import torch
from support import solution_of

from grader.calling.calls import LeafGuard, narrow
from grader.calling.protocol import CallRequest, copy_tree
from grader.sandbox.workers.codec import Packer
from grader.sandbox.workers.messages import pack

CHANGES = {
    "-=": lambda p, g: p.__isub__(g),
    "copy_": lambda p, g: p.copy_(g),
    "an element": lambda p, g: p.__setitem__(0, 1.0),
    "out=": lambda p, g: torch.add(p, g, out=p),
    "foreach": lambda p, g: torch._foreach_add_([g.clone(), p], [g, g]),
    ".data": lambda p, g: p.data.sub_(g),
    ".detach()": lambda p, g: p.detach().sub_(g),
    "its flag": lambda p, g: p.requires_grad_(False).sub_(g),
}


def refused(change, guarded):
    parameter, gradient = torch.ones(3, requires_grad=True), torch.ones(3)
    try:
        with LeafGuard([parameter] if guarded else []):
            change(parameter, gradient)
    except RuntimeError as error:
        return str(error)
    return ""


def test_it_refuses_what_pytorch_refuses_and_in_its_words():
    for name, change in CHANGES.items():
        with torch.no_grad():
            assert not refused(change, guarded=True), name
        said, by_pytorch = refused(change, guarded=True), refused(change, guarded=False)
        assert bool(said) == bool(by_pytorch), name
        assert not said or said[:60] in by_pytorch or "out=..." in by_pytorch


@pytest.mark.full
def test_a_worker_refuses_too_although_it_has_no_autograd(grade, lessons):
    text = solution_of(lessons["07_training"])
    recording = text.replace("with torch.no_grad():", "with torch.enable_grad():")
    assert recording != text
    rows = grade("07", recording)
    assert {name for name, row in rows.items() if row["status"] != "passed"} == {"no_grad"}
    assert "a leaf Variable that requires grad is being used in an in-place operation" in rows["no_grad"]["message"]


def test_a_leaf_keeps_its_flag_on_the_way_to_a_worker_and_not_on_the_way_back():
    leaf, plain = torch.ones(2, requires_grad=True), torch.ones(2)
    given = {"leaf": leaf, "plain": plain, "computed": leaf * 2}
    back = pickle.loads(pack(CallRequest("f", kwargs=given)).data).kwargs
    assert [value.requires_grad for value in back.values()] == [True, False, False]
    assert Packer().pack([leaf]) == {"l": [{"t": ["float32", [2]]}]}
    assert copy_tree([leaf])[0].requires_grad and not copy_tree([leaf * 2])[0].requires_grad
    assert narrow([leaf.detach().double().requires_grad_()])[0].requires_grad
