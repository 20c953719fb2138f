"""The field `signature` of results.json: an Ed25519 signature over all other fields except `seconds`; and its keys.

No code that changes a result can keep its signature by mistake: reading results.json drops the field, and only
`signed_text` writes it. The keys are PEM files. Only the coordinator reads the private one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import stat
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import UserError
from grader.results import SIGNATURE, SubmissionResult

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PRIVATE_MODE, PUBLIC_MODE = 0o600, 0o644


@dataclass(frozen=True)
class PublicKey:
    """A key that checks signatures. `fingerprint` names it: the beginning of the SHA-256 of its 32 bytes."""

    key: Ed25519PublicKey

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.key.public_bytes_raw()).hexdigest()[:16]

    def verifies(self, signature: bytes, message: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature

        try:
            self.key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True)
class SigningKey:
    """A private key."""

    key: Ed25519PrivateKey

    def sign(self, message: bytes) -> bytes:
        return self.key.sign(message)

    @property
    def public(self) -> PublicKey:
        return PublicKey(self.key.public_key())

    @property
    def fingerprint(self) -> str:
        return self.public.fingerprint


def require_cryptography() -> None:
    """Raise UserError where the optional package is not installed."""
    if find_spec("cryptography") is None:
        raise UserError("signatures need a package that is not installed: pip install 'backprop-ninja[sign]'.")


def public_path(path: Path) -> Path:
    """Where the public key of the private one at `path` is: course.pem and course.pub.pem."""
    return path.with_name(f"{path.stem}.pub{path.suffix or '.pem'}")


def make_key_pair(path: Path) -> tuple[Path, PublicKey]:
    """Write a new private key to `path`, which only its owner can read; (the public key's file, the public key).

    Raises UserError if one of the files exists or cannot be written.
    """
    require_cryptography()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    place = public_path(path)
    write_new(path, private, PRIVATE_MODE)
    try:
        write_new(place, public, PUBLIC_MODE)
    except UserError:
        path.unlink()
        raise
    return place, PublicKey(key.public_key())


def write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that does not exist yet, with these permissions from the beginning, and its folder if that is new.

    Raises UserError.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    except FileExistsError:
        raise UserError(f"{path} exists already, and a key is never replaced: give another name.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)  # whatever the umask is
        file.write(content)


def read_signing_key(path: Path) -> SigningKey:
    """The private key in a PEM file that nobody but its owner can read. Raises UserError."""
    require_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    data = read_key_file(path)
    if os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(f"{path} can be read by other users of this machine: chmod 600 {path}, then try again.")
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError):
        raise UserError(f"{path} is no private key without a password: make one with `grade keygen`.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UserError(f"{path} is no Ed25519 key: make one with `grade keygen`.")
    return SigningKey(key)


def read_public_key(path: Path) -> PublicKey:
    """The public key in a PEM file. Raises UserError."""
    require_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(read_key_file(path))
    except ValueError:
        raise UserError(f"{path} is no public key: give the .pub.pem file that `grade keygen` wrote.") from None
    if not isinstance(key, Ed25519PublicKey):
        raise UserError(f"{path} is no Ed25519 key: give the .pub.pem file that `grade keygen` wrote.")
    return PublicKey(key)


def read_key_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. `grade keygen` makes a pair of keys.") from error


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
    unsigned = replace(results, signature=claims).to_text()
    value = base64.b64encode(key.sign(signed_message(parsed_results(unsigned)))).decode()
    return replace(results, signature=claims | {"value": value}).to_text()


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
