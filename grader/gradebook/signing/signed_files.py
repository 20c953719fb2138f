"""Signs the results.json files in OUT that say what the gradebook says, and verifies files wherever they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from grader.errors import UserError
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.grading.keys import sha256_of
from grader.gradebook.signing.signature import NotVerified, PublicKey, SigningKey, check_signature, signed_text
from grader.results import RESULTS_FILE, SIGNATURE, SubmissionResult, points_in_words, read_results

SIGNED_WITH = "signed with"
"""The gradebook's entry with the fingerprint of the key that signed its results."""
MAX_SIGNED_FILE_BYTES = 64 << 20


def sign_results(out: Path, key: SigningKey, students: Collection[str] | None = None) -> tuple[int, list[str]]:
    """(how many students' results are signed now, a sentence for each file that is not what the gradebook says).

    Of all students, or of `students`. A signature that is valid stays as it is. Raises OutputError, UserError.
    """
    if not (out / GRADEBOOK).is_file():
        raise UserError(f"{out} has no {GRADEBOOK}: only results that a gradebook confirms are signed.")
    signed, remarks = 0, []
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        about = gradebook.about()
        for current in gradebook.current():
            if students is not None and current.student not in students:
                continue
            confirmed = [current, *gradebook.attempts_of(current.student)]
            confirmed += [each.only(lesson) for each in confirmed for lesson in each.lessons]
            for path in student_files(out / current.student):
                found = read_results(path.parent)
                if found not in confirmed:
                    remarks.append(f"{path} is not signed: it is not what the gradebook says about {current.student}.")
                elif found is not None:
                    sign_file(path, found, key, course_digest(found, about), now)
                    signed += path.parent == out / current.student
        gradebook.describe({SIGNED_WITH: key.fingerprint})
    return signed, remarks


def student_files(folder: Path) -> list[Path]:
    """The results.json of a student: the present one, and those of lessons that the latest run did not grade."""
    return [path for path in (folder / RESULTS_FILE, *sorted(folder.glob(f"*/{RESULTS_FILE}"))) if path.is_file()]


def sign_file(path: Path, results: SubmissionResult, key: SigningKey, course: str, now: str) -> None:
    """Raises OutputError."""
    with output_errors(path):
        try:
            check_signature(path.read_text(encoding="utf-8"), key.public)
        except NotVerified:
            write_whole(path, signed_text(results, key, course, now))


def course_digest(results: SubmissionResult, about: Mapping[str, str]) -> str:
    """A digest of the lessons' files, hidden suites included, as the gradebook has them from the latest run."""
    return sha256_of(
        *(
            f"{each.name} {about.get(f'lesson {each.name}', '')}"
            for each in sorted(results.lessons, key=lambda l: l.name)
        )
    )


def lost_signatures(out: Path, students: Collection[str]) -> str:
    """A sentence where results of these students are not signed, and others in OUT are or were; else ""."""
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        fingerprint = gradebook.about().get(SIGNED_WITH)
    if fingerprint is None or all(is_signed(path) for who in students for path in student_files(out / who)):
        return ""
    return (
        f"results in {out} were signed with the key {fingerprint}, and some are not signed any more. Sign them with: "
        f"grade sign {out} --key KEY"
    )


def is_signed(path: Path) -> bool:
    """Whether the file has a signature, right or wrong."""
    return f'"{SIGNATURE}": ' in path.read_text(encoding="utf-8", errors="replace")


class FileToVerify(NamedTuple):
    """A results.json, the student in whose folder in OUT it is, and what OUT's gradebook says now; None if unknown."""

    path: Path
    student: str | None = None
    current: SubmissionResult | None = None


def files_to_verify(paths: Iterable[Path]) -> Iterator[FileToVerify]:
    """Files as they are named, and those in folders that `grade run` wrote. Raises UserError, OutputError."""
    for path in paths:
        if not path.is_dir() or (path / RESULTS_FILE).is_file():
            yield from map(FileToVerify, student_files(path) if path.is_dir() else [path])
            continue
        current = current_in(path)
        folders = [each for each in sorted(path.iterdir()) if each.is_dir()]
        found = [
            FileToVerify(file, each.name, current.get(each.name)) for each in folders for file in student_files(each)
        ]
        if not found:
            raise UserError(f"{path} holds no {RESULTS_FILE}: name files, or the folder that `grade run -o` wrote.")
        yield from found


def current_in(out: Path) -> dict[str, SubmissionResult]:
    """{student: what the gradebook says now}; empty without a gradebook. Raises OutputError."""
    if not (out / GRADEBOOK).is_file():
        return {}
    with closing(Gradebook(out / GRADEBOOK, read_only=True)) as gradebook:
        return {each.student: each for each in gradebook.current()}


def verify_file(file: FileToVerify, key: PublicKey) -> tuple[bool, str]:
    """(whether the file is signed, unchanged and what the gradebook says, one sentence about it)."""
    path, student, current = file
    try:
        if path.stat().st_size > MAX_SIGNED_FILE_BYTES:
            raise NotVerified("is too large to be a results.json")
        text = path.read_text(encoding="utf-8")
        data = check_signature(text, key)
        if student is not None and data["student"] != student:
            raise NotVerified(f"belongs to {data['student']}, not to {student}")
        if current is not None and is_outdated(SubmissionResult.from_text(text), current):
            raise NotVerified(
                f"is signed, but it is out of date: the gradebook says {points_in_words(current.score)} now"
            )
    except NotVerified as reason:
        return False, f"{path} {reason}."
    except UnicodeDecodeError:
        return False, f"{path} cannot be read (no UTF-8)."
    except (OSError, ValueError) as error:
        return False, f"{path} cannot be read ({getattr(error, 'strerror', None) or error})."
    when = data["signature"]["signed_at"]
    return True, f"{path} is signed: {data['student']}, {data['score']} of {data['max_score']} points, {when}."


def is_outdated(results: SubmissionResult, current: SubmissionResult) -> bool:
    """Whether a lesson, or all of them together, have other points now."""
    scores = {lesson.name: lesson.score for lesson in current.lessons}
    if results.lessons and scores.keys() == {lesson.name for lesson in results.lessons}:
        return (results.score, scores) != (current.score, {lesson.name: lesson.score for lesson in results.lessons})
    return any(scores.get(lesson.name, lesson.score) != lesson.score for lesson in results.lessons)
