"""Requests to a worker as they are sent: a problem, steps to be run on it, a call."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.calling.joint import Joint
from grader.calling.parameters import Groups, groups_of_values
from grader.sandbox.workers import wire
from grader.sandbox.workers.tensor_bytes import DTYPE_NAMES, DTYPES, MAX_BODY, pack_tensors, unpack_tensors

# A gradient is as large as its value. An answer may be somewhat larger, so that a wrong shape can be named; all answers
# to all problems are kept for the verdict, so not at will.
ROOM, MIN_ROOM = 4, 1 << 20


@dataclass(frozen=True)
class PackedProblem:
    """A problem as it is sent, the same to every worker: packed once, for a whole class."""

    number: int
    frame: bytes
    known: frozenset[str]  # names that a step may ask for
    room: int  # bytes of an answer that are taken


def pack_problem(
    number: int,
    dtype: torch.dtype,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    groups: Groups | None = None,
) -> PackedProblem:
    """Forward values (tensors of any shape and dtype, and plain numbers) and upstream gradients, by name, as a frame.

    `dtype` is torch's default while steps run on it; `groups` are values that are given together.
    """
    tensors = [("v:" + n, v) for n, v in values.items() if isinstance(v, Tensor)]
    tensors += [("u:" + n, u) for n, u in upstream.items()]
    described, body = pack_tensors(tensors)
    largest = max((tensor.nbytes for _, tensor in tensors), default=0)
    groups = groups or {}
    known = frozenset({*values, *("d" + name for name in upstream), *groups})
    header = {
        "op": "problem",
        "problem": number,
        "dtype": DTYPE_NAMES[dtype],
        "tensors": described,
        "plain": {n: v for n, v in values.items() if not isinstance(v, Tensor)},
        "values": [n for n, v in values.items() if isinstance(v, Tensor)],
        "upstream": list(upstream),
        "groups": {
            name: dict(members) if isinstance(members, Mapping) else list(members) for name, members in groups.items()
        },
    }
    room = min(MAX_BODY, max(MIN_ROOM, ROOM * largest))
    return PackedProblem(number, wire.encode_frame(wire.Frame(header, body)), known, room)


Given = tuple[torch.dtype, dict[str, Any], dict[str, Tensor]]
"""A problem as steps meet it: the default dtype, forward values and upstream gradients by name."""


def decode_problem(frame: wire.Frame) -> tuple[int, Given]:
    """(its number, the problem) of a "problem" frame, in the worker."""
    header = frame.header
    tensors = unpack_tensors(header["tensors"], frame.body)
    values: dict[str, Any] = dict(header["plain"])
    values.update({name: tensors["v:" + name] for name in header["values"]})
    values.update(groups_of_values(values, header["groups"]))
    upstream = {name: tensors["u:" + name] for name in header["upstream"]}
    return header["problem"], (DTYPES[header["dtype"]], values, upstream)


def new_ticket() -> int:
    """A number that an answer must repeat. It cannot be guessed, so no answer is written before its request is sent."""
    return secrets.randbits(48)


@dataclass(frozen=True, eq=False)
class RunRequest:
    """A request to run steps on a problem.

    Attributes:
        own_chain: {step: the steps above it} where each step is fed the student's own upstream gradients. A step is
            skipped if one above it gave no tensor.
        joint: the function that answers all steps in one call.
        traced: operators are counted and float32 is noticed, which makes steps some four times slower.
    """

    problem: PackedProblem
    steps: tuple[str, ...]
    own_chain: Mapping[str, Collection[str]] | None = None
    joint: Joint | None = None
    traced: bool = False

    def frame(self, ticket: int, one_by_one: bool) -> bytes:
        """The request as it is sent. Answers repeat the `ticket`; they are sent together unless `one_by_one`."""
        header = {
            "op": "run",
            "problem": self.problem.number,
            "steps": list(self.steps),
            "own": self.own_chain is not None,
            "needs": {step: sorted(names) for step, names in (self.own_chain or {}).items()},
            "ticket": ticket,
            "room": self.problem.room,
            "traced": self.traced,
            "one_by_one": one_by_one,
            "joint": {"name": self.joint.name, "returns": self.joint.returns} if self.joint else None,
        }
        return wire.encode_frame(wire.Frame(header))


def observe_request(problem: int, steps: Sequence[str], joint: Joint | None, ticket: int) -> bytes:
    """Steps to be run again on a problem that is there, while it is watched what they do."""
    header = {"op": "observe", "problem": problem, "steps": list(steps), "ticket": ticket}
    return wire.encode_frame(wire.Frame(header | {"joint": (joint.name, joint.returns) if joint else None}))


def call_request(
    name: str,
    handle: int | None = None,
    *,
    read: bool = False,
    keep: int | None = None,
    after: bool = False,
    counted: bool = False,
    uses: Sequence[str] = (),
) -> dict[str, Any]:
    """A call of the function `name`, or of the object `handle`'s method or (to `read`) attribute of that name.

    With `uses`, the first argument is itself a function: it is called with the functions and classes of these names
    and with the other arguments.

    `keep` is a number under which the worker keeps the value instead of sending it. With `after`, the arguments are
    sent as they are after the call. If it is `counted`, so are its operators and the bytes of its tensors.
    """
    return {"name": name, "of": handle, "read": read, "keep": keep, "after": after, "counted": counted, "uses": uses}
