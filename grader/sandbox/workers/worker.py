"""Runs one submission's file, its steps and other calls in a worker, which trusts its requests and is not trusted."""

from __future__ import annotations

import functools
import select
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.calls import attribute, call
from grader.calling.failures import failure, refuse_to_stop
from grader.calling.joint import Joint, call_joint
from grader.calling.observing import is_plain, observe_call, observe_steps
from grader.calling.operators import OperatorWatch
from grader.calling.protocol import Called
from grader.calling.steps import call_step, is_about_dtypes, narrow, set_default_dtype
from grader.sandbox.isolation.usage import make_memory_telling
from grader.sandbox.workers import wire
from grader.sandbox.workers.acts import name_acts
from grader.sandbox.workers.autograd_off import AutogradUsed, autograd_works, tripwires
from grader.sandbox.workers.budget import Budget
from grader.sandbox.workers.counted_output import Counter, count_output, flush_output
from grader.sandbox.workers.hang import report_lines_after, stop_reporting
from grader.sandbox.workers.library_off import take_away_library
from grader.sandbox.workers.loader import load, seed_generators
from grader.sandbox.workers.replies import encode_called
from grader.sandbox.workers.requests import Given, decode_problem
from grader.sandbox.workers.tree import tensors_of, unpack

REQUESTS_FD, ANSWERS_FD = 3, 4
MAX_TOGETHER = 1 << 16  # bytes of answers that wait for others


class Worker:
    def __init__(
        self,
        operator_cap: int,
        imports: Sequence[str] = (),
        step_seconds: float = 0.0,
    ) -> None:
        """`imports` are modules that an instructor allows.

        Shortly before a step has run for `step_seconds`, the lines at which it is are written to its output.
        """
        self._functions: dict[str, Any] = {}
        self._files: tuple[str, ...] = ()
        self._problems: dict[int, Given] = {}
        self._operator_cap, self._imports, self._step_seconds = operator_cap, tuple(imports), step_seconds
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
        operations = {
            "load": self.load,
            "problem": self.take_problem,
            "run": self.run,
            "observe": self.observe,
            "observe call": self.observe_call,
            "call": self.call,
        }
        operations[frame.header["op"]](frame)
        return True

    def next_request(self) -> wire.Frame | None:
        """The next request. Answers that wait are sent first if none has arrived yet."""
        stop_reporting()
        if self._together and not select.select([REQUESTS_FD], [], [], 0)[0]:
            self.send_together()
        return wire.read_frame(REQUESTS_FD)

    def send_together(self) -> None:
        flush_output()
        wire.write_all(ANSWERS_FD, self._together)
        self._together.clear()

    def load(self, frame: wire.Frame) -> None:
        """Runs the file. A statement that fails for want of autograd, a file or a module is left out."""
        files, start = {}, 0
        for entry in frame.header["files"]:
            files[entry["name"]] = bytes(frame.body[start : start + entry["size"]])
            start += entry["size"]
        main = frame.header["main"]
        if frame.header["memory"]:
            make_memory_telling()
        self._files = (main, *(name for name in files if name != main))
        seed_generators()
        take_away_library(frame.header["not_allowed"])
        tripwires(self._autograd_used.append, self._files)
        name_acts(False)
        sys.breakpointhook = refuse_to_stop
        report_lines_after(self._step_seconds)
        self._output = count_output()
        loaded = load(files, main, self._imports)
        name_acts(True)
        self._functions = {n: v for n, v in vars(loaded.module).items() if callable(v) and not n.startswith("__")}
        error = loaded.failure or (None if self._functions else loaded.left_out)
        if autograd_works():
            reply: dict[str, Any] = {"op": "failed", "outcome": "forbidden", "message": SWITCHED_ON, "line": None}
        elif error is None:
            names = [str(name)[:200] for name in self._functions][: wire.MAX_FRAME_NAMES]
            reply = {"op": "loaded", "functions": names, "note": loaded.note(self._files), "printed": self.printed()}
            reply["plain"] = [name for name in names if is_plain(self._functions.get(name))]
        else:
            answer = failure(error, "", self._files)
            reply = {"op": "failed", "outcome": answer.outcome, "message": answer.message, "line": answer.line}
        self._autograd_used.clear()
        flush_output()
        send_header(reply)

    def take_problem(self, frame: wire.Frame) -> None:
        number, problem = decode_problem(frame)
        self._problems[number] = problem

    def run(self, frame: wire.Frame) -> None:
        """Each step in turn. With `own`, steps are fed the student's own gradients.

        Answers are sent together, as each one that is sent wakes a process; with `one_by_one` they are sent one by one.
        """
        header = frame.header
        dtype, values, upstream = self._problems[header["problem"]]
        default = torch.get_default_dtype()
        set_default_dtype(dtype)
        try:
            if header["joint"]:
                self.run_joint(header, dtype, values)
            else:
                self.run_steps(header, dtype, values, upstream)
        finally:
            set_default_dtype(default)

    def run_joint(self, header: dict[str, Any], dtype: torch.dtype, values: dict[str, Any]) -> None:
        joint = Joint(header["joint"]["name"], tuple(header["joint"]["returns"]))
        answers = self.joint(joint, header["steps"], values, dtype, header["traced"])
        printed = self.printed()
        if autograd_works():
            answers = dict.fromkeys(answers, Answer("forbidden", message=SWITCHED_ON))
        flush_output()
        for step, answer in answers.items():
            wire.write_all(ANSWERS_FD, wire.encode_answer(step, answer, header["ticket"], header["room"], printed))

    def run_steps(
        self, header: dict[str, Any], dtype: torch.dtype, values: dict[str, Any], upstream: dict[str, Tensor]
    ) -> None:
        own = dict(upstream) if header["own"] else upstream
        broken: set[str] = set()
        for step in header["steps"]:
            needed = set(header["needs"].get(step, ())) & broken
            answer = (
                self.answer(step, values, own, dtype, header["traced"])
                if not needed
                else Answer("skipped", message=", ".join(sorted(needed)))
            )
            if step == header["steps"][-1] and autograd_works():
                answer = Answer("forbidden", message=SWITCHED_ON)
            if header["own"]:
                if answer.outcome == "returned" and answer.tensor is not None:
                    # the next step is fed the problem's dtype: mixed ones would make it raise for no fault of its own
                    own[step[1:]] = answer.tensor.to(dtype) if answer.in_float32 else answer.tensor
                else:
                    broken.add(step)
            self._together += wire.encode_answer(step, answer, header["ticket"], header["room"], self.printed())
            if header["one_by_one"] or len(self._together) > MAX_TOGETHER:
                self.send_together()

    def observe(self, frame: wire.Frame) -> None:
        """Runs steps again, those that are not plain, and says what was observed meanwhile; see numerical_watch."""
        header, problem = frame.header, self._problems[frame.header["problem"]]
        joint = Joint(*header["joint"]) if header["joint"] else None
        found = observe_steps(self._functions, header["steps"], *problem, self._files, self._operator_cap, joint)
        self._autograd_used.clear()
        send_header({"op": "observed", "ticket": header["ticket"], "rows": found})

    def observe_call(self, frame: wire.Frame) -> None:
        """Makes a call again, and says what was observed meanwhile."""
        header = frame.header
        name, target, args, kwargs = header["name"], *self.target(header, tensors_of(header["tensors"], frame.body))
        value, seen = None, None
        if not isinstance(target, Answer):
            more = self._functions, self._files, self._operator_cap
            value, seen = observe_call(target, name, args, kwargs, *more, may_train=header["of"] is None)
        if header["keep"] is not None:
            self._objects[header["keep"]] = value
        self._autograd_used.clear()
        send_header({"op": "observed", "ticket": header["ticket"], "rows": {} if seen is None else {name: seen}})

    def answer(
        self, step: str, values: dict[str, Any], upstream: dict[str, Tensor], dtype: torch.dtype, traced: bool
    ) -> Answer:
        watch = OperatorWatch(cap=self._operator_cap) if traced else None
        report_lines_after(self._step_seconds)
        answer = call_step(self._functions.get(step), step, values, upstream, dtype, self._files, watch)
        if self._autograd_used:  # also where a bare `except` swallowed it
            answer = failure(self._autograd_used[0], step, self._files)
            self._autograd_used.clear()
        return answer

    def joint(
        self, joint: Joint, steps: Sequence[str], values: dict[str, Any], dtype: torch.dtype, traced: bool
    ) -> dict[str, Answer]:
        watch = OperatorWatch(cap=self._operator_cap) if traced else None
        report_lines_after(self._step_seconds)
        answers = call_joint(self._functions.get(joint.name), joint, steps, values, dtype, self._files, watch)
        if self._autograd_used:
            answers = dict.fromkeys(steps, failure(self._autograd_used[0], joint.name, self._files))
            self._autograd_used.clear()
        return answers

    def call(self, frame: wire.Frame) -> None:
        """A function, a class or an object's method called, or an object's attribute read."""
        header = frame.header
        called = self.called(header, tensors_of(header["tensors"], frame.body))
        if self._autograd_used:
            called = Called(failed=failure(self._autograd_used[0], header["name"], self._files))
            self._autograd_used.clear()
        if autograd_works():
            called = Called(failed=Answer("forbidden", message=SWITCHED_ON))
        if header["keep"] is not None and called.failed is None:
            self._objects[header["keep"]] = called.value
        flush_output()
        keeps = header["keep"] is not None
        budget, printed = Budget(*header["budget"]), self.printed()
        sent = (header["ticket"], keeps, header["after"], header["room"], budget, header["name"], self._files, printed)
        wire.write_all(ANSWERS_FD, encode_called(called, *sent))

    def called(self, header: dict[str, Any], tensors: list[Tensor]) -> Called:
        name, target, args, kwargs = header["name"], *self.target(header, tensors)
        if header["read"] and not isinstance(target, Answer):
            target = target()
        if isinstance(target, Answer):
            return Called(failed=target)
        if header["read"]:
            return Called(target)
        more = self._files, self._operator_cap, header["counted"]
        report_lines_after(self._step_seconds)
        called = call(target, name, args, kwargs, *more)
        if header["of"] is None and called.failed is not None and is_about_dtypes(called.failed):
            again = call(target, name, narrow(args), narrow(kwargs), *more)
            if again.failed is None:
                return replace(again, counts=replace(again.counts, low_precision=True))
        return called

    def target(self, header: dict[str, Any], tensors: list[Tensor]) -> tuple[Any, list[Any], dict[str, Any]]:
        """(what is called, its arguments in order and by name). An Answer in place of what is missing."""
        name = header["name"]
        args, kwargs = (unpack(header[part], tensors, trusted=True) for part in ("args", "kwargs"))
        if header["read"]:
            return functools.partial(attribute, self._objects[header["of"]], name, self._files), args, kwargs
        if header["of"] is not None:
            return attribute(self._objects[header["of"]], name, self._files), args, kwargs
        used = [self._functions.get(each, Answer("missing")) for each in header["uses"] or (name,)]
        if any(isinstance(each, Answer) for each in used):
            return Answer("missing"), args, kwargs
        if header["uses"]:
            return functools.partial(args.pop(0), *used), args, kwargs  # the course's function, with the student's
        return used[0], args, kwargs

    def printed(self) -> int:
        """Bytes printed up to now. They are sent, so that standard output and standard error stay in order."""
        if self._output.total != self._printed:
            self._printed = self._output.total
            flush_output()
        return self._printed


def send_header(header: dict[str, Any]) -> None:
    wire.write_all(ANSWERS_FD, wire.encode_frame(wire.Frame(header)))
