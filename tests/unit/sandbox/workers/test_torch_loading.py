"""torch as a nursery and `dojo check` load it: the same as `import torch`, but for what is loaded at first use."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support import GUARD_SECONDS, ROOT

PROGRAM = """
import gc, json, sys
from grader.sandbox.workers.torch_loading import POSTPONED, load_torch
load_torch()
import torch
found = {"collects garbage": gc.isenabled(), "threads": torch.get_num_threads()}
heavy = ["torch._decomp", "torch._refs", "torch._prims", "sympy"]
found["loaded"] = [name for name in heavy if name in sys.modules]
drawn = torch.rand(3, generator=torch.Generator().manual_seed(7))
found["generators"] = torch.equal(drawn, torch.manual_seed(7) and torch.rand(3))
shapes = [torch.Size([3, 1]), (1, 4), 4, ()]
found["shapes"] = torch.broadcast_shapes(*shapes) == torch.Size([3, 4]) and torch.broadcast_shapes() == ()
try:
    torch.broadcast_shapes((3,), (4,))
except ValueError as error:
    found["no shape"] = "shape mismatch" in str(error)
from grader.comparison.tensors import Bits, broadcast_bits
found["bits"] = broadcast_bits(torch.ones(3), torch.ones(1, 3)) == Bits(True, True, 0.0, 0)
x = torch.rand(3, 4, dtype=torch.float64)
found["vjp"] = torch.allclose(torch.func.vjp(torch.sin, x)[1](x)[0], x.cos() * x)
hessian = torch.func.hessian(lambda t: t.softmax(1).log().square().sum())(x)
found["hessian"] = hessian.shape == (3, 4, 3, 4) and bool(hessian.abs().sum() > 0)
_, change = torch.func.jvp(lambda t: t.log_softmax(1), (x,), (x,))
found["jvp"] = bool(change.abs().sum() > 0)
rows = torch.vmap(torch.nn.functional.cross_entropy)(x[:, None], torch.arange(3)[:, None])
found["vmap"] = torch.allclose(rows, torch.nn.functional.cross_entropy(x, torch.arange(3), reduction="none"))
import torch._decomp
found["formulas"] = len(torch._decomp.decomposition_table) > 500
found["is a stand-in"] = sys.modules[POSTPONED].__spec__ is None
sys.modules[POSTPONED].meta_addbmm
found["is loaded when read"] = sys.modules[POSTPONED].__spec__ is not None and len(torch._decomp.meta_table) > 100
found["generators afterwards"] = torch.Generator().manual_seed(7).initial_seed() == 7
load_torch()
print(json.dumps(found))
"""


@pytest.mark.full
def test_torch_is_whole() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found.pop("threads"), found.pop("loaded")) == (1, [])
    assert found == dict.fromkeys(found, True)
