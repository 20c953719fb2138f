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
    torch.special torch.testing torch.utils._device torch.utils.benchmark torch.utils.checkpoint torch.utils.data
    torch.utils.dlpack torch.utils.serialization torch.utils.serialization.config
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
        ForkServer(control, partial(worker.main, plan, zygote), fork=zygote.fork).serve()


def make_ready() -> None:
    """Loads all that workers need and takes away what they must not have; then nothing more is loaded here."""
    gc.disable()  # until all is loaded: an import leaves little garbage behind
    warm_up()
    take_away()
    from grader.sandbox.workers.rehearsal import rehearse

    rehearse()  # again: what was taken away made Python forget what it had found out
    code_of_libraries()  # for workers, which cannot read it
    gc.freeze()  # a collection in a worker would otherwise copy every page of torch's objects
    gc.enable()


def warm_up() -> None:
    """Loads torch and what it loads lazily, forward only and on one thread.

    A zygote that ever ran a parallel operation hangs its children, so there is one thread before the first operation.
    """
    load_torch()
    import torch

    torch.set_num_threads(1)
    from grader.sandbox.workers.formulas_off import keep_the_compiler_out

    keep_the_compiler_out()
    for name in LOADED_LATE.split():
        with contextlib.suppress(Exception):  # another version of torch or numpy
            importlib.import_module(name)
    from grader.sandbox.workers import worker  # noqa: F401  # once here instead of in every fork
    from grader.sandbox.workers.rehearsal import rehearse

    rehearse()


def take_away() -> None:
    """Takes away what a step must not have: differentiation, other people's formulas, ctypes."""
    from grader.sandbox.workers.acts import install_hook
    from grader.sandbox.workers.autograd_off import take_away_autograd
    from grader.sandbox.workers.formulas_off import take_away_formulas
    from grader.sandbox.workers.imports import forget_modules
    from grader.sandbox.workers.library_off import functions_of_torch
    from grader.source.module_names import NOT_FROM_THE_STANDARD_LIBRARY, is_beneath

    take_away_autograd()
    take_away_formulas()
    functions_of_torch()
    forget_modules([name for name in sys.modules if is_beneath(name, NOT_FROM_THE_STANDARD_LIBRARY)])
    install_hook()
