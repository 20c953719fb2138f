"""The zygote: a clean process with torch loaded that forks a worker on request, in milliseconds.

It never holds a reference, a hidden suite or a submission. It listens on one inherited socket: a private pair, no
listening address that a student could connect to. The requests are in fork_server.py.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import socket
import sys
from functools import partial
from types import ModuleType
from typing import Any

from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.limits import code_of_libraries
from grader.sandbox.isolation.lockdown import Plan, prepare_zygote
from grader.sandbox.workers.fork_server import ForkServer
from grader.sandbox.workers.torch_loading import load_torch

# What torch and numpy load at first use, and public parts of them: a worker can load nothing of torch, see loader.py.
LOADED_LATE = """
    numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.testing
    torch._subclasses.schema_check_mode torch.autograd._functions torch.autograd.profiler torch.distributions
    torch.fft torch.func torch.linalg torch.masked torch.nested torch.nn.attention torch.nn.functional
    torch.nn.init torch.nn.modules torch.nn.modules.linear_cross_entropy torch.nn.utils.parametrizations
    torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.rnn torch.optim.lr_scheduler
    torch.optim.swa_utils torch.profiler torch.profiler._cupti_monitor torch.signal.windows torch.sparse
    torch.special torch.testing torch.utils._device torch.utils.checkpoint torch.utils.data torch.utils.dlpack
    torch.utils.serialization torch.utils.serialization.config
"""

REHEARSAL = b"""
import copy
import pickle
import numpy
import torch
import torch.nn.functional as F


def dx(x, dy, i):
    n, m = x.shape
    gradient = F.softmax(x, 1)
    gradient[range(n), i] -= 1
    shifted = x - x.max(1, keepdim=True).values
    counts = shifted.exp()
    probs = counts / counts.sum(1, keepdim=True)
    logs = (probs + 1e-5).log()
    picked = torch.zeros_like(logs)
    picked[torch.arange(n), i] = -1.0 / n
    picked.index_put_((i,), picked, accumulate=True)
    centred = x - x.mean(0, keepdim=True)
    scaled = centred * (centred.var(0, keepdim=True) + 1e-5) ** -0.5
    hidden = torch.tanh(scaled @ x.T @ x + dy)
    slope = (1.0 - hidden**2) * dy
    rows = torch.zeros(n, m).index_add_(0, i, slope)
    chosen = F.one_hot(x.max(1).indices, num_classes=m) * slope.sum(1, keepdim=True)
    parts = slope.view(1, n, m).permute(0, 2, 1).reshape(m, n).T.clone()
    masked = torch.where(x > 0, slope, torch.zeros_like(x)).masked_fill(torch.tril(torch.ones(n, m)) == 0, 0.0)
    more = torch.einsum("ij,ik->jk", x, slope) + x.T @ slope + slope.sum() * torch.ones(m, m)
    stacked = torch.cat([parts, masked], 1)[:, :m] - (-rows).sqrt().nan_to_num() * 2.0 / n
    F.cross_entropy(x, i), x.log_softmax(1), x.numpy(), torch.allclose(x, x), x.norm(), torch.vmap(torch.tanh)(x)
    return gradient * dy.sum(0, keepdim=True) / 4 + (stacked + chosen + picked) @ more


def prints(x):
    repr(x), f"{x[0, 0]:.2f}", copy.deepcopy(x), pickle.loads(pickle.dumps(x)), torch.testing.assert_close(x, x)


def trains(x):
    layer = torch.nn.Linear(5, 5, dtype=x.dtype)
    layer(x), repr(layer), copy.deepcopy(layer), layer.state_dict()
    for parameter in layer.parameters():
        parameter.grad = torch.zeros_like(parameter)
    torch.optim.SGD(layer.parameters()).step()
    torch.optim.Adam(layer.parameters()).step()


def draws(x):
    torch.distributions.Normal(x, 1.0), torch.randn(8, 8), torch.use_deterministic_algorithms(False)


def asks(x):
    with torch.device("cpu"):
        torch.zeros(1)


def runs_again(x):
    torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=False)
"""
"""What honest code does, done in advance: what Python and torch set up at first use is then there.

A worker can load nothing of torch (loader.py) and read no file such as cpuinfo, and a student would wait for it.
"""


def main(descriptor: int) -> None:
    """The life of a zygote that is a process by itself."""
    kernel.die_with_parent()
    make_ready()
    become_zygote([descriptor])
    os._exit(0)  # taking torch apart takes as long as a tenth of loading it, and somebody may wait


def become_zygote(given: list[int]) -> None:
    """Serve workers on a socket. First comes the plan, pickled, with its length in 4 bytes."""
    from grader.sandbox.workers import worker

    control = socket.socket(fileno=given[0])
    size = int.from_bytes(control.recv(4, socket.MSG_WAITALL), "big")
    if size:  # else the trusted side is gone
        plan: Plan = pickle.loads(control.recv(size, socket.MSG_WAITALL))
        zygote = prepare_zygote(plan)  # with namespaces it goes on in a new process
        ForkServer(control, partial(worker.main, plan, zygote, rehearse), fork=zygote.fork).serve()


def make_ready() -> None:
    """Loads all that workers need and takes away what they must not have; then nothing more is loaded here."""
    gc.disable()  # until all is loaded: an import leaves little garbage behind
    warm_up()
    take_away()
    rehearse()  # again: what was taken away made Python forget what it had found out
    code_of_libraries()  # for workers, which cannot read it
    gc.freeze()  # a collection in a worker would otherwise copy every page of torch's objects
    gc.enable()
    sys.dont_write_bytecode = True  # of grader/ alone, for the next run: a worker writes no file


def warm_up() -> None:
    """Loads torch and what it loads lazily, forward only and on one thread.

    A zygote that ever ran a parallel operation hangs its children, so there is one thread before the first operation.
    """
    load_torch()
    from grader.sandbox.workers.library_off import keep_the_compiler_out

    keep_the_compiler_out()
    for name in LOADED_LATE.split():
        with contextlib.suppress(Exception):  # another version of torch or numpy
            importlib.import_module(name)
    from grader.sandbox.workers import worker  # noqa: F401  # once here instead of in every fork

    rehearse()


def rehearse() -> None:
    """Run a file of our own as a student's is run, before and after anything is taken away."""
    import torch

    from grader.calling.operators import OperatorWatch
    from grader.calling.steps import StepInput, call_step
    from grader.sandbox.workers.loader import run_source, seed_generators
    from grader.sandbox.workers.messages import encode_reply

    seed_generators()
    module: Any = ModuleType("rehearsal")
    run_source(module, "rehearsal.py", REHEARSAL)
    for dtype in (torch.float32, torch.float64):
        values = {"x": torch.zeros(4, 5, dtype=dtype), "i": torch.arange(4)}
        for _ in range(3):
            upstream = {"y": torch.ones(4, 5, dtype=dtype)}
            given = StepInput(values, upstream, dtype, ("rehearsal.py",), OperatorWatch(cap=1000))
            answer = call_step(module.dx, "dx", given)
            encode_reply([("dx", answer)], 0)
        for use in (module.prints, module.trains, module.draws, module.asks, module.runs_again):
            for watch in (contextlib.nullcontext(), OperatorWatch(cap=10_000)):
                with contextlib.suppress(Exception), watch:  # another version of torch
                    use(values["x"])


def take_away() -> None:
    """Takes away what a step must not have: differentiation, other people's formulas, ctypes."""
    from grader.sandbox.workers.acts import refuse_acts
    from grader.sandbox.workers.autograd_off import take_away_autograd
    from grader.sandbox.workers.imports import forget_modules
    from grader.sandbox.workers.library_off import take_away_formulas
    from grader.source.module_names import NOT_FROM_THE_STANDARD_LIBRARY, is_beneath

    take_away_autograd()
    take_away_formulas()
    forget_modules([name for name in sys.modules if is_beneath(name, NOT_FROM_THE_STANDARD_LIBRARY)])
    sys.addaudithook(refuse_acts)  # for good: there is no way to remove a hook
