"""The zygote: a clean process with torch loaded that forks a worker on request, in milliseconds.

It never holds a reference, a hidden suite or a submission. It listens on one inherited socket (a private pair, no
listening address that a student could connect to) for JSON lines, and says when a worker started and how it ended.

    {"fork": 7} with three descriptors  →  {"started": 7, "pid": 4711}  …  {"exit": 7, "status": -9, "used": [1, 0.1]}
    {"kill": 7}
    {"processor": true}  →  {"processor": 1.5}    seconds that all workers have used so far
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.lockdown import Plan, PreparedZygote, prepare_zygote
from grader.sandbox.isolation.usage import code_of_libraries, collapse, large_pieces, processor_seconds, used_by
from grader.sandbox.workers.torch_loading import load_torch

# What torch and numpy load at first use, and public parts of them: a worker can load nothing of torch, see imports.py.
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


def import_late_modules() -> None:
    """Imports those of LOADED_LATE that this version of torch and numpy has."""
    for name in LOADED_LATE.split():
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def warm_up() -> None:
    """Loads torch and touches what it initialises lazily, forward only and on one thread.

    A zygote that ever ran a parallel operation hangs its children, so there is one thread before the first operation.
    Files such as cpuinfo cannot be read once a worker is locked in, so the first operations run here.
    """
    load_torch()
    import torch

    torch.set_num_threads(1)
    import numpy  # noqa: F401  # a student may import it; once here, it costs the worker nothing
    import torch.nn.functional as functional

    from grader.sandbox.workers.formulas_off import keep_the_compiler_out

    keep_the_compiler_out()
    # once here instead of in every fork
    from grader.sandbox.workers import worker  # noqa: F401

    import_late_modules()

    for dtype in (torch.float32, torch.float64):
        x = torch.randn(8, 8, dtype=dtype)
        (x @ x).tanh().softmax(-1).log().sum().item()
        torch.einsum("ij,jk->ik", x, x)
        functional.cross_entropy(x, torch.arange(8))
        functional.one_hot(torch.arange(8), 8)
        torch.zeros(8, 8, dtype=dtype).index_add_(0, torch.arange(8), x).index_put_(
            (torch.arange(8),), x, accumulate=True
        )
        x.max(1), x.var(0), x.numpy(), torch.allclose(x, x)
        torch.vmap(torch.tanh)(x)  # registers operators at first use
    use_the_library(x)


def use_the_library(x: Any) -> None:
    """Does once what honest code does apart from arithmetic: torch imports parts of itself inside functions."""
    import copy
    import pickle

    import torch

    from grader.calling.operators import OperatorWatch

    layer = torch.nn.Linear(8, 8, dtype=x.dtype)
    for parameter in layer.parameters():
        parameter.grad = torch.zeros_like(parameter)

    def on_a_device() -> None:
        with torch.device("cpu"):
            torch.zeros(1)

    uses: list[Callable[[], object]] = [
        *(lambda: repr(x), lambda: f"{x[0, 0]:.2f}", lambda: copy.deepcopy(x), lambda: pickle.loads(pickle.dumps(x))),
        *(lambda: layer(x), lambda: repr(layer), lambda: copy.deepcopy(layer), lambda: layer.state_dict()),
        *(lambda: torch.optim.SGD(layer.parameters()).step(), lambda: torch.optim.Adam(layer.parameters()).step()),
        *(lambda: torch.distributions.Normal(x, 1.0), lambda: torch.testing.assert_close(x, x)),
        *(on_a_device, lambda: torch.vmap(torch.tanh)(x), lambda: torch.use_deterministic_algorithms(False)),
        *(lambda: torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=False), lambda: x.norm()),
    ]
    for use in uses:
        with contextlib.suppress(Exception):  # another version of torch
            use()
        with contextlib.suppress(Exception), OperatorWatch(cap=10_000):
            use()


FORKS_BEFORE_ARRANGING_MEMORY = 4
"""Forks after which memory is arranged for faster ones, which takes 0.3 s: one submission needs one to three."""


class Zygote:
    def __init__(self, control: socket.socket, plan: Plan, prepared: PreparedZygote) -> None:
        self._forks = 0
        self._control, self._plan, self._prepared = control, plan, prepared
        self._running: dict[int, int] = {}  # pid -> the request's number
        self._lines = bytearray()
        self._used_by_ended = 0.0  # seconds

    def serve(self) -> None:
        """Runs until the trusted side closes the socket; then every worker is killed."""
        wake_read, _ = wake_pipe()
        selector = selectors.DefaultSelector()
        selector.register(self._control, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        small = large_pieces()
        while True:
            worth_it = small and self._forks >= FORKS_BEFORE_ARRANGING_MEMORY
            events = selector.select(0 if worth_it else None)
            if not events and worth_it:  # nobody is waiting: the next forks will be faster
                collapse(small.pop())
                if not small:  # what ctypes leaves behind; a worker that collects it copies its pages
                    gc.collect()
            for key, _ in events:
                if key.fileobj is self._control:
                    if not self.take_requests():
                        return self.end()
                else:
                    os.read(wake_read, 4096)
            self.reap()

    def take_requests(self) -> bool:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._control, 65536, 3)
        except ConnectionResetError:  # the trusted side is gone, and had not read all that was sent
            return False
        if not data:
            return False
        self._lines += data
        while b"\n" in self._lines:
            line, _, rest = bytes(self._lines).partition(b"\n")
            self._lines[:] = rest
            request = json.loads(line)
            if "fork" in request:
                self.fork(request["fork"], descriptors)
                descriptors = []
            elif "kill" in request:
                self.kill(request["kill"])
            elif "processor" in request:
                running = processor_seconds(self._running)
                self.send({"processor": None if running is None else self._used_by_ended + running})
        return True

    def fork(self, number: int, descriptors: list[int]) -> None:
        self._forks += 1
        pid = self._prepared.fork()
        if pid == 0:
            self.become_worker(descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        self._running[pid] = number
        self.send({"started": number, "pid": pid})

    def become_worker(self, descriptors: list[int]) -> None:
        from grader.sandbox.workers import worker

        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()  # a group of its own, so that all of it can be killed
            self._control.close()
            requests, answers, output = descriptors
            worker.main(requests, answers, output, self._plan, self._prepared)
        finally:
            os._exit(70)  # never return into the zygote's loop

    def kill(self, number: int) -> None:
        for pid, running in self._running.items():
            if running == number:  # not reaped yet, so the pid cannot be somebody else's
                for victim in (os.killpg, os.kill):
                    with contextlib.suppress(ProcessLookupError):
                        victim(pid, signal.SIGKILL)

    def reap(self) -> None:
        for pid in list(self._running):
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)  # whatever the worker left behind in its group
                code, used = os.waitstatus_to_exitcode(status), used_by(usage)
                self._used_by_ended += used.cpu_seconds
                self.send({"exit": self._running.pop(pid), "status": code, "used": used})

    def send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the trusted side is gone: the next read ends the loop
            self._control.sendall(json.dumps(message).encode() + b"\n")

    def end(self) -> None:
        for number in list(self._running.values()):
            self.kill(number)


def wake_pipe() -> tuple[int, int]:
    """A pipe that becomes readable whenever a child of this process ends."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    os.set_blocking(read, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(write)
    return read, write


def hung_up(descriptor: int) -> bool:
    """Whether the other end of a socket is closed."""
    poll = select.poll()
    poll.register(descriptor, 0)  # POLLHUP is always reported
    return any(event & select.POLLHUP for _, event in poll.poll(0))


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
    large_pieces()  # the last who load a part of ctypes
    forget_modules([name for name in sys.modules if is_beneath(name, NOT_FROM_THE_STANDARD_LIBRARY)])
    install_hook()


def make_ready() -> None:
    """Loads all that workers need and takes away what they must not have; then nothing more is loaded here."""
    gc.disable()  # until all is loaded: an import leaves little garbage behind
    warm_up()
    from grader.sandbox.workers.rehearsal import rehearse

    take_away()
    rehearse()
    code_of_libraries()  # for workers, which cannot read it
    gc.freeze()  # a collection in a worker would otherwise copy every page of torch's objects
    gc.enable()


def run_zygote(descriptor: int, plan: Plan, prepared: PreparedZygote) -> None:
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    zygote = Zygote(control, plan, prepared)
    zygote.send({"ready": True, "pid": os.getpid()})
    zygote.serve()


def main(descriptor: int, configuration: str) -> None:
    """The zygote's life. `configuration` is a lockdown.Plan as JSON. With namespaces it goes on in a new process."""
    plan = Plan.from_json(configuration)
    kernel.die_with_parent()
    if hung_up(descriptor):  # the parent ended before the kernel knew that this process should end with it
        return
    make_ready()
    run_zygote(descriptor, plan, prepare_zygote(plan))
    os._exit(0)  # taking torch apart takes as long as a tenth of loading it, and somebody may wait
