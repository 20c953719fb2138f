"""The worker, a fresh fork of the zygote: it locks itself in, runs one submission's file, and answers requests.

It trusts its requests and is not trusted. Descriptors: 0 nothing, 1 and 2 what the student prints, 3 requests,
4 answers.
"""

from __future__ import annotations
import __future__

import contextlib
import fcntl
import os
import pickle
import resource
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON, AutogradUsed
from grader.calling.calls import invoke, set_default_dtype
from grader.calling.failures import failure, note_of_left_out
from grader.calling.numerical_watch import NumericalWatch, watched
from grader.calling.operators import CallWatch, OperatorWatch
from grader.calling.plain_functions import is_plain
from grader.calling.protocol import CallRequest, copy_tree
from grader.calling.steps import StepInput, call_steps, groups_of_values
from grader.sandbox.isolation.limits import make_memory_telling, used_by
from grader.sandbox.isolation.lockdown import Plan, PreparedZygote, lock_in
from grader.sandbox.workers import codec, messages
from grader.sandbox.workers.acts import ActUsed
from grader.sandbox.workers.autograd_off import autograd_works
from grader.sandbox.workers.imports import NotAvailable
from grader.sandbox.workers.library_off import take_away_library
from grader.sandbox.workers.loader import load, seed_generators
from grader.sandbox.workers.messages import WHOLE_FILE, Define, Load, Request, Run, names_of
from grader.sandbox.workers.printed import LabelledStream, flush_output, label_output

REQUESTS_FD, ANSWERS_FD = 3, 4


def main(plan: Plan, zygote: PreparedZygote, rehearse: Callable[[], None], given: list[int]) -> None:
    """Runs in the forked child: arranges descriptors, locks itself in, serves, and never returns.

    A layer that cannot be applied ends the worker before any student code runs. `given` are the pipes of requests, of
    answers and of what is printed.
    """
    arrange_descriptors(*given)
    NotAvailable.allowed = plan.imports
    worker = Worker(plan.limits.operators)
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
        if plan.rehearses:
            rehearse()
        while worker.serve_one():
            pass
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


def functions_of(names: Mapping[str, Any]) -> dict[str, Any]:
    """What can be called of a module's names."""
    return {name: value for name, value in names.items() if callable(value) and not name.startswith("__")}


class Worker:
    def __init__(self, operator_cap: int) -> None:
        self._requests = os.fdopen(REQUESTS_FD, "rb", closefd=False)
        self._names: dict[str, Any] = {}  # of the graded file's module
        self._functions: dict[str, Any] = {}
        self._files: tuple[str, ...] = ()
        self._operator_cap = operator_cap

    def serve_one(self) -> bool:
        """Answers one request; False when the trusted side has hung up. After it, no frame holds the request."""
        try:
            request = pickle.load(self._requests)
        except EOFError:
            return False
        ticket, room = pickle.load(self._requests)
        data = messages.encode_reply(self.answers_to(request), ticket, room, self._files)
        if autograd_works():
            switched_on = Answer("forbidden", message=SWITCHED_ON)
            data = messages.encode_reply([(name, switched_on) for name in names_of(request)], ticket)
        flush_output()
        self.send(data)
        return True

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(ANSWERS_FD, data) :]

    def answers_to(self, request: Request) -> Iterable[tuple[str, Answer]]:
        """(name, answer) for each requested name."""
        match request:
            case Load():
                return [(WHOLE_FILE, self.load(request))]
            case Define():
                return [(WHOLE_FILE, self.define(request.text))]
            case Run():
                return self.run(request)
        return self.call(request).items()

    def load(self, request: Load) -> Answer:
        """Runs the file. A statement that fails for want of autograd, a file or a module is left out."""
        self._files = (request.main, *(name for name in request.files if name != request.main))
        seed_generators()
        take_away_library(request.not_allowed)
        AutogradUsed.student_files = self._files
        label_output()
        LabelledStream.label = request.main
        try:
            self._names, left_out = load(request.files, request.main)
        except BaseException as error:  # whatever a student's file does is a result
            return failure(error, "", self._files)
        ActUsed.is_watched_for = True
        self._functions = functions_of(self._names)
        if left_out and not self._functions:
            return failure(left_out[0], "", self._files)
        names = [str(name)[: messages.MAX_NAME] for name in self._functions][: messages.MAX_NAMES]
        plain = [name for name in names if is_plain(self._functions.get(name))]
        note = note_of_left_out(left_out[0], self._files) if left_out else ""
        return Answer("returned", value=(names, plain, note))

    def define(self, text: str) -> Answer:
        """Run the text in the file's module. Its annotations stay unread, as those of the file may have been."""
        postponed = __future__.annotations.compiler_flag
        ActUsed.is_watched_for = False
        try:
            exec(compile(text, self._files[0], "exec", postponed, dont_inherit=True), self._names)
        except BaseException as error:
            return failure(error, "", self._files)
        finally:
            ActUsed.is_watched_for = True
        self._functions = functions_of(self._names)
        return Answer("returned")

    def run(self, request: Run) -> Iterator[tuple[str, Answer]]:
        """Each step in turn, or all by one function. With `above`, steps are fed the student's own gradients."""
        dtype, values, upstream, groups = pickle.loads(request.problem.data)
        given = StepInput({**values, **groups_of_values(values, groups)}, upstream, dtype, self._files)
        set_default_dtype(dtype)  # once for all steps
        joint, above, broken = request.joint, request.above or {}, set[str]()
        for name, steps in [(joint.name, request.steps)] if joint else [(step, [step]) for step in request.steps]:

            def call(watch: OperatorWatch | None, steps: Sequence[str] = steps) -> dict[str, Answer]:
                return call_steps(self._functions, steps, joint, given._replace(watch=watch))

            if needed := broken.intersection(above.get(name, ())):
                answers = {name: Answer("skipped", message=", ".join(sorted(needed)))}
            else:
                watch = NumericalWatch(self._operator_cap, self._names) if request.watched else None
                answers = self.called(name, call, watch)
            for step, answer in answers.items():
                if answer.tensor is None:
                    broken.add(step)
                elif above:
                    # the next step is fed the problem's dtype: mixed ones would make it raise for no fault of its own
                    upstream[step[1:]] = answer.tensor.to(dtype) if answer.in_float32 else answer.tensor
                yield step, answer

    def call(self, request: CallRequest) -> dict[str, Answer]:
        """A function or class called, or a function of the course's own that works with them."""
        if request.memory:
            make_memory_telling()

        def call(watch: OperatorWatch | None) -> dict[str, Answer]:
            given = request
            if request.watched:  # it may be called again
                given = replace(request, args=copy_tree(list(request.args)), kwargs=copy_tree(dict(request.kwargs)))
            return {request.name: invoke(given, self._functions.get, self._files, watch)}

        watch = OperatorWatch(self._operator_cap)
        if request.watched:
            watch = NumericalWatch(self._operator_cap, self._names, may_train=not request.uses)
        elif request.counted:
            watch = CallWatch(self._operator_cap, (request.args, request.kwargs))
        return self.called(request.name, call, watch)

    def called(
        self,
        function: str,
        call: Callable[[OperatorWatch | None], dict[str, Answer]],
        watch: OperatorWatch | None,
    ) -> dict[str, Answer]:
        """The answers of a function, whose output and use of autograd are noted, also where it swallowed the error."""
        AutogradUsed.reported.clear()
        LabelledStream.label = function
        answers = watched(call, watch) if isinstance(watch, NumericalWatch) else call(watch)
        if AutogradUsed.reported:
            answers = dict.fromkeys(answers, failure(AutogradUsed.reported[0], function, self._files))
        return answers
