"""What the trusted side and a worker say to each other: requests as dataclasses, and replies, which are all checked.

Every request but a problem has a ticket, which its replies repeat.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import torch
from torch import Tensor

from grader.calling.answer import Answer, AnswerOutcome
from grader.calling.failures import failure
from grader.calling.joint import Joint
from grader.calling.numerical_watch import OBSERVED_NAMES, Seen
from grader.calling.parameters import Groups
from grader.calling.protocol import Called, CallRequest, Counts
from grader.sandbox.workers.codec import (
    DTYPE_NAMES,
    LEAST,
    MAX_BODY,
    ONE_TENSOR,
    SLACK,
    Budget,
    Frame,
    Opaque,
    Packer,
    encode_frame,
    readable,
    tensors_of,
    unpack,
)
from grader.sandbox.workers.endings import WireError

CALL_ROOM = 1 << 24
"""Bytes of tensors in the reply to a call."""
# A gradient is as large as its value. An answer may be somewhat larger, so that a wrong shape can be named; all answers
# to all problems are kept for the verdict, so not at will.
ROOM, MIN_ROOM = 4, 1 << 20
MAX_TEXT = 4_000
MAX_NAMES = 10_000
MAX_NAME = 200
FROM_A_STUDENT = ("returned", "todo", "missing", "raised", "timeout", "forbidden", "skipped")


# Requests, which the worker trusts -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Load:
    """Run the submission's file `main` of `files`; `not_allowed` are parts of PyTorch to be removed first.

    With `memory`, the worker's resident memory is made to follow what the file and its functions hold.
    """

    files: Mapping[str, bytes]
    main: str
    not_allowed: Sequence[str] = ()
    memory: bool = False


@dataclass(frozen=True)
class GivenProblem:
    """A problem as steps meet it: torch's default dtype by name, forward values and upstream gradients by name.

    `groups` are values that are given together.
    """

    number: int
    dtype: str
    values: Mapping[str, Any]
    upstream: Mapping[str, Tensor]
    groups: Groups


@dataclass(frozen=True)
class Run:
    """Run steps on the problem of that number. An answer may have `room` bytes.

    Attributes:
        above: {step: the steps above it} where each step is fed the student's own upstream gradients. A step is
            skipped if one above it gave no tensor.
        joint: (name, what it returns) of the function that answers all steps in one call.
        traced: operators are counted and float32 is noticed, which makes steps some four times slower.
        one_by_one: answers are sent as soon as they are there, and not together.
    """

    problem: int
    steps: Sequence[str]
    room: int
    above: Mapping[str, Sequence[str]] | None = None
    joint: tuple[str, tuple[str, ...]] | None = None
    traced: bool = False
    one_by_one: bool = False


@dataclass(frozen=True)
class Observe:
    """Run steps again on a problem that is there, while it is watched what they do."""

    problem: int
    steps: Sequence[str]
    joint: tuple[str, tuple[str, ...]] | None


Request = Load | GivenProblem | Run | Observe | CallRequest
REQUESTS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Load, GivenProblem, Run, Observe, CallRequest)}


def encode_request(request: Request, ticket: int = 0) -> tuple[bytes, Budget]:
    """(the request as it is sent, how large the reply to a call may be). Raises TooLarge."""
    packer = Packer()
    packed = {each.name: packer.pack(getattr(request, each.name)) for each in fields(request)}
    budget = LEAST.at_least(packer.used)
    header = {"op": type(request).__name__, "ticket": ticket, "budget": astuple(budget), "fields": packed}
    return encode_frame(packer.frame(header)), budget


def decode_request(frame: Frame) -> tuple[Request, int, Budget]:
    """(the request, its ticket, how large the reply to a call may be), in the worker."""
    header, tensors = frame.header, tensors_of(frame)
    values = {name: unpack(node, tensors, trusted=True) for name, node in header["fields"].items()}
    return REQUESTS[header["op"]](**values), header["ticket"], Budget(*header["budget"])


def new_ticket() -> int:
    """A number that an answer must repeat. It cannot be guessed, so no answer is written before its request is sent."""
    return secrets.randbits(48)


def joint_fields(joint: Joint | None) -> tuple[str, tuple[str, ...]] | None:
    return (joint.name, joint.returns) if joint is not None else None


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
    """Forward values (tensors of any shape and dtype, plain numbers) and upstream gradients, by name, as a frame."""
    known = frozenset({*values, *("d" + name for name in upstream), *(groups or {})})
    tensors = [value for value in (*values.values(), *upstream.values()) if isinstance(value, Tensor)]
    room = min(MAX_BODY, max(MIN_ROOM, ROOM * max((tensor.nbytes for tensor in tensors), default=0)))
    problem = GivenProblem(number, DTYPE_NAMES[dtype], contiguous(values), contiguous(upstream), groups or {})
    frame, _ = encode_request(problem)
    return PackedProblem(number, frame, known, room)


def contiguous(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.contiguous() if isinstance(value, Tensor) else value for name, value in named.items()}


# Replies, which are checked ------------------------------------------------------------------------------------------

FieldCheck = Callable[[Any], Any]
"""Returns a field's value as it is used. Raises WireError for a value that the field cannot have."""


def outcome(value: Any) -> str:
    if type(value) is not str or value not in FROM_A_STUDENT:
        raise WireError("an outcome that a worker cannot have")
    return value


def text(value: Any) -> str:
    if type(value) is not str:
        raise WireError("a text that is none")
    return readable(value)[:MAX_TEXT]


def flag(value: Any) -> bool:
    if type(value) is not bool:
        raise WireError("a truth value that is none")
    return value


def count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 40:
        raise WireError("a count that is out of range")
    return value


def line_number(value: Any) -> int | None:
    if value is not None and not (type(value) is int and 0 <= value < 1 << 31):
        raise WireError("`line` is no line number")
    return value


def names(value: Any) -> list[str]:
    if type(value) is not list or len(value) > MAX_NAMES:
        raise WireError("a list of names that is none, or too long")
    if not all(type(each) is str and len(each) <= MAX_NAME for each in value):
        raise WireError("a list of names that holds something else")
    return [readable(each) for each in value]


def counts_by_name(value: Any) -> dict[str, int]:
    if type(value) is not dict or len(value) > MAX_NAMES:
        raise WireError("counts that are none")
    return {readable(name)[:100]: count(each) for name, each in value.items()}


def observations(value: Any) -> dict[str, Seen]:
    if type(value) is not dict or len(value) > MAX_NAMES:
        raise WireError("observations that are none")
    return {readable(step)[:MAX_NAME]: observation(each) for step, each in value.items()}


def observation(value: Any) -> Seen:
    match value:
        case ["complex numbers", "", int(times)]:
            return Seen("complex numbers", "", count(times))
        case [("differences" | "repeated forward pass") as method, str(operator), int(times)]:
            if operator in OBSERVED_NAMES:
                return Seen(method, operator, count(times))
    raise WireError("no observation that there can be")


ENDING_FIELDS: dict[str, FieldCheck] = {"outcome": outcome, "message": text, "line": line_number}
COUNT_FIELDS: dict[str, FieldCheck] = {"operators": count, "low_precision": flag}
ANSWER_FIELDS = ENDING_FIELDS | COUNT_FIELDS | {"kind": text, "changed": names, "uses": names, "in_float32": flag}
CALLED_FIELDS = ENDING_FIELDS | COUNT_FIELDS | {"dispatched": counts_by_name, "peak_bytes": count}
LOADED_FIELDS: dict[str, FieldCheck] = {"functions": names, "plain": names, "note": text} | ENDING_FIELDS
OBSERVED_FIELDS: dict[str, FieldCheck] = {"rows": observations}


def fields_of(header: Mapping[str, Any], checks: Mapping[str, FieldCheck]) -> dict[str, Any]:
    """{field: its value} of those that the header has. Raises WireError where one has a wrong value."""
    return {name: check(header[name]) for name, check in checks.items() if name in header}


def reply_fields(frame: Frame, op: str, ticket: int, checks: Mapping[str, FieldCheck]) -> dict[str, Any]:
    """The fields of the reply `op` to the request with this ticket. Raises WireError for anything else."""
    header = frame.header
    if header.get("op") != op or type(header.get("ticket")) is not int or header["ticket"] != ticket:
        raise WireError("an answer to something else than what was asked")
    return fields_of(header, checks)


def printed_in(frame: Frame) -> int:
    """Bytes that the worker says it has printed; 0 where it says nothing. Raises WireError."""
    printed: int = fields_of(frame.header, {"printed": count}).get("printed", 0)
    return printed


def encode_reply(op: str, ticket: int = 0, **said: Any) -> bytes:
    """A reply without tensors."""
    return encode_frame(Frame({"op": op, "ticket": ticket, **said}))


@dataclass(frozen=True)
class FileLoaded:
    """What became of a submission's file: the names of its functions, those that need no observation, and a note.

    Without functions there is a failure.
    """

    functions: tuple[str, ...] = ()
    plain: frozenset[str] = frozenset()
    note: str = ""
    failure: Answer | None = None


def encode_loaded(loaded: FileLoaded, ticket: int, printed: int) -> bytes:
    said: dict[str, Any] = {"functions": loaded.functions, "plain": sorted(loaded.plain), "note": loaded.note}
    if loaded.failure is not None:
        said = {name: getattr(loaded.failure, name) for name in ENDING_FIELDS}
    return encode_reply("loaded", ticket, **said, printed=printed)


def decode_loaded(frame: Frame, ticket: int) -> FileLoaded:
    """Raises WireError for anything but a well-formed reply."""
    found = reply_fields(frame, "loaded", ticket, LOADED_FIELDS)
    if "outcome" in found:
        ended: AnswerOutcome = "forbidden" if found["outcome"] == "forbidden" else "raised"
        return FileLoaded(failure=Answer(ended, message=found.get("message", ""), line=found.get("line") or None))
    if "functions" not in found:
        raise WireError("a file without functions and without a failure")
    return FileLoaded(tuple(found["functions"]), frozenset(found.get("plain", ())), found.get("note", ""))


NOTHING = Answer("returned")


def encode_answer(step: str, answer: Answer, ticket: int, room: int = MAX_BODY, printed: int = 0) -> bytes:
    """A field that has nothing to say is left out. `printed`: bytes printed up to now.

    A tensor of more than `room` bytes, or one without bytes of its own (meta, nested), is only described.
    """
    packer = Packer(room, ONE_TENSOR)
    said = {name: getattr(answer, name) for name in ANSWER_FIELDS if getattr(answer, name) != getattr(NOTHING, name)}
    header = {"op": "answer", "ticket": ticket, "step": step, "printed": printed, "outcome": answer.outcome, **said}
    if "uses" in said:
        header["uses"] = sorted(answer.uses)
    if "message" in said:
        header["message"] = answer.message[:MAX_TEXT]
    if answer.tensor is not None:
        header["value"] = packer.pack(answer.tensor)
    return encode_frame(packer.frame(header))


def decode_answer(
    frame: Frame, step: str, ticket: int, known: Collection[str] | None = None, room: int = MAX_BODY
) -> Answer:
    """The worker's answer to `step`. Raises WireError for anything but a well-formed answer to the request.

    Of the parameters that it says were used or changed, only those in `known` are kept; `room` is how many
    bytes a tensor may have.
    """
    found = reply_fields(frame, "answer", ticket, ANSWER_FIELDS)
    if frame.header.get("step") != step or "outcome" not in found:
        raise WireError("an answer to something else than what was asked")
    if len(frame.body) > room:
        raise WireError(f"{len(frame.body)} bytes where {room} are allowed")
    tensors = tensors_of(frame, ONE_TENSOR)
    value = unpack(frame.header.get("value"), tensors, trusted=False)
    if not (value is None or (found["outcome"] == "returned" and isinstance(value, (Tensor, Opaque)))):
        raise WireError("a value where there can be none")
    if len(tensors) != isinstance(value, Tensor):
        raise WireError("bytes without a tensor")
    for name in ("changed", "uses"):
        kept = [each for each in found.get(name, ()) if known is None or each in known]
        found[name] = tuple(kept) if name == "changed" else frozenset(kept)
    if isinstance(value, Opaque):
        return Answer(**{**found, "kind": repr(value)})
    return Answer(**found, tensor=value)


def encode_called(
    called: Called, call: CallRequest, ticket: int, budget: Budget = LEAST, files: Sequence[str] = (), printed: int = 0
) -> bytes:
    """The reply to a call: its value, unless that is kept in the worker, and the arguments if the request has `after`.

    To read a value may run a student's code. Where that raises, the call failed; `files` are the student's.
    """
    packer = Packer(CALL_ROOM, budget)
    value, arguments = None, list[Any]()
    if called.failed is None:
        try:
            value = None if call.keep is not None else packer.pack_whole(called.value)
            arguments = [packer.pack_whole(argument) for argument in called.arguments] if call.after else []
        except BaseException as error:
            called, packer = Called(failed=failure(error, call.name, files), counts=called.counts), Packer()
    answer = called.failed or Answer("returned", line=called.line)
    header = {
        "op": "value",
        "ticket": ticket,
        "printed": printed,
        "outcome": answer.outcome,
        "message": answer.message[:MAX_TEXT],
        "line": answer.line,
        "value": value,
        "arguments": {"l": arguments},
        "operators": called.counts.operators,
        "dispatched": {name[:100]: number for name, number in called.counts.dispatched.items()},
        "peak_bytes": called.counts.peak_bytes,
        "low_precision": called.counts.low_precision,
    }
    return encode_frame(packer.frame(header))


def decode_called(frame: Frame, ticket: int, budget: Budget = LEAST) -> Called:
    """The worker's reply to a call, within `budget`. Raises WireError for anything but a well-formed one."""
    found = reply_fields(frame, "value", ticket, CALLED_FIELDS)
    if found.keys() != CALLED_FIELDS.keys():
        raise WireError("a reply without some of its fields")
    ending = {name: found.pop(name) for name in ENDING_FIELDS}
    counts, line = Counts(**found), ending["line"]
    tensors = tensors_of(frame, budget)
    if ending["outcome"] != "returned":
        return Called(failed=Answer(**ending), counts=counts, line=line)
    left = iter(range(budget.nodes + SLACK))
    arguments = unpack(frame.header.get("arguments"), tensors, trusted=False, left=left)
    if not isinstance(arguments, list):
        raise WireError("`arguments` is no list")
    value = unpack(frame.header.get("value"), tensors, trusted=False, left=left)
    return Called(value, None, arguments, counts, line)


def decode_observed(frame: Frame, ticket: int) -> dict[str, Seen]:
    """{step or function: what a worker saw while it ran again}. Raises WireError."""
    found = reply_fields(frame, "observed", ticket, OBSERVED_FIELDS)
    if frame.body or "rows" not in found:
        raise WireError("no observations")
    return dict(found["rows"])
