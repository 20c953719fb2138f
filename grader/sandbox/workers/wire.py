"""Frames between the trusted side and a worker: a JSON header and raw bytes. Nothing is ever unpickled.

    magic (4 bytes) · header length (u32) · body length (u64), little-endian · header · body

Every length, name, dtype and shape that a worker sends is checked against the request before anything is read
or built; whatever does not fit raises WireError, and the worker is given up.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Collection
from typing import Any, NamedTuple, NoReturn

from grader.calling.answer import Answer, AnswerOutcome
from grader.sandbox.workers.endings import WireError
from grader.sandbox.workers.tensor_bytes import (
    DTYPE_NAMES,
    DTYPES,
    MAX_BODY,
    describe_tensor,
    tensor_bytes,
    tensor_from,
)

FRAME_MAGIC = b"BPN1"
FRAME_PREFIX = struct.Struct("<4sIQ")
MAX_HEADER = 1 << 20
MAX_FRAME_TEXT = 4_000
MAX_FRAME_NAMES = 10_000
MAX_DIMENSIONS = 8  # of a student's tensor: there are loops whose time is exponential in them

FROM_A_STUDENT = ("returned", "todo", "missing", "raised", "timeout", "forbidden", "skipped")


class Frame(NamedTuple):
    header: dict[str, Any]
    body: bytes | bytearray = b""


def encode_frame(frame: Frame) -> bytes:
    header = ENCODER.encode(frame.header).encode()
    return FRAME_PREFIX.pack(FRAME_MAGIC, len(header), len(frame.body)) + header + frame.body


def lengths(
    data: bytes | bytearray, max_header: int = MAX_HEADER, max_body: int = MAX_BODY, start: int = 0
) -> tuple[int, int]:
    """(header length, body length) of a frame from its first FRAME_PREFIX.size bytes, at `start`. Raises WireError."""
    magic, header, body = FRAME_PREFIX.unpack_from(data, start)
    if magic != FRAME_MAGIC:
        raise WireError("the frame does not begin as a frame does")
    if header > max_header or body > max_body:
        raise WireError(f"the frame is too large: {header} + {body} bytes")
    return header, body


def refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


# made once: the module's own functions make one for every frame
ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))
DECODER = json.JSONDecoder(parse_constant=refuse_constant)


def decode_header(raw: bytes | bytearray) -> dict[str, Any]:
    try:
        text = raw.decode("utf-8")
        header, end = DECODER.raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise WireError(f"the header is no JSON: {type(error).__name__}") from None
    if type(header) is not dict or end != len(text):
        raise WireError("the header is no object")
    return header


class Reader:
    """Collects bytes as they arrive and gives whole frames. `feed` raises WireError as soon as a prefix is bad."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._buffer, self._start = bytearray(), 0
        self.max_body = max_body  # may be changed between frames

    @property
    def held(self) -> int:
        """Bytes that were fed and not yet given on."""
        return len(self._buffer) - self._start

    def feed(self, data: bytes) -> None:
        del self._buffer[: self._start]  # here and not for every frame: many may have come together
        self._start = 0
        self._buffer += data
        if len(self._buffer) >= FRAME_PREFIX.size:
            lengths(self._buffer, max_body=self.max_body)

    def next(self) -> Frame | None:
        begin = self._start + FRAME_PREFIX.size
        if len(self._buffer) < begin:
            return None
        header, body = lengths(self._buffer, max_body=self.max_body, start=self._start)
        middle, end = begin + header, begin + header + body
        if len(self._buffer) < end:
            return None
        self._start = end
        return Frame(decode_header(self._buffer[begin:middle]), self._buffer[middle:end])


def write_all(descriptor: int, data: bytes | bytearray) -> None:
    with memoryview(data) as view:
        sent = 0
        while sent < len(view):
            sent += os.write(descriptor, view[sent:])


def read_frame(descriptor: int) -> Frame | None:
    """Blocking read of one frame from a trusted sender; None at end of file."""

    def exactly(count: int) -> bytearray | None:
        data, got = bytearray(count), 0
        with memoryview(data) as view:
            while got < count:
                piece = os.readv(descriptor, [view[got:]])
                if not piece:
                    return None
                got += piece
        return data

    prefix = exactly(FRAME_PREFIX.size)
    if prefix is None:
        return None
    header, body = lengths(prefix, max_body=1 << 32)
    raw, rest = exactly(header), exactly(body)
    return None if raw is None or rest is None else Frame(decode_header(raw), rest)


# Answers -------------------------------------------------------------------------------------------------------------


def encode_answer(step: str, answer: Answer, ticket: int, room: int = MAX_BODY, printed: int = 0) -> bytes:
    """A field that has nothing to tell is left out. `printed`: bytes printed up to now.

    A tensor of more than `room` bytes, or one without bytes of its own (meta, nested), is only described.
    """
    header: dict[str, Any] = {"op": "answer", "ticket": ticket, "step": step, "outcome": answer.outcome}
    if answer.kind:
        header["kind"] = answer.kind
    if answer.message:
        header["message"] = answer.message[:MAX_FRAME_TEXT]
    if answer.line is not None:
        header["line"] = answer.line
    if answer.changed:
        header["changed"] = list(answer.changed)
    if answer.uses:
        header["uses"] = sorted(answer.uses)
    if answer.operators:
        header["operators"] = answer.operators
    if answer.low_precision:
        header["low_precision"] = True
    if printed:
        header["printed"] = printed
    if answer.in_float32:
        header["in_float32"] = True
    body = b""
    if answer.tensor is not None:
        if answer.tensor.dtype not in DTYPE_NAMES:
            header["kind"] = f"a tensor of {str(answer.tensor.dtype).removeprefix('torch.')}"
        elif answer.tensor.ndim > MAX_DIMENSIONS:
            header["kind"] = f"a tensor of {answer.tensor.ndim} dimensions"
        elif answer.tensor.numel() * answer.tensor.element_size() > room:
            header["kind"] = f"a tensor of {answer.tensor.numel()} numbers"
        else:
            try:
                described, body = describe_tensor(answer.tensor), tensor_bytes(answer.tensor)
                header["tensor"] = described
            except (RuntimeError, ValueError, TypeError, NotImplementedError):
                header["kind"] = "a tensor without numbers that could be read"
    return encode_frame(Frame(header, body))


def printed_in(header: dict[str, Any]) -> int:
    """Bytes that the worker says it has printed; 0 where it says nothing."""
    return count_field(header, "printed") if "printed" in header else 0


def field(header: dict[str, Any], name: str, kind: type) -> Any:
    value = header.get(name)
    if type(value) is not kind:
        raise WireError(f"`{name}` is no {kind}")
    return readable(value) if type(value) is str else value


def readable(text: str) -> str:
    """JSON may spell half a surrogate pair, which no file and no terminal takes: a question mark instead."""
    return text if text.isascii() else text.encode("utf-8", errors="replace").decode("utf-8")


def name_list(header: dict[str, Any], name: str, known: Collection[str] | None = None) -> list[str]:
    """The names that are `known`, or all of them."""
    values: list[str] = field(header, name, list)
    if len(values) > MAX_FRAME_NAMES:
        raise WireError(f"`{name}` is too long")
    for value in values:
        if type(value) is not str or len(value) > 200:
            raise WireError(f"`{name}` is no list of names")
    return [readable(value) for value in values] if known is None else [value for value in values if value in known]


def count_field(header: dict[str, Any], name: str) -> int:
    value = field(header, name, int)
    if not 0 <= value < 1 << 40:
        raise WireError(f"`{name}` is out of range")
    return int(value)


def outcome_and_line(header: dict[str, Any]) -> tuple[AnswerOutcome, int | None]:
    """How a call of the student's ended, and on which of their lines. Raises WireError."""
    outcome, line = field(header, "outcome", str), header.get("line")
    if outcome not in FROM_A_STUDENT:
        raise WireError("an outcome that a worker cannot have")
    if line is not None and not (type(line) is int and 0 <= line < 1 << 31):
        raise WireError("`line` is no line number")
    return outcome, line


def decode_answer(
    frame: Frame, step: str, ticket: int, known: Collection[str] | None = None, room: int = MAX_BODY
) -> Answer:
    """The worker's answer to `step`. Raises WireError for anything but a well-formed answer to the request.

    Of the parameters that it says were used or changed, only those in `known` are kept; `room` is how many
    bytes a tensor may have.
    """
    header = frame.header
    if header.get("op") != "answer" or header.get("step") != step or header.get("ticket") != ticket:
        raise WireError("an answer to something else than what was asked")
    outcome, line = outcome_and_line(header)
    if len(frame.body) > room:
        raise WireError(f"{len(frame.body)} bytes where {room} are allowed")
    tensor = None
    described = header.get("tensor")
    if described is not None:
        if outcome != "returned" or type(described) is not dict:
            raise WireError("a tensor where there can be none")
        dtype, shape = DTYPES.get(str(described.get("dtype"))), described.get("shape")
        if dtype is None or type(shape) is not list or len(shape) > MAX_DIMENSIONS:
            raise WireError("a tensor of no known kind")
        for size in shape:
            if type(size) is not int or not 0 <= size <= MAX_BODY:
                raise WireError("a tensor of an impossible shape")
        tensor = tensor_from(frame.body, dtype, shape)
    elif frame.body:
        raise WireError("bytes without a tensor")
    return Answer(
        outcome,
        tensor,
        kind=field(header, "kind", str)[:MAX_FRAME_TEXT] if "kind" in header else "",
        message=field(header, "message", str)[:MAX_FRAME_TEXT] if "message" in header else "",
        line=line,
        changed=tuple(name_list(header, "changed", known)) if "changed" in header else (),
        uses=frozenset(name_list(header, "uses", known)) if "uses" in header else frozenset(),
        operators=count_field(header, "operators") if "operators" in header else 0,
        low_precision=field(header, "low_precision", bool) if "low_precision" in header else False,
        in_float32=field(header, "in_float32", bool) if "in_float32" in header else False,
    )
