"""The worker: a fresh fork of the zygote that runs one submission's steps and answers on a pipe.

Descriptors: 0 nothing, 1 and 2 what the student prints, 3 requests, 4 answers. It trusts what it is sent; nobody
trusts what it sends.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import torch
from torch import Tensor

from grader.answer import Answer
from grader.sandbox import wire
from grader.sandbox.loader import load
from grader.sandbox.operators import OperatorWatch
from grader.sandbox.steps import call_step, failure, own_line

REQUESTS, ANSWERS = 3, 4


class Worker:
    def __init__(self, operator_cap: int) -> None:
        self._functions: dict[str, Any] = {}
        self._files: frozenset[str] = frozenset()
        self._problems: dict[int, tuple[torch.dtype, dict[str, Any], dict[str, Tensor]]] = {}
        self._operator_cap = operator_cap

    def serve(self) -> None:
        """Answers requests until the trusted side hangs up."""
        while (frame := wire.read_frame(REQUESTS)) is not None:
            operation = frame.header["op"]
            if operation == "load":
                self.load(frame)
            elif operation == "problem":
                self.take_problem(frame)
            elif operation == "run":
                self.run(frame)

    def load(self, frame: wire.Frame) -> None:
        files, start = {}, 0
        for entry in frame.header["files"]:
            files[entry["name"]] = frame.body[start : start + entry["size"]]
            start += entry["size"]
        self._files = frozenset(files)
        try:
            module = load(files, frame.header["main"])
        except SyntaxError as error:
            text = f"{type(error).__name__}: {error.msg}"
            reply: dict[str, Any] = {"op": "failed", "message": text, "line": error.lineno, "file": error.filename}
        except BaseException as error:
            answer = failure(error, "", self._files)
            line, _ = own_line(error.__traceback__, self._files)
            message = answer.message or "NotImplementedError at the top level of the file"
            reply = {"op": "failed", "message": message, "line": line, "file": None}
        else:
            self._functions = {n: v for n, v in vars(module).items() if callable(v) and not n.startswith("__")}
            names = [str(n)[:200] for n in self._functions]
            reply = {"op": "loaded", "functions": names[: wire.MAX_NAMES]}
        self.flush()
        wire.write_all(ANSWERS, wire.encode(wire.Frame(reply)))

    def take_problem(self, frame: wire.Frame) -> None:
        header = frame.header
        tensors = wire.unpack_tensors(header["tensors"], frame.body)
        values: dict[str, Any] = dict(header["plain"])
        values.update({name: tensors["v:" + name] for name in header["values"]})
        upstream = {name: tensors["u:" + name] for name in header["upstream"]}
        self._problems[header["problem"]] = (wire.DTYPES[header["dtype"]], values, upstream)

    def run(self, frame: wire.Frame) -> None:
        """Each step in turn, an answer sent as soon as it is there. With `own`, steps are fed the student's own gradients."""
        header = frame.header
        dtype, values, upstream = self._problems[header["problem"]]
        own = dict(upstream) if header["own"] else upstream
        broken: set[str] = set()
        for step in header["steps"]:
            needed = set(header["needs"].get(step, ())) & broken
            answer = (
                self.answer(step, values, own, dtype)
                if not needed
                else Answer("skipped", message=", ".join(sorted(needed)))
            )
            if header["own"]:
                if answer.outcome == "returned" and answer.tensor is not None:
                    own[step[1:]] = answer.tensor
                else:
                    broken.add(step)
            self.flush()
            wire.write_all(ANSWERS, wire.encode_answer(step, answer, header["ticket"]))

    def answer(self, step: str, values: dict[str, Any], upstream: dict[str, Tensor], dtype: torch.dtype) -> Answer:
        watch = OperatorWatch(cap=self._operator_cap)
        return call_step(self._functions.get(step), step, values, upstream, dtype, self._files, watch)

    def flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # a student may have replaced or closed it
                pass


def main(requests: int, answers: int, output: int, operator_cap: int) -> None:
    """Runs in the forked child: arranges descriptors, locks itself in, serves, and never returns."""
    arrange_descriptors(requests, answers, output)
    try:
        Worker(operator_cap).serve()
    finally:
        os._exit(0)


def arrange_descriptors(requests: int, answers: int, output: int) -> None:
    safe = [os.dup(fd) for fd in (requests, answers, output)]
    # out of the way of 0..4 first, so that no dup2 overwrites one that is still needed
    high = []
    for fd in safe:
        while fd <= 4:
            fd = os.dup(fd)
        high.append(fd)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, high[2]), (2, high[2]), (REQUESTS, high[0]), (ANSWERS, high[1])):
        os.dup2(source, target)
    os.closerange(5, 4096)
