"""Frames between the trusted side and a worker: what goes in comes out, and whatever else comes is a WireError."""

from __future__ import annotations

import functools
import json
import math
from typing import Any, get_args

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from grader.calling.answer import Answer, AnswerOutcome
from grader.calling.protocol import CallRequest
from grader.sandbox.workers import codec, messages
from grader.sandbox.workers.codec import (
    DTYPES,
    FRAME_PREFIX,
    MAX_BODY,
    MAX_HEADER,
    Frame,
    Packer,
    Unpacker,
    decode_header,
    encode_frame,
    take_frame,
    tensor_bytes,
)
from grader.sandbox.workers.messages import LEAST_ROOM, MAX_NAMES, MAX_TEXT, PackedProblem, PackedRequest, Run
from grader.sandbox.workers.waiting import WireError

STEP, TICKET = "dprobs", 7


def encode_answer(answer: Answer, room: int = LEAST_ROOM) -> bytes:
    return messages.encode_reply([(STEP, answer)], TICKET, room)


def decode_answer(frame: Frame, room: int = LEAST_ROOM, known: Any = ()) -> Answer:
    problem = PackedProblem(b"", frozenset(known), room)
    (answer,) = messages.decode_reply(frame, PackedRequest(Run(problem, [STEP]), b"", TICKET, room))
    return answer


def bytes_of(tensor: Tensor) -> bytes:
    return bytes(tensor.contiguous().flatten().view(torch.uint8).tolist()) if tensor.numel() else b""


def equal_bits(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and bytes_of(a) == bytes_of(b)


@st.composite
def tensors(draw: Any) -> Tensor:
    """Any dtype, any bits (NaN and infinities too), 0-dim and empty ones, transposed and strided ones."""
    dtype = draw(st.sampled_from(sorted(DTYPES)))
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    size = math.prod(shape) * DTYPES[dtype].itemsize
    raw = draw(st.binary(min_size=size, max_size=size))
    if dtype == "bool":
        raw = bytes(byte & 1 for byte in raw)
    flat = torch.frombuffer(bytearray(raw), dtype=DTYPES[dtype]) if raw else torch.empty(0, dtype=DTYPES[dtype])
    tensor = flat.reshape(shape)
    return tensor.transpose(0, -1) if tensor.ndim > 1 and draw(st.booleans()) else tensor


names = st.text(max_size=20)
answers = st.builds(
    lambda **said: Answer("returned", **said),
    tensor=st.none() | tensors(),
    kind=names,
    message=st.text(max_size=300),
    line=st.none() | st.integers(0, (1 << 31) - 1),
    changed=st.lists(names, max_size=3).map(tuple),
    uses=st.frozensets(names, max_size=3),
    operators=st.integers(0, (1 << 40) - 1),
    low_precision=st.booleans(),
)


def received(data: bytes, pieces: list[int] | None = None) -> list[Frame]:
    """The frames in `data`, which arrives in pieces of the given lengths (and the rest at once)."""
    buffer, frames, start = bytearray(), [], 0
    for length in [*(pieces or []), len(data)]:
        buffer += data[start : start + length]
        start += length
        while (frame := take_frame(buffer)) is not None:
            frames.append(frame)
    return frames


# There and back ------------------------------------------------------------------------------------------------------


def sent(*values: Any) -> list[Tensor]:
    """The tensors that arrive."""
    packer = Packer()
    (frame,) = received(encode_frame(Frame({"values": [packer.pack(value) for value in values]}, packer.body)))
    unpacker = Unpacker(frame.body)
    return [unpacker.unpack(node) for node in frame.header["values"]]


@given(st.lists(tensors(), max_size=5))
def test_the_bits_of_many_tensors_survive(several):
    several = [tensor.contiguous() for tensor in several]
    assert all(map(equal_bits, sent(*several), several))


def test_what_is_too_large_is_described_by_the_worker_and_refused_by_the_trusted_side():
    """A list that contains itself twice would have a thousand million."""
    twice: list[Any] = []
    twice[:] = [twice, twice]
    assert "too many entries" in str(Packer(LEAST_ROOM).pack(twice))
    kinds = {
        "value with too many entries": [[0, 1], (0, 1), {"": 0, "b": 1}],
        "text of 65 characters, which is too long": ["x" * 65],
        "tensor of shape (65, 0), which is too large": [torch.empty(65, 0)],
        "tensor of shape (9,), which is too large": [torch.ones(9, dtype=torch.float64)],
    }
    for kind, values in kinds.items():
        for value in values:
            room = 63 if "entries" in kind else 64 if "text" in kind else codec.TENSOR + 64
            assert Packer(room).pack(value) == {"o": kind}
            larger = Packer(room + 8)
            node, unpacker = larger.pack(value), Unpacker(larger.body)
            assert "o" not in node
            unpacker.left = room
            with pytest.raises(WireError):
                unpacker.unpack(node)


@given(answers)
def test_an_answer_survives(answer):
    (frame,) = received(encode_answer(answer))
    back = decode_answer(frame, known={*answer.changed, *answer.uses})
    assert (back.tensor is None) == (answer.tensor is None)
    assert back.tensor is None or equal_bits(back.tensor, answer.tensor)
    for field in ("outcome", "kind", "message", "line", "changed", "uses", "operators", "low_precision"):
        assert getattr(back, field) == getattr(answer, field)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_what_cannot_travel_is_described():
    def kind(tensor: Tensor) -> str:
        (frame,) = received(encode_answer(Answer("returned", tensor)))
        answer = decode_answer(frame)
        assert answer.tensor is None
        return answer.kind

    assert kind(torch.zeros(3, dtype=torch.complex64)) == "a tensor of complex64"
    assert kind(torch.zeros(1).expand(1 << 25)) == "a tensor of shape (33554432,), which is too large"
    for tensor in (torch.empty(3, device="meta"), torch.nested.nested_tensor([torch.ones(2)])):
        assert kind(tensor) == "a tensor without numbers that could be read"


def test_a_tensor_larger_than_the_room_for_it():
    tensor, room = torch.ones(100, dtype=torch.float64), 800 + codec.TENSOR
    (frame,) = received(encode_answer(Answer("returned", tensor), room - 1))
    assert decode_answer(frame).kind == "a tensor of shape (100,), which is too large"
    (frame,) = received(encode_answer(Answer("returned", tensor), room))
    assert decode_answer(frame, room).tensor is not None
    with pytest.raises(WireError, match="shape \\(100,\\), for which there is no room"):
        decode_answer(frame, room - 1)


def test_of_names_only_those_that_were_there():
    answer = Answer("returned", changed=("dx", "secret"), uses=frozenset({"x", "password"}))
    (frame,) = received(encode_answer(answer))
    back = decode_answer(frame, known={"x", "dx"})
    assert (back.changed, back.uses) == (("dx",), frozenset({"x"}))


def test_half_a_surrogate_pair_is_a_question_mark():
    answer = decode_answer(frame_of(message="a \ud800 b", kind="\udfff", uses=["\ud800x"]), known={"?x"})
    assert (answer.message, answer.kind, answer.uses) == ("a ? b", "?", {"?x"})


def test_a_bool_s_bytes_are_made_zero_or_one():
    tensor = Unpacker(bytearray(b"\x00\x01\x02\xff0000")).unpack(described("bool", (4,)))
    assert tensor_bytes(tensor) == b"\x00\x01\x01\x01"


# Caps ----------------------------------------------------------------------------------------------------------------


def test_a_frame_s_first_bytes_decide():
    with pytest.raises(WireError, match="does not begin as a frame does"):
        take_frame(bytearray(b"garbage, garbage"))
    for header, body in ((MAX_HEADER + 1, 0), (0, MAX_BODY + 1), ((1 << 32) - 1, (1 << 64) - 1)):
        with pytest.raises(WireError, match="too large"):
            take_frame(bytearray(FRAME_PREFIX.pack(codec.FRAME_MAGIC, header, body)))
    assert take_frame(bytearray(FRAME_PREFIX.pack(codec.FRAME_MAGIC, MAX_HEADER, MAX_BODY))) is None


def test_a_second_frame_s_first_bytes_decide_too():
    buffer = bytearray(encode_frame(Frame({})) + b"garbage, garbage")
    assert take_frame(buffer) == Frame({})
    with pytest.raises(WireError):
        take_frame(buffer)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"a": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda raw: repr(raw[:12]),
)
def test_headers_that_are_none(raw):
    with pytest.raises(WireError):
        decode_header(raw)


def frame_of(body: bytes = b"", **changes: Any) -> Frame:
    """A well-formed answer's frame with some fields changed; a field of `...` is left out."""
    (frame,) = received(encode_answer(Answer("returned", torch.ones(2))))
    outer = {name: changes.pop(name) for name in ("ticket", "answers") if name in changes}
    ((fields, value, arguments),) = frame.header["answers"]
    value, arguments = changes.pop("value", value), changes.pop("arguments", arguments)
    inner = {name: value for name, value in (json.loads(fields) | changes).items() if value is not ...}
    return Frame(frame.header | {"answers": [[json.dumps(inner), value, arguments]]} | outer, body or frame.body)


def described(dtype: Any = "float32", shape: Any = (2,)) -> dict[str, Any]:
    return {"t": [dtype, list(shape) if isinstance(shape, tuple) else shape]}


@pytest.mark.parametrize(
    "frame",
    [
        frame_of(ticket=8),
        frame_of(ticket="7"),
        frame_of(outcome="passed"),
        frame_of(outcome="crashed"),
        frame_of(outcome="raised"),  # with a tensor
        frame_of(outcome=...),
        frame_of(message=None),
        frame_of(line=-1),
        frame_of(line=True),
        frame_of(changed=[3]),
        frame_of(changed=["x"] * (MAX_NAMES + 1)),
        frame_of(operators=1 << 40),
        frame_of(low_precision=1),
        frame_of(tensor=[1.0]),
        frame_of(arguments=[1.0]),
        frame_of(uses=functools.reduce(lambda inner, _: [inner], range(600), [])),  # deeper than Python's stack
        frame_of(answers=None),
        frame_of(answers=[]),
        frame_of(answers=[None]),
        frame_of(answers=[[{"outcome": "todo"}, None, []]] * 2),
        frame_of(answers=[[None, None, []]]),
        frame_of(arguments=None),
        frame_of(arguments=[3]),
        frame_of(value=None),  # bytes without a tensor
        frame_of(value={"n": ["float32", [2]]}),
        frame_of(value={"l": [described()]}),
        frame_of(value={"t": None}),
        frame_of(value=described("complex64")),
        frame_of(value=described(shape=None)),
        frame_of(value=described(shape=(3,))),
        frame_of(value=described(shape=(-2,))),
        frame_of(value=described(shape=(True, 2))),
        frame_of(value=described(shape=(MAX_BODY + 1,))),
        frame_of(value=described(shape=(1,) * 8 + (2,))),
        frame_of(value=described(shape=(MAX_BODY,) * 64)),
        frame_of(value=described("float64", (2, 2))),
        frame_of(body=b"x" * 9),
    ],
)
def test_an_answer_to_something_else(frame):
    with pytest.raises(WireError):
        decode_answer(frame)


def test_the_frame_they_were_made_of_is_an_answer():
    assert decode_answer(frame_of()).tensor.tolist() == [1, 1]
    assert decode_answer(frame_of(value=described(shape=(1,) * 7 + (2,)))).tensor.numel() == 2


def test_long_texts_are_cut():
    answer = decode_answer(frame_of(message="x" * 10_000, kind="y" * 10_000))
    assert len(answer.message) == len(answer.kind) == MAX_TEXT


def test_an_empty_tensor_of_impossible_sizes():
    frame = Frame(frame_of(value=described(shape=(MAX_BODY, MAX_BODY, MAX_BODY, 0))).header, b"")
    with pytest.raises(WireError):
        decode_answer(frame)


# Whatever else comes -------------------------------------------------------------------------------------------------

WELL_FORMED = frame_of()
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
ODD: list[Any] = [None, True, False, -1, 0, 1, 7, 1 << 31, 1 << 70, 1.5, float("nan"), float("inf"), "", "7", "x" * 201]
ODD += ["returned", "raised", "crashed", STEP, [], [1], ["x"], [[]], {}, {"x": {}}, "\ud800", "\0"]
SHAPES = [(), (0,), (2,), (1, 2), (2, 1, 1), (4,), (1,), (0, 3), (-2, -1), (2.0,), (True, 2), (1 << 20,), (1 << 27,)]
SHAPES += [(1,) * 65, (1 << 26,) * 3, (0, 1 << 26, 1 << 26, 1 << 26), (0,) * 64, ("2",), None, "2", {}]
tensor_fields = st.builds(described, st.sampled_from([*DTYPES, "x", None, 3, []]), st.sampled_from(SHAPES))
LEFT_OUT = ["kind", "message", "line", "changed", "uses", "operators", "low_precision"]  # where they tell nothing
odd_header = st.dictionaries(st.sampled_from([*WELL_FORMED.header, "other"]), st.sampled_from(ODD), max_size=2)
odd_fields = st.dictionaries(st.sampled_from(["outcome", *LEFT_OUT, "other"]), st.sampled_from(ODD), max_size=2)


damages = st.lists(
    st.tuples(st.sampled_from(["flip", "cut", "insert", "repeat"]), st.integers(0, 400), st.integers(1, 255)),
    max_size=3,
)


@st.composite
def mutated(draw: Any) -> bytes:
    """A well-formed frame after some damage: to its header's fields, and to its bytes."""
    ((fields, value, arguments),) = WELL_FORMED.header["answers"]
    value = draw(tensor_fields) if draw(st.booleans()) else value
    fields = json.dumps(json.loads(fields) | draw(odd_fields), default=repr)
    changed = {"answers": [[fields, value, arguments]] * draw(st.sampled_from([1, 1, 1, 0, 2]))}
    body = WELL_FORMED.body[: draw(st.integers(0, 8))] if draw(st.booleans()) else WELL_FORMED.body
    data = bytearray(encode_frame(Frame(WELL_FORMED.header | changed | draw(odd_header), body)))
    for kind, place, number in draw(damages):
        place %= len(data) + 1
        if kind == "flip" and place < len(data):
            data[place] ^= number
        elif kind == "cut":
            del data[place : place + number]
        elif kind == "insert":
            data[place:place] = bytes([number] * (number % 9))
        elif kind == "repeat":
            data += data[:place]
    return bytes(data)


def nothing_but_a_wire_error(data: bytes, pieces: list[int]) -> None:
    try:
        for frame in received(data, pieces):
            answer = decode_answer(frame)
            assert type(answer) is Answer and answer.outcome in get_args(AnswerOutcome)
            assert answer.tensor is None or type(answer.tensor) is Tensor
            (of_a_call,) = messages.decode_reply(frame, PackedRequest(CallRequest(STEP), b"", TICKET, LEAST_ROOM))
            assert type(of_a_call) is Answer and of_a_call.tensor is None
    except WireError:
        pass


@pytest.mark.full
@settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated(), st.lists(st.integers(0, 100), max_size=2))
def test_damaged_frames_raise_nothing_but_wire_errors(data, pieces):
    nothing_but_a_wire_error(data, pieces)


@pytest.mark.slow
@settings(max_examples=100_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated(), st.lists(st.integers(0, 100), max_size=2))
def test_a_hundred_thousand_damaged_frames(data, pieces):
    nothing_but_a_wire_error(data, pieces)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_raise_nothing_but_wire_errors(data):
    nothing_but_a_wire_error(data, [])
    nothing_but_a_wire_error(FRAME_PREFIX.pack(codec.FRAME_MAGIC, len(data), 0) + data, [])


@settings(max_examples=150, deadline=None)
@given(json_values)
def test_any_json_header_raises_nothing_but_wire_errors(header):
    raw = json.dumps(header).encode()
    nothing_but_a_wire_error(FRAME_PREFIX.pack(codec.FRAME_MAGIC, len(raw), 0) + raw, [])
