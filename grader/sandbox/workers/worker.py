"""The worker, a fresh fork of the zygote: it locks itself in, runs one submission's file, and answers requests.

It trusts its requests and is not trusted. Descriptors: 0 nothing, 1 and 2 what the student prints, 3 requests,
4 answers.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.calls import invoke, set_default_dtype
from grader.calling.failures import failure, refuse_to_stop
from grader.calling.numerical_watch import NumericalWatch, watched
from grader.calling.operators import CallWatch, OperatorWatch
from grader.calling.plain_functions import is_plain
from grader.calling.protocol import CallRequest, copy_tree
from grader.calling.steps import Joint, StepInput, call_joint, call_step, groups_of_values
from grader.sandbox.isolation.limits import make_memory_telling, used_by
from grader.sandbox.isolation.lockdown import Plan, PreparedZygote, lock_in
from grader.sandbox.workers import codec, messages
from grader.sandbox.workers.acts import name_acts
from grader.sandbox.workers.autograd_off import AutogradUsed, autograd_works, tripwires
from grader.sandbox.workers.library_off import take_away_library
from grader.sandbox.workers.loader import load, seed_generators
from grader.sandbox.workers.messages import GivenProblem, Load, Request, Run
from grader.sandbox.workers.printed import LabelledOutput, flush_output

REQUESTS_FD, ANSWERS_FD = 3, 4


def main(plan: Plan, zygote: PreparedZygote, given: list[int]) -> None:
    """Runs in the forked child: arranges descriptors, locks itself in, serves, and never returns.

    A layer that cannot be applied ends the worker before any student code runs. `given` are the pipes of requests, of
    answers and of what is printed.
    """
    arrange_descriptors(*given)
    worker = Worker(plan.limits.operators, plan.imports)
    try:
        lock_in(plan, zygote)
        said = {"op": "locked in", "used": used_by(resource.getrusage(resource.RUSAGE_SELF))}
    except (OSError, ValueError) as error:
        said = {"op": "not locked in", "message": f"{type(error).__name__}: {error}"}
    # before the first byte of a student's is read: nothing they write can come before it, and what is used from here
    # on is the submission's
    worker.send(codec.encode_frame(codec.Frame(said)))
    if "used" not in said:
        os._exit(71)
    try:
        worker.serve()
    except BaseException as error:  # an error of the grader, or of a student's thread that broke the protocol
        with contextlib.suppress(BaseException):
            os.write(2, f"worker: {type(error).__name__}: {error}\n".encode()[:1000])
        os._exit(72)
    finally:
        os._exit(0)


def arrange_descriptors(requests: int, answers: int, output: int) -> None:
    """Puts the pipes where they belong; everything else is closed by `lock_in`."""
    high = [
        fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ANSWERS_FD + 1) for descriptor in (requests, answers, output)
    ]
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, high[2]), (2, high[2]), (REQUESTS_FD, high[0]), (ANSWERS_FD, high[1])):
        os.dup2(source, target)


class Worker:
    def __init__(self, operator_cap: int, imports: Sequence[str] = ()) -> None:
        """`imports` are modules that an instructor allows."""
        self._requests = os.fdopen(REQUESTS_FD, "rb", closefd=False)
        self._names: dict[str, Any] = {}  # of the graded file's module
        self._functions: dict[str, Any] = {}
        self._files: tuple[str, ...] = ()
        self._problem = StepInput({}, {}, torch.float64)
        self._operator_cap, self._imports = operator_cap, tuple(imports)
        self._autograd_used: list[AutogradUsed] = []
        self._output: LabelledOutput | None = None
        self._objects: dict[int, Any] = {}  # of the student's classes, by number
        self._twins: dict[int, Any] = {}  # the same of calls that were made again

    def serve(self) -> None:
        """Answers requests until the trusted side hangs up."""
        while self.serve_one():
            pass

    def serve_one(self) -> bool:
        """A method of its own: no frame on the stack holds a request any longer than it takes to answer it."""
        try:
            request, terms = messages.read_request(self._requests)
        except EOFError:
            return False
        for name, answer in self.answers_to(request):
            if autograd_works():
                answer = Answer("forbidden", message=SWITCHED_ON)
            data = messages.encode_answer(name, answer, terms, self._files)
            flush_output()
            self.send(data)
        return True

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(ANSWERS_FD, data) :]

    def answers_to(self, request: Request) -> Iterator[tuple[str, Answer]]:
        """(name, answer) for each requested name."""
        match request:
            case GivenProblem():
                values = {**request.values, **groups_of_values(request.values, request.groups)}
                self._problem = StepInput(values, request.upstream, request.dtype)
            case Load():
                yield "", self.load(request)
            case CallRequest():
                yield request.name, self.call(request)
            case Run():
                default = torch.get_default_dtype()
                set_default_dtype(self._problem.dtype)
                try:
                    yield from self.run(request) if request.joint is None else self.joint(request, request.joint)
                finally:
                    set_default_dtype(default)

    def load(self, request: Load) -> Answer:
        """Runs the file. A statement that fails for want of autograd, a file or a module is left out."""
        if request.memory:
            make_memory_telling()
        self._files = (request.main, *(name for name in request.files if name != request.main))
        seed_generators()
        take_away_library(request.not_allowed)
        tripwires(self._autograd_used.append, self._files)
        name_acts(False)
        sys.breakpointhook = refuse_to_stop
        self._output = LabelledOutput()
        self._output.begin(request.main, request.quiet)
        loaded = load(request.files, request.main, self._imports)
        name_acts(True)
        self._names = vars(loaded.module)
        self._functions = {n: v for n, v in self._names.items() if callable(v) and not n.startswith("__")}
        error = loaded.failure or (None if self._functions else loaded.left_out)
        if error is not None:
            return failure(error, "", self._files)
        names = [str(name)[: messages.MAX_NAME] for name in self._functions][: messages.MAX_NAMES]
        plain = [name for name in names if is_plain(self._functions.get(name))]
        return Answer("returned", value=(names, plain, loaded.note(self._files)))

    def run(self, request: Run) -> Iterator[tuple[str, Answer]]:
        """Each step in turn. With `above`, steps are fed the student's own gradients."""
        own = dict(self._problem.upstream)
        broken: set[str] = set()
        for step in request.steps:
            if needed := set((request.above or {}).get(step, ())) & broken:
                answer = Answer("skipped", message=", ".join(sorted(needed)))
            else:

                def call(watch: OperatorWatch | None, step: str = step) -> dict[str, Answer]:
                    given = self._problem._replace(upstream=own, files=self._files, watch=watch)
                    return {step: call_step(self._functions.get(step), step, given)}

                answer = self.called(step, call, request.watched)[step]
            if answer.tensor is None:
                broken.add(step)
            elif request.above is not None:
                # the next step is fed the problem's dtype: mixed ones would make it raise for no fault of its own
                own[step[1:]] = answer.tensor.to(self._problem.dtype) if answer.in_float32 else answer.tensor
            yield step, answer

    def joint(self, request: Run, joint: Joint) -> Iterator[tuple[str, Answer]]:
        """All steps by the function that answers all of them."""
        function = self._functions.get(joint.name)

        def call(watch: OperatorWatch | None) -> dict[str, Answer]:
            given = self._problem._replace(files=self._files, watch=watch)
            return call_joint(function, joint, request.steps, given)

        yield from self.called(joint.name, call, request.watched).items()

    def call(self, request: CallRequest) -> Answer:
        """A function, a class or an object's method called, or an object's attribute read."""
        named, cap = self._functions.get, self._operator_cap

        def call(_: OperatorWatch | None) -> dict[str, Answer]:
            watch = CallWatch(cap) if request.counted else OperatorWatch(cap)
            return {"": invoke(request, named, self._objects, self._files, watch)}

        if not request.watched:
            return self.called(request.name, call)[""]
        copied = replace(request, args=copy_tree(list(request.args)), kwargs=copy_tree(dict(request.kwargs)))

        def first(watch: OperatorWatch) -> dict[str, Answer]:
            return {"": invoke(request, named, self._objects, self._files, watch)}

        def again(watch: OperatorWatch) -> dict[str, Answer]:
            return {"": invoke(copied, named, self._twins, self._files, watch)}

        numerical = NumericalWatch(cap, self._names, may_train=request.handle is None)
        changes_objects = request.handle is not None or request.keep is not None
        return self.called(request.name, lambda _: watched(first, again, numerical, changes_objects))[""]

    def called(
        self, function: str, call: Callable[[Any], dict[str, Answer]], is_watched: bool = False
    ) -> dict[str, Answer]:
        """The answers of a function, whose output and use of autograd are noted, also where it swallowed the error.

        With `is_watched`, `call` is given a watch.
        """
        self._autograd_used.clear()
        if self._output is not None:
            self._output.begin(function)
        numerical = NumericalWatch(self._operator_cap, self._names) if is_watched else None
        answers = watched(call, call, numerical) if numerical else call(None)
        if self._autograd_used:
            answers = dict.fromkeys(answers, failure(self._autograd_used[0], function, self._files))
        return answers
