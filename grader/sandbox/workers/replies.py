"""The reply to a call on the wire: a value, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.calling.answer import Answer
from grader.calling.failures import failure
from grader.calling.numerical_watch import OBSERVED_NAMES, Seen
from grader.calling.protocol import Called, Counts
from grader.sandbox.workers.budget import LEAST, SLACK, Budget
from grader.sandbox.workers.endings import WireError
from grader.sandbox.workers.tree import Packer, tensors_of, unpack
from grader.sandbox.workers.wire import (
    MAX_FRAME_NAMES,
    MAX_FRAME_TEXT,
    Frame,
    count_field,
    encode_frame,
    field,
    name_list,
    outcome_and_line,
    readable,
)


def decode_loaded(header: dict[str, Any]) -> dict[str, Any]:
    """What became of the submission's file, see WorkerProcess.take_loaded. Raises WireError."""
    if header.get("op") == "loaded":
        plain = name_list(header, "plain") if "plain" in header else []
        note = field(header, "note", str)[:MAX_FRAME_TEXT]
        return {"op": "loaded", "functions": name_list(header, "functions"), "plain": plain, "note": note}
    line = header.get("line")
    return {
        "op": "failed",
        "outcome": "forbidden" if header.get("outcome") == "forbidden" else "raised",
        "message": field(header, "message", str)[:MAX_FRAME_TEXT],
        "line": line if type(line) is int and 0 < line < 1 << 31 else None,
    }


def encode_called(
    called: Called,
    ticket: int,
    keeps: bool,
    after: bool,
    room: int,
    budget: Budget = LEAST,
    name: str = "",
    files: Sequence[str] = (),
    printed: int = 0,
) -> bytes:
    """The reply to a call. With `keeps` the value stays in the worker, with `after` the arguments are sent, too.

    To read a value may run a student's code. Where that raises, the call of `name` failed; `files` are the student's.
    """
    packer = Packer(room, budget)
    packed: tuple[Any, list[Any]] = None, []
    if called.failed is None:
        try:
            packed = (
                None if keeps else packer.pack_whole(called.value),
                [packer.pack_whole(argument) for argument in called.arguments] if after else [],
            )
        except BaseException as error:
            called, packer = Called(failed=failure(error, name, files), counts=called.counts), Packer()
    answer = called.failed or Answer("returned")
    header = {
        "op": "value",
        "ticket": ticket,
        "outcome": answer.outcome,
        "message": answer.message[:MAX_FRAME_TEXT],
        "line": called.line if called.failed is None else answer.line,
        "value": packed[0],
        "arguments": {"l": packed[1]},
        "operators": called.counts.operators,
        "dispatched": {name[:100]: count for name, count in called.counts.dispatched.items()},
        "peak_bytes": called.counts.peak_bytes,
        "low_precision": called.counts.low_precision,
        "printed": printed,
    }
    return encode_frame(Frame({**header, "tensors": packer.described()}, packer.body()))


def decode_called(frame: Frame, ticket: int, budget: Budget = LEAST) -> Called:
    """The worker's reply to a call, within `budget`. Raises WireError for anything but a well-formed one."""
    header = frame.header
    if header.get("op") != "value" or header.get("ticket") != ticket:
        raise WireError("an answer to something else than what was asked")
    outcome, line = outcome_and_line(header)
    tensors = tensors_of(header.get("tensors"), frame.body, budget)
    dispatched = field(header, "dispatched", dict)
    if len(dispatched) > MAX_FRAME_NAMES or not all(type(count) is int and count >= 0 for count in dispatched.values()):
        raise WireError("`dispatched` holds no counts")
    counts = Counts(
        count_field(header, "operators"),
        {readable(name)[:100]: count for name, count in dispatched.items()},
        count_field(header, "peak_bytes"),
        field(header, "low_precision", bool),
    )
    if outcome != "returned":
        answer = Answer(outcome, message=field(header, "message", str)[:MAX_FRAME_TEXT], line=line)
        return Called(failed=answer, counts=counts, line=line)
    left = iter(range(budget.nodes + SLACK))
    arguments = unpack(header.get("arguments"), tensors, False, left=left)
    if not isinstance(arguments, list):
        raise WireError("`arguments` is no list")
    return Called(unpack(header.get("value"), tensors, False, left=left), None, arguments, counts, line)


def decode_observed(frame: Frame, steps: Sequence[str], ticket: int) -> dict[str, Seen]:
    """What a worker saw while steps were run again. Raises WireError for anything but a well-formed reply."""
    header = frame.header
    if header.get("op") != "observed" or header.get("ticket") != ticket or frame.body:
        raise WireError("an answer to something else than what was asked")
    rows = field(header, "rows", dict)
    found: dict[str, Seen] = {}
    for step in steps:
        if step not in rows:
            continue
        match rows[step]:
            case ["complex numbers", "", int(times)] if 0 < times < 1 << 40:
                found[step] = Seen("complex numbers", "", times)
            case [("differences" | "repeated forward pass") as method, str(operator), int(times)] if (
                operator in OBSERVED_NAMES and 0 < times < 1 << 40
            ):
                found[step] = Seen(method, operator, times)
            case _:
                raise WireError("no observation that there can be")
    return found
