"""Signed results: whatever was changed is found, wherever the file is; the private key stays with the coordinator."""

from __future__ import annotations

import copy
import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
from feedback_class import LESSON, add_attempt, laid_out, write_class, write_student
from hypothesis import given
from hypothesis import strategies as some
from made_results import every_status
from support import SCHEMA, sampled

from grader.commands.grade import main
from grader.errors import UserError
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.signing.signature import (
    NotVerified,
    SigningKey,
    check_signature,
    make_key_pair,
    read_public_key,
    read_signing_key,
    signed_text,
)
from grader.results import SubmissionResult, read_results
from grader.sandbox.isolation.landlock import WorkerFiles

KEY = SigningKey(ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER = SigningKey(ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32)))
SIGNED = signed_text(every_status(), KEY, "c" * 64, "2026-11-22T12:00:00Z")


def grade(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def verdict(data: dict[str, Any], key: SigningKey = KEY) -> str:
    try:
        check_signature(json.dumps(data), key.public)
    except NotVerified as reason:
        return str(reason)
    return ""


# One file ------------------------------------------------------------------------------------------------------------


def test_a_signed_file_is_a_results_json():
    data = check_signature(SIGNED, KEY.public)
    jsonschema.validate(data, SCHEMA)
    assert data["signature"]["key"] == KEY.fingerprint and data["signature"]["course_sha256"] == "c" * 64
    assert SubmissionResult.from_text(SIGNED) == every_status()
    assert "signature" not in SubmissionResult.from_text(SIGNED).to_text()  # written again, it is not signed


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all plain values in a JSON value, and of empty lists and objects."""
    inside = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    return [place for name, entry in inside for place in places(entry, (*path, name))] if inside else [path]


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for name in path:
        data = data[name]
    return data


def is_time(path: tuple[str | int, ...]) -> bool:
    return path == ("seconds",) or (path[0] == "lessons" and path[2:] == ("seconds",))


ALL_PLACES = places(json.loads(SIGNED))


@sampled("change", [lambda _: 99, lambda _: None, lambda _: "x", lambda _: [1], lambda old: not old], keep=1)
def test_every_other_value_is_found_except_for_seconds(change):
    for path in ALL_PLACES:
        data = json.loads(SIGNED)
        if (new := change(at(data, path))) == at(data, path) and type(new) is type(at(data, path)):
            continue
        at(data, path[:-1])[path[-1]] = new
        assert (verdict(data) == "") == is_time(path), path


def test_a_field_or_a_row_more_or_less_is_found():
    for path in ALL_PLACES:
        data = json.loads(SIGNED)
        del at(data, path[:-1])[path[-1]]
        assert (verdict(data) == "") == is_time(path), path
    for change in (
        lambda data: data.update(points=3),
        lambda data: data["lessons"][0]["gradients"].reverse(),
        lambda data: data["lessons"].append(copy.deepcopy(data["lessons"][0])),
        lambda data: data["lessons"][0].update(bonus=1),
        lambda data: data["signature"].update(expires="never"),
    ):
        data = json.loads(SIGNED)
        change(data)
        assert verdict(data).startswith("was changed after it was signed")


@pytest.mark.full
@given(some.integers(0, len(SIGNED) - 1), some.characters(codec="utf-8"))
def test_another_character_changes_nothing_that_counts_or_is_found(place, character):
    text = SIGNED[:place] + character + SIGNED[place + 1 :]
    try:
        data = check_signature(text, KEY.public)
    except NotVerified:
        return
    assert without_times(data) == without_times(json.loads(SIGNED))


def without_times(data: dict[str, Any]) -> dict[str, Any]:
    return {
        **data,
        "seconds": 0,
        "lessons": [{**lesson, "seconds": 0} for lesson in data["lessons"]],
        "signature": {**data["signature"], "value": ""},  # base64 has spare bits
    }


def test_layout_does_not_count():
    assert verdict(json.loads(SIGNED)) == ""
    check_signature(json.dumps(json.loads(SIGNED), indent=4, sort_keys=True), KEY.public)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SIGNED.replace('"score": 2,', '"score": 2, "score": 11,', 1), "is no results.json"),
        (SIGNED.replace('"score": 2,', '"score": NaN,', 1), "is no results.json"),
        ("[" * 100_000, "is no results.json"),
        ("[1]", "is no results.json"),
        ("{}", "is no results.json"),
        (every_status().to_text(), "is not signed"),
        (SIGNED.replace('"value": "', '"value": "?', 1), "has a signature that cannot be read"),
        (signed_text(every_status(), OTHER, "c" * 64, "now"), f"was not signed with this key ({KEY.fingerprint})"),
        (
            signed_text(every_status(), OTHER, "c" * 64, "now").replace(OTHER.fingerprint, KEY.fingerprint),
            "was changed after it was signed",
        ),
    ],
)
def test_what_is_not_verified_says_why(text, reason):
    with pytest.raises(NotVerified) as raised:
        check_signature(text, KEY.public)
    assert str(raised.value).startswith(reason)


# Keys ----------------------------------------------------------------------------------------------------------------


def test_a_pair_of_keys(tmp_path):
    old = os.umask(0)
    try:
        place, public = make_key_pair(tmp_path / "course.pem")
    finally:
        os.umask(old)
    assert place == tmp_path / "course.pub.pem"
    assert stat.S_IMODE((tmp_path / "course.pem").stat().st_mode) == 0o600
    assert read_signing_key(tmp_path / "course.pem").fingerprint == public.fingerprint
    assert read_public_key(place).fingerprint == public.fingerprint
    before = (tmp_path / "course.pem").read_bytes()
    with pytest.raises(UserError, match=r"course\.pem exists already"):
        make_key_pair(tmp_path / "course.pem")
    (tmp_path / "other.pub.pem").touch()
    with pytest.raises(UserError, match=r"other\.pub\.pem exists already"):
        make_key_pair(tmp_path / "other.pem")
    assert not (tmp_path / "other.pem").exists() and (tmp_path / "course.pem").read_bytes() == before


def test_keys_that_cannot_be_used_are_one_sentence(tmp_path):
    path = tmp_path / "course.pem"
    place, _ = make_key_pair(path)
    path.chmod(0o640)
    with pytest.raises(UserError, match="can be read by other users of this machine: chmod 600"):
        read_signing_key(path)
    path.chmod(0o600)
    other = tmp_path / "other.pem"
    other.touch(0o600)
    pem, plain = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    locked = KEY.key.private_bytes(pem, plain, serialization.BestAvailableEncryption(b"x"))
    wrong = x25519.X25519PrivateKey.generate().private_bytes(pem, plain, serialization.NoEncryption())
    for content, reason in ((b"", "no private key"), (locked, "without a password"), (wrong, "no Ed25519 key")):
        other.write_bytes(content)
        with pytest.raises(UserError, match=reason):
            read_signing_key(other)
    for wrong_path, reason in ((path, "is no public key"), (tmp_path / "none", "cannot be read")):
        with pytest.raises(UserError, match=reason):
            read_public_key(wrong_path)
    with pytest.raises(UserError, match="is no private key"):
        place.chmod(0o600)
        read_signing_key(place)


# OUT -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def out(course, tmp_path) -> Path:
    submissions = laid_out(tmp_path / "in", {"ada/backward.py": "right", "bo/backward.py": "right"})
    write_class(course, submissions, tmp_path / "out")
    make_key_pair(tmp_path / "course.pem")
    return tmp_path / "out"


def verify(out: Path, *paths: Path) -> tuple[int, str, str]:
    return grade("verify-results", *(paths or [out]), "--key", out.parent / "course.pub.pem")


def test_what_the_gradebook_says_is_signed_and_nothing_else(out, tmp_path):
    assert verify(out)[0] == 1
    forged = read_results(out / "bo")
    assert forged is not None
    forged.score = 2
    write_student(out, forged)
    status, said, warned = grade("sign", out, "--key", tmp_path / "course.pem")
    assert (status, said.split(" in ")[0]) == (1, "signed: results of 1 student")
    assert (
        warned == f"grade: {out / 'bo' / 'results.json'} is not signed: it is not what the gradebook says about bo.\n"
    )
    status, said, warned = verify(out)
    assert (status, said.count("\n")) == (1, 1) and "is signed: ada, 1 of 2 points, 20" in said
    assert warned == f"NOT VERIFIED: {out / 'bo' / 'results.json'} is not signed.\n"


def test_a_file_is_verified_wherever_it_is(out, tmp_path):
    assert grade("sign", out, "--key", tmp_path / "course.pem")[0] == 0
    assert verify(out)[0] == 0
    copy = tmp_path / "downloaded.json"
    copy.write_text((out / "ada" / "results.json").read_text())
    assert verify(out, copy, out / "ada")[0] == 0
    copy.write_text(copy.read_text().replace('"points": 0', '"points": 1'))
    assert verify(out, copy)[2].endswith("was changed after it was signed, or its signature is forged.\n")
    (out / "bo" / "results.json").write_text((out / "ada" / "results.json").read_text())  # signed, and not Bo's
    status, _, warned = verify(out)
    assert status == 1 and warned.endswith("bo/results.json belongs to ada, not to bo.\n")
    (tmp_path / "empty").mkdir()
    assert verify(out, tmp_path / "empty")[0] == 2
    assert verify(out, tmp_path / "nowhere.json")[0] == 1


def test_a_signed_file_that_is_older_than_the_gradebook_is_found(out, tmp_path):
    grade("sign", out, "--key", tmp_path / "course.pem")
    result = read_results(out / "ada")
    assert result is not None
    gradebook = Gradebook(out / GRADEBOOK)
    add_attempt(gradebook, replace(result, score=2, lessons=[replace(result.lessons[0], score=2)]))
    gradebook.close()
    status, said, warned = verify(out)
    assert (status, said.count("is signed: bo")) == (1, 1)
    assert warned.endswith("is signed, but it is out of date: the gradebook says 2 points now.\n")
    assert verify(out, out / "ada" / "results.json")[0] == 0  # alone it says when it was signed


def test_signing_again_leaves_signed_files_as_they_are(out, tmp_path):
    grade("sign", out, "--key", tmp_path / "course.pem")
    before = (out / "ada" / "results.json").stat().st_mtime_ns
    assert grade("sign", out, "--key", tmp_path / "course.pem")[0] == 0
    assert (out / "ada" / "results.json").stat().st_mtime_ns == before


PRYING = """
import os

found = []
for path in ["@KEY@", "/proc/self/environ", *(f"/proc/{number}/environ" for number in range(1, 400))]:
    try:
        found.append(open(path).read()[:100])
    except Exception as error:
        found.append(type(error).__name__)
listed = os.environ.get("GRADE_SIGNING_KEY", "no variable")
print("LOOKED", listed, set(found))


def dlogits(logits, Yb, n):
    raise ValueError("BEGIN" in "".join(found))
"""


@pytest.mark.full
def test_a_run_signs_and_student_code_cannot_read_the_key(tmp_path):
    keys = tmp_path / "keys"
    keys.mkdir(mode=0o755)
    make_key_pair(keys / "course.pem")
    laid_out(tmp_path / "in", {"eve/backward.py": PRYING.replace("@KEY@", str(keys / "course.pem"))})
    run = ("run", tmp_path / "in", "--lesson", "4", "-o", tmp_path / "out", "--jobs", "1", "--quiet")
    status, said, warned = grade(*run, "--sign", keys / "course.pem")
    assert (status, said, warned) == (0, "", "")
    report = (tmp_path / "out" / "eve" / "report.html").read_text()
    assert "LOOKED" in report and "PRIVATE" not in report and "ValueError: True" not in report
    assert grade("verify-results", tmp_path / "out", "--key", keys / "course.pub.pem")[0] == 0
    # graded again without the key, the results are not signed any more, and the command says so
    status, _, warned = grade(*run, "--fresh")
    assert status == 0 and "some are not signed any more. Sign them with: grade sign" in warned
    assert grade("verify-results", tmp_path / "out", "--key", keys / "course.pub.pem")[0] == 1


def test_a_key_where_student_code_reads_libraries_is_refused(tmp_path, monkeypatch):
    files = WorkerFiles((tmp_path,), (), ())
    monkeypatch.setattr("grader.sandbox.isolation.landlock.worker_files", lambda: files)
    make_key_pair(tmp_path / "course.pem")
    laid_out(tmp_path / "in", {"eve/backward.py": "right"})
    status, _, message = grade("run", tmp_path / "in", "-o", tmp_path / "out", "--sign", tmp_path / "course.pem")
    assert status == 2 and "which student code may read: move the key elsewhere" in message
    assert not (tmp_path / "out").exists()


def test_a_lesson_of_an_earlier_run_is_signed_too(out, tmp_path):
    result = read_results(out / "ada")
    assert result is not None
    (out / "ada" / LESSON).mkdir()
    (out / "ada" / LESSON / "results.json").write_text(result.only(result.lessons[0]).to_text())
    assert grade("sign", out, "--key", tmp_path / "course.pem")[0] == 0
    assert verify(out)[1].count("is signed") == 3
