"""Runs one submission's file, its steps and other calls in a worker, which trusts its requests and is not trusted."""

from __future__ import annotations

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
from grader.calling.joint import Joint, call_joint
from grader.calling.observing import is_plain, observe_call, observe_steps
from grader.calling.operators import OperatorWatch
from grader.calling.parameters import groups_of_values
from grader.calling.protocol import Called, CallRequest
from grader.calling.steps import call_step, is_about_dtypes, narrow, set_default_dtype
from grader.sandbox.isolation.usage import make_memory_telling
from grader.sandbox.workers import codec, messages
from grader.sandbox.workers.acts import name_acts
from grader.sandbox.workers.autograd_off import AutogradUsed, autograd_works, tripwires
from grader.sandbox.workers.codec import Budget
from grader.sandbox.workers.counted_output import Counter, count_output, flush_output
from grader.sandbox.workers.library_off import take_away_library
from grader.sandbox.workers.loader import load, seed_generators
from grader.sandbox.workers.messages import FileLoaded, GivenProblem, Load, Observe, Request, Run

REQUESTS_FD, ANSWERS_FD = 3, 4
MAX_TOGETHER = 1 << 16  # bytes of answers that wait for others


class Worker:
    def __init__(self, operator_cap: int, imports: Sequence[str] = ()) -> None:
        """`imports` are modules that an instructor allows."""
        self._functions: dict[str, Any] = {}
        self._files: tuple[str, ...] = ()
        self._problems: dict[int, tuple[torch.dtype, dict[str, Any], dict[str, Tensor]]] = {}
        self._operator_cap, self._imports = operator_cap, tuple(imports)
        self._autograd_used: list[AutogradUsed] = []
        self._together = bytearray()  # answers that are not sent yet
        self._output, self._printed = Counter(), 0
        self._objects: dict[int, Any] = {}  # of the student's classes, by number

    def serve(self) -> None:
        """Answers requests until the trusted side hangs up."""
        while self.serve_one():
            pass

    def serve_one(self) -> bool:
        """A method of its own: no frame on the stack holds a request any longer than it takes to answer it."""
        frame = self.next_request()
        if frame is None:
            return False
        self.answer_request(*messages.decode_request(frame))
        return True

    def answer_request(self, request: Request, ticket: int, budget: Budget) -> None:
        match request:
            case Load():
                self.load(request, ticket)
            case GivenProblem():
                self.take_problem(request)
            case Run():
                self.run(request, ticket)
            case Observe():
                self.observe(request, ticket)
            case CallRequest(observed=True):
                self.observe_call(request, ticket)
            case CallRequest():
                self.call(request, ticket, budget)

    def next_request(self) -> codec.Frame | None:
        """The next request. Answers that wait are sent first if none has arrived yet."""
        if self._together and not select.select([REQUESTS_FD], [], [], 0)[0]:
            self.send_together()
        return codec.read_frame(REQUESTS_FD)

    def send_together(self) -> None:
        flush_output()
        send(self._together)
        self._together.clear()

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
        self._output = count_output()
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
        send(messages.encode_loaded(reply, ticket, self.printed()))

    def take_problem(self, given: GivenProblem) -> None:
        values = {**given.values, **groups_of_values(given.values, given.groups)}
        self._problems[given.number] = codec.DTYPES[given.dtype], values, dict(given.upstream)

    def run(self, request: Run, ticket: int) -> None:
        """Each step in turn, or the function that answers all of them.

        Answers are sent together, as each one that is sent wakes a process; `one_by_one` sends each at once.
        """
        default = torch.get_default_dtype()
        set_default_dtype(self._problems[request.problem][0])
        try:
            if request.joint:
                self.run_joint(request, ticket)
            else:
                self.run_steps(request, ticket)
        finally:
            set_default_dtype(default)

    def run_joint(self, request: Run, ticket: int) -> None:
        answers = self.joint(request)
        printed = self.printed()
        if autograd_works():
            answers = dict.fromkeys(answers, Answer("forbidden", message=SWITCHED_ON))
        flush_output()
        for step, answer in answers.items():
            send(messages.encode_answer(step, answer, ticket, request.room, printed))

    def run_steps(self, request: Run, ticket: int) -> None:
        """With `above`, steps are fed the student's own gradients."""
        dtype, values, upstream = self._problems[request.problem]
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
            self._together += messages.encode_answer(step, answer, ticket, request.room, self.printed())
            if request.one_by_one or len(self._together) > MAX_TOGETHER:
                self.send_together()

    def observe(self, request: Observe, ticket: int) -> None:
        """Runs steps again, those that are not plain, and says what was observed meanwhile; see numerical_watch."""
        problem = self._problems[request.problem]
        joint = Joint(*request.joint) if request.joint else None
        found = observe_steps(self._functions, request.steps, *problem, self._files, self._operator_cap, joint)
        self._autograd_used.clear()
        send(messages.encode_reply("observed", ticket, rows=found))

    def observe_call(self, request: CallRequest, ticket: int) -> None:
        """Makes a call again, and says what was observed meanwhile."""
        target, args = resolve(request, self._functions.get, self._objects, self._files)
        value, seen = None, None
        if not isinstance(target, Answer):
            more = self._functions, self._files, self._operator_cap
            may_train = request.handle is None
            value, seen = observe_call(target, request.name, args, dict(request.kwargs), *more, may_train=may_train)
        if request.keep is not None:
            self._objects[request.keep] = value
        self._autograd_used.clear()
        send(messages.encode_reply("observed", ticket, rows={} if seen is None else {request.name: seen}))

    def answer(
        self, step: str, values: dict[str, Any], upstream: dict[str, Tensor], dtype: torch.dtype, traced: bool
    ) -> Answer:
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
        joint, (dtype, values, _) = Joint(*request.joint), self._problems[request.problem]
        watch = OperatorWatch(cap=self._operator_cap) if request.traced else None
        answers = call_joint(self._functions.get(joint.name), joint, request.steps, values, dtype, self._files, watch)
        forbidden = self.forbidden(joint.name)
        return answers if forbidden is None else dict.fromkeys(request.steps, forbidden)

    def call(self, request: CallRequest, ticket: int, budget: Budget) -> None:
        """A function, a class or an object's method called, or an object's attribute read."""
        called = self.called(request)
        if (forbidden := self.forbidden(request.name)) is not None:
            called = Called(failed=forbidden)
        if autograd_works():
            called = Called(failed=Answer("forbidden", message=SWITCHED_ON))
        flush_output()
        send(messages.encode_called(called, request, ticket, budget, self._files, self.printed()))

    def called(self, request: CallRequest) -> Called:
        more = self._functions.get, self._objects, self._files, self._operator_cap
        called = invoke(request, *more)
        if request.handle is None and called.failed is not None and is_about_dtypes(called.failed):
            narrowed = replace(request, args=narrow(list(request.args)), kwargs=narrow(dict(request.kwargs)))
            again = invoke(narrowed, *more)
            if again.failed is None:
                return replace(again, counts=replace(again.counts, low_precision=True))
        return called

    def printed(self) -> int:
        """Bytes printed up to now. They are sent, so that standard output and standard error stay in order."""
        if self._output.total != self._printed:
            self._printed = self._output.total
            flush_output()
        return self._printed


def send(data: bytes | bytearray) -> None:
    codec.write_all(ANSWERS_FD, data)
