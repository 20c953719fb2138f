"""What the trusted side and a worker say to each other: requests and replies are dataclasses.

A worker trusts its requests. Of its replies every field is checked against the type that its class declares, and
whatever does not fit raises WireError. Every request but a problem has a ticket, which its replies repeat.
"""

from __future__ import annotations

import collections.abc
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import torch
from torch import Tensor

from grader.calling.answer import Answer, AnswerOutcome
from grader.calling.failures import failure
from grader.calling.joint import Joint
from grader.calling.numerical_watch import OBSERVED_NAMES, Seen
from grader.calling.parameters import Groups
from grader.calling.protocol import Called, CallRequest
from grader.sandbox.workers.codec import (
    DTYPE_NAMES,
    LEAST_BUDGET,
    MAX_BODY,
    Frame,
    Opaque,
    Packer,
    Unpacker,
    encode_frame,
    readable,
    reply_budget,
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
MAX_COUNT = 1 << 40
NO_REPLY = ("returned", "crashed")
"""Outcomes that a call without a value cannot have by its worker's own account."""


# Requests ------------------------------------------------------------------------------------------------------------


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
    """The problem on which steps are run from now on, as they meet it.

    `dtype` is the name of torch's default dtype, `groups` are values that are given together.
    """

    dtype: str
    values: Mapping[str, Any]
    upstream: Mapping[str, Tensor]
    groups: Groups


@dataclass(frozen=True)
class Run:
    """Run steps on the problem that was given last. An answer may have `room` bytes.

    Attributes:
        above: {step: the steps above it} where each step is fed the student's own upstream gradients. A step is
            skipped if one above it gave no tensor.
        joint: the function that answers all steps in one call.
        traced: operators are counted and float32 is noticed, which makes steps some four times slower.
        observed: the steps are run again, and only what was seen meanwhile is given.
        one_by_one: answers are sent as soon as they are there, and not together.
    """

    steps: Sequence[str]
    room: int
    above: Mapping[str, Sequence[str]] | None = None
    joint: Joint | None = None
    traced: bool = False
    observed: bool = False
    one_by_one: bool = False


Request = Load | GivenProblem | Run | CallRequest
REQUESTS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Load, GivenProblem, Run, CallRequest)}


def encode_request(request: Request, ticket: int = 0) -> tuple[bytes, int]:
    """(the request as it is sent, the budget of the reply to a call). Raises TooLarge."""
    packer = Packer(trusted=True)
    packed = {each.name: packer.pack(getattr(request, each.name)) for each in fields(request)}
    budget = reply_budget(packer.used)
    header = {"op": type(request).__name__, "ticket": ticket, "budget": budget, "fields": packed}
    return encode_frame(Frame(header, packer.body)), budget


def decode_request(frame: Frame) -> tuple[Request, int, int]:
    """(the request, its ticket, the budget of the reply to a call), in the worker."""
    header, unpacker = frame.header, Unpacker(frame.body, trusted=True, budget=1 << 40)
    values = {name: unpacker.unpack(node) for name, node in header["fields"].items()}
    request = REQUESTS[header["op"]](**values)
    if isinstance(request, Run) and request.joint is not None:
        request = replace(request, joint=Joint(*request.joint))
    return cast(Request, request), header["ticket"], header["budget"]


def new_ticket() -> int:
    """A number that an answer must repeat. It cannot be guessed, so no answer is written before its request is sent."""
    return secrets.randbits(48)


@dataclass(frozen=True)
class PackedProblem:
    """A problem as it is sent, the same to every worker: packed once, for a whole class."""

    frame: bytes
    known: frozenset[str]  # names that a step may ask for
    room: int  # bytes of an answer that are taken


def pack_problem(
    dtype: torch.dtype, values: Mapping[str, Any], upstream: Mapping[str, Tensor], groups: Groups | None = None
) -> PackedProblem:
    """Forward values (tensors of any shape and dtype, plain numbers) and upstream gradients, by name, as a frame."""
    known = frozenset({*values, *("d" + name for name in upstream), *(groups or {})})
    tensors = [value for value in (*values.values(), *upstream.values()) if isinstance(value, Tensor)]
    room = min(MAX_BODY, max(MIN_ROOM, ROOM * max((tensor.nbytes for tensor in tensors), default=0)))
    problem = GivenProblem(DTYPE_NAMES[dtype], contiguous(values), contiguous(upstream), groups or {})
    return PackedProblem(encode_request(problem)[0], known, room)


def contiguous(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.contiguous() if isinstance(value, Tensor) else value for name, value in named.items()}


# Replies -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileLoaded:
    """What became of a submission's file: the names of its functions, those that need no observation, and a note.

    Without functions there is a failure.
    """

    functions: tuple[str, ...] = ()
    plain: frozenset[str] = frozenset()
    note: str = ""
    failure: Answer | None = None


@dataclass(frozen=True)
class Observed:
    """{step or function: what a worker saw while it ran again}."""

    rows: Mapping[str, Seen]


VALUES = frozenset({"tensor", "value", "arguments"})
"""Fields of replies that are values: they travel as nodes, next to the other fields."""
ReplyType = TypeVar("ReplyType")
hints_of = cache(get_type_hints)


def encode_reply(
    reply: object, ticket: int, values: Sequence[Any] = (), body: bytes | bytearray = b"", **more: Any
) -> bytes:
    """A reply's fields, and the nodes of its values, whose numbers are in `body`."""
    header = {"op": type(reply).__name__, "ticket": ticket, "fields": fields_to_json(reply), "values": values, **more}
    return encode_frame(Frame(header, body))


def fields_to_json(thing: Any, most: int = MAX_TEXT) -> Any:
    """A reply, or a part of one, for JSON. Fields of a tuple that say nothing are left out, and so are VALUES."""
    if isinstance(thing, str):
        return thing[:most]
    if is_dataclass(thing):
        return {
            each.name: fields_to_json(getattr(thing, each.name)) for each in fields(thing) if each.name not in VALUES
        }
    if isinstance(thing, Mapping):
        return {fields_to_json(name, MAX_NAME): fields_to_json(each) for name, each in thing.items()}
    if isinstance(thing, Answer):
        said = {name: each for name, each in thing._asdict().items() if name not in VALUES}
        return {name: fields_to_json(each) for name, each in said.items() if each != Answer._field_defaults.get(name)}
    if isinstance(thing, (tuple, frozenset)):
        return [fields_to_json(each, MAX_NAME) for each in (sorted(thing) if isinstance(thing, frozenset) else thing)]
    return thing


def decode_reply(kind: type[ReplyType], frame: Frame, ticket: int) -> ReplyType:
    """A reply of that kind to the request with this ticket, without its values. Raises WireError for anything else."""
    header = frame.header
    if header.get("op") != kind.__name__ or type(header.get("ticket")) is not int or header["ticket"] != ticket:
        raise WireError("an answer to something else than what was asked")
    return cast(ReplyType, checked(kind, header.get("fields")))


def checked(kind: Any, value: Any, most: int = MAX_TEXT) -> Any:
    """`value`, as it came out of JSON, as the type `kind` that a field declares. Raises WireError where it is none.

    Texts are cut after `most` characters; those in a list are names.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind is str and type(value) is str:
        return readable(value)[:most]
    if kind is bool and type(value) is bool:
        return value
    if kind is int and type(value) is int and 0 <= value < MAX_COUNT:
        return value
    if origin in (Union, UnionType):
        return None if value is None else checked(parts[0], value)
    if origin is Literal and type(value) is str and value in parts:
        return value
    if origin in (tuple, frozenset) and type(value) is list and len(value) <= MAX_NAMES:
        return origin(checked(parts[0], each, MAX_NAME) for each in value)
    if origin is collections.abc.Mapping and type(value) is dict and len(value) <= MAX_NAMES:
        return {checked(str, name, MAX_NAME): checked(parts[1], each) for name, each in value.items()}
    if kind is Seen:
        return checked_observation(value)
    if origin is None and type(value) is dict and (is_dataclass(kind) or kind is Answer):
        declared: Any = kind
        hints = hints_of(declared)
        if value.keys() <= hints.keys() - VALUES:
            try:
                return declared(**{name: checked(hints[name], each) for name, each in value.items()})
            except TypeError:  # one without a default is missing
                pass
    raise WireError(f"something that is no {getattr(kind, '__name__', kind)}")


def checked_observation(value: Any) -> Seen:
    match value:
        case ["complex numbers", "", int(times)]:
            return Seen("complex numbers", "", checked(int, times))
        case ["differences", str(operator), int(times)] if operator in OBSERVED_NAMES:
            return Seen("differences", operator, checked(int, times))
    raise WireError("no observation that there can be")


def reply_values(frame: Frame, count: int, budget: int) -> list[Any]:
    """The values that come with a reply. Raises WireError where it is another number of them."""
    nodes, unpacker = frame.header.get("values"), Unpacker(frame.body, budget=budget)
    if type(nodes) is not list or len(nodes) != count:
        raise WireError("values that are missing, or too many")
    values = [unpacker.unpack(node) for node in nodes]
    unpacker.finish()
    return values


def decode_loaded(frame: Frame, ticket: int) -> FileLoaded:
    """Raises WireError for anything but a well-formed reply."""
    loaded = decode_reply(FileLoaded, frame, ticket)
    if loaded.failure is None:
        return loaded
    ended: AnswerOutcome = "forbidden" if loaded.failure.outcome == "forbidden" else "raised"
    return FileLoaded(failure=loaded.failure._replace(outcome=ended, line=loaded.failure.line or None))


def encode_answer(step: str, answer: Answer, ticket: int, room: int = MAX_BODY) -> bytes:
    """A tensor of more than `room` bytes, or one without bytes of its own (meta, nested), is only described."""
    packer = Packer(room=room)
    return encode_reply(answer, ticket, [packer.pack(answer.tensor)], packer.body, step=step)


def decode_answer(
    frame: Frame, step: str, ticket: int, known: Collection[str] | None = None, room: int = MAX_BODY
) -> Answer:
    """The worker's answer to `step`. Raises WireError for anything but a well-formed answer to the request.

    Of the parameters that it says were used or changed, only those in `known` are kept; `room` is how many
    bytes a tensor may have.
    """
    answer = decode_reply(Answer, frame, ticket)
    if frame.header.get("step") != step or answer.outcome == "crashed":
        raise WireError("an answer to something else than what was asked")
    if len(frame.body) > room:
        raise WireError(f"{len(frame.body)} bytes where {room} are allowed")
    (value,) = reply_values(frame, 1, budget=MAX_BODY)
    if not (value is None or (answer.outcome == "returned" and isinstance(value, (Tensor, Opaque)))):
        raise WireError("a value where there can be none")
    if known is not None:
        changed = tuple(name for name in answer.changed if name in known)
        answer = answer._replace(changed=changed, uses=answer.uses & frozenset(known))
    return answer._replace(kind=repr(value)) if isinstance(value, Opaque) else answer._replace(tensor=value)


def encode_called(
    called: Called, call: CallRequest, ticket: int, budget: int = LEAST_BUDGET, files: Sequence[str] = ()
) -> bytes:
    """The reply to a call: its value, unless that is kept in the worker, and the arguments if the request has `after`.

    To read a value may run a student's code. Where that raises, the call failed; `files` are the student's.
    """
    packer = Packer(room=CALL_ROOM, budget=budget)
    values: list[Any] = [None, {"l": []}]
    if called.failed is None:
        try:
            value = None if call.keep is not None else packer.pack_whole(called.value)
            values = [value, {"l": [packer.pack_whole(each) for each in called.arguments if call.after]}]
        except BaseException as error:
            called, packer = Called(failed=failure(error, call.name, files), counts=called.counts), Packer()
    return encode_reply(called, ticket, values, packer.body)


def decode_called(frame: Frame, ticket: int, budget: int = LEAST_BUDGET) -> Called:
    """The worker's reply to a call, within `budget`. Raises WireError for anything but a well-formed one."""
    called = decode_reply(Called, frame, ticket)
    value, arguments = reply_values(frame, 2, budget)
    if called.failed is not None:
        if called.failed.outcome in NO_REPLY:
            raise WireError("an outcome that a call without a value cannot have")
        return replace(called, line=called.failed.line)
    if not isinstance(arguments, list):
        raise WireError("`arguments` is no list")
    return replace(called, value=value, arguments=arguments)
