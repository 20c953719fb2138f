"""A neighbour of the submissions that forge: frames as the worker sends them, in the file's own words."""

import importlib
import json
import os
import struct

from attempt import part, the

ANSWER = {
    "outcome": "returned",
    "kind": "",
    "message": "",
    "line": None,
    "changed": [],
    "uses": ["logits", "Yb", "n"],
    "operators": 3,
    "low_precision": False,
}
LOADED = {"ticket": 0, "answers": [['{"outcome": "returned"}', {"u": [{"l": ["dlogits"]}, ""]}, []]]}


def frame(header, body=b""):
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<4sIQ", b"BPN1", len(raw), len(body)) + raw + body


def send(data):
    """Past whatever buffers there are, straight into the pipe on which answers are awaited."""
    view = memoryview(data)
    while view:
        view = view[os.write(4, view) :]


def asked():
    """The ticket of what is being asked, which stands in the worker's own frames below a step; 0 outside of a step."""
    below = the("sys", "_getframe")()
    while below := part(below, "f_back"):
        if "ticket" in (names := part(below, "f_locals")):
            return names["ticket"]
    return 0


def answer(body=b"", tensor=None, **fields):
    """`tensor` is {"dtype": …, "shape": …}; its numbers are `body`."""
    value = None if tensor is None else {"t": [tensor["dtype"], tensor["shape"]]}
    ticket = fields.pop("ticket") if "ticket" in fields else asked()
    said = json.dumps({**ANSWER, **fields})
    return frame({"ticket": ticket, "answers": [[said, value, []]]}, body + bytes(-len(body) % 8))


def instead_of_answers(make):
    """From now on the worker sends `make(step, its true answer)`, as (fields, body), in place of its answers."""
    messages = importlib.import_module("grader.sandbox.workers.messages")
    encode = messages.encode_reply

    def encode_reply(answers, ticket, *more):
        ((step, true_answer),) = answers
        if not step:  # the file is loaded
            return encode([(step, true_answer)], ticket, *more)
        fields, body = make(step, true_answer)
        return answer(body, ticket=ticket, **fields)

    messages.encode_reply = encode_reply
