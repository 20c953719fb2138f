"""What the trusted side and a worker say to each other: four kinds of requests, and a reply to each.

A worker trusts its requests, which are pickled. A reply has an answer for each name of its request. Every field is
checked against its type hint, and whatever does not fit raises WireError. A reply repeats the ticket of its request. A
worker loads this module, so nothing here may import grader.reference.
"""

from __future__ import annotations

import io
import pickle
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.failures import failure
from grader.calling.protocol import CallRequest, Function
from grader.calling.steps import Groups, Joint, describe
from grader.sandbox.workers.codec import (
    ENCODER,
    MAX_BODY,
    Frame,
    Opaque,
    Packer,
    TooLarge,
    Unpacker,
    decode_header,
    encode_frame,
    readable,
    tensor_bytes,
)
from grader.sandbox.workers.waiting import WireError
from grader.typed_json import from_json

WHOLE_FILE = ""
"""The name of the answer to a Load."""
LEAST_ROOM, MOST_ROOM, ROOM_PER_BYTE = 1 << 21, 1 << 24, 32
"""The room of the answer to a call, see codec.Room, grows with the bytes of the request: so a function may return a few
times as much as it was given."""
# A gradient is as large as its value. An answer may be somewhat larger, so that a wrong shape can be named; all answers
# to all problems are kept for the verdict, so not at will.
ROOM_PER_GRADIENT, LEAST_STEP_ROOM = 4, 1 << 20
MAX_TEXT = 4_000
MAX_NAMES = 10_000
MAX_NAME = 200
MAX_COUNT = 1 << 40
MAX_FIELD_DEPTH = 2  # of JSON in an answer: its fields, a table of counts, an entry of that
NODES = ("tensor", "value", "arguments")
"""Fields of an answer that travel as nodes of the codec. The others are plain JSON."""
FIELDS = [(place, name) for place, name in enumerate(Answer._fields) if name not in NODES]


# Requests ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Load:
    """Run the submission's file `main` of `files`; `not_allowed` are parts of PyTorch to be removed first.

    The value of the answer is a Loading.
    """

    files: Mapping[str, bytes]
    main: str
    not_allowed: Sequence[str] = ()


@dataclass(frozen=True)
class PackedProblem:
    """A problem as it is sent, the same to every worker: packed once, for a whole class.

    Attributes:
        data: its dtype, values, upstream gradients and groups, pickled.
        known: names that a step may ask for.
        room: of an answer, see codec.Room.
    """

    data: bytes
    known: frozenset[str]
    room: int


@dataclass(frozen=True)
class Run:
    """Run steps on a problem: an answer for each.

    Attributes:
        above: {step: the steps above it} where each step is fed the student's own upstream gradients. A step is
            skipped if one above it gave no tensor.
        joint: the function that answers all steps in one call.
        watched: operators are counted, float32 and numerical differentiation are noticed; several times slower.
    """

    problem: PackedProblem
    steps: Sequence[str]
    above: Mapping[str, Sequence[str]] | None = None
    joint: Joint | None = None
    watched: bool = False


@dataclass(frozen=True)
class Define:
    """Run more Python text in the module of the file that was loaded, for the functions that it defines."""

    text: str


Request = Load | Define | Run | CallRequest


def names_of(request: Request) -> Sequence[str]:
    """A reply has an answer for each of these names, in this order."""
    if isinstance(request, Run):
        return request.steps
    return [request.name if isinstance(request, CallRequest) else WHOLE_FILE]


class Loading(NamedTuple):
    """How a file was run: its functions' names, those that need no watching, and why statements were left out."""

    functions: tuple[str, ...]
    plain: frozenset[str]
    note: str


@dataclass(frozen=True)
class PackedRequest:
    """A request as it is sent, and what its reply must be like.

    Attributes:
        ticket: a number that the reply repeats. Nobody can guess it, and reply before the request is sent.
        room: of each answer, see codec.Room.
    """

    request: Request
    data: bytes
    ticket: int
    room: int

    @property
    def names(self) -> Sequence[str]:
        """See names_of."""
        return names_of(self.request)


class RequestPickler(pickle.Pickler):
    """Pickles requests. Of a tensor, only its own numbers travel, in the order in which they are in memory."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, protocol=5)
        self.fast = True  # what is given twice arrives as two: a function that changes one does not change the other

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, Tensor):
            dense = thing.detach().clone()
            numbers = bytearray(tensor_bytes(dense.as_strided([dense.numel()], [1])))
            is_leaf = thing.is_leaf and thing.requires_grad
            return sent_tensor, (numbers, dense.dtype, [*dense.shape], [*dense.stride()], is_leaf)
        if isinstance(thing, torch.Generator):
            return sent_generator, (thing.get_state(),)
        if isinstance(thing, Function):
            return sent_function, (thing.source, thing.bound)
        if isinstance(thing, numpy.generic):
            return type(thing.item()), (thing.item(),)
        if isinstance(thing, tuple) and not isinstance(thing, Joint):
            return tuple, ([*thing],)  # of a class that a worker may not know
        return NotImplemented


def sent_tensor(numbers: bytearray, dtype: torch.dtype, shape: list[int], stride: list[int], is_leaf: bool) -> Tensor:
    flat = torch.frombuffer(numbers, dtype=dtype) if numbers else torch.empty(0, dtype=dtype)
    return flat.as_strided(shape, stride).requires_grad_(is_leaf)


def sent_generator(state: Tensor) -> torch.Generator:
    return torch.Generator().set_state(state)


def sent_function(source: str, bound: dict[str, Any]) -> Callable[..., Any]:
    return Function(source, **bound).build()


def pickled(thing: Any) -> bytes:
    file = io.BytesIO()
    RequestPickler(file).dump(thing)
    return file.getvalue()


def pack(request: Request) -> PackedRequest:
    """The request as it is sent."""
    data, ticket = pickled(request), secrets.randbits(48)
    room = min(MOST_ROOM, max(LEAST_ROOM, ROOM_PER_BYTE * len(data)))
    if isinstance(request, Run):
        room = request.problem.room
    return PackedRequest(request, data + pickled((ticket, room)), ticket, room)


def pack_problem(
    dtype: torch.dtype, values: Mapping[str, Any], upstream: Mapping[str, Tensor], groups: Groups | None = None
) -> PackedProblem:
    """Forward values (tensors of any shape and dtype, plain numbers) and upstream gradients, by name, as bytes."""
    known = frozenset({*values, *("d" + name for name in upstream), *(groups or {})})
    tensors = [value for value in (*values.values(), *upstream.values()) if isinstance(value, Tensor)]
    largest = max((tensor.nbytes for tensor in tensors), default=0)
    room = min(MAX_BODY, max(LEAST_STEP_ROOM, ROOM_PER_GRADIENT * largest))
    given, fed = (
        {name: value.contiguous() if isinstance(value, Tensor) else value for name, value in named.items()}
        for named in (values, upstream)
    )
    return PackedProblem(pickled([dtype, given, fed, groups or {}]), known, room)


# Replies -------------------------------------------------------------------------------------------------------------


def encode_reply(
    answers: Iterable[tuple[str, Answer]], ticket: int, room: int = LEAST_ROOM, files: Sequence[str] = ()
) -> bytes:
    """The reply to a request: (name, answer) for each of its names, read as it comes: a later call may change a tensor.

    To read a value may run a student's code. Where that raises, the call failed; `files` are the student's.
    """
    body, entries = bytearray(), []
    for name, answer in answers:
        packer, value = Packer(room), answer.value if answer.tensor is None else answer.tensor
        try:
            values = [packer.pack(value), [packer.pack(each) for each in answer.arguments]]
        except BaseException as error:
            answer, packer, values = failure(error, name, files), Packer(room), [None, []]
        usual = Answer._field_defaults  # these are not sent
        said = {field: answer[place] for place, field in FIELDS if answer[place] != usual.get(field)}
        entries.append([ENCODER.encode(said), *values])
        body += packer.body
    try:
        return encode_frame(Frame({"ticket": ticket, "answers": entries}, body))
    except TooLarge:
        too_large = {"o": "value with too many entries"}
        entries = [[said, value and too_large, [too_large] * len(rest)] for said, value, rest in entries]
        return encode_frame(Frame({"ticket": ticket, "answers": entries}))


def decode_reply(frame: Frame, sent: PackedRequest) -> list[Answer]:
    """The worker's answers to the requested names, in their order. Raises WireError for anything else."""
    header, entries = frame.header, frame.header.get("answers")
    if type(header.get("ticket")) is not int or header["ticket"] != sent.ticket:
        raise WireError("an answer to something else than what was asked")
    if type(entries) is not list or len(entries) != len(sent.names):
        raise WireError("more or fewer answers than were asked")
    unpacker = Unpacker(frame.body)
    answers = [decode_answer(entry, unpacker, sent) for entry in entries]
    unpacker.finish()
    return answers


def decode_answer(entry: Any, unpacker: Unpacker, sent: PackedRequest) -> Answer:
    """One answer of a reply: [its fields, its value, its arguments]. Raises WireError."""
    if type(entry) is not list or len(entry) != 3 or type(entry[0]) is not str or type(entry[2]) is not list:
        raise WireError("an answer without its parts")
    said, value, arguments = entry
    answer = (fields_from_json if len(said) < MAX_TEXT else fields_from_json.__wrapped__)(said)
    unpacker.left = sent.room
    value, arguments = unpacker.unpack(value), [unpacker.unpack(each) for each in arguments]
    if answer.outcome == "crashed" or (answer.outcome != "returned" and (value is not None or arguments)):
        raise WireError("an outcome that a worker cannot report, or a value where there can be none")
    if isinstance(sent.request, Load) and answer.outcome == "returned":
        value = typed(Loading, value)
    if not isinstance(sent.request, Run):
        return answer._replace(value=value, arguments=arguments)
    known = sent.request.problem.known
    if arguments or not (value is None or isinstance(value, (Opaque, Tensor))):
        raise WireError("a value of a step that is not a tensor")
    result = {"kind": repr(value)} if isinstance(value, Opaque) else {"tensor": value}
    changed = tuple(each for each in answer.changed if each in known)
    return answer._replace(changed=changed, uses=answer.uses & known, **result)


@lru_cache(maxsize=1000)  # a step says the same on every problem; a long text would fill the memory
def fields_from_json(text: str) -> Answer:
    """The answer whose FIELDS are in this JSON. Raises WireError."""
    answer: Answer = typed(Answer, decode_header(text.encode(errors="replace")))
    return answer


def typed(hint: Any, value: Any) -> Any:
    """JSON that a worker sent, as the type that a hint names. Raises WireError."""
    try:
        return from_json(hint, bounded(value))
    except ValueError as error:
        raise WireError(f"a wrong field: {error}") from None


def bounded(value: Any, depth: int = 0) -> Any:
    """JSON with the texts of its fields cut to MAX_TEXT, and those inside of a field, which are names, to MAX_NAME.

    Raises WireError for a negative, huge or broken number, for too many entries and for nests deeper than any field.
    """
    kind = type(value)
    if depth > MAX_FIELD_DEPTH:
        raise WireError("a field that is nested too deeply")
    if kind is str:
        return readable(value)[: MAX_TEXT if depth < 2 else MAX_NAME]
    if kind is bool or value is None or (kind is int and 0 <= value < MAX_COUNT):
        return value
    if kind in (list, tuple) and len(value) <= MAX_NAMES:
        return [bounded(each, depth + 1) for each in value]
    if kind is dict and len(value) <= MAX_NAMES:
        return {bounded(name, depth + 1): bounded(each, depth + 1) for name, each in value.items()}
    raise WireError(f"a field that is {describe(value)}")
