"""What the trusted side and a worker say to each other: four kinds of requests, and answers, all of them dataclasses.

A worker trusts its requests, which are pickled. Of its answers every field is checked, see FIELDS, and whatever does
not fit raises WireError. Each request has a ticket, which its answers repeat. A worker loads this module, so nothing
here may import grader.reference.
"""

from __future__ import annotations

import io
import pickle
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple, NoReturn, get_args

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer, AnswerOutcome, Seen
from grader.calling.failures import failure
from grader.calling.numerical_watch import OBSERVED_NAMES
from grader.calling.protocol import CallRequest, Function
from grader.calling.steps import Groups, Joint
from grader.sandbox.workers.codec import MAX_BODY, Frame, Opaque, Packer, Unpacker, encode_frame, readable, tensor_bytes
from grader.sandbox.workers.waiting import WireError

CALL_ROOM = 1 << 24
"""Bytes of tensors in the answer to a call."""
LEAST_BUDGET, BUDGET_PER_BYTE = 1 << 18, 32
"""The budget of the answer to a call, in units of the codec, grows with the bytes of the request: so a function may
return a few times as many entries as it was given."""
# A gradient is as large as its value. An answer may be somewhat larger, so that a wrong shape can be named; all answers
# to all problems are kept for the verdict, so not at will.
ROOM, MIN_ROOM = 4, 1 << 20
MAX_TEXT = 4_000
MAX_NAMES = 10_000
MAX_NAME = 200
MAX_COUNT = 1 << 40


# Requests ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Load:
    """Run the submission's file `main` of `files`; `not_allowed` are parts of PyTorch to be removed first.

    With `memory`, the worker's resident memory is made to follow what the file and its functions hold. With `quiet`,
    what the file itself prints is dropped: another worker has shown it. The value of the answer is a Loading.
    """

    files: Mapping[str, bytes]
    main: str
    not_allowed: Sequence[str] = ()
    memory: bool = False
    quiet: bool = False


@dataclass(frozen=True)
class GivenProblem:
    """The problem on which steps are run from now on, as they meet it. It has no answer.

    `dtype` is torch's default dtype, `groups` are values that are given together.
    """

    dtype: torch.dtype
    values: Mapping[str, Any]
    upstream: Mapping[str, Tensor]
    groups: Groups


@dataclass(frozen=True)
class Run:
    """Run steps on the problem that was given last: an answer for each.

    Attributes:
        above: {step: the steps above it} where each step is fed the student's own upstream gradients. A step is
            skipped if one above it gave no tensor.
        joint: the function that answers all steps in one call.
        watched: operators are counted, float32 and numerical differentiation are noticed; several times slower.
    """

    steps: Sequence[str]
    above: Mapping[str, Sequence[str]] | None = None
    joint: Joint | None = None
    watched: bool = False


Request = Load | GivenProblem | Run | CallRequest


class Loading(NamedTuple):
    """How a file was run: its functions' names, those that need no watching, and why statements were left out."""

    functions: tuple[str, ...]
    plain: frozenset[str]
    note: str


class ReplyTerms(NamedTuple):
    """What the answers to a request have to be like: they repeat its ticket, and are not too large.

    `room` is for the bytes of tensors, `budget` in units of the codec.
    """

    ticket: int
    room: int = CALL_ROOM
    budget: int = MAX_BODY


@dataclass(frozen=True)
class PackedRequest:
    """A request as it is sent, and what is expected: one answer for each of `names`, in this order.

    Of a step, an answer may be a tensor only, and tell of the parameters in `known`. What is `watched` takes long.
    """

    data: bytes
    terms: ReplyTerms
    names: Sequence[str]
    is_step: bool = False
    known: Collection[str] = frozenset()
    watched: bool = False


class RequestPickler(pickle.Pickler):
    """Pickles requests. Of a tensor, only its own numbers travel, in the order in which they are in memory."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, protocol=5)
        self.fast = True  # what is given twice arrives as two: a function that changes one does not change the other

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, Tensor):
            order = sorted(range(thing.ndim), key=thing.stride, reverse=True)
            if not thing.permute(order).is_contiguous():
                order = [*range(thing.ndim)]
            dense, axes = thing.detach().permute(order).contiguous(), [order.index(a) for a in range(thing.ndim)]
            is_leaf = thing.is_leaf and thing.requires_grad
            return sent_tensor, (bytearray(tensor_bytes(dense)), thing.dtype, [*dense.shape], axes, is_leaf)
        if isinstance(thing, torch.Generator):
            return sent_generator, (thing.get_state(),)
        if isinstance(thing, Function):
            return sent_function, (thing.source, thing.bound)
        if isinstance(thing, numpy.generic):
            return type(thing.item()), (thing.item(),)
        if isinstance(thing, tuple) and not isinstance(thing, (Joint, ReplyTerms)):
            return tuple, ([*thing],)  # of a class that a worker may not know
        return NotImplemented


def sent_tensor(numbers: bytearray, dtype: torch.dtype, shape: list[int], axes: list[int], is_leaf: bool) -> Tensor:
    flat = torch.frombuffer(numbers, dtype=dtype) if numbers else torch.empty(0, dtype=dtype)
    tensor = flat.view(shape) if axes == sorted(axes) else flat.view(shape).permute(axes)
    return tensor.requires_grad_() if is_leaf else tensor


def sent_generator(state: Tensor) -> torch.Generator:
    return torch.Generator().set_state(state)


def sent_function(source: str, bound: dict[str, Any]) -> Callable[..., Any]:
    return Function(source, **bound).build()


def pack(request: Request, room: int = CALL_ROOM) -> PackedRequest:
    """The request as it is sent. `room` is for the bytes of an answer."""
    file = io.BytesIO()
    RequestPickler(file).dump(request)
    grown = max(LEAST_BUDGET, BUDGET_PER_BYTE * file.tell())
    budget = min(MAX_BODY, grown) if isinstance(request, CallRequest) else MAX_BODY
    terms = ReplyTerms(secrets.randbits(48), room, budget)  # nobody can guess it, and answer before the request is sent
    RequestPickler(file).dump(terms)
    if isinstance(request, Run):
        return PackedRequest(file.getvalue(), terms, request.steps, is_step=True, watched=request.watched)
    watched = isinstance(request, CallRequest) and request.watched
    return PackedRequest(file.getvalue(), terms, [getattr(request, "name", "")], watched=watched)


def read_request(file: BinaryIO) -> tuple[Request, ReplyTerms]:
    """In the worker: the next request, and the terms of its answers. Raises EOFError."""
    return pickle.load(file), pickle.load(file)


@dataclass(frozen=True)
class PackedProblem:
    """A problem as it is sent, the same to every worker: packed once, for a whole class."""

    data: bytes
    known: frozenset[str]  # names that a step may ask for
    room: int  # bytes of an answer that are taken

    def with_run(self, run: Run) -> PackedRequest:
        """A run on this problem."""
        packed = pack(run, self.room)
        return replace(packed, data=self.data + packed.data, known=self.known)


def pack_problem(
    dtype: torch.dtype, values: Mapping[str, Any], upstream: Mapping[str, Tensor], groups: Groups | None = None
) -> PackedProblem:
    """Forward values (tensors of any shape and dtype, plain numbers) and upstream gradients, by name, as bytes."""
    known = frozenset({*values, *("d" + name for name in upstream), *(groups or {})})
    tensors = [value for value in (*values.values(), *upstream.values()) if isinstance(value, Tensor)]
    room = min(MAX_BODY, max(MIN_ROOM, ROOM * max((tensor.nbytes for tensor in tensors), default=0)))
    given, fed = (
        {name: value.contiguous() if isinstance(value, Tensor) else value for name, value in named.items()}
        for named in (values, upstream)
    )
    return PackedProblem(pack(GivenProblem(dtype, given, fed, groups or {})).data, known, room)


# Answers -------------------------------------------------------------------------------------------------------------


def encode_answer(name: str, answer: Answer, terms: ReplyTerms, files: Sequence[str] = ()) -> bytes:
    """The answer to one of the `names` of a request.

    To read a value may run a student's code. Where that raises, the call failed; `files` are the student's.
    """
    packer = Packer(terms.room, terms.budget)
    try:
        values = [
            packer.pack_whole(answer.value if answer.tensor is None else answer.tensor),
            [packer.pack_whole(each) for each in answer.arguments],
        ]
    except BaseException as error:
        answer, packer, values = failure(error, name, files), Packer(), [None, []]
    said = {}
    for each in FIELDS:
        value, usual = getattr(answer, each), Answer._field_defaults.get(each)
        if value is not usual and value != usual:
            said[each] = as_json(value)
    return encode_frame(Frame({"name": name, "ticket": terms.ticket, "fields": said, "values": values}, packer.body))


def as_json(thing: Any, most: int = MAX_TEXT) -> Any:
    if isinstance(thing, str):
        return thing[:most]
    if isinstance(thing, Mapping):
        return {as_json(name, MAX_NAME): value for name, value in thing.items()}
    if isinstance(thing, (tuple, frozenset)):
        return [as_json(each, MAX_NAME) for each in (sorted(thing) if isinstance(thing, frozenset) else thing)]
    return thing


def decode_answer(frame: Frame, name: str, sent: PackedRequest) -> Answer:
    """The worker's answer to one of the requested names. Raises WireError for anything else."""
    header, terms = frame.header, sent.terms
    said, nodes = header.get("fields"), header.get("values")
    if header.get("name") != name or type(header.get("ticket")) is not int or header["ticket"] != terms.ticket:
        raise WireError("an answer to something else than what was asked")
    if len(frame.body) > terms.room:
        raise WireError(f"{len(frame.body)} bytes where {terms.room} are allowed")
    if type(said) is not dict or "outcome" not in said or not said.keys() <= FIELDS.keys():
        raise WireError("an answer without an outcome, or with unknown fields")
    answer = Answer(**{each: FIELDS[each](value) for each, value in said.items()})
    if type(nodes) is not list or len(nodes) != 2 or type(nodes[1]) is not list or (sent.is_step and nodes[1]):
        raise WireError("values that are missing, or too many")
    unpacker = Unpacker(frame.body, terms.budget)
    value, arguments = unpacker.unpack(nodes[0]), [unpacker.unpack(each) for each in nodes[1]]
    unpacker.finish()
    if answer.outcome != "returned" and (value is not None or arguments):
        raise WireError("a value where there can be none")
    if name == "" and answer.outcome == "returned":
        value = checked_loading(value)
    if not sent.is_step:
        return answer._replace(value=value, arguments=arguments)
    changed, uses = (each for each in answer.changed if each in sent.known), answer.uses & frozenset(sent.known)
    if not (value is None or isinstance(value, (Opaque, Tensor))):
        raise WireError("a value of a step that is not a tensor")
    said = {"kind": repr(value)} if isinstance(value, Opaque) else {"tensor": value}
    return answer._replace(changed=tuple(changed), uses=uses, **said)


# What each field of an answer must be, as it came out of JSON -------------------------------------------------------


def refuse_field(what: str) -> NoReturn:
    raise WireError(f"something that is no {what}")


def checked_text(value: Any, most: int = MAX_TEXT) -> str:
    return readable(value)[:most] if type(value) is str else refuse_field("text")


def checked_flag(value: Any) -> bool:
    return value if type(value) is bool else refuse_field("bool")


def checked_count(value: Any) -> int:
    return value if type(value) is int and 0 <= value < MAX_COUNT else refuse_field("count")


def checked_names(value: Any) -> tuple[str, ...]:
    """Each is cut after MAX_NAME characters."""
    if type(value) is not list or len(value) > MAX_NAMES:
        refuse_field("list of names")
    return tuple(checked_text(each, MAX_NAME) for each in value)


def checked_counts(value: Any) -> dict[str, int]:
    if type(value) is not dict or len(value) > MAX_NAMES:
        refuse_field("table of counts")
    return {checked_text(name, MAX_NAME): checked_count(each) for name, each in value.items()}


def checked_outcome(value: Any) -> Any:
    """Any outcome except "crashed", which a worker cannot report."""
    known = type(value) is str and value in get_args(AnswerOutcome) and value != "crashed"
    return value if known else refuse_field("outcome")


def checked_seen(value: Any) -> Seen:
    match value:
        case ["complex numbers", "", int(times)]:
            return Seen("complex numbers", "", checked_count(times))
        case ["differences", str(operator), int(times)] if operator in OBSERVED_NAMES:
            return Seen("differences", operator, checked_count(times))
    return refuse_field("observation")


def checked_loading(value: Any) -> Loading:
    match value:
        case [functions, plain, str(note)]:
            return Loading(checked_names(functions), frozenset(checked_names(plain)), note)
    return refuse_field("account of a file")


FIELDS: dict[str, Callable[[Any], Any]] = {
    "outcome": checked_outcome,
    **dict.fromkeys(("kind", "message"), checked_text),
    **dict.fromkeys(("low_precision", "in_float32"), checked_flag),
    **dict.fromkeys(("operators", "peak_bytes"), checked_count),
    "line": lambda value: None if value is None else checked_count(value),
    "changed": checked_names,
    "uses": lambda value: frozenset(checked_names(value)),
    "dispatched": checked_counts,
    "seen": checked_seen,
}
"""Values travel as nodes."""
