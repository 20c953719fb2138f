"""What the trusted side and a worker say to each other: four kinds of requests, and answers, all of them dataclasses.

A worker trusts its requests. Of its answers every field is checked, see FIELDS, and whatever does not fit raises
WireError. A request that is answered has a ticket, which its answers repeat. A worker loads this module, so nothing
here may import grader.reference.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, NoReturn, cast, get_args

import torch
from torch import Tensor

from grader.calling.answer import Answer, AnswerOutcome, Seen
from grader.calling.failures import failure
from grader.calling.numerical_watch import OBSERVED_NAMES
from grader.calling.protocol import CallRequest
from grader.calling.steps import Groups, Joint
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
)
from grader.sandbox.workers.waiting import WireError

CALL_ROOM = 1 << 24
"""Bytes of tensors in the answer to a call."""
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

    With `memory`, the worker's resident memory is made to follow what the file and its functions hold. The answer's
    value is (names of functions, those that need no watching, why statements were left out).
    """

    files: Mapping[str, bytes]
    main: str
    not_allowed: Sequence[str] = ()
    memory: bool = False


@dataclass(frozen=True)
class GivenProblem:
    """The problem on which steps are run from now on, as they meet it. It has no answer.

    `dtype` is the name of torch's default dtype, `groups` are values that are given together.
    """

    dtype: str
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
REQUESTS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Load, GivenProblem, Run, CallRequest)}


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


def encode_request(request: Request, room: int = CALL_ROOM) -> tuple[bytes, ReplyTerms]:
    """(the request as it is sent, the terms of its answers). Raises TooLarge."""
    packer = Packer(trusted=True)
    given = {each.name: getattr(request, each.name) for each in fields(request)}
    usual = {each.name: each.default for each in fields(request)}
    packed = {name: packer.pack(value) for name, value in given.items() if value != usual[name]}
    # a ticket cannot be guessed, so no answer is written before its request is sent
    budget = max(LEAST_BUDGET, 4 * packer.used) if isinstance(request, CallRequest) else MAX_BODY
    terms = ReplyTerms(secrets.randbits(48), room, budget)
    return encode_frame(Frame({"op": type(request).__name__, "terms": terms, "fields": packed}, packer.body)), terms


def decode_request(frame: Frame) -> tuple[Request, ReplyTerms]:
    """In the worker: the request, and the terms of its answers."""
    header, unpacker = frame.header, Unpacker(frame.body, trusted=True, budget=1 << 40)
    values = {name: unpacker.unpack(node) for name, node in header["fields"].items()}
    request = REQUESTS[header["op"]](**values)
    if isinstance(request, Run) and request.joint is not None:
        request = replace(request, joint=Joint(*request.joint))
    return cast(Request, request), ReplyTerms(*header["terms"])


def ask(request: Load | CallRequest) -> PackedRequest:
    if isinstance(request, Load):
        return PackedRequest(*encode_request(request), [""])
    return PackedRequest(*encode_request(request), [request.name], watched=request.watched)


@dataclass(frozen=True)
class PackedProblem:
    """A problem as it is sent, the same to every worker: packed once, for a whole class."""

    frame: bytes
    known: frozenset[str]  # names that a step may ask for
    room: int  # bytes of an answer that are taken

    def with_run(self, run: Run) -> PackedRequest:
        """A run on this problem."""
        data, terms = encode_request(run, self.room)
        return PackedRequest(self.frame + data, terms, run.steps, True, self.known, run.watched)


def pack_problem(
    dtype: torch.dtype, values: Mapping[str, Any], upstream: Mapping[str, Tensor], groups: Groups | None = None
) -> PackedProblem:
    """Forward values (tensors of any shape and dtype, plain numbers) and upstream gradients, by name, as a frame."""
    known = frozenset({*values, *("d" + name for name in upstream), *(groups or {})})
    tensors = [value for value in (*values.values(), *upstream.values()) if isinstance(value, Tensor)]
    room = min(MAX_BODY, max(MIN_ROOM, ROOM * max((tensor.nbytes for tensor in tensors), default=0)))
    given, fed = (
        {name: value.contiguous() if isinstance(value, Tensor) else value for name, value in named.items()}
        for named in (values, upstream)
    )
    return PackedProblem(encode_request(GivenProblem(DTYPE_NAMES[dtype], given, fed, groups or {}))[0], known, room)


# Answers -------------------------------------------------------------------------------------------------------------


def encode_answer(name: str, answer: Answer, terms: ReplyTerms, files: Sequence[str] = ()) -> bytes:
    """The answer to one of the `names` of a request.

    To read a value may run a student's code. Where that raises, the call failed; `files` are the student's.
    """
    packer = Packer(room=terms.room, budget=terms.budget)
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
    unpacker = Unpacker(frame.body, budget=terms.budget)
    value, arguments = unpacker.unpack(nodes[0]), [unpacker.unpack(each) for each in nodes[1]]
    unpacker.finish()
    if answer.outcome != "returned" and (value is not None or arguments):
        raise WireError("a value where there can be none")
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
