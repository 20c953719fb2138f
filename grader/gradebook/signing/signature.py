"""The field `signature` of results.json: an Ed25519 signature over all other fields except `seconds`.

No code that changes a result can keep its signature by mistake: reading results.json drops the field, and only
`signed_text` writes it.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import replace
from typing import Any

from grader.gradebook.signing.keys import PublicKey, SigningKey
from grader.results import SIGNATURE, SubmissionResult

ALGORITHM = "Ed25519"


class NotVerified(Exception):
    """Why a text is not what the holder of the key signed; it completes the sentence `FILE ...`."""


def signed_text(results: SubmissionResult, key: SigningKey, course_sha256: str, signed_at: str) -> str:
    """results.json with a signature. It also covers the course's digest and the time, which are part of it."""
    claims = {
        "algorithm": ALGORITHM,
        "key": key.fingerprint,
        "course_sha256": course_sha256,
        "signed_at": signed_at,
    }
    unsigned = with_signature(results, claims)
    value = base64.b64encode(key.sign(signed_message(parsed_results(unsigned)))).decode()
    return with_signature(results, claims | {"value": value})


def with_signature(results: SubmissionResult, signature: dict[str, str]) -> str:
    return replace(results, other={**(results.other or {}), SIGNATURE: signature}).to_text()


def check_signature(text: str, key: PublicKey) -> dict[str, Any]:
    """The content of a results.json that was signed with `key` and not changed since. Raises NotVerified."""
    data = parsed_results(text)
    signature = data.get(SIGNATURE)
    if signature is None:
        raise NotVerified("is not signed")
    try:
        name, value = signature["key"], base64.b64decode(signature["value"], validate=True)
    except (TypeError, KeyError, ValueError, binascii.Error):
        raise NotVerified("has a signature that cannot be read, so it was changed or forged") from None
    if key.verifies(value, signed_message(data)):
        return data
    if name != key.fingerprint:
        raise NotVerified(f"was not signed with this key ({key.fingerprint})")
    raise NotVerified("was changed after it was signed, or its signature is forged")


def parsed_results(text: str) -> dict[str, Any]:
    """The JSON object. Two fields of one name, of which readers may take either, are refused. Raises NotVerified."""
    try:
        data = json.loads(text, object_pairs_hook=unique_fields, parse_constant=refuse_json_constant)
    except (ValueError, RecursionError):
        raise NotVerified("is no results.json") from None
    if not isinstance(data, dict) or "student" not in data:
        raise NotVerified("is no results.json")
    return data


def unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("two fields have one name")
    return fields


def refuse_json_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def signed_message(data: dict[str, Any]) -> bytes:
    """What is signed: canonical JSON (sorted names, no spaces) without `seconds` and without the signature's value.

    `seconds` is left out where results.json says how long grading took: in the submission and in each lesson.
    """
    message = {name: value for name, value in data.items() if name != "seconds"}
    if isinstance(message.get(SIGNATURE), dict):
        message[SIGNATURE] = {name: value for name, value in message[SIGNATURE].items() if name != "value"}
    if isinstance(message.get("lessons"), list):
        message["lessons"] = [
            {name: value for name, value in lesson.items() if name != "seconds"} if isinstance(lesson, dict) else lesson
            for lesson in message["lessons"]
        ]
    text = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return b"backprop-ninja results 1\n" + text.encode()
