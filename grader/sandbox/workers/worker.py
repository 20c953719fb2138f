"""The worker, a fresh fork of the zygote: it locks itself in, runs one submission's file, and answers requests.

It trusts its requests and is not trusted. Descriptors: 0 nothing, 1 and 2 what the student prints, 3 requests,
4 answers.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.calls import invoke, resolve
from grader.calling.failures import failure, refuse_to_stop
from grader.calling.joint import call_joint
from grader.calling.observing import is_plain, observe_call, observe_steps
from grader.calling.operators import OperatorWatch
from grader.calling.parameters import groups_of_values
from grader.calling.protocol import Called, CallRequest
from grader.calling.steps import call_step, is_about_dtypes, narrow, set_default_dtype
from grader.sandbox.isolation.lockdown import Plan, PreparedZygote, lock_in
from grader.sandbox.isolation.usage import make_memory_telling, own_usage
from grader.sandbox.workers import codec, messages
from grader.sandbox.workers.acts import name_acts
from grader.sandbox.workers.autograd_off import AutogradUsed, autograd_works, tripwires
from grader.sandbox.workers.library_off import take_away_library
from grader.sandbox.workers.loader import load, seed_generators
from grader.sandbox.workers.messages import FileLoaded, GivenProblem, Load, Observed, Request, Run
from grader.sandbox.workers.printed import MarkedOutput, flush_output

REQUESTS_FD, ANSWERS_FD = 3, 4
MAX_TOGETHER = 1 << 16  # bytes of answers that wait for others


def main(requests: int, answers: int, output: int, plan: Plan, zygote: PreparedZygote) -> None:
    """Runs in the forked child: arranges descriptors, locks itself in, serves, and never returns.

    A layer that cannot be applied ends the worker before any student code runs.
    """
    worker = Worker(plan.limits.operators, plan.imports)
    parent, ruleset = above_the_pipes(zygote.pidfd), above_the_pipes(zygote.ruleset)
    arrange_descriptors(requests, answers, output)
    try:
        lock_in(plan, keep=range(5), parent=parent, ruleset=ruleset)
    except (OSError, ValueError) as error:
        send(codec.encode_frame(codec.Frame({"op": "not locked in", "message": f"{type(error).__name__}: {error}"})))
        os._exit(71)
    # before the first byte of a student's is read: nothing they write can come before it, and what is used from here
    # on is the submission's
    send(codec.encode_frame(codec.Frame({"op": "locked in", "used": own_usage()})))
    try:
        worker.serve()
    except BaseException as error:  # an error of the grader, or of a student's thread that broke the protocol
        with contextlib.suppress(BaseException):
            os.write(2, f"worker: {type(error).__name__}: {error}\n".encode()[:1000])
        os._exit(72)
    finally:
        os._exit(0)


def above_the_pipes(descriptor: int | None) -> int | None:
    """A copy of `descriptor` out of the way of 0 to 4, so that no dup2 overwrites one that is still needed."""
    return None if descriptor is None else fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ANSWERS_FD + 1)


def arrange_descriptors(requests: int, answers: int, output: int) -> None:
    """Puts the pipes where they belong; everything else is closed by `lock_in`."""
    high = [
        fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ANSWERS_FD + 1) for descriptor in (requests, answers, output)
    ]
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, high[2]), (2, high[2]), (REQUESTS_FD, high[0]), (ANSWERS_FD, high[1])):
        os.dup2(source, target)


def send(data: bytes | bytearray) -> None:
    codec.write_all(ANSWERS_FD, data)


class Worker:
    def __init__(self, operator_cap: int, imports: Sequence[str] = ()) -> None:
        """`imports` are modules that an instructor allows."""
        self._functions: dict[str, Any] = {}
        self._files: tuple[str, ...] = ()
        self._problem: tuple[torch.dtype, dict[str, Any], dict[str, Tensor]] = torch.float64, {}, {}
        self._operator_cap, self._imports = operator_cap, tuple(imports)
        self._autograd_used: list[AutogradUsed] = []
        self._together = bytearray()  # answers that are not sent yet
        self._output: MarkedOutput | None = None
        self._objects: dict[int, Any] = {}  # of the student's classes, by number

    def serve(self) -> None:
        """Answers requests until the trusted side hangs up."""
        while self.serve_one():
            pass

    def serve_one(self) -> bool:
        """A method of its own: no frame on the stack holds a request any longer than it takes to answer it."""
        if self._together and not select.select([REQUESTS_FD], [], [], 0)[0]:
            self.send_together()
        frame = codec.read_frame(REQUESTS_FD)
        if frame is None:
            return False
        self.answer_request(*messages.decode_request(frame))
        return True

    def answer_request(self, request: Request, ticket: int, budget: int) -> None:
        match request:
            case Load():
                self.load(request, ticket)
            case GivenProblem():
                values = {**request.values, **groups_of_values(request.values, request.groups)}
                self._problem = codec.DTYPES[request.dtype], values, dict(request.upstream)
            case Run(observed=True) | CallRequest(observed=True):
                seen = self.observe(request) if isinstance(request, Run) else self.observe_call(request)
                self._autograd_used.clear()
                send(messages.encode_reply(Observed(seen), ticket))
            case Run():
                self.run(request, ticket)
            case CallRequest():
                self.call(request, ticket, budget)

    def send_together(self) -> None:
        flush_output()
        send(self._together)
        self._together.clear()

    def begin(self, function: str) -> None:
        if self._output is not None:
            self._output.begin(function)

    def load(self, request: Load, ticket: int) -> None:
        """Runs the file. A statement that fails for want of autograd, a file or a module is left out."""
        if request.memory:
            make_memory_telling()
        self._files = (request.main, *(name for name in request.files if name != request.main))
        seed_generators()
        take_away_library(request.not_allowed)
        tripwires(self._autograd_used.append, self._files)
        name_acts(False)
        sys.breakpointhook = refuse_to_stop
        self._output = MarkedOutput()
        loaded = load(request.files, request.main, self._imports)
        name_acts(True)
        self._functions = {n: v for n, v in vars(loaded.module).items() if callable(v) and not n.startswith("__")}
        error = loaded.failure or (None if self._functions else loaded.left_out)
        if autograd_works():
            reply = FileLoaded(failure=Answer("forbidden", message=SWITCHED_ON))
        elif error is None:
            names = [str(name)[: messages.MAX_NAME] for name in self._functions][: messages.MAX_NAMES]
            plain = frozenset(name for name in names if is_plain(self._functions.get(name)))
            reply = FileLoaded(tuple(names), plain, loaded.note(self._files))
        else:
            reply = FileLoaded(failure=failure(error, "", self._files))
        self._autograd_used.clear()
        flush_output()
        send(messages.encode_reply(reply, ticket))

    def run(self, request: Run, ticket: int) -> None:
        """Each step in turn, or the function that answers all of them.

        Answers are sent together, as each one that is sent wakes a process; `one_by_one` sends each at once.
        """
        default = torch.get_default_dtype()
        set_default_dtype(self._problem[0])
        try:
            if request.joint is None:
                self.run_steps(request, ticket)
                return
            answers = self.joint(request)
            if autograd_works():
                answers = dict.fromkeys(answers, Answer("forbidden", message=SWITCHED_ON))
            flush_output()
            for step, answer in answers.items():
                send(messages.encode_answer(step, answer, ticket, request.room))
        finally:
            set_default_dtype(default)

    def run_steps(self, request: Run, ticket: int) -> None:
        """With `above`, steps are fed the student's own gradients."""
        dtype, values, upstream = self._problem
        own = dict(upstream) if request.above is not None else upstream
        broken: set[str] = set()
        for step in request.steps:
            needed = set((request.above or {}).get(step, ())) & broken
            answer = (
                self.answer(step, values, own, dtype, request.traced)
                if not needed
                else Answer("skipped", message=", ".join(sorted(needed)))
            )
            if step == request.steps[-1] and autograd_works():
                answer = Answer("forbidden", message=SWITCHED_ON)
            if request.above is not None:
                if answer.outcome == "returned" and answer.tensor is not None:
                    # the next step is fed the problem's dtype: mixed ones would make it raise for no fault of its own
                    own[step[1:]] = answer.tensor.to(dtype) if answer.in_float32 else answer.tensor
                else:
                    broken.add(step)
            self._together += messages.encode_answer(step, answer, ticket, request.room)
            if request.one_by_one or len(self._together) > MAX_TOGETHER:
                self.send_together()

    def observe(self, request: Run) -> dict[str, Any]:
        """Runs steps again, those that are not plain; what was observed meanwhile, see numerical_watch."""
        return observe_steps(
            *(self._functions, request.steps, *self._problem, self._files, self._operator_cap), request.joint
        )

    def observe_call(self, request: CallRequest) -> dict[str, Any]:
        """Makes a call again; what was observed meanwhile."""
        target, args = resolve(request, self._functions.get, self._objects, self._files)
        value, seen = None, None
        if not isinstance(target, Answer):
            more = self._functions, self._files, self._operator_cap
            may_train = request.handle is None
            value, seen = observe_call(target, request.name, args, dict(request.kwargs), *more, may_train=may_train)
        if request.keep is not None:
            self._objects[request.keep] = value
        return {} if seen is None else {request.name: seen}

    def answer(
        self, step: str, values: dict[str, Any], upstream: dict[str, Tensor], dtype: torch.dtype, traced: bool
    ) -> Answer:
        self.begin(step)
        watch = OperatorWatch(cap=self._operator_cap) if traced else None
        answer = call_step(self._functions.get(step), step, values, upstream, dtype, self._files, watch)
        return self.forbidden(step) or answer

    def forbidden(self, name: str) -> Answer | None:
        """The answer of a function that used autograd, also where a bare `except` swallowed that; else None."""
        used = self._autograd_used[:1]
        self._autograd_used.clear()
        return failure(used[0], name, self._files) if used else None

    def joint(self, request: Run) -> dict[str, Answer]:
        assert request.joint is not None
        joint, (dtype, values, _) = request.joint, self._problem
        self.begin(joint.name)
        watch = OperatorWatch(cap=self._operator_cap) if request.traced else None
        answers = call_joint(self._functions.get(joint.name), joint, request.steps, values, dtype, self._files, watch)
        forbidden = self.forbidden(joint.name)
        return answers if forbidden is None else dict.fromkeys(request.steps, forbidden)

    def call(self, request: CallRequest, ticket: int, budget: int) -> None:
        """A function, a class or an object's method called, or an object's attribute read."""
        self.begin(request.name)
        called = self.called(request)
        if (forbidden := self.forbidden(request.name)) is not None:
            called = Called(failed=forbidden)
        if autograd_works():
            called = Called(failed=Answer("forbidden", message=SWITCHED_ON))
        reply = messages.encode_called(called, request, ticket, budget, self._files)
        flush_output()
        send(reply)

    def called(self, request: CallRequest) -> Called:
        more = self._functions.get, self._objects, self._files, self._operator_cap
        called = invoke(request, *more)
        if request.handle is None and called.failed is not None and is_about_dtypes(called.failed):
            narrowed = replace(request, args=narrow(list(request.args)), kwargs=narrow(dict(request.kwargs)))
            again = invoke(narrowed, *more)
            if again.failed is None:
                return replace(again, counts=replace(again.counts, low_precision=True))
        return called
